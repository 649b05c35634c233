# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the script of a network of layers: repeated-layers.py KIND COUNT.

    equal      all layers compute the same
    stages     those of the second half are twice as wide
    first      the first layer makes a value that all others use
    different  no two layers have the same width
    states     each layer keeps its rows in a state
"""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
lines = []


def add(statement):
    lines.append(f"${len(lines) + 1} = {statement};")
    return f"${len(lines)}"


def parameter(name, *shape):
    return add(f"ConstantTensor({name}, float32, {list(shape)})")


def width_of(layer):
    if kind == "different":
        return 8 + layer
    return 16 if kind == "stages" and layer >= count // 2 else 8


x = add("InputTensor(x, float32, [1, 8])")
begin = add("InputTensor(begin, int64, [1])")
end = add("InputTensor(end, int64, [1])")
width, shared = 8, None
for layer in range(count):
    if width_of(layer) != width:
        x = add(f"MatMulNode({x}, "
                f"{parameter(f'wider.{layer}', width, width_of(layer))})")
        width = width_of(layer)
    hidden = add(f"MatMulNode({x}, "
                 f"{parameter(f'layer.{layer}.up', width, 32)})")
    hidden = add(f"ReLUNode({hidden})")
    if kind == "first":
        shared = shared or add(f"SiLUNode({hidden})")
        hidden = add(f"SumNode({hidden}, {shared})")
    if kind == "states":
        rows = add(f"BufferTensor(memory.{layer}, float32, [4, 32])")
        rows = add(f"ReplaceSliceNode({rows}, {hidden}, {begin}, {end})")
        hidden = add(f"SliceNode({rows}, 0, 1)")
    down = parameter(f"layer.{layer}.down", 32, width)
    x = add(f"SumNode({x}, {add(f'MatMulNode({hidden}, {down})')})")
print("\n".join(lines) + f"\nresult = {x};")
