# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX models with JAX: as many operators as the workloads have. Weights
are arguments of the compiled function, shapes are static."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax import lax
from onnx import numpy_helper

# Tensors with up to so many elements are known when JAX compiles, because
# shapes, axes and scalars must be.
SMALL = 64

Arrays = dict[str, Any]


def integers(values: Any) -> list[int]:
    return [int(value) for value in np.asarray(values)]


def is_scalar(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0


def conv(x: Any, w: Any, b: Any = None, **attributes: Any) -> Any:
    rank = x.ndim - 2
    pads = attributes.get("pads", [0] * 2 * rank)
    y = lax.conv_general_dilated(
        x, w, attributes.get("strides", [1] * rank),
        list(zip(pads[:rank], pads[rank:])),
        rhs_dilation=attributes.get("dilations", [1] * rank),
        feature_group_count=attributes.get("group", 1))
    return y if b is None else y + b.reshape(1, -1, *([1] * rank))


def max_pool(x: Any, **attributes: Any) -> Any:
    pads = attributes.get("pads", [0] * 4)
    return lax.reduce_window(x, -jnp.inf, lax.max,
                             (1, 1, *attributes["kernel_shape"]),
                             (1, 1, *attributes.get("strides", [1, 1])),
                             [(0, 0), (0, 0), (pads[0], pads[2]),
                              (pads[1], pads[3])])


def gemm(a: Any, b: Any, c: Any = None, alpha: float = 1, beta: float = 1,
         transA: int = 0, transB: int = 0) -> Any:
    y = (a.T if transA else a) @ (b.T if transB else b)
    y = y if alpha == 1 else y * alpha
    return y if c is None else y + (c if beta == 1 else c * beta)


def reshape(x: Any, shape: Any, **_: Any) -> Any:
    return x.reshape([
        x.shape[i] if size == 0 else size
        for i, size in enumerate(integers(shape))
    ])


def layer_norm(x: Any, w: Any, b: Any, **attributes: Any) -> Any:
    centered = x - x.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    epsilon = attributes.get("epsilon", 1e-5)
    return centered * lax.rsqrt(variance + epsilon) * w + b


def split(x: Any, sizes: Any, axis: int = 0) -> Any:
    return jnp.split(x, np.cumsum(np.asarray(sizes))[:-1], axis)


def slice_axes(x: Any, begins: Any, ends: Any, axes: Any = None,
               steps: Any = None) -> Any:
    indices = [slice(None)] * x.ndim
    axes = range(len(begins)) if axes is None else integers(axes)
    for i, axis in enumerate(axes):
        end = min(int(ends[i]), x.shape[axis])
        step = 1 if steps is None else int(steps[i])
        indices[axis] = slice(int(begins[i]), end, step)
    return x[tuple(indices)]


def gather(x: Any, indices: Any, axis: int = 0) -> Any:
    if not is_scalar(indices):
        return jnp.take(x, indices, axis, mode="clip")
    if axis == 0:
        return x[int(indices)]
    return lax.index_in_dim(x, int(indices), axis, keepdims=False)


def expand(x: Any, shape: Any) -> Any:
    return jnp.broadcast_to(
        x, jnp.broadcast_shapes(x.shape, tuple(integers(shape))))


def reduction(function: Callable[..., Any]) -> Callable[..., Any]:

    def reduce(x: Any, axes: Any = None, **attributes: Any) -> Any:
        axes = attributes["axes"] if axes is None else axes
        return function(x, axis=tuple(integers(axes)),
                        keepdims=bool(attributes.get("keepdims", 1)))

    return reduce


OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": lambda a, b: a + b,
    "Cast": lambda x, to: x.astype(onnx.helper.tensor_dtype_to_np_dtype(to)),
    "Clip": lambda x, low=None, high=None: jnp.clip(x, low, high),
    "Concat": lambda *x, axis: jnp.concatenate(x, axis),
    "Conv": conv,
    "Div": lambda a, b: a / b,
    "Equal": lambda a, b: a == b,
    "Erf": lax.erf,
    "Exp": jnp.exp,
    "Expand": expand,
    "Flatten": lambda x, axis=1: x.reshape(int(np.prod(x.shape[:axis])), -1),
    "Gather": gather,
    "Gemm": gemm,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
    "Greater": lambda a, b: a > b,
    "Identity": lambda x: x,
    "LayerNormalization": layer_norm,
    "MatMul": lambda a, b: a @ b,
    "MaxPool": max_pool,
    "Mul": lambda a, b: a * b,
    "Neg": lambda x: -x,
    "Pow": lambda a, b: a**b,
    "Reciprocal": lambda x: 1 / x,
    "ReduceMean": reduction(jnp.mean),
    "ReduceSum": reduction(jnp.sum),
    "Relu": lambda x: jnp.maximum(x, 0),
    "Reshape": reshape,
    "Sigmoid": jax.nn.sigmoid,
    "Slice": slice_axes,
    "Softmax": lambda x, axis=-1: jax.nn.softmax(x, axis),
    "Split": split,
    "Sqrt": jnp.sqrt,
    "Squeeze": lambda x, axes: jnp.squeeze(x, tuple(integers(axes))),
    "Sub": lambda a, b: a - b,
    "Tanh": jnp.tanh,
    "Transpose": lambda x, perm: jnp.transpose(x, perm),
    "Unsqueeze": lambda x, axes: jnp.expand_dims(x, tuple(integers(axes))),
    "Where": jnp.where,
}


def constants_of(graph: Any) -> Arrays:
    constants = {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in graph.initializer
    }
    for node in graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = numpy_helper.to_array(
                node.attribute[0].t)
    return constants


def load(path: str) -> tuple[Callable[[Arrays, Arrays], list[Any]], Arrays]:
    """Returns a function of weights and inputs by name, and the weights."""
    graph = onnx.load(path).graph
    constants = constants_of(graph)
    known = {
        name: array
        for name, array in constants.items()
        if array.dtype == np.int64 or array.size <= SMALL
    }
    weights = {
        name: array
        for name, array in constants.items() if name not in known
    }

    def run(weights: Arrays, inputs: Arrays) -> list[Any]:
        values = {**known, **weights, **inputs}
        for node in graph.node:
            if node.op_type == "Constant":
                continue
            attributes = {
                attribute.name: onnx.helper.get_attribute_value(attribute)
                for attribute in node.attribute
            }
            operands = [values[name] if name else None for name in node.input]
            results = OPERATORS[node.op_type](*operands, **attributes)
            if not isinstance(results, (list, tuple)):
                results = [results]
            values.update(zip(node.output, results))
        return [values[output.name] for output in graph.output]

    return run, weights
