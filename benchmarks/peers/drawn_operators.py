# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that the families of drawn.py leave out, one a workload."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from model_builder import Builder

Draw = Callable[[Builder], str]

CHANNELS = [3, 16, 24, 32, 64, 96, 128, 256]
IMAGES = [14, 20, 28, 32, 52, 56, 80, 112, 128]
ROWS = [64, 128, 197, 384, 512, 1000]
WIDTHS = [50, 64, 100, 256, 300, 768, 1000, 1024]


def image(b: Builder) -> str:
    size = b.draw.choice(IMAGES)
    return b.input(1, b.draw.choice(CHANNELS), size, size)


def matrix(b: Builder) -> str:
    return b.input(b.draw.choice(ROWS), b.draw.choice(WIDTHS))


def positive(b: Builder, x: str) -> str:
    """|x| + 0.1"""
    return b.node("Add", [b.node("Abs", [x]), b.constant(np.float32(0.1))])


def ints(b: Builder, *values: int) -> str:
    return b.constant(np.array(values, np.int64))


def elementwise(kind: str, is_positive: bool = False, **attributes: Any) -> Draw:

    def draw(b: Builder) -> str:
        x = matrix(b)
        return b.node(kind, [positive(b, x) if is_positive else x],
                      **attributes)

    return draw


def draw_power(b: Builder) -> str:
    exponent = b.constant(np.float32(b.draw.choice([0.75, 1.5, 2.5, 3, -0.5])))
    return b.node("Pow", [positive(b, matrix(b)), exponent])


def draw_mish(b: Builder) -> str:
    x = matrix(b)
    return b.node("Mul", [x, b.node("Tanh", [b.node("Softplus", [x])])])


def draw_prelu(b: Builder) -> str:
    x = image(b)
    return b.node("PRelu", [x, b.weight(b.shapes[x][1], 1, 1)])


def draw_where(b: Builder) -> str:
    x = matrix(b)
    y = b.input(*b.shapes[x])
    return b.node("Where", [b.node("Greater", [x, y]), x, y])


def draw_outer(b: Builder) -> str:
    rows, columns = b.draw.choice(ROWS), b.draw.choice(WIDTHS)
    return b.matmul(b.input(rows, 1), b.input(1, columns))


def draw_expand(b: Builder) -> str:
    rows, columns = b.draw.choice([32, 64, 128]), b.draw.choice(WIDTHS)
    return b.node("Sub", [b.input(rows, 1, columns), b.input(1, 32, columns)],
                  [rows, 32, columns])


def draw_top(b: Builder) -> str:
    x = matrix(b)
    rows, width = b.shapes[x]
    count = min(width, b.draw.choice([1, 5, 10, 50, 100]))
    shape = [rows, count]
    return b.results("TopK", [x, ints(b, count)], [shape, shape])[0]


def draw_position(b: Builder) -> str:
    x = image(b)
    axis = b.draw.choice([1, 3])
    shape = [1 if i == axis else n for i, n in enumerate(b.shapes[x])]
    kind = b.draw.choice(["ArgMax", "ArgMin"])
    return b.node("Cast", [b.node(kind, [x], shape, axis=axis)], to=1)


def draw_gather(b: Builder) -> str:
    rows, width = b.draw.choice([1000, 30000]), b.draw.choice([64, 256])
    count = b.draw.choice([512, 2000])
    indices = b.constant(b.arrays.integers(0, rows, count))
    return b.node("Gather", [b.input(rows, width), indices], [count, width])


def draw_gather_elements(b: Builder) -> str:
    x = matrix(b)
    rows, width = b.shapes[x]
    indices = b.constant(b.arrays.integers(0, width, (rows, width)))
    return b.node("GatherElements", [x, indices], axis=1)


def draw_scatter(b: Builder) -> str:
    rows, width = b.draw.choice([1000, 4000]), b.draw.choice([64, 256])
    count = b.draw.choice([10, 200])
    places = b.constant(b.arrays.permutation(rows)[:count, None])
    return b.node("ScatterND",
                  [b.input(rows, width), places,
                   b.input(count, width)])


