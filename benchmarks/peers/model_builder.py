# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the ONNX models of drawn workloads, node by node."""

from __future__ import annotations

import random
from typing import Any, Optional, Sequence

import numpy as np
from onnx import helper

Shape = Sequence[int]

ACTIVATIONS = [
    "", "", "Relu", "Relu", "Relu", "Clip", "Silu", "Silu", "HardSwish", "Gelu",
    "LeakyRelu", "Sigmoid", "Tanh"
]


class Builder:
    """Appends nodes to a model, and counts the FLOPs of its products."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.arrays = np.random.default_rng(draw.getrandbits(32))
        self.nodes: list[Any] = []
        self.inputs: dict[str, Any] = {}
        self.weights: dict[str, Any] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.flops = 0

    def input(self, *shape: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.arrays.standard_normal(shape, np.float32)
        self.shapes[name] = shape
        return name

    def constant(self, array: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        self.shapes[name] = self.weights[name].shape
        return name

    def weight(self, *shape: int, depth: int = 1) -> str:
        """Sums of `depth` products keep the scale of what they multiply."""
        values = self.arrays.standard_normal(shape, np.float32)
        return self.constant(values / np.float32(np.sqrt(depth)))

    def shape(self, *sizes: int) -> str:
        return self.constant(np.array(sizes, np.int64))

    def node(self, kind: str, operands: Sequence[str],
             shape: Optional[Shape] = None, **attributes: Any) -> str:
        """`shape` is that of the result, by default of the first operand."""
        return self.results(kind, operands, [shape], **attributes)[0]

    def results(self, kind: str, operands: Sequence[str],
                shapes: Sequence[Optional[Shape]],
                **attributes: Any) -> list[str]:
        names = [f"v{len(self.shapes) + i}" for i in range(len(shapes))]
        for name, shape in zip(names, shapes):
            self.shapes[name] = (self.shapes[operands[0]]
                                 if shape is None else tuple(shape))
        self.nodes.append(
            helper.make_node(kind, list(operands), names, **attributes))
        return names

    # Nodes that most families share.

    def activate(self, x: str, kind: Optional[str] = None) -> str:
        kind = self.draw.choice(ACTIVATIONS) if kind is None else kind
        scalar = lambda value: self.constant(np.float32(value))
        if not kind:
            return x
        if kind == "Clip":
            return self.node("Clip", [x, scalar(0), scalar(6)])
        if kind == "Silu":
            return self.node("Mul", [x, self.node("Sigmoid", [x])])
        if kind == "Gelu":
            scaled = self.node("Div", [x, scalar(2**0.5)])
            erf = self.node("Add", [self.node("Erf", [scaled]), scalar(1)])
            return self.node("Mul", [self.node("Mul", [x, erf]), scalar(0.5)])
        return self.node(kind, [x])

    def conv(self, x: str, results: int, window: Shape, *, stride: int = 1,
             groups: int = 1, dilation: int = 1, bias: bool = True) -> str:
        """With padding that keeps the size, if the stride is 1."""
        batch, channels, *sizes = self.shapes[x]
        depth = channels // groups * int(np.prod(window))
        operands = [
            x, self.weight(results, channels // groups, *window, depth=depth)
        ]
        if bias:
            operands.append(self.weight(results))
        pads = [(size - 1) * dilation // 2 for size in window]
        shape = [batch, results] + [
            (size + 2 * pad - dilation * (width - 1) - 1) // stride + 1
            for size, pad, width in zip(sizes, pads, window)
        ]
        self.flops += 2 * depth * int(np.prod(shape))
        rank = len(window)
        return self.node("Conv", operands, shape, pads=pads * 2, group=groups,
                         strides=[stride] * rank, dilations=[dilation] * rank)

    def linear(self, x: str, width: int, bias: bool = True) -> str:
        *rows, depth = self.shapes[x]
        shape = [*rows, width]
        self.flops += 2 * depth * int(np.prod(shape))
        y = self.node("MatMul", [x, self.weight(depth, width, depth=depth)],
                      shape)
        return self.node("Add", [y, self.weight(width)]) if bias else y

    def matmul(self, a: str, b: str) -> str:
        shape = [*self.shapes[a][:-1], self.shapes[b][-1]]
        self.flops += 2 * self.shapes[a][-1] * int(np.prod(shape))
        return self.node("MatMul", [a, b], shape)

    def layer_norm(self, x: str) -> str:
        width = self.shapes[x][-1]
        return self.node("LayerNormalization",
                         [x, self.weight(width),
                          self.weight(width)], axis=-1, epsilon=1e-5)

    def transpose(self, x: str, order: Sequence[int]) -> str:
        return self.node("Transpose", [x],
                         [self.shapes[x][i] for i in order], perm=list(order))

    def reshape(self, x: str, *shape: int) -> str:
        return self.node("Reshape", [x, self.shape(*shape)], shape)

    def reduce(self, kind: str, x: str, axes: Sequence[int],
               keep: bool = True) -> str:
        shape = [(1 if i in axes else size)
                 for i, size in enumerate(self.shapes[x])
                 if keep or i not in axes]
        if kind == "ReduceSum":  # An attribute for the others until opset 18.
            return self.node(kind, [x, self.shape(*axes)], shape,
                             keepdims=int(keep))
        return self.node(kind, [x], shape, axes=list(axes), keepdims=int(keep))
