# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas.nn against numpy, and against torch on random calls."""

import importlib
import itertools
import math
import warnings

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import nn
from nn_calls import CALLS, Calls

RNG = np.random.default_rng(11)
SPECIAL = np.float32([-np.inf, -50, -3, -1, -0.25, 0, 0.25, 1, 3, 50, np.inf])


def normal(*shape):
    return RNG.standard_normal(shape).astype("float32")


def run(function, *args, **named):
    """The result; the first argument is an input."""
    x = hk.input("x", args[0].shape, dtype=args[0].dtype)
    model = hk.compile(function(x, *args[1:], **named))
    return model.run({"x": args[0]} if model.inputs else {})


def check(expected, function, *args, **named):
    result = run(function, *args, **named)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=2e-5, atol=1e-5)


#===------------------------------------------------------------------------===#
# Functions of elements
#===------------------------------------------------------------------------===#


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0, x)


ERF = np.vectorize(math.erf)

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x),
    "rrelu": lambda x: np.where(x >= 0, x, (1 / 8 + 1 / 3) / 2 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "selu": lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "gelu": lambda x: x * (1 + ERF(x / np.sqrt(2))) / 2,
    "silu": lambda x: x * sigmoid(x),
    "mish": lambda x: x * np.tanh(softplus(x)),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "tanhshrink": lambda x: x - np.tanh(x),
    "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "logsigmoid": lambda x: -softplus(-x),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_activation(name, dtype):
    x = normal(3, 7).astype(dtype) * 2
    result = run(getattr(nn, name), x)
    assert result.dtype == x.dtype
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(result, ACTIVATIONS[name](x.astype(float)),
                               rtol=tolerance, atol=1e-6)


@pytest.mark.parametrize("name", ["relu", "relu6", "elu", "selu", "hardtanh",
                                  "softplus", "sigmoid", "logsigmoid",
                                  "silu"])
def test_extremes(name):
    with np.errstate(all="ignore"):
        expected = ACTIVATIONS[name](SPECIAL.astype(float))
    check(expected, getattr(nn, name), SPECIAL)


def test_activations_with_arguments():
    x = normal(4, 6) * 3
    check(np.where(x > 0, x, -0.5 * x), nn.leaky_relu, x, -0.5)
    check(np.where(x > 1, x, -2), nn.threshold, x, 1, -2)
    check(np.clip(x, -0.5, 2), nn.hardtanh, x, min_val=-0.5, max_val=2)
    check(np.where(x * 2 > 1, x, softplus(x * 2) / 2), nn.softplus, x, 2, 1)
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    check(x * (1 + np.tanh(inner)) / 2, nn.gelu, x, approximate="tanh")
    check(x[:2] * sigmoid(x[2:]), nn.glu, x, dim=0)
    slopes = normal(6)
    check(np.where(x > 0, x, slopes * x), nn.prelu, x, slopes)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("shape, dim", [
    ([5], None), ([2, 5], None), ([2, 3, 5], None), ([2, 3, 4, 5], None),
    ([2, 3, 5], -1), ([2, 3, 5], 1)])
def test_softmax(shape, dim):
    x = normal(*shape)
    axis = {1: 0, 2: 1, 3: 0, 4: 1}[len(shape)] if dim is None else dim
    check(softmax(x, axis), nn.softmax, x, dim)
    check(np.log(softmax(x, axis)), nn.log_softmax, x, dim)
    check(softmax(-x, axis), nn.softmin, x, dim)


def test_softmax_of_integers():
    x = np.int64([[1, 2, 4]])
    result = run(nn.softmax, x, 1, dtype="float64")
    np.testing.assert_allclose(result, softmax(x.astype(float), 1))


#===------------------------------------------------------------------------===#
# Images
#===------------------------------------------------------------------------===#


def windows(x, kernel, stride, dilation):
    """Yields (place in the result, window) of the last dimensions."""
    spatial = len(kernel)
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in
             zip(x.shape[-spatial:], kernel, stride, dilation)]
    for place in itertools.product(*map(range, sizes)):
        yield place, x[(..., *(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, k, s, d in zip(place, kernel, stride, dilation)))]


def assemble(parts):
    """An array whose last dimensions are the places of ``parts``."""
    parts = dict(parts)
    shape = [n + 1 for n in max(parts)]
    first = next(iter(parts.values()))
    result = np.zeros([*first.shape, *shape])
    for place, value in parts.items():
        result[(..., *place)] = value
    return result


