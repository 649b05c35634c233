# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of functions of torch.nn.functional."""

import numpy as np


class Calls:
    """Draws calls: a name, positional arguments and those by name.

    Arrays stand for tensors.
    """

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.dtype = "float32"

    def draw(self, names=None):
        self.dtype = self.pick("float32", "float32", "float64")
        name = self.pick(*(names or CALLS))
        args, named = CALLS[name](self)
        return name, args, named

    # Parts of arguments.

    def pick(self, *values):
        return values[self.rng.integers(len(values))]

    def size(self, least=1, most=4):
        return int(self.rng.integers(least, most + 1))

    def sizes(self, count, least=1, most=4):
        return [self.size(least, most) for _ in range(count)]

    def floats(self, *shape):
        return self.rng.standard_normal(shape).astype(self.dtype)

    def maybe(self, *shape):
        return self.floats(*shape) if self.rng.random() < 0.6 else None

    def real(self, low, high):
        return float(self.rng.uniform(low, high))

    def some(self, **named):
        """Some of the arguments; the others are left out."""
        return {name: value for name, value in named.items()
                if self.rng.random() < 0.6}

    def window(self, spatial, least=0, most=2):
        """One number, one in a list, or one for each dimension."""
        sizes = self.sizes(spatial, least, most)
        return self.pick(sizes[0], sizes, tuple(sizes), [sizes[0]])

    def any_shape(self, least=1, most=4):
        return self.sizes(self.size(least, most))

    # Functions.

    def unary(self, **reals):
        named = {name: self.real(*ends) for name, ends in reals.items()}
        return [3 * self.floats(*self.any_shape())], \
            self.some(**named)

    def over_dim(self):
        shape = self.any_shape()
        return [self.floats(*shape)], self.some(dim=self.dim(len(shape)))

    def dim(self, rank):
        return self.size(-rank, rank - 1)

    def image(self, spatial, channels, least=4):
        batch = [self.size()] if self.rng.random() < 0.8 else []
        return self.floats(*batch, channels, *self.sizes(spatial, least, 7))

    def conv(self, spatial):
        groups = self.size(1, 3)
        inputs, outputs = groups * self.size(1, 2), groups * self.size(1, 2)
        window = self.sizes(spatial, 1, 3)
        weight = self.floats(outputs, inputs // groups, *window)
        x = self.image(spatial, inputs, least=5)
        named = self.some(bias=self.floats(outputs),
                          dilation=self.window(spatial, 1, 2))
        named["groups"] = groups
        if self.rng.random() < 0.3:
            named["padding"] = self.pick("same", "valid")
        else:
            named.update(self.some(stride=self.window(spatial, 1, 3),
                                   padding=self.window(spatial)))
        return [x, weight], named

    def conv_transpose(self, spatial):
        groups = self.size(1, 2)
        inputs, outputs = groups * self.size(1, 2), self.size(1, 2)
        weight = self.floats(inputs, outputs, *self.sizes(spatial, 1, 3))
        stride = self.window(spatial, 2, 3)
        named = self.some(bias=self.floats(outputs * groups),
                          padding=self.window(spatial, 0, 2),
                          output_padding=self.window(spatial, 0, 1),
                          dilation=self.window(spatial, 1, 2))
        return [self.image(spatial, inputs), weight], {
            **named, "stride": stride, "groups": groups}

    def max_pool(self, spatial):
        kernel = self.window(spatial, 2, 3)
        return [self.image(spatial, self.size(), least=5), kernel], self.some(
            stride=self.window(spatial, 1, 3),
            padding=self.window(spatial, 0, 1),
            dilation=self.window(spatial, 1, 2),
            ceil_mode=self.pick(True, False))

    def avg_pool(self, spatial):
        kernel = self.window(spatial, 2, 3)
        named = self.some(stride=self.window(spatial, 1, 3),
                          padding=self.window(spatial, 0, 1),
                          count_include_pad=self.pick(True, False))
        if spatial > 1 and self.rng.random() < 0.2:
            named["divisor_override"] = self.size(1, 5)
        elif self.rng.random() < 0.4:
            named["ceil_mode"] = True
        return [self.image(spatial, self.size()), kernel], named

    def adaptive_pool(self, spatial):
        outputs, parts = self.sizes(spatial), self.sizes(spatial)
        sizes = [n * part for n, part in zip(outputs, parts)]
        if self.rng.random() < 0.5:  # Parts that share elements, or repeat one.
            sizes = self.sizes(spatial, 1, 9)
        x = self.floats(self.size(), self.size(), *sizes)
        return [x, outputs if spatial > 1 else outputs[0]], {}

    def linear(self):
        depth, width = self.sizes(2)
        return [self.floats(*self.any_shape(0, 3), depth),
                self.floats(width, depth), self.maybe(width)], {}

    def bilinear(self):
        batch, first, second, width = [self.any_shape(0, 2), *self.sizes(3)]
        return [self.floats(*batch, first), self.floats(*batch, second),
                self.floats(width, first, second), self.maybe(width)], {}

    def batch_norm(self):
        c = self.size()
        x = self.floats(self.size(), c, *self.any_shape(0, 3))
        return [x, self.floats(c), self.floats(c)**2 + 0.1,
                self.maybe(c), self.maybe(c)], self.some(eps=1e-3)

    def group_norm(self):
        groups = self.size()
        c = groups * self.size()
        x = self.floats(self.size(), c, *self.sizes(self.size(1, 3), 2))
        return [x, groups, self.maybe(c), self.maybe(c)], self.some(eps=1e-3)

    def instance_norm(self):
        c = self.size()
        x = self.floats(self.size(), c, *self.sizes(self.size(1, 3), 2))
        return [x], {"weight": self.maybe(c), "bias": self.maybe(c),
                     **self.some(eps=1e-3)}

    def layer_norm(self):
        shape = self.sizes(self.size(1, 4), 2, 5)
        last = shape[-self.size(1, len(shape)):]
        return [self.floats(*shape), last, self.maybe(*last),
                self.maybe(*last)], self.some(eps=1e-3)

    def rms_norm(self):
        (x, last, weight, _), named = self.layer_norm()
        return [x, last, weight], named

    def attention(self):
        heads, rows, keys, depth, width = self.sizes(5)
        batch = self.any_shape(0, 2) + [heads]
        query = self.floats(*batch, rows, depth)
        key = self.floats(*batch, keys, depth)
        value = self.floats(*batch, keys, width)
        named = self.some(scale=self.real(0.1, 2))
        kind = self.size(0, 3)
        shape = self.pick([rows, keys], [*batch, rows, keys], [1, keys],
                          [*(1 for _ in batch), rows, keys])
        if kind == 1:
            named["is_causal"] = True
        elif kind == 2:
            named["attn_mask"] = self.floats(*shape)
        elif kind == 3:
            mask = self.rng.random(shape) < 0.5
            mask[..., 0] = True  # Each query sees a key.
            named["attn_mask"] = mask
        return [query, key, value], named

    def embedding(self):
        rows = self.size(1, 9)
        return [self.rng.integers(0, rows, self.any_shape(0, 3)),
                self.floats(rows, self.size())], {}

    def one_hot(self):
        classes = self.size(1, 6)
        return [self.rng.integers(0, classes, self.any_shape(0, 3)),
                classes], {}

    def reduction(self):
        return self.some(reduction=self.pick("none", "sum", "mean"))

    def loss(self, **reals):
        shape = self.any_shape()
        named = self.some(**{name: self.real(*ends)
                             for name, ends in reals.items()})
        return [self.floats(*shape), self.floats(*shape)], {
            **self.reduction(), **named}

    def probabilities(self, *shape):
        return self.rng.uniform(0.01, 0.99, shape).astype(self.dtype)

    def binary_loss(self, has_logits):
        shape = self.any_shape()
        target = self.pick(self.probabilities(*shape),
                           self.probabilities(*shape).round())
        x = self.floats(*shape) if has_logits else self.probabilities(*shape)
        named = {**self.reduction(), **self.some(weight=self.floats(*shape))}
        if has_logits:
            named.update(self.some(
                pos_weight=self.probabilities(shape[-1])))
        return [x, target], named

    def kl_div(self):
        shape = self.any_shape()
        is_log = self.pick(True, False)
        target = self.floats(*shape) if is_log else self.probabilities(*shape)
        reduction = self.pick("none", "sum", "mean", "batchmean")
        return [self.floats(*shape), target], {"log_target": is_log,
                                               "reduction": reduction}

    def classes(self):
        shape = self.any_shape(1, 4)
        count = shape[0] if len(shape) == 1 else shape[1]
        indices = shape[:1] + shape[2:] if len(shape) > 1 else []
        target = np.asarray(self.rng.integers(0, count, indices))
        named = self.reduction()
        if self.rng.random() < 0.5:
            named["weight"] = self.probabilities(count)
        # A mean of no element is NaN of other signs.
        if count > 1 and (target != 0).any():
            named.update(self.some(ignore_index=0))
        return [self.floats(*shape), target], named

    def cross_entropy(self):
        (x, target), named = self.classes()
        if self.rng.random() < 0.3:
            target = self.probabilities(*x.shape)
            named.pop("ignore_index", None)
        return [x, target], {**named, **self.some(
            label_smoothing=self.real(0, 1))}

    def pad(self):
        shape = self.sizes(self.size(1, 4), 2, 4)
        count = self.size(1, len(shape))
        pads = self.sizes(2 * count, -1, 3)
        # Something must be left.
        pads = [max(pad, 0) if shape[-1 - i // 2] == 2 else pad
                for i, pad in enumerate(pads)]
        return [self.floats(*shape), pads], self.some(value=self.real(-2, 2))

    def pad_around(self):
        spatial = self.size(1, 3)
        x = self.image(spatial, self.size())
        return [x, self.sizes(2 * spatial, 0, 3)], {
            "mode": self.pick("reflect", "replicate", "circular")}

    def any_pad(self):
        return self.pad() if self.rng.random() < 0.5 else self.pad_around()

    def interpolate(self):
        spatial = self.size(1, 3)
        x = self.floats(self.size(), self.size(), *self.sizes(spatial, 1, 7))
        linear = [["linear"], ["bilinear", "bicubic"], ["trilinear"]][
            spatial - 1]
        named = {"mode": self.pick("nearest", "nearest-exact",
                                   *linear, *linear)}
        if named["mode"] in linear:
            named.update(self.some(align_corners=self.pick(True, False)))
        kind = self.size(0, 2)
        if kind == 0:
            sizes = self.sizes(spatial, 1, 9)
            return [x], {**named, "size": self.pick(sizes[0], sizes)}
        factors = [self.real(1, 3) for _ in range(spatial)]
        # The rounding of "nearest" differs between versions of torch.
        named["scale_factor"] = self.size(2, 3) if \
            named["mode"] == "nearest" else self.pick(2, factors)
        return [x], {**named, **self.some(recompute_scale_factor=True)}

    def normalize(self):
        shape = self.any_shape()
        return [self.floats(*shape)], {"dim": self.dim(len(shape)),
                                       **self.some(p=self.real(1, 4))}

    def cosine_similarity(self):
        shape = self.any_shape()
        return [self.floats(*shape), self.floats(*shape)], {
            "dim": self.dim(len(shape))}

    def pairwise_distance(self):
        shape = [self.size(), self.size()]
        return [self.floats(*shape), self.floats(*shape)], self.some(
            p=self.real(1, 4), keepdim=True)

    def pixels(self, is_up):
        r, channels = self.size(1, 3), self.size(1, 2)
        height, width = self.sizes(2)
        shape = [channels * r * r, height, width] if is_up else \
            [channels, height * r, width * r]
        return [self.floats(*self.any_shape(0, 2), *shape), r], {}

    def channels(self):
        groups = self.size(1, 3)
        return [self.floats(self.size(), groups * self.size(),
                            *self.sizes(2)), groups], {}

    def glu(self):
        shape = self.any_shape()
        dim = self.dim(len(shape))
        shape[dim] *= 2
        return [self.floats(*shape)], {"dim": dim}

    def prelu(self):
        shape = self.any_shape(2, 4)
        return [self.floats(*shape), self.floats(self.pick(1, shape[1]))], {}


CALLS = {
    "bilinear": Calls.bilinear,
    "batch_norm": Calls.batch_norm,
    "binary_cross_entropy": lambda c: c.binary_loss(False),
    "binary_cross_entropy_with_logits": lambda c: c.binary_loss(True),
    "celu": lambda c: c.unary(alpha=(0.2, 2)),
    "channel_shuffle": Calls.channels,
    "cosine_similarity": Calls.cosine_similarity,
    "cross_entropy": Calls.cross_entropy,
    "elu": lambda c: c.unary(alpha=(-1, 2)),
    "embedding": Calls.embedding,
    "glu": Calls.glu,
    "group_norm": Calls.group_norm,
    "hardshrink": lambda c: c.unary(lambd=(0, 2)),
    "hardsigmoid": Calls.unary,
    "hardswish": Calls.unary,
    "hardtanh": lambda c: c.unary(min_val=(-2, 0), max_val=(0, 2)),
    "huber_loss": lambda c: c.loss(delta=(0.2, 2)),
    "instance_norm": Calls.instance_norm,
    "interpolate": Calls.interpolate,
    "kl_div": Calls.kl_div,
    "l1_loss": Calls.loss,
    "layer_norm": Calls.layer_norm,
    "leaky_relu": lambda c: c.unary(negative_slope=(-1, 2)),
    "linear": Calls.linear,
    "log_softmax": Calls.over_dim,
    "logsigmoid": Calls.unary,
    "mish": Calls.unary,
    "mse_loss": Calls.loss,
    "nll_loss": Calls.classes,
    "normalize": Calls.normalize,
    "one_hot": Calls.one_hot,
    "pad": Calls.any_pad,
    "pairwise_distance": Calls.pairwise_distance,
    "pixel_shuffle": lambda c: c.pixels(True),
    "pixel_unshuffle": lambda c: c.pixels(False),
    "prelu": Calls.prelu,
    "relu": Calls.unary,
    "relu6": Calls.unary,
    "rms_norm": Calls.rms_norm,
    "rrelu": lambda c: c.unary(lower=(0, 0.3), upper=(0.5, 1)),
    "scaled_dot_product_attention": Calls.attention,
    "selu": Calls.unary,
    "sigmoid": Calls.unary,
    "silu": Calls.unary,
    "smooth_l1_loss": lambda c: c.loss(beta=(0, 2)),
    "softmax": Calls.over_dim,
    "softmin": Calls.over_dim,
    "softplus": lambda c: c.unary(beta=(0.2, 2), threshold=(0, 20)),
    "softshrink": lambda c: c.unary(lambd=(0, 2)),
    "softsign": Calls.unary,
    "tanh": Calls.unary,
    "tanhshrink": Calls.unary,
    "gelu": lambda c: (c.unary()[0], c.some(approximate="tanh")),
    "threshold": lambda c: ([*c.unary()[0], c.real(-1, 1), c.real(-1, 1)],
                            {}),
    **{f"dropout{n}": lambda c, n=n: ([c.image(int(n[:1] or 1), 2)],
                                      {"training": False})
       for n in ("", "1d", "2d", "3d")},
    "alpha_dropout": Calls.unary,
    **{f"{name}{spatial}d": lambda c, make=make, spatial=spatial:
       make(c, spatial) for spatial in (1, 2, 3)
       for name, make in {
           "conv": Calls.conv, "conv_transpose": Calls.conv_transpose,
           "max_pool": Calls.max_pool, "avg_pool": Calls.avg_pool,
           "adaptive_avg_pool": Calls.adaptive_pool,
           "adaptive_max_pool": Calls.adaptive_pool}.items()},
}
