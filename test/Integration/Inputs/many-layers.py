# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a script with many statements of one kind.

usage: many-layers.py matmuls|weights|states COUNT
"""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
print("$1 = InputTensor(x, float32, [2, 2]);")
last = 1


def add(text):
    global last
    last += 1
    print(f"${last} = {text};")


if kind == "states":
    add("InputTensor(begin, int64, [1])")
    add("InputTensor(end, int64, [1])")
for i in range(count):
    x = last if kind != "states" else 1
    if kind == "matmuls":
        add(f"MatMulNode(${x}, $1)")
    elif kind == "weights":
        add(f"ConstantTensor(w{i}, float32, [2, 2])")
        add(f"MatMulNode(${x}, ${last})")
    else:
        add("BufferTensor(float32, [4, 2])")
        add(f"ReplaceSliceNode(${last}, $1, $2, $3)")
print(f"result = ${last};")
