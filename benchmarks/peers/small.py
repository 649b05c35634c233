# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small workloads that are made without PyTorch, by the package onnx and numpy.

They show that the benchmark works; their times mean nothing.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from workloads import write_description

Arrays = dict[str, Any]


def random_arrays(**shapes: tuple[int, ...]) -> Arrays:
    random = np.random.default_rng(0)
    return {
        name: random.standard_normal(shape, np.float32)
        for name, shape in shapes.items()
    }


def write(folder: pathlib.Path, name: str, nodes: list[Any], inputs: Arrays,
          weights: Arrays, result: Any, flops: int) -> None:

    def declare(key: str, array: Any) -> Any:
        return helper.make_tensor_value_info(
            key, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

    graph = helper.make_graph(
        nodes, name, [declare(key, array) for key, array in inputs.items()],
        [declare("y", result)],
        [numpy_helper.from_array(array, key) for key, array in weights.items()])
    model = helper.make_model(graph, ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model)
    stem = str(folder / name)
    onnx.save(model, stem + ".onnx")
    np.savez(stem + ".in.npz", **inputs)
    np.savez(stem + ".ref.npz", y=result)
    arrays = [*inputs.values(), *weights.values(), result]
    write_description(folder, name, list(inputs), ["y"], flops,
                      sum(array.nbytes for array in arrays))


def export_mlp(folder: pathlib.Path) -> None:
    inputs = random_arrays(x=(8, 64))
    weights = random_arrays(w=(64, 128), b=(128, ), v=(128, 16))
    result = np.maximum(inputs["x"] @ weights["w"] + weights["b"],
                        0) @ weights["v"]
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "v"], ["y"])
    ]
    write(folder, "small_mlp", nodes, inputs, weights, result,
          2 * 8 * (64 * 128 + 128 * 16))


def export_conv(folder: pathlib.Path) -> None:
    inputs, weights = random_arrays(x=(1, 8, 16, 16)), random_arrays(
        w=(16, 8, 3, 3))
    windows = np.lib.stride_tricks.sliding_window_view(inputs["x"], (3, 3),
                                                       axis=(2, 3))
    result = np.einsum("bchwij,ocij->bohw", windows, weights["w"])
    write(folder, "small_conv",
          [helper.make_node("Conv", ["x", "w"], ["y"])], inputs, weights,
          result, 2 * result.size * weights["w"][0].size)


def export_softmax(folder: pathlib.Path) -> None:
    inputs = random_arrays(x=(32, 100))
    powers = np.exp(inputs["x"])
    write(folder, "small_softmax",
          [helper.make_node("Softmax", ["x"], ["y"], axis=-1)], inputs, {},
          powers / powers.sum(-1, keepdims=True), 0)


def export_cache(folder: pathlib.Path) -> None:
    """A row of a table in its place among the rows of a cache."""
    inputs = {
        "pos": np.array([5]),
        **random_arrays(cache=(256, 16)), "token": np.array([3])
    }
    weights = {
        **random_arrays(embedding=(32, 16)), "index": np.arange(256)[:, None]
    }
    result = inputs["cache"].copy()
    result[5] = weights["embedding"][3]
    nodes = [
        helper.make_node("Gather", ["embedding", "token"], ["row"]),
        helper.make_node("Equal", ["index", "pos"], ["here"]),
        helper.make_node("Where", ["here", "row", "cache"], ["y"])
    ]
    write(folder, "small_cache", nodes, inputs, weights, result, 0)


EXPORTS = {
    "small_mlp": export_mlp,
    "small_conv": export_conv,
    "small_softmax": export_softmax,
    "small_cache": export_cache
}


def export(name: str, folder: pathlib.Path) -> None:
    EXPORTS[name](folder)
