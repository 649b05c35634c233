# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an ONNX model y = relu(x) whose batch is open, to the path given."""

import sys

import onnx
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Relu", ["x"], ["y"])], "open",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])])
onnx.save(
    helper.make_model(graph, ir_version=8,
                      opset_imports=[helper.make_opsetid("", 17)]), sys.argv[1])
