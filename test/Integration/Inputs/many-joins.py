# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model that joins COUNT tensors, each computed from the one before.

usage: many-joins.py COUNT DIM
"""

import sys

count, dim = int(sys.argv[1]), int(sys.argv[2])
shape = [4, 4]
shape[dim] *= count
part, whole = "tensor<4x4xf32>", f"tensor<{shape[0]}x{shape[1]}xf32>"
names = [f"%{i}" for i in range(count)]

print(f"func.func @main(%x: {part} {{hamkaas.name = \"x\"}}) -> "
      f"({whole} {{hamkaas.name = \"y\"}}) {{")
for before, name in zip(["%x"] + names, names):
    print(f"  {name} = hamkaas.exp {before} : {part}")
print(f"  %y = hamkaas.concat {', '.join(names)} dim {dim} : "
      f"{', '.join([part] * count)}")
print(f"  return %y : {whole}\n}}")
