# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, and layers of vectors.

Random weights are drawn in the order in which parameters are made.
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, List

from ...array.records import at_one_place
from ...positions import make_error
from .. import init, ops
from ..autograd import Tensor


class Parameter(Tensor):
    """A tensor that is trained."""


def _parts(value: Any) -> List[Any]:
    """The values in a module, a dictionary, a list or a tuple."""
    if isinstance(value, Module):
        return list(value.__dict__.values())
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []


def _unpack_params(value: object) -> List[Tensor]:
    """The parameters in a value, depth first, shared ones each time."""
    if isinstance(value, Parameter):
        return [value]
    return [parameter for part in _parts(value)
            for parameter in _unpack_params(part)]


def _child_modules(value: object) -> List["Module"]:
    """The modules in a value, itself included, depth first."""
    own = [value] if isinstance(value, Module) else []
    return own + [module for part in _parts(value)
                  for module in _child_modules(part)]


_PACKAGE = __name__.rpartition(".")[0] + "."


@at_one_place
def _call(forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return forward(*args, **kwargs)


class Module:
    """A network or a part of one. Subclasses define ``forward``."""

    _is_layer: ClassVar[bool] = False
    """One of this package; its operations are at the place of its call."""

    def __init__(self) -> None:
        self.training = True

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls._is_layer = cls.__module__.startswith(_PACKAGE) and \
            cls.__name__ not in ("Sequential", "Residual")

    def parameters(self) -> List[Tensor]:
        """The parameters in the order in which attributes were assigned."""
        return _unpack_params(self)

    def _children(self) -> List["Module"]:
        return [module for part in _parts(self)
                for module in _child_modules(part)]

    def eval(self) -> None:
        """Ends training: of dropout, and of norms' averages."""
        self._set_training(False)

    def train(self) -> None:
        """Begins training again."""
        self._set_training(True)

    def _set_training(self, training: bool) -> None:
        for module in [self, *self._children()]:
            module.training = training

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward: Callable[..., Any] = getattr(self, "forward")
        if self._is_layer:
            return _call(forward, *args, **kwargs)
        return forward(*args, **kwargs)


class Identity(Module):
    """Its input."""

    def forward(self, x: Any) -> Any:
        return x


class ReLU(Module):
    """``max(x, 0)``."""

    def forward(self, x: Tensor) -> Tensor:
        return ops.relu(x)


class Flatten(Module):
    """All dimensions but the first as one."""

    def forward(self, X: Tensor) -> Tensor:
        count = 1
        for size in X.shape[1:]:
            count *= size
        return ops.reshape(X, (X.shape[0], count))


class Sequential(Module):
    """Modules one after the other."""

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        self.modules = modules

    def forward(self, x: Any) -> Any:
        for module in self.modules:
            x = module(x)
        return x


class Residual(Module):
    """``fn(x) + x``."""

    def __init__(self, fn: Module) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.fn(x) + x
        return result


def widen(vector: Tensor, shape: Any, axis: int = -1) -> Tensor:
    """A vector, perhaps of the shape ``(1, n)``, along an axis of a shape."""
    sizes = [1] * len(shape)
    sizes[axis] = vector.size
    if vector.shape != tuple(sizes):
        vector = ops.reshape(vector, sizes)
    return ops.broadcast_to(vector, shape)


class Linear(Module):
    """``x @ weight + bias`` of ``(..., in_features)``; ``weight`` is
    ``(in_features, out_features)``, ``bias`` is ``(1, out_features)``."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(init.kaiming_uniform(
            in_features, out_features, device=device, dtype=dtype))
        self.bias = Parameter(ops.reshape(init.kaiming_uniform(
            out_features, 1, device=device, dtype=dtype),
            (1, out_features))) if bias else None

    def forward(self, X: Tensor) -> Tensor:
        y = ops.matmul(X, self.weight)
        return y if self.bias is None else y + widen(self.bias, y.shape)


class SoftmaxLoss(Module):
    """The mean over rows of ``logsumexp(logits) - logit`` of the class."""

    def forward(self, logits: Tensor, y: Tensor) -> Tensor:
        rows, classes = logits.shape
        if y.shape != (rows,):
            raise make_error(f"expected {rows} classes, got {list(y.shape)}")
        chosen = init.one_hot(classes, y, device=logits.device,
                              dtype=logits.dtype)
        losses = ops.logsumexp(logits, axes=(1,)) - ops.summation(
            logits * chosen, axes=(1,))
        return ops.summation(losses) / rows


class BatchNorm1d(Module):
    """``(batch, dim)`` with the mean 0 and the variance 1 over the batch, times
    ``weight`` plus ``bias``.

    The running averages are those of batches in training, ``(1 - momentum) *
    average + momentum * observed``, and take their place otherwise.
    """

    def __init__(self, dim: int, eps: float = 1e-5, momentum: float = 0.1,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        self.dim, self.eps, self.momentum = dim, eps, momentum
        self.weight = Parameter(init.ones(dim, device=device, dtype=dtype))
        self.bias = Parameter(init.zeros(dim, device=device, dtype=dtype))
        self.running_mean = init.zeros(dim, device=device, dtype=dtype)
        self.running_var = init.ones(dim, device=device, dtype=dtype)

    def _average(self, average: Tensor, observed: Tensor) -> Tensor:
        old = average.detach() * (1 - self.momentum)
        return old + observed.detach() * self.momentum

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) != 2 or x.shape[1] != self.dim:
            raise make_error(f"expected batch x {self.dim}, got "
                             f"{list(x.shape)}")
        if self.training:
            mean = ops.summation(x, axes=(0,)) / x.shape[0]
            centered = x - widen(mean, x.shape)
            variance = ops.summation(centered ** 2, axes=(0,)) / x.shape[0]
            self.running_mean = self._average(self.running_mean, mean)
            self.running_var = self._average(self.running_var, variance)
        else:
            centered = x - widen(self.running_mean, x.shape)
            variance = self.running_var
        scale = (variance + self.eps) ** -0.5
        scaled = centered * widen(scale, x.shape)
        return widen(self.weight, x.shape) * scaled + widen(self.bias, x.shape)


class BatchNorm2d(BatchNorm1d):
    """`BatchNorm1d` of images ``(batch, dim, h, w)``, over all but ``dim``."""

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) != 4:
            raise make_error(f"expected batch x {self.dim} x h x w, got "
                             f"{list(x.shape)}")
        n, c, h, w = x.shape
        last = ops.transpose(ops.transpose(x, (1, 2)), (2, 3))
        y = super().forward(ops.reshape(last, (n * h * w, c)))
        y = ops.reshape(y, (n, h, w, c))
        return ops.transpose(ops.transpose(y, (2, 3)), (1, 2))


class LayerNorm1d(Module):
    """Rows of ``(batch, dim)`` with the mean 0 and the variance 1, times
    ``weight`` plus ``bias``."""

    def __init__(self, dim: int, eps: float = 1e-5, device: Any = None,
                 dtype: Any = "float32") -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = Parameter(init.ones(dim, device=device, dtype=dtype))
        self.bias = Parameter(init.zeros(dim, device=device, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) != 2 or x.shape[1] != self.dim:
            raise make_error(f"expected batch x {self.dim}, got "
                             f"{list(x.shape)}")
        mean = ops.summation(x, axes=(1,)) / self.dim
        centered = x - widen(mean, x.shape, 0)
        variance = ops.summation(centered ** 2, axes=(1,)) / self.dim
        scaled = centered * widen((variance + self.eps) ** -0.5, x.shape, 0)
        return widen(self.weight, x.shape) * scaled + widen(self.bias, x.shape)


class Dropout(Module):
    """Zeros with probability ``p`` and ``x / (1 - p)`` elsewhere, in training.

    The mask is drawn by numpy's global generator, once a call.
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        mask = init.randb(*x.shape, p=1 - self.p, device=x.device,
                          dtype=x.dtype)
        return x * mask / (1 - self.p)