def convolve(x, w, stride, padding, dilation, groups):
    """N x C x ... by definition, with ``padding`` (before, after)."""
    spatial = w.ndim - 2
    x = np.pad(x.astype(float), [(0, 0), (0, 0), *padding])
    inputs, outputs = x.shape[1] // groups, len(w) // groups
    axes = list(range(1, spatial + 2))

    def product(window):
        return np.concatenate([np.tensordot(
            window[:, g * inputs:(g + 1) * inputs],
            w[g * outputs:(g + 1) * outputs], (axes, axes))
            for g in range(groups)], axis=1)
    return assemble((place, product(window)) for place, window in
                    windows(x, w.shape[2:], stride, dilation))


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("stride, padding, dilation, groups", [
    (1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1)])
def test_conv(spatial, stride, padding, dilation, groups):
    x, w = normal(2, 4, *[6] * spatial), normal(6, 4 // groups, *[2] * spatial)
    bias = normal(6)
    expected = convolve(x, w, [stride] * spatial, [(padding,) * 2] * spatial,
                        [dilation] * spatial, groups)
    expected += bias.reshape(-1, *[1] * spatial)
    conv = getattr(nn, f"conv{spatial}d")
    check(expected, conv, x, w, bias, stride, padding, dilation, groups)
    # Numbers for each dimension, and an image without a batch.
    check(expected[0], conv, x[0], w, bias, stride=[stride] * spatial,
          padding=(padding,) * spatial, dilation=(dilation,), groups=groups)


def test_conv_of_the_same_size():
    x, w = normal(1, 2, 5, 6), normal(3, 2, 4, 3)
    # The odd zero is behind.
    expected = convolve(x, w, (1, 1), [(1, 2), (2, 2)], (1, 2), 1)
    assert expected.shape[2:] == x.shape[2:]
    check(expected, nn.conv2d, x, w, padding="same", dilation=(1, 2))
    check(convolve(x, w, (2, 1), [(0, 0), (0, 0)], (1, 1), 1), nn.conv2d, x, w,
          padding="valid", stride=(2, 1))


@pytest.mark.parametrize("size, window, stride, padding, more, groups", [
    ((3, 5), 3, 1, 0, 0, 1), ((3, 5), 3, 2, 1, 1, 2), ((3, 5), 3, 3, 2, 0, 1),
    ((12, 16), 4, 2, 1, 0, 1), ((13, 11), 6, 3, 4, 2, 1)])
def test_conv_transpose(size, window, stride, padding, more, groups):
    """Each element adds its filter to the result."""
    x, w = normal(2, 4, *size), normal(4, 3, window, window)
    sizes = [(n - 1) * stride + window + more for n in size]
    expected = np.zeros([2, 3 * groups, *sizes])
    share = 4 // groups
    for n, c, i, j in np.ndindex(*x.shape):
        begin = c // share * 3
        expected[n, begin:begin + 3, i * stride:i * stride + window,
                 j * stride:j * stride + window] += x[n, c, i, j] * w[c]
    cut = slice(padding, -padding if padding else None)
    check(expected[:, :, cut, cut], nn.conv_transpose2d, x, w, stride=stride,
          padding=padding, output_padding=more, groups=groups)


def test_pools():
    x = normal(2, 3, 6, 7)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0)],
                    constant_values=-np.inf)
    check(assemble((p, w.max((-1, -2))) for p, w in
                   windows(padded, (3, 2), (2, 1), (1, 2))),
          nn.max_pool2d, x, (3, 2), (2, 1), (1, 0), (1, 2))
    zeros = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    parts = [(p, w.sum((-1, -2))) for p, w in
             windows(zeros, (2, 2), (2, 2), (1, 1))]
    check(assemble(parts) / 4, nn.avg_pool2d, x, 2, padding=1)
    check(assemble(parts) / 3, nn.avg_pool2d, x, 2, padding=1,
          divisor_override=3)
    counts = assemble((p, w.sum((-1, -2))) for p, w in windows(
        np.pad(np.ones_like(x), [(0, 0), (0, 0), (1, 1), (1, 1)]),
        (2, 2), (2, 2), (1, 1)))
    check(assemble(parts) / counts, nn.avg_pool2d, x, 2, padding=1,
          count_include_pad=False)
    # The last window, of one column, only with ceil_mode.
    assert run(nn.max_pool2d, x, 2).shape == (2, 3, 3, 3)
    result = run(nn.max_pool2d, x, 2, ceil_mode=True)
    np.testing.assert_array_equal(
        result[..., 3], x[..., 6].reshape(2, 3, 3, 2).max(-1))
    line = normal(3, 8)
    check(line.reshape(3, 4, 2).max(-1), nn.max_pool1d, line, 2)
    check(line.reshape(3, 4, 2).mean(-1), nn.avg_pool1d, line, 2)


