# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models that the fuzzer of the ONNX importer starts from, tiny ones
that use each way a file can say something. Needs the package onnx.

usage: make-onnx-corpus.py FOLDER
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensor(name, values, kind=np.int64):
    return numpy_helper.from_array(np.array(values, kind), name)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), functions=(), opset=21):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(
        graph, functions=functions, ir_version=10,
        opset_imports=[helper.make_opsetid("", opset),
                       helper.make_opsetid("f", 1)])


def node(op, inputs, outputs="y", **attributes):
    return helper.make_node(op, inputs.split(","), outputs.split(","),
                            name=op.lower(), **attributes)


def shapes():
    nodes = [node("Shape", "x", "s"),
             node("Gather", "s,zero", "n", axis=0),
             node("Unsqueeze", "n,axes", "m"),
             node("Concat", "m,rest", "t", axis=0),
             node("Reshape", "x,t", "r"),
             node("Transpose", "r", "p", perm=[1, 0]),
             node("Squeeze", "p", "q"),
             node("Expand", "q,wide", "e"),
             node("Cast", "e", "y", to=TensorProto.FLOAT16)]
    return model(nodes, [value("x", ["n", 3, 1])],
                 [value("y", None, TensorProto.FLOAT16)],
                 [tensor("zero", 0), tensor("axes", [0]), tensor("rest", [-1]),
                  tensor("wide", [2, 3, 2])])


def images():
    nodes = [node("Conv", "x,w,b", "c", pads=[1, 0, 1, 0], strides=[2, 1],
                  group=2),
             node("BatchNormalization", "c,b,b,b,v", "d", epsilon=1e-3),
             node("MaxPool", "d", "e", kernel_shape=[2, 2], ceil_mode=1),
             node("AveragePool", "e", "f", kernel_shape=[2, 1],
                  auto_pad="SAME_UPPER", count_include_pad=1),
             node("ConvTranspose", "f,u", "g", strides=[2, 2],
                  output_padding=[1, 0]),
             node("GlobalAveragePool", "g", "h"),
             node("Pad", "h,pads", "i", mode="edge"),
             node("Flatten", "i", "y")]
    return model(nodes, [value("x", [1, 2, 6, 5])], [value("y", None)],
                 [tensor("w", np.ones((4, 1, 3, 2)), np.float32),
                  tensor("u", np.ones((4, 2, 2, 2)), np.float32),
                  tensor("b", [1, 2, 3, 4], np.float32),
                  tensor("v", [1, 1, 2, 2], np.float32),
                  tensor("pads", [0, 0, 1, 1, 0, 0, 0, 2])])


def indices():
    nodes = [node("Slice", "x,a,b,c,d", "e"),
             node("Split", "e", "f,g", axis=1, num_outputs=2),
             node("GatherElements", "f,i", "h", axis=1),
             node("ScatterElements", "h,i,g", "j", axis=1, reduction="add"),
             node("TopK", "j,k", "v,w", axis=1),
             node("OneHot", "w,depth,onoff", "o"),
             node("ReduceSum", "o,k", "p", keepdims=0),
             node("ArgMax", "p", "q"),
             node("CumSum", "q,zero", "r", reverse=1),
             node("Where", "less,r,w", "y")]
    return model(nodes, [value("x", [2, 8])],
                 [value("y", None, TensorProto.INT64)],
                 [tensor("a", [0]), tensor("b", [-1]), tensor("c", [1]),
                  tensor("d", [2]), tensor("i", [[0, 1], [1, -1]]),
                  tensor("k", [1]), tensor("depth", 4),
                  tensor("onoff", [0, 1], np.float32), tensor("zero", 0),
                  tensor("less", [True], bool)])


def branches():
    then = helper.make_graph([node("Add", "x,one", "a")], "t", [],
                             [value("a", None)], [tensor("one", 1, np.float32)])
    other = helper.make_graph([node("Neg", "x", "b")], "e", [],
                              [value("b", None)])
    body = helper.make_graph(
        [node("Identity", "go", "go_on"), node("Mul", "v,v", "w"),
         node("Identity", "w", "row")], "l",
        [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL),
         value("v", None)],
        [value("go_on", [], TensorProto.BOOL), value("w", None),
         value("row", None)])
    nodes = [node("If", "c", "d", then_branch=then, else_branch=other),
             node("Loop", "n,,d", "e,f", body=body),
             helper.make_node("Twice", ["e"], ["y"], domain="f", alpha=0.5)]
    function = helper.make_function(
        "f", "Twice", ["x"], ["y"],
        [node("LeakyRelu", "x", "z"), node("Add", "z,z", "y")],
        [helper.make_opsetid("", 21)], ["alpha"])
    function.node[0].attribute.append(
        onnx.AttributeProto(name="alpha", ref_attr_name="alpha",
                            type=onnx.AttributeProto.FLOAT))
    return model(nodes, [value("x", [2])], [value("y", None), value("f", None)],
                 [tensor("c", True, bool), tensor("n", 2)], [function])


def types():
    names = ["DOUBLE", "FLOAT16", "BFLOAT16", "INT8", "UINT8", "INT16",
             "UINT16", "INT32", "UINT32", "INT64", "UINT64", "BOOL"]
    nodes, initializers = [], []
    for name in names:
        kind = getattr(TensorProto, name)
        initializers.append(helper.make_tensor(name, kind, [2], [0, 1]))
        nodes.append(node("Cast", name, "x" + name, to=TensorProto.FLOAT))
    nodes.append(node("Sum", ",".join("x" + name for name in names)))
    return model(nodes, [value("u", [2])], [value("y", None)], initializers)


def external():
    made = model([node("Add", "x,w")], [value("x", [2])], [value("y", None)],
                 [tensor("w", [1, 2], np.float32)])
    weight = made.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, text in [("location", "w.bin"), ("offset", "0"), ("length", "8")]:
        weight.external_data.add(key=key, value=text)
    return made


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (shapes, images, indices, branches, types, external):
        path = folder / f"{make.__name__}.onnx"
        path.write_bytes(make().SerializeToString(deterministic=True))


main()
