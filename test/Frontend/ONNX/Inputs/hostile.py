# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX files that no exporter would, into a folder."""

import pathlib
import sys


def varint(value):
    value &= 2**64 - 1
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def field(number, value):
    """A field of a message: a number, a text or bytes, as onnx.proto has it."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, inputs, outputs, name="", attributes=b"", domain=""):
    return (b"".join(field(1, x) for x in inputs) +
            b"".join(field(2, y) for y in outputs) + field(3, name) +
            field(4, op) + attributes + field(7, domain))


def tensor(name, dims, kind=1, extra=b""):
    return (b"".join(field(1, d) for d in dims) + field(2, kind) +
            field(8, name) + extra)


def scalar(name, number):
    return tensor(name, [], 7, field(7, number))


def value(name, dims=(2,), kind=1):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def graph(nodes, initializers=(), inputs=(value("x"),), outputs=(value("y"),)):
    return (b"".join(field(1, n) for n in nodes) + field(2, "g") +
            b"".join(field(5, t) for t in initializers) +
            b"".join(field(11, v) for v in inputs) +
            b"".join(field(12, v) for v in outputs))


def model(body, functions=(), opset=17):
    opsets = field(8, field(2, opset)) + field(8, field(1, "f") + field(2, 1))
    return (field(1, 8) + field(7, body) + opsets +
            b"".join(field(25, f) for f in functions))


def attribute(name, kind, number, value):
    return field(5, field(1, name) + field(number, value) + field(20, kind))


def function(name, nodes):
    return (field(1, name) + field(4, "x") + field(5, "y") +
            b"".join(field(7, n) for n in nodes) + field(9, field(2, 17)) +
            field(9, field(1, "f") + field(2, 1)) + field(10, "f"))


def weight(*arguments, **options):
    return model(graph([node("Add", ["x", "w"], ["y"])],
                       [tensor("w", *arguments, **options)]))


def deep():
    body = graph([node("Relu", ["x"], ["y"])])
    for _ in range(100):
        branch = attribute("then_branch", 5, 6, body)
        body = graph([node("If", ["c"], ["y"], attributes=branch)])
    return model(body)


def doubling():
    """64 functions, each of which calls the next one twice."""
    functions = [
        function(f"f{i}", [node(f"f{i + 1}", ["x"], ["t"], domain="f"),
                           node(f"f{i + 1}", ["t"], ["y"], domain="f")])
        for i in range(40)]
    functions.append(function("f40", [node("Relu", ["x"], ["y"])]))
    return model(graph([node("f0", ["x"], ["y"], domain="f")]), functions)


def loop_node(trips):
    """A loop without a node."""
    body = graph([], inputs=[value("i", (), 7), value("c", (), 9)],
                 outputs=[value("c", (), 9)])
    return node("Loop", [trips], [], attributes=attribute("body", 5, 6, body))


def loop():
    """A loop whose count is the greatest number."""
    return model(graph([loop_node("n"), node("Relu", ["x"], ["y"])],
                       [scalar("n", 2**63 - 1)]))


def parts():
    """A list of 60000 tensors that 70 nodes copy."""
    nodes = [node("SplitToSequence", ["x", "one"], ["s0"])]
    nodes += [node("SequenceInsert", [f"s{i}", "x"], [f"s{i + 1}"])
              for i in range(70)]
    nodes.append(node("SequenceAt", ["s70", "one"], ["y"]))
    return model(graph(nodes, [scalar("one", 1)],
                       inputs=[value("x", (60000,))]))


def groups():
    """A convolution with 4096 groups of offsets, where most of the nodes that a
    model may have are taken by a loop."""
    count = 4096
    trips = loop_node("trips")
    convolution = node("DeformConv", ["x", "w", "offsets"], ["y"],
                       attributes=attribute("group", 2, 3, count)
                       + attribute("offset_group", 2, 3, count))
    inputs = [value("x", (1, count, 1, 1)), value("w", (count, 1, 1, 1)),
              value("offsets", (1, 2 * count, 1, 1))]
    return model(graph([trips, convolution], [scalar("trips", 240_000)],
                       inputs, [value("y")]), opset=22)


def lists():
    """Lists of a million numbers: in an attribute, and in an input."""
    many = 10**6
    return model(graph(
        [node("Transpose", ["x"], ["a"], "perm",
              attribute("perm", 7, 8, b"\1" * many)),
         node("Split", ["x", "many"], ["b"], "sizes"),
         node("Relu", ["x"], ["y"])],
        [tensor("many", [many], 7, field(9, b"\3" + b"\0" * (8 * many - 1)))]))


def zeros():
    """Operators that divide by sizes, on a tensor without elements."""
    nodes = [node("MatMul", ["w", "v"], ["a"], "product"),
             node("LayerNormalization", ["w", "w"], ["b"], "norm"),
             node("GlobalAveragePool", ["w"], ["c"], "pool"),
             node("Upsample", ["w", "s"], ["d"], "upsample"),
             node("Pad", ["w", "p"], ["e"], "pad",
                  attribute("mode", 3, 4, "wrap")),
             node("Dropout", ["x", "", "s"], ["f"], "drop"),
             node("Relu", ["x"], ["y"])]
    empty = field(9, b"")
    return model(graph(nodes, [
        tensor("w", [2, 0], 1, empty), tensor("v", [0, 2], 1, empty),
        tensor("s", [2], 1, field(9, b"\0" * 8)),
        tensor("p", [4], 7, field(9, b"\1" + b"\0" * 31))]))


def main():
    recursive = function("f0", [node("f0", ["x"], ["y"], domain="f")])
    relu = graph([node("Relu", ["x"], ["y"])])
    files = {
        "cut": model(relu)[:-10],
        "empty": field(1, 8) + field(8, field(2, 17)),
        "deep": deep(),
        "many": field(1, 8) + field(7, field(1, b"") * (2**24 + 1)),
        "functions": doubling(),
        "recursion": model(graph([node("f0", ["x"], ["y"], domain="f")]),
                           [recursive]),
        "loop": loop(),
        "parts": parts(),
        "groups": groups(),
        "lists": lists(),
        "count": weight([10**11], extra=field(9, b"\0\0\0\0")),
        "wrap": weight([2**32, 2**32, 0], extra=field(9, b"")),
        "negative": weight([-1], extra=field(9, b"")),
        "both": weight([1], extra=field(9, b"\0" * 4) + field(4, b"\0" * 4)),
        "names": model(graph([node("Relu", ["\7"], ["y"], "\33[2J")])),
        "zeros": zeros(),
        "twice": model(graph([node("Relu", ["x"], ["x"])])),
    }
    for name, data in files.items():
        path = pathlib.Path(sys.argv[1]) / f"{name}.onnx"
        path.write_bytes(data)


main()