def test_adaptive_pools():
    x = normal(2, 3, 4, 6)
    check(x.mean((2, 3), keepdims=True), nn.adaptive_avg_pool2d, x, 1)
    check(x.reshape(2, 3, 2, 2, 6).max(3), nn.adaptive_max_pool2d, x,
          (2, None))


def test_linear():
    x, w, b = normal(2, 3, 5), normal(4, 5), normal(4)
    check(x @ w.T + b, nn.linear, x, w, b)
    check(x @ w[0], nn.linear, x, w[0])
    y, form = normal(2, 3, 6), normal(4, 5, 6)
    check(np.einsum("abi,oij,abj->abo", x, form, y) + b, nn.bilinear, x, y,
          form, b)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_pad_with_elements(mode):
    x = normal(1, 2, 4, 5)
    mode_of_numpy = {"reflect": "reflect", "replicate": "edge",
                     "circular": "wrap"}[mode]
    check(np.pad(x, [(0, 0), (0, 0), (3, 0), (1, 2)], mode=mode_of_numpy),
          nn.pad, x, (1, 2, 3, 0), mode)


def test_pad():
    x = normal(3, 4)
    check(np.pad(x, [(2, 0), (0, 1)], constant_values=7), nn.pad, x,
          (0, 1, 2, 0), value=7)
    check(np.pad(x[1:], [(0, 0), (2, 0)])[:, :-1], nn.pad, x, (2, -1, -1, 0))
    numbers = np.arange(3)
    check([5, 0, 1, 2], nn.pad, numbers, [1, 0], value=5)


def test_interpolate():
    x = normal(2, 3, 4, 5)
    double = x.repeat(2, 2).repeat(2, 3)
    check(double, nn.interpolate, x, scale_factor=2)
    check(x[..., [0, 2, 3], :], nn.interpolate, x, (3, 5),
          mode="nearest-exact")
    line = np.float32([[[0, 2, 6]]])
    check([[[0, 1, 2, 4, 6]]], nn.interpolate, line, 5, mode="linear",
          align_corners=True)
    check([[[0, 0.5, 1.5, 3, 5, 6]]], nn.interpolate, line, scale_factor=2,
          mode="linear")


# More elements than a constant of a graph may have.
LENGTH = 70001


@pytest.mark.parametrize("mode, mode_of_numpy", [
    ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
def test_pad_many(mode, mode_of_numpy):
    x = normal(1, 2, LENGTH)
    result = run(nn.pad, x, (300, 200), mode)
    np.testing.assert_array_equal(
        result, np.pad(x, [(0, 0), (0, 0), (300, 200)], mode=mode_of_numpy))


def test_pad_around_twice():
    x = np.arange(3.0)
    for low, high in itertools.product((0, 2, 9), (0, 4, 11)):
        expected = np.pad(x, (low, high), mode="reflect")
        padded = hk.ops.pad(hk.input("x", [3], dtype=x.dtype), low=[low],
                            high=[high], mode="reflect")
        result = hk.compile(padded).run({"x": x})
        np.testing.assert_array_equal(result, expected)


def positions(size, length):
    """The neighbours of `size` places among `length` elements, and weights."""
    x = (np.arange(size) + 0.5) / (size / length) - 0.5
    first = np.ceil(x) - 1
    above = np.float32(np.maximum(1 - np.abs(first + 1 - x), 0))
    below = np.float32(np.maximum(1 - np.abs(first - x), 0))
    ends = np.clip([first, first + 1], 0, length - 1).astype(int)
    return ends[0], ends[1], below, above


def test_interpolate_many():
    x = normal(1, 2, LENGTH)
    size = LENGTH * 2 + 1
    # In float32, as torch rounds.
    scale = np.float32(LENGTH / size)
    nearest = np.floor(np.arange(size, dtype=np.float32) * scale).astype(int)
    np.testing.assert_array_equal(run(nn.interpolate, x, size),
                                  x[..., np.minimum(nearest, LENGTH - 1)])
    first, second, below, above = positions(size, LENGTH)
    check(x[..., first] * below + x[..., second] * above, nn.interpolate, x,
          size, mode="linear")


def test_pools_of_many():
    x = normal(1, 2, LENGTH)
    begin = np.arange(LENGTH - 1) * LENGTH // (LENGTH - 1)
    # Parts of two elements that share one, but for the ends.
    check((x[..., begin] + x[..., begin + 1]) / 2, nn.adaptive_avg_pool1d, x,
          LENGTH - 1)
    check(np.maximum(x[..., begin], x[..., begin + 1]),
          nn.adaptive_max_pool1d, x, LENGTH - 1)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1)])
    counts = np.full(LENGTH, 3.0)
    counts[[0, -1]] = 2
    sums = padded[..., :-2] + padded[..., 1:-1] + padded[..., 2:]
    check(sums / counts, nn.avg_pool1d, x, 3, 1, 1, count_include_pad=False)