def draw_one_hot(b: Builder) -> str:
    count, depth = b.draw.choice(ROWS), b.draw.choice([100, 1000])
    indices = b.node("Cast", [b.input(count)], to=7)
    values = b.constant(np.array([0, 1], np.float32))
    return b.node("OneHot", [indices, ints(b, depth), values], [count, depth],
                  axis=-1)


def draw_cumsum(b: Builder) -> str:
    return b.node("CumSum", [matrix(b), ints(b, b.draw.choice([0, 1]))])


def draw_triangle(b: Builder) -> str:
    size = b.draw.choice([64, 128, 197])
    return b.node("Trilu", [b.input(b.draw.choice([12, 64]), size, size)],
                  upper=b.draw.choice([0, 1]))


def draw_tile(b: Builder) -> str:
    rows, width = b.draw.choice(ROWS), b.draw.choice([64, 256])
    return b.node("Tile", [b.input(rows, 1, width), ints(b, 1, 16, 1)],
                  [rows, 16, width])


def draw_slice(b: Builder) -> str:
    x = matrix(b)
    rows, width = b.shapes[x]
    if b.draw.choice([True, False]):  # Backwards.
        bounds = [ints(b, -1), ints(b, -width - 1), ints(b, 1), ints(b, -1)]
        return b.node("Slice", [x, *bounds])
    bounds = [ints(b, 0), ints(b, width), ints(b, 1), ints(b, 2)]
    return b.node("Slice", [x, *bounds], [rows, (width + 1) // 2])


def draw_pad(b: Builder) -> str:
    x = image(b)
    n, c, h, w = b.shapes[x]
    margin = b.draw.choice([1, 2, 3])
    pads = ints(b, 0, 0, margin, margin, 0, 0, margin, margin)
    return b.node("Pad", [x, pads], [n, c, h + 2 * margin, w + 2 * margin],
                  mode=b.draw.choice(["constant", "edge", "reflect"]))


def draw_shuffle(b: Builder) -> str:
    x = image(b)
    n, c, h, w = b.shapes[x]
    if c % 4 == 0:
        return b.node("DepthToSpace", [x], [n, c // 4, 2 * h, 2 * w],
                      blocksize=2)
    return b.node("SpaceToDepth", [x], [n, 4 * c, h // 2, w // 2], blocksize=2)


def draw_resize(b: Builder) -> str:
    x = image(b)
    n, c, h, w = b.shapes[x]
    mode, place = b.draw.choice([("nearest", "asymmetric"),
                                 ("linear", "half_pixel"),
                                 ("linear", "align_corners"),
                                 ("cubic", "half_pixel")])
    size = int(h * b.draw.choice([0.5, 1.5, 2, 2]))
    more = {"nearest_mode": "floor"} if mode == "nearest" else {}
    return b.node("Resize",
                  [x, "", "", ints(b, n, c, size, size)], [n, c, size, size],
                  mode=mode, coordinate_transformation_mode=place, **more)


def draw_grid(b: Builder) -> str:
    x = image(b)
    n, c, h, w = b.shapes[x]
    grid = b.node("Tanh", [b.input(n, h, w, 2)])
    return b.node("GridSample", [x, grid])


def draw_norm(b: Builder) -> str:
    x = image(b)
    channels = b.shapes[x][1]
    kind = b.draw.choice(["InstanceNormalization", "LRN", "Mean"])
    if kind == "LRN":
        return b.node("LRN", [x], size=5)
    if kind == "Mean":
        return b.node("MeanVarianceNormalization", [x])
    return b.node(kind, [x, b.weight(channels), b.weight(channels)])


def draw_group_norm(b: Builder) -> str:
    size, channels = b.draw.choice(IMAGES), b.draw.choice([32, 64, 128, 256])
    x = b.reshape(b.input(1, channels, size, size), 1, 32,
                  channels // 32 * size * size)
    x = b.node("InstanceNormalization", [x, b.weight(32), b.weight(32)])
    x = b.reshape(x, 1, channels, size, size)
    return b.node("Mul", [x, b.weight(channels, 1, 1)])


def draw_batch_norm(b: Builder) -> str:
    x = image(b)
    channels = b.shapes[x][1]
    variance = b.constant(np.abs(b.arrays.standard_normal(channels)) + 1)
    b.weights[variance] = b.weights[variance].astype(np.float32)
    return b.node(
        "BatchNormalization",
        [x, *[b.weight(channels) for _ in range(3)], variance])


def draw_reduction(b: Builder) -> str:
    x = image(b)
    kind = b.draw.choice(["ReduceL2", "ReduceLogSumExp", "ReduceProd"])
    return b.reduce(kind, x, b.draw.choice([[1], [3], [2, 3]]))


def draw_sequence(b: Builder) -> str:
    """A convolution along one dimension."""
    channels = b.draw.choice([1, 64, 128, 256])
    x = b.input(1, channels, b.draw.choice([500, 1000, 4000]))
    return b.conv(x, b.draw.choice([2, 64, 256]), [b.draw.choice([3, 7, 31])],
                  stride=b.draw.choice([1, 1, 2]))


def draw_volume(b: Builder) -> str:
    """A convolution of volumes."""
    channels, size = b.draw.choice([3, 16, 32]), b.draw.choice([16, 28, 32])
    x = b.input(1, channels, 16, size, size)
    return b.conv(x, b.draw.choice([3, 16, 32, 64]), [3, 3, 3],
                  stride=b.draw.choice([1, 1, 2]))


def draw_few(b: Builder) -> str:
    """A convolution to or from few channels."""
    few, many = b.draw.choice([1, 2, 3, 4]), b.draw.choice([32, 64, 128])
    if b.draw.choice([True, False]):
        few, many = many, few
    size = b.draw.choice([56, 112, 128, 160])
    window = b.draw.choice([3, 3, 5, 7])
    x = b.input(1, few, size, size)
    return b.conv(x, many, [window, window], stride=b.draw.choice([1, 1, 2]))


def draw_patches(b: Builder) -> str:
    """Windows that do not overlap."""
    window = b.draw.choice([4, 8, 14, 16])
    size, results = 224 // window, b.draw.choice([96, 192, 384, 768])
    depth = 3 * window * window
    b.flops += 2 * depth * results * size * size
    weight = b.weight(results, 3, window, window, depth=depth)
    return b.node("Conv", [b.input(1, 3, 224, 224), weight],
                  [1, results, size, size], strides=[window, window])


def draw_pool(b: Builder) -> str:
    """Pooling along one or three dimensions, and of large windows."""
    rank = b.draw.choice([1, 2, 3])
    sizes = {1: [4000], 2: [56, 56], 3: [16, 56, 56]}[rank]
    window = {1: 4, 2: 7, 3: 2}[rank]
    stride = 1 if rank == 2 else window
    x = b.input(1, b.draw.choice([32, 64]), *sizes)
    shape = [*b.shapes[x][:2], *((n - window) // stride + 1 for n in sizes)]
    return b.node(b.draw.choice(["AveragePool", "MaxPool"]), [x], shape,
                  kernel_shape=[window] * rank, strides=[stride] * rank)


OPERATORS: dict[str, Draw] = {
    "abs": elementwise("Abs"),
    "arg": draw_position,
    "batch-norm": draw_batch_norm,
    "cos": elementwise("Cos"),
    "cumsum": draw_cumsum,
    "elu": elementwise("Elu"),
    "expand": draw_expand,
    "few-channels": draw_few,
    "floor": elementwise("Floor"),
    "gather": draw_gather,
    "gather-elements": draw_gather_elements,
    "grid-sample": draw_grid,
    "group-norm": draw_group_norm,
    "log": elementwise("Log", is_positive=True),
    "mish": draw_mish,
    "norm": draw_norm,
    "one-hot": draw_one_hot,
    "outer": draw_outer,
    "pad": draw_pad,
    "patches": draw_patches,
    "pool": draw_pool,
    "power": draw_power,
    "prelu": draw_prelu,
    "reciprocal": elementwise("Reciprocal", is_positive=True),
    "reduction": draw_reduction,
    "resize": draw_resize,
    "scatter": draw_scatter,
    "sequence": draw_sequence,
    "shuffle": draw_shuffle,
    "sin": elementwise("Sin"),
    "slice": draw_slice,
    "softplus": elementwise("Softplus"),
    "sqrt": elementwise("Sqrt", is_positive=True),
    "tile": draw_tile,
    "top": draw_top,
    "triangle": draw_triangle,
    "volume": draw_volume,
    "where": draw_where
}
