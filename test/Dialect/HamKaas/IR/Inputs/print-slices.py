# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a chain of slices, each with a position of its own.

usage: print-slices.py COUNT
"""

import sys

count = int(sys.argv[1])
print(f"func.func @main(%x0: tensor<{count + 1}xf32>) -> tensor<1xf32> {{")
for i in range(1, count + 1):
    size = count + 2 - i
    print(f"  %x{i} = hamkaas.slice %x{i - 1}[1, {size}] : tensor<{size}xf32> "
          f'loc("m.hk":{i}:1)')
print(f"  return %x{count} : tensor<1xf32>\n}}")