def test_pixels():
    x = np.arange(24.0, dtype="float32").reshape(4, 2, 3)
    expected = x.reshape(1, 2, 2, 2, 3).transpose(0, 3, 1, 4, 2).reshape(
        1, 4, 6)
    check(expected, nn.pixel_shuffle, x, 2)
    check(x, nn.pixel_unshuffle, np.float32(expected), 2)
    x = x[None]
    check(x[:, [0, 2, 1, 3]], nn.channel_shuffle, x, 2)


#===------------------------------------------------------------------------===#
# Normalization
#===------------------------------------------------------------------------===#


def standardize(x, axes, eps=1e-5):
    mean, var = (f(x, axis=axes, keepdims=True) for f in (np.mean, np.var))
    return (x - mean) / np.sqrt(var + eps)


def test_norms():
    x, w, b = normal(2, 4, 3, 5), normal(4), normal(4)
    columns = [v.reshape(4, 1, 1) for v in (w, b)]
    mean, var = normal(4), normal(4)**2
    check((x - mean.reshape(4, 1, 1)) / np.sqrt(
        var.reshape(4, 1, 1) + 1e-3) * columns[0] + columns[1],
        nn.batch_norm, x, mean, var, w, b, eps=1e-3)
    check(standardize(x, (2, 3)) * columns[0] + columns[1], nn.instance_norm,
          x, weight=w, bias=b)
    groups = standardize(x.reshape(2, 2, 2, 3, 5), (2, 3, 4)).reshape(x.shape)
    check(groups * columns[0] + columns[1], nn.group_norm, x, 2, w, b)
    check(groups, nn.group_norm, x, 2)
    scale, offset = normal(3, 5), normal(3, 5)
    check(standardize(x, (2, 3), 1e-2) * scale + offset, nn.layer_norm, x,
          (3, 5), scale, offset, 1e-2)
    check(standardize(x, 3), nn.layer_norm, x, [5])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rms_norm(dtype):
    x, w = normal(2, 3, 4).astype(dtype), normal(3, 4).astype(dtype)
    wide = x.astype(float)
    for eps in (None, 0.5):
        root = np.sqrt((wide**2).mean((1, 2), keepdims=True) + (eps or 1e-7))
        result = run(nn.rms_norm, x, (3, 4), w, eps)
        assert result.dtype == x.dtype
        tolerance = 3e-3 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(result, wide / root * w, rtol=tolerance)


def test_celu_of_a_negative_alpha():
    x = SPECIAL[np.isfinite(SPECIAL)]
    check(np.where(x > 0, x, 1 - np.exp(-np.minimum(x, 0))), nn.celu, x,
          alpha=-1.0)


def test_distances():
    x, y = normal(3, 4), normal(3, 4)
    check(x / np.abs(x).sum(1, keepdims=True), nn.normalize, x, p=1)
    check(x / np.sqrt((x**2).sum(0)), nn.normalize, x, dim=0)
    check((x * y).sum(1) / np.sqrt((x**2).sum(1) * (y**2).sum(1)),
          nn.cosine_similarity, x, y)
    row = y[:1]
    check((x * row).sum(0) / np.sqrt((x**2).sum(0) * (3 * row**2).sum(0)),
          nn.cosine_similarity, x, row, dim=0)
    check(np.sqrt(((x - y + 1e-6)**2).sum(1, keepdims=True)),
          nn.pairwise_distance, x, y, keepdim=True)


