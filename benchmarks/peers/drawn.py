# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workloads drawn at random: a guard against tuning to a list.

`drawn-SEED-NUMBER` names a model of one to some twenty nodes. Its family, such
as convolutions or attention, and its sizes are drawn from those that real
networks have: channels, image sizes, widths and heads of ResNet to
EfficientNet, of YOLO, U-Net, BERT, GPT-2, ViT, Whisper and LSTMs. The same name
gives the same model everywhere. `operators-SEED-NUMBER` names one of the other
operators, in turns. `drawn.py FOLDER NAME...` writes their files, as
workloads.py does.

Models need the packages onnx and numpy; the reference is that of
onnx_models.py.
"""

from __future__ import annotations

import pathlib
import random
import re
import sys
from typing import Any, Callable, Sequence

import numpy as np
import onnx
from drawn_operators import OPERATORS
from model_builder import Builder, Shape
from onnx import helper, numpy_helper
from onnx_models import compute
from workloads import write_description

NAME = re.compile(r"(drawn|operators)-(\d+)-(\d+)")

# Less is mostly the call from Python, more takes too long to measure.
LEAST_FLOPS, MOST_FLOPS = 4e6, 1.5e9
LEAST_BYTES, MOST_BYTES = 400e3, 48e6

CHANNELS = [
    3, 8, 16, 16, 24, 32, 32, 40, 48, 64, 64, 64, 80, 96, 112, 128, 128, 128,
    144, 160, 192, 240, 256, 256, 256, 320, 384, 480, 512, 512, 576, 672, 960,
    1024
]
IMAGES = [
    5, 7, 7, 8, 10, 13, 14, 14, 14, 16, 19, 20, 20, 26, 28, 28, 28, 32, 32, 38,
    40, 40, 52, 56, 56, 64, 75, 80, 96, 104, 112, 112, 128, 150, 160, 208, 224
]
WIDTHS = [
    32, 64, 64, 100, 128, 128, 192, 256, 256, 300, 320, 384, 400, 512, 512, 576,
    640, 768, 768, 768, 1000, 1024, 1024, 1152, 1280, 1536, 2048, 2304, 3072
]
TOKENS = [
    1, 1, 1, 2, 4, 5, 8, 10, 16, 16, 20, 32, 32, 49, 50, 64, 64, 77, 100, 128,
    128, 128, 144, 196, 197, 200, 256, 257, 384, 400, 512
]
BATCHES = [1] * 10 + [2, 3, 4, 8, 16]
#===------------------------------------------------------------------------===#
# Families: each appends to the builder and returns the result
#===------------------------------------------------------------------------===#


def image(b: Builder, most: int = 224, least: int = 1) -> str:
    sizes = [size for size in IMAGES if least <= size <= most]
    size = b.draw.choice(sizes)
    width = b.draw.choice(sizes) if b.draw.random() < 0.15 else size
    return b.input(b.draw.choice(BATCHES), b.draw.choice(CHANNELS), size, width)


def draw_convolution(b: Builder) -> str:
    x = image(b)
    size = b.draw.choice([1] * 8 + [3] * 8 + [5, 5, 7])
    stride = 2 if b.draw.random() < 0.2 else 1
    dilation = 2 if size == 3 and b.draw.random() < 0.06 else 1
    y = b.conv(x, b.draw.choice(CHANNELS), [size, size],
               stride=1 if dilation > 1 else stride, dilation=dilation)
    if b.draw.random() < 0.2:
        y = b.node("Add", [y, b.input(*b.shapes[y])])
    return b.activate(y)


def draw_depthwise(b: Builder) -> str:
    x = image(b)
    channels = b.shapes[x][1]
    size = b.draw.choice([3, 3, 3, 5, 5, 7])
    y = b.conv(x, channels, [size, size], groups=channels,
               stride=b.draw.choice([1, 1, 2]))
    return b.activate(y)


def draw_grouped(b: Builder) -> str:
    groups = b.draw.choice([2, 4, 8, 16, 32])
    depth = b.draw.choice([4, 8, 16, 24, 32, 64])
    size = b.draw.choice([14, 20, 28, 40, 56])
    x = b.input(1, groups * depth, size, size)
    window = b.draw.choice([1, 3, 3, 3])
    y = b.conv(x, groups * depth, [window, window], groups=groups,
               stride=b.draw.choice([1, 1, 2]))
    return b.activate(y)


def draw_odd_convolution(b: Builder) -> str:
    """One dimension, windows of one row or column, transposed."""
    kind = b.draw.choice(["1d", "1d", "row", "transposed"])
    if kind == "1d":
        x = b.input(b.draw.choice([1, 1, 1, 4]), b.draw.choice(CHANNELS),
                    b.draw.choice([50, 100, 128, 200, 500, 1000, 1500, 3000]))
        return b.activate(
            b.conv(x, b.draw.choice(CHANNELS),
                   [b.draw.choice([1, 3, 3, 5, 7, 9, 15])],
                   stride=b.draw.choice([1, 1, 1, 2])))
    x = image(b, most=80)
    channels = b.draw.choice(CHANNELS)
    if kind == "row":
        size = b.draw.choice([3, 5, 7])
        return b.activate(
            b.conv(x, channels, b.draw.choice([[1, size], [size, 1]])))
    batch, depth, height, width = b.shapes[x]
    size = b.draw.choice([2, 2, 4])
    pad = (size - 2) // 2
    b.flops += 2 * batch * depth * channels * height * width * size * size
    return b.activate(
        b.node("ConvTranspose", [
            x,
            b.weight(depth, channels, size, size, depth=depth),
            b.weight(channels)
        ], [batch, channels, 2 * height, 2 * width], strides=[2, 2],
               pads=[pad] * 4))


def tokens(b: Builder, width: int, most: int = 512) -> str:
    rows = b.draw.choice([count for count in TOKENS if count <= most])
    if b.draw.random() < 0.3:
        return b.input(rows, width)
    return b.input(b.draw.choice(BATCHES), rows, width)


def draw_linear(b: Builder) -> str:
    x = tokens(b, b.draw.choice(WIDTHS))
    y = b.linear(x, b.draw.choice(WIDTHS), bias=b.draw.random() < 0.8)
    if b.draw.random() < 0.2:
        y = b.node("Add", [y, b.input(*b.shapes[y])])
    return b.activate(y)


def draw_product(b: Builder) -> str:
    """Both sides are inputs; either may be transposed first."""
    batch = [[], [], [b.draw.choice([2, 4, 8, 12, 16, 32])],
             [1, b.draw.choice([4, 6, 8, 12])]][b.draw.randrange(4)]
    sizes = [16, 32, 49, 64, 64, 77, 80, 100, 128, 128, 197, 200, 256, 300, 384,
             500, 512] + ([] if batch else [768, 1000, 1024])
    m, k, n = (b.draw.choice(sizes) for _ in range(3))
    last = len(batch)
    swap = [*range(last), last + 1, last]
    transposed = b.draw.choice(["", "", "a", "b", "b"])
    a = (b.transpose(b.input(*batch, k, m), swap)
         if transposed == "a" else b.input(*batch, m, k))
    c = (b.transpose(b.input(*batch, n, k), swap)
         if transposed == "b" else b.input(*batch, k, n))
    return b.matmul(a, c)


def attend(b: Builder, q: str, k: str, v: str, heads: int,
           masked: bool) -> str:
    batch, queries, width = b.shapes[q]
    keys, depth = b.shapes[k][1], width // heads

    def split(x: str, count: int, order: Sequence[int]) -> str:
        return b.transpose(b.reshape(x, batch, count, heads, depth), order)

    scores = b.matmul(split(q, queries, [0, 2, 1, 3]),
                      split(k, keys, [0, 2, 3, 1]))
    scores = b.node("Mul", [scores, b.constant(np.float32(depth**-0.5))])
    if masked:
        mask = np.triu(np.full((queries, keys), -1e4, np.float32),
                       keys - queries + 1)
        scores = b.node("Add", [scores, b.constant(mask)])
    y = b.matmul(b.node("Softmax", [scores], axis=-1),
                 split(v, keys, [0, 2, 1, 3]))
    return b.reshape(b.transpose(y, [0, 2, 1, 3]), batch, queries, width)


def draw_attention(b: Builder) -> str:
    heads = b.draw.choice([2, 3, 4, 6, 8, 12])
    width = heads * b.draw.choice([16, 24, 32, 64, 64, 64, 80])
    queries = b.draw.choice([1, 1, 16, 49, 64, 128, 128, 197, 256])
    keys = queries if queries > 1 else b.draw.choice([64, 128, 256, 512])
    batch = b.draw.choice([1, 1, 1, 2, 4])
    x = b.input(batch, queries, width)
    k, v = ([b.linear(x, width) for _ in range(2)] if queries > 1 else
            [b.input(batch, keys, width) for _ in range(2)])
    y = attend(b, b.linear(x, width), k, v, heads,
               masked=queries > 1 and b.draw.random() < 0.4)
    return b.linear(y, width)


def draw_encoder_layer(b: Builder) -> str:
    heads = b.draw.choice([2, 4, 4, 6, 8, 12])
    width = heads * b.draw.choice([32, 64, 64])
    x = b.input(1, b.draw.choice([16, 32, 50, 64, 128, 197]), width)
    before = b.draw.random() < 0.5
    y = b.layer_norm(x) if before else x
    y = attend(b, b.linear(y, width), b.linear(y, width), b.linear(y, width),
               heads, masked=False)
    y = b.node("Add", [b.linear(y, width), x])
    y = y if before else b.layer_norm(y)
    z = b.activate(b.linear(b.layer_norm(y) if before else y, 4 * width),
                   b.draw.choice(["Gelu", "Gelu", "Relu"]))
    return b.node("Add", [b.linear(z, width), y])


def draw_rows(b: Builder) -> str:
    width = b.draw.choice([10, 32, 49, 50, 64, 100, 128, 197, 256, 384, 512, 768,
                           1000, 1024, 2048])
    rows = b.draw.choice([16, 49, 64, 128, 196, 384, 512, 1000, 1536, 4096])
    shape = [rows, width] if b.draw.random() < 0.5 else [
        b.draw.choice([1, 2, 4, 8, 12]), rows, width
    ]
    kind = b.draw.choice(["softmax", "softmax", "layer", "layer", "rms", "log",
                          "other", "residual"])
    x = b.input(*shape)
    if kind == "residual":
        return b.layer_norm(b.node("Add", [x, b.input(*shape)]))
    if kind == "layer":
        return b.layer_norm(x)
    if kind == "rms":
        mean = b.reduce("ReduceMean", b.node("Mul", [x, x]), [len(shape) - 1])
        root = b.node("Sqrt",
                      [b.node("Add", [mean,
                                      b.constant(np.float32(1e-6))])])
        return b.node("Mul", [b.node("Div", [x, root]), b.weight(width)])
    return b.node("LogSoftmax" if kind == "log" else "Softmax", [x],
                  axis=0 if kind == "other" else -1)


def draw_elementwise(b: Builder) -> str:
    shape = b.draw.choice([[b.draw.choice(TOKENS),
                            b.draw.choice(WIDTHS)],
                           [1, b.draw.choice(CHANNELS)] +
                           [b.draw.choice(IMAGES)] * 2])
    x = b.input(*shape)
    for _ in range(b.draw.randrange(1, 5)):
        kind = b.draw.choice(["activation", "activation", "tensor", "row",
                              "channel", "scalar"])
        if kind == "activation":
            x = b.activate(x)
            continue
        operand = {
            "tensor": lambda: b.input(*shape),
            "row": lambda: b.weight(shape[-1]),
            "channel": lambda: b.weight(*shape[:-1], 1),
            "scalar": lambda: b.constant(np.float32(1.7))
        }[kind]()
        x = b.node(b.draw.choice(["Add", "Sub", "Mul", "Max"]), [x, operand])
    return b.node("Mul", [x, b.constant(np.float32(0.3))])


def draw_reduction(b: Builder) -> str:
    if b.draw.random() < 0.5:
        x, rank = image(b), 4
    else:
        x, rank = b.input(b.draw.choice([1, 2, 4, 8, 32]),
                          b.draw.choice([49, 128, 197, 512, 1024]),
                          b.draw.choice(WIDTHS)), 3
    axes = b.draw.choice([[rank - 1], [1], [0, 1], [rank - 2, rank - 1],
                          [rank - 2, rank - 1], [0, 2]])
    kind = b.draw.choice(["ReduceMean", "ReduceMean", "ReduceSum", "ReduceMax"])
    return b.reduce(kind, x, axes, keep=b.draw.random() < 0.5)


def draw_pooling(b: Builder) -> str:
    x = image(b, least=7)
    batch, channels, height, width = b.shapes[x]
    if b.draw.random() < 0.15:
        return b.node("GlobalAveragePool", [x], [batch, channels, 1, 1])
    size, stride, pad = b.draw.choice([(2, 2, 0), (2, 2, 0), (3, 2, 1),
                                       (3, 2, 1), (3, 2, 0), (3, 1, 1),
                                       (5, 1, 2)])
    shape = [batch, channels] + [(extent + 2 * pad - size) // stride + 1
                                 for extent in (height, width)]
    kind = b.draw.choice(["MaxPool", "MaxPool", "AveragePool"])
    return b.node(kind, [x], shape, kernel_shape=[size] * 2,
                  strides=[stride] * 2, pads=[pad] * 4)


def draw_movement(b: Builder) -> str:
    kind = b.draw.choice(["heads", "heads", "layout", "matrix", "concat",
                          "slice", "resize", "resize", "gather", "shuffle",
                          "pixels", "pad"])
    if kind == "heads":
        heads, depth = b.draw.choice([4, 8, 12]), b.draw.choice([32, 64])
        count = b.draw.choice([64, 128, 197, 256, 512])
        x = b.input(b.draw.choice([1, 2, 8]), count, heads, depth)
        return b.transpose(x, b.draw.choice([[0, 2, 1, 3], [0, 2, 3, 1]]))
    if kind == "matrix":
        x = b.input(b.draw.choice(WIDTHS), b.draw.choice(WIDTHS))
        return b.transpose(x, [1, 0])
    if kind == "gather":
        table = b.weight(b.draw.choice([1000, 5000, 20000]),
                         b.draw.choice([64, 128, 256, 384, 768]))
        count = b.draw.choice([16, 128, 512, 1024])
        places = b.arrays.integers(0, b.shapes[table][0], count)
        name = b.input(count)
        b.inputs[name] = places
        return b.node("Gather", [table, name], [count, b.shapes[table][1]])
    x = image(b, most=112)
    batch, channels, height, width = b.shapes[x]
    if kind == "layout":
        return b.transpose(x, b.draw.choice([[0, 2, 3, 1], [0, 3, 1, 2]]))
    if kind == "concat":
        others = [
            b.input(batch, b.draw.choice(CHANNELS), height, width)
            for _ in range(b.draw.choice([1, 1, 3]))
        ]
        total = channels + sum(b.shapes[other][1] for other in others)
        return b.activate(
            b.node("Concat", [x, *others], [batch, total, height, width],
                   axis=1), "Relu")
    if kind == "slice":
        half = max(1, channels // 2)
        y = b.node("Slice", [x, b.shape(0), b.shape(half), b.shape(1)],
                   [batch, half, height, width])
        return b.node("Mul", [y, b.constant(np.float32(0.3))])
    if kind == "resize":
        mode, transform = b.draw.choice([("nearest", "asymmetric"),
                                         ("linear", "half_pixel")])
        scales = b.constant(np.array([1, 1, 2, 2], np.float32))
        return b.node("Resize", [x, "", scales],
                      [batch, channels, 2 * height, 2 * width], mode=mode,
                      coordinate_transformation_mode=transform,
                      nearest_mode="floor")
    if kind == "pad":
        return b.node("Pad", [x, b.shape(0, 0, 1, 1, 0, 0, 1, 1)],
                      [batch, channels, height + 2, width + 2],
                      mode=b.draw.choice(["constant", "reflect"]))
    channels -= channels % 4
    x = b.input(batch, channels or 4, height, width)
    channels = b.shapes[x][1]
    if kind == "pixels":
        return b.node("DepthToSpace", [x],
                      [batch, channels // 4, 2 * height, 2 * width],
                      blocksize=2)
    y = b.reshape(x, batch, 2, channels // 2, height, width)
    return b.reshape(b.transpose(y, [0, 2, 1, 3, 4]), batch, channels, height,
                     width)


def draw_block(b: Builder) -> str:
    """A block of a convolutional network."""
    kind = b.draw.choice(["inverted", "inverted", "bottleneck", "basic", "fire",
                          "dense", "next"])
    size = b.draw.choice([7, 14, 14, 20, 28, 28, 40, 56])
    channels = b.draw.choice([16, 24, 32, 40, 64, 96, 112, 128, 192, 256])
    x = b.input(1, channels, size, size)
    if kind == "inverted":
        wide = channels * b.draw.choice([3, 4, 6])
        act = b.draw.choice(["Clip", "Silu", "HardSwish", "Relu"])
        window = b.draw.choice([3, 3, 5])
        y = b.activate(b.conv(x, wide, [1, 1]), act)
        y = b.activate(b.conv(y, wide, [window, window], groups=wide), act)
        if b.draw.random() < 0.4:  # Squeeze and excitation.
            s = b.node("GlobalAveragePool", [y], [1, wide, 1, 1])
            s = b.activate(b.conv(s, max(8, wide // 4), [1, 1]), act)
            s = b.node("Sigmoid", [b.conv(s, wide, [1, 1])])
            y = b.node("Mul", [y, s])
        return b.node("Add", [b.conv(y, channels, [1, 1]), x])
    if kind in ("bottleneck", "basic"):
        wide = channels // 4 if kind == "bottleneck" else channels
        one = [1, 1] if kind == "bottleneck" else [3, 3]
        y = b.activate(b.conv(x, wide, one), "Relu")
        y = b.activate(b.conv(y, wide, [3, 3]), "Relu")
        if kind == "bottleneck":
            y = b.conv(y, channels, one)
        return b.activate(b.node("Add", [y, x]), "Relu")
    if kind == "fire":
        y = b.activate(b.conv(x, max(16, channels // 8), [1, 1]), "Relu")
        parts = [
            b.activate(b.conv(y, channels // 2, [window] * 2), "Relu")
            for window in (1, 3)
        ]
        return b.node("Concat", parts, [1, channels // 2 * 2, size, size],
                      axis=1)
    if kind == "dense":
        for _ in range(b.draw.choice([2, 3])):
            y = b.activate(b.conv(b.activate(x, "Relu"), 128, [1, 1]), "Relu")
            y = b.conv(y, 32, [3, 3], bias=False)
            x = b.node("Concat", [x, y],
                       [1, b.shapes[x][1] + 32, size, size], axis=1)
        return x
    y = b.conv(x, channels, [7, 7], groups=channels)
    y = b.layer_norm(b.transpose(y, [0, 2, 3, 1]))
    y = b.linear(b.activate(b.linear(y, 4 * channels), "Gelu"), channels)
    return b.node("Add", [b.transpose(y, [0, 3, 1, 2]), x])


def draw_perceptron(b: Builder) -> str:
    x = b.input(b.draw.choice([1, 1, 8, 16, 32, 64, 100, 128]),
                b.draw.choice(WIDTHS))
    kind = b.draw.choice(["Relu", "Relu", "Tanh", "Gelu"])
    for _ in range(b.draw.choice([2, 2, 3])):
        x = b.activate(b.linear(x, b.draw.choice(WIDTHS)), kind)
    return b.linear(x, b.draw.choice([1, 10, 10, 100]))


def draw_recurrent(b: Builder) -> str:
    kind, gates = b.draw.choice([("LSTM", 4), ("LSTM", 4), ("GRU", 3)])
    steps = b.draw.choice([10, 16, 25, 50, 100])
    batch = b.draw.choice([1, 1, 1, 4, 16])
    width, hidden = b.draw.choice([32, 64, 128, 256]), b.draw.choice(
        [64, 128, 128, 256])
    x = b.input(steps, batch, width)
    b.flops += 2 * steps * batch * gates * hidden * (width + hidden)
    return b.results(kind, [
        x,
        b.weight(1, gates * hidden, width, depth=width),
        b.weight(1, gates * hidden, hidden, depth=hidden),
        b.weight(1, 2 * gates * hidden)
    ], [[steps, 1, batch, hidden]], hidden_size=hidden)[0]


# How often each family is drawn, about as often as they matter.
FAMILIES: dict[str, tuple[int, Callable[[Builder], str]]] = {
    "convolution": (18, draw_convolution),
    "depthwise": (6, draw_depthwise),
    "grouped": (3, draw_grouped),
    "odd-convolution": (5, draw_odd_convolution),
    "block": (12, draw_block),
    "linear": (12, draw_linear),
    "perceptron": (4, draw_perceptron),
    "product": (7, draw_product),
    "attention": (6, draw_attention),
    "encoder-layer": (5, draw_encoder_layer),
    "recurrent": (3, draw_recurrent),
    "rows": (6, draw_rows),
    "elementwise": (5, draw_elementwise),
    "reduction": (4, draw_reduction),
    "pooling": (4, draw_pooling),
    "movement": (6, draw_movement)
}


#===------------------------------------------------------------------------===#
# Files
#===------------------------------------------------------------------------===#


def moved_bytes(b: Builder, result: str) -> int:
    arrays = [*b.inputs.values(), *b.weights.values()]
    return sum(array.nbytes
               for array in arrays) + 4 * int(np.prod(b.shapes[result]))


def fits(b: Builder, result: str) -> bool:
    moved = moved_bytes(b, result)
    return (b.flops <= MOST_FLOPS and moved <= MOST_BYTES
            and (b.flops >= LEAST_FLOPS or moved >= LEAST_BYTES))


def build(name: str) -> tuple[Builder, str, str]:
    """Returns the nodes, the result and the family of a workload."""
    matched = NAME.fullmatch(name)
    assert matched, name
    # Numbers do not depend on each other.
    draw = random.Random(f"{matched[2]}-{matched[3]}")
    if matched[1] == "operators":
        family = list(OPERATORS)[int(matched[3]) % len(OPERATORS)]
        append = OPERATORS[family]
    else:
        weights = [weight for weight, _ in FAMILIES.values()]
        family = draw.choices(list(FAMILIES), weights)[0]
        append = FAMILIES[family][1]
    while True:
        builder = Builder(draw)
        result = append(builder)
        if builder.nodes and fits(builder, result):
            return builder, result, family


def make_model(b: Builder, name: str, result: str) -> Any:

    def declare(key: str, dtype: Any, shape: Shape) -> Any:
        return helper.make_tensor_value_info(
            key, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)

    graph = helper.make_graph(b.nodes, name, [
        declare(key, array.dtype, array.shape)
        for key, array in b.inputs.items()
    ], [declare(result, np.float32, b.shapes[result])], [
        numpy_helper.from_array(array, key)
        for key, array in b.weights.items()
    ])
    model = helper.make_model(graph, ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model, full_check=True)
    return model


def describe(b: Builder) -> str:
    """The operations with the shapes of what they read, in a line."""

    def shapes(node: Any) -> str:
        return ",".join("x".join(map(str, b.shapes[name])) or "1"
                        for name in node.input[:2] if name)

    texts = []
    for node in b.nodes:
        text = f"{node.op_type}({shapes(node)})"
        strides = [
            attribute for attribute in node.attribute
            if attribute.name in ("strides", "group", "dilations", "perm",
                                  "axes", "axis")
        ]
        for attribute in strides:
            value = helper.get_attribute_value(attribute)
            if value not in (1, [1, 1], [1], -1):
                text += f" {attribute.name}={value}".replace(", ", ",")
        texts.append(text)
    return "; ".join(texts[:4]) + ("; ..." if len(texts) > 4 else "")


def export(name: str, folder: pathlib.Path) -> None:
    builder, result, family = build(name)
    model = make_model(builder, name, result)
    stem = str(folder / name)
    onnx.save(model, stem + ".onnx")
    np.savez(stem + ".in.npz", **builder.inputs)
    [reference] = compute(stem + ".onnx", builder.inputs)
    np.savez(stem + ".ref.npz", **{result: reference})
    write_description(folder, name, list(builder.inputs), [result],
                      builder.flops, moved_bytes(builder, result),
                      family=family, text=describe(builder))


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        export(name, folder)


if __name__ == "__main__":
    main()
