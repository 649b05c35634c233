# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints two exponentials of vectors that need a long chain of additions.

usage: long-chain.py COUNT
"""

import sys

count = int(sys.argv[1])
vector = "vector<16xf32>"
print(f"func.func @chain(%x: f32, %v: {vector}) -> ({vector}, {vector}) {{\n"
      "  %s0 = arith.addf %x, %x : f32")
for i in range(count):
    print(f"  %s{i + 1} = arith.addf %s{i}, %x : f32")
print(f"  %all = vector.broadcast %s{count} : f32 to {vector}\n"
      f"  %a = arith.mulf %v, %all : {vector}\n"
      f"  %b = arith.addf %v, %all : {vector}\n"
      f"  %c = math.exp %a : {vector}\n"
      f"  %d = math.exp %b : {vector}\n"
      f"  return %c, %d : {vector}, {vector}\n}}")