def test_dropout():
    x = hk.input("x", [2, 3])
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"):
        assert getattr(nn, name)(x, 0.5, training=False) is x
        with pytest.raises(hk.HamKaasError, match="or training=False"):
            getattr(nn, name)(x)
    assert nn.alpha_dropout(x) is x


#===------------------------------------------------------------------------===#
# Attention, tables and losses
#===------------------------------------------------------------------------===#


def attend(q, k, v, bias=0.0, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (scale or q.shape[-1]**-0.5) + bias
    return softmax(scores, -1) @ v


def test_attention():
    q, k, v = normal(2, 3, 4, 8), normal(2, 3, 5, 8), normal(2, 3, 5, 6)
    attention = nn.scaled_dot_product_attention
    check(attend(q, k, v), attention, q, k, v)
    check(attend(q, k, v, scale=0.3), attention, q, k, v, scale=0.3)
    seen = np.tril(np.ones([4, 5], bool))
    expected = attend(q, k, v, np.where(seen, 0, -np.inf))
    check(expected, attention, q, k, v, is_causal=True)
    check(expected, attention, q, k, v, seen)
    check(expected[1, 2], attention, q[1, 2], k[1, 2], v[1, 2], seen)
    bias = normal(3, 1, 5)
    check(attend(q, k, v, bias), attention, q, k, v, bias)
    heads = normal(2, 6, 4, 8)
    check(attend(heads, k.repeat(2, 1), v.repeat(2, 1)), attention, heads, k,
          v, enable_gqa=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_attention_to_nothing(dtype):
    q, k, v = (normal(2, 3, 4).astype(dtype) for _ in range(3))
    seen = np.array([[True, False, True], [False] * 3, [True] * 3])
    expected = attend(q, k, v, np.where(seen.any(-1, keepdims=True),
                                        np.where(seen, 0, -np.inf), 0))
    expected[:, 1] = 0
    check(expected, nn.scaled_dot_product_attention, q, k, v, seen)
    check(expected, nn.scaled_dot_product_attention, q, k, v,
          np.where(seen, 0, -np.inf).astype(dtype))


def test_tables():
    indices, table = RNG.integers(0, 7, [2, 3]), normal(7, 4)
    check(table[indices], nn.embedding, indices, table)
    result = run(nn.one_hot, indices, 7)
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result, np.eye(7)[indices])


def test_losses():
    x, y = normal(3, 4), normal(3, 4)
    distance = np.abs(x - y)
    check((distance**2).mean(), nn.mse_loss, x, y)
    check(distance.sum(), nn.l1_loss, x, y, reduction="sum")
    check(np.where(distance < 0.5, distance**2, distance - 0.25),
          nn.smooth_l1_loss, x, y, reduction="none", beta=0.5)
    check(np.where(distance < 2, distance**2 / 2, 2 * (distance - 1)).mean(),
          nn.huber_loss, x, y, delta=2.0)
    p, q = sigmoid(x), sigmoid(y)
    check((q * (np.log(q) - x)).sum() / 3, nn.kl_div, x, q,
          reduction="batchmean")
    check((np.exp(y) * (y - x)).mean(), nn.kl_div, x, y, log_target=True)
    entropy = -(q * np.log(p) + (1 - q) * np.log(1 - p))
    check(entropy.mean(), nn.binary_cross_entropy, p, q)
    check(entropy * p, nn.binary_cross_entropy_with_logits, x, q, p,
          reduction="none")
    weights = sigmoid(normal(4))
    entropy = -(weights * q * np.log(p) + (1 - q) * np.log(1 - p))
    check(entropy.mean(), nn.binary_cross_entropy_with_logits, x, q,
          pos_weight=weights)
    check([100.0, 0], nn.binary_cross_entropy, np.float32([0, 1]),
          np.float32([1, 1]), reduction="none")


def test_cross_entropy():
    x, target = normal(5, 3), np.int64([0, 2, 1, 1, 0])
    logs, weights = np.log(softmax(x, 1)), sigmoid(normal(3))
    picked = -logs[np.arange(5), target]
    check(picked.mean(), nn.cross_entropy, x, target)
    check(picked, nn.nll_loss, logs.astype("float32"), target,
          reduction="none")
    scale = weights[target] * (target != 1)
    check((picked * scale).sum() / scale.sum(), nn.cross_entropy, x, target,
          weights, ignore_index=1)
    spread = -(logs * weights).sum(1)
    check((0.7 * picked * weights[target] + 0.1 * spread).sum() /
          weights[target].sum(), nn.cross_entropy, x, target, weights,
          label_smoothing=0.3)
    shares = softmax(normal(5, 3), 1)
    check(-(logs * shares).sum() / 5, nn.cross_entropy, x, shares)
    check(picked[1], nn.cross_entropy, x[1], np.asarray(target[1]))


#===------------------------------------------------------------------------===#
# Mistakes
#===------------------------------------------------------------------------===#

X = hk.input("x", [2, 4, 8, 8])
W = np.ones([6, 4, 3, 3], "float32")

MISTAKES = [
    (lambda: nn.conv2d(X, W, stride=0), "'stride' to be 1 or 2 numbers of at "
     "least 1, got 0"),
    (lambda: nn.conv2d(X, W, stride=(1, 1, 1)), r"got \(1, 1, 1\)"),
    (lambda: nn.conv2d(X, W, stride=1.5), "an integer, got 1.5"),
    (lambda: nn.conv2d(X, W, padding="full"), "one of 'valid', 'same', got "
     "'full'"),
    (lambda: nn.conv2d(X, W, 0, 2), "'bias' to be a node or an array, got int"),
    (lambda: nn.conv2d(X, W, stride=2, padding="same"), "strides of 1"),
    (lambda: nn.conv2d(X, W[0]), r"a weight of 4 dimensions, got \[4, 3, 3\]"),
    (lambda: nn.conv2d(X, W, groups=3), "for 4 channels in 3 groups"),
    (lambda: nn.conv1d(X, W[0]), "an input of 2 or 3 dimensions"),
    (lambda: nn.conv2d(W, X), "'input' to be a node, got ndarray"),
    (lambda: nn.conv_transpose2d(X, W), r"'weight' of 4 channels in 1 groups, "
     r"got the shape \[6, 4, 3, 3\]"),
    (lambda: nn.conv_transpose2d(X, W[:4], output_padding=1),
     "'output_padding' less than"),
    (lambda: nn.linear(X, np.ones([3, 7], "float32")), r"\[3, 7\]"),
    (lambda: nn.bilinear(X, X, W), "... x I and ... x J"),
    (lambda: nn.max_pool2d(X, 3, padding=2), "at most half of the window"),
    (lambda: nn.max_pool2d(X, 2, return_indices=True), "return_indices=False"),
    (lambda: nn.avg_pool2d(X, 2, divisor_override=0), "other than 0, got 0; "
     "leave it out"),
    (lambda: nn.avg_pool2d(X, 2, ceil_mode=True, divisor_override=3),
     "expected ceil_mode=False beside a divisor_override, got True; pad the "
     "input"),
    (lambda: nn.adaptive_avg_pool2d(X, (3, 3, 3)), "2 output sizes, got"),
    (lambda: nn.adaptive_avg_pool2d(X, 0), "at least 1, got"),
    (lambda: nn.batch_norm(X, None, None), "'running_mean' to be a node"),
    (lambda: nn.batch_norm(X, W[0, :, 0, 0], W[0, :, 0, 0], training=True),
     "training=False, got True"),
    (lambda: nn.layer_norm(X, (4,)), r"of \[2, 4, 8, 8\], got \(4,\)"),
    (lambda: nn.layer_norm(X, (8,), W[0]), r"'weight' to have the shape \[8\]"),
    (lambda: nn.group_norm(X, 3), "to divide the 4 channels, got 3"),
    (lambda: nn.relu(X, True), "nodes do not change"),
    (lambda: nn.relu(3.0), "'input' to be a node, got float"),
    (lambda: nn.rrelu(X, training=True), "training=False"),
    (lambda: nn.gelu(X, "erf"), "one of 'none', 'tanh', got 'erf'"),
    (lambda: nn.elu(X, "1"), "'alpha' to be a number, got '1'"),
    (lambda: nn.hardtanh(X, 2, 1), "at most 'max_val', got 2 and 1"),
    (lambda: nn.softmax(X, 4), "an axis from -4 to 3, got 4"),
    (lambda: nn.softmax(X, "1"), "'dim' to be an integer"),
    (lambda: nn.softmax(X.astype("int32"), 1), "expected floats, got int32"),
    (lambda: nn.scaled_dot_product_attention(X, X, X, np.ones([7, 8], bool)),
     "shapes whose dimensions"),
    (lambda: nn.scaled_dot_product_attention(
        X, X, X, np.ones([8, 8], bool), is_causal=True), "no 'attn_mask'"),
    (lambda: nn.scaled_dot_product_attention(X, X[:, :3], X[:, :3],
                                             enable_gqa=True), "a multiple"),
    (lambda: nn.scaled_dot_product_attention(X, X, X, dropout_p=0.1),
     "dropout_p=0"),
    (lambda: nn.embedding(X, W[0, 0]), "integers as input, got float32"),
    (lambda: nn.one_hot(X), "'num_classes' of at least 1, got -1"),
    (lambda: nn.mse_loss(X, W), r"a target float32 \[2, 4, 8, 8\]"),
    (lambda: nn.l1_loss(X, X, reduction="max"), "got 'max'"),
    (lambda: nn.cross_entropy(X, np.zeros([2, 8], "int64")), r"\[2, 8, 8\]"),
    (lambda: nn.cross_entropy(X, X, label_smoothing=2), "from 0 to 1, got 2"),
    (lambda: nn.nll_loss(X, X), "a target of int64"),
    (lambda: nn.pad(X, (1,)), "2 numbers for each"),
    (lambda: nn.pad(X, (-4, -4)), "leave an element of each dimension"),
    (lambda: nn.pad(X, (8, 0), "reflect", 1.0), "no value with mode='reflect'"),
    (lambda: nn.pad(X.astype("int8"), (1, 0), value=0.5), "a whole value"),
    (lambda: nn.interpolate(X), "'size' or 'scale_factor', got None and None"),
    (lambda: nn.interpolate(X, 4, mode="linear"), "got 'linear'"),
    (lambda: nn.interpolate(X, 4, align_corners=True), "no 'align_corners'"),
    (lambda: nn.interpolate(X, scale_factor=0.01), "the size of the result"),
    (lambda: nn.pixel_shuffle(X, 3), "a multiple of 9 channels, got 4"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes(number):
    function, text = MISTAKES[number]
    with pytest.raises(hk.HamKaasError, match=text) as caught:
        function()
    assert "test_nn.py:" in str(caught.value)


def test_all_is_there():
    """Each function has a document, and a row in the random calls."""
    # test_modules.py has the classes, and what belongs to them.
    others = {"load_arrays", "manual_seed", "save_arrays"}
    functions = {name for name in nn.__all__
                 if not isinstance(getattr(nn, name), type)}
    assert set(CALLS) == functions - others
    for name in nn.__all__:
        assert getattr(nn, name).__doc__, name


#===------------------------------------------------------------------------===#
# torch
#===------------------------------------------------------------------------===#


def draw(calls, functions):
    """A node, what torch gives, and the inputs; None for another torch."""
    name, args, named = calls.draw()
    inputs = {}

    def make(value, is_first=False):
        if not isinstance(value, np.ndarray):
            return value
        if not is_first and calls.rng.random() < 0.5:
            return value  # A constant.
        key = f"x{len(inputs)}_{id(value)}"
        inputs[key] = value
        return hk.input(key, value.shape, dtype=value.dtype)

    torch = importlib.import_module("torch")

    def convert(value):
        return torch.from_numpy(value) if isinstance(value, np.ndarray) else \
            value

    node = getattr(nn, name)(*[make(value, i == 0)
                               for i, value in enumerate(args)],
                             **{key: make(value)
                                for key, value in named.items()})
    try:
        expected = getattr(functions, name)(
            *map(convert, args),
            **{key: convert(value) for key, value in named.items()})
    except (AttributeError, TypeError, RuntimeError):
        # Older ones have not all of this.
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 5):
            return None
        raise
    return name, node, expected.numpy(), inputs


@pytest.mark.parametrize("seed", range(20))
def test_random_calls(seed):
    """Twenty calls each, as one program."""
    pytest.importorskip("torch", reason="needs torch")
    functions = importlib.import_module("torch.nn.functional")
    calls = Calls(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [draw(calls, functions) for _ in range(20)]
    cases = [case for case in cases if case]
    assert len(cases) > 10
    model = hk.compile([node for _, node, _, _ in cases])
    names = {one.name for one in model.inputs}
    inputs = {key: value for *_, given in cases
              for key, value in given.items() if key in names}
    for result, (name, _, expected, _) in zip(model.run(inputs), cases):
        assert result.dtype == expected.dtype, name
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5,
                                   err_msg=name)
