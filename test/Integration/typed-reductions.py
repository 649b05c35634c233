# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs reductions and products of every element type on both devices.

usage: typed-reductions.py [--target-cpu=LEVEL]

The compiled program must give what the interpreter gives: the same bits for
integers and booleans, and numbers as near as the type allows for floats.
"""

import argparse
import subprocess
import sys
import tempfile

FLOATS = ["f64", "f16", "bf16"]
INTEGERS = ["i64", "i32", "i16", "i8", "ui64", "ui32", "ui16", "ui8"]

STATEMENTS = {
    "matmul": ("%x: tensor<5x13x{t}>, %w: tensor<13x37x{t}>",
               "matmul %x, %w : tensor<5x13x{t}>, tensor<13x37x{t}>",
               "tensor<5x37x{t}>"),
    "conv": ("%x: tensor<1x5x6x4x{t}>, %w: tensor<3x2x2x6x{t}>",
             "conv %x, %w strides [1, 1] dilations [1, 2] pad [1, 0] to [1, 2]"
             " groups 2 : tensor<1x5x6x4x{t}>, tensor<3x2x2x6x{t}>",
             "tensor<1x5x6x6x{t}>"),
    "depthwise": ("%x: tensor<1x5x6x4x{t}>, %w: tensor<3x2x1x4x{t}>",
                  "conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 0] to "
                  "[1, 1] groups 4 : tensor<1x5x6x4x{t}>, tensor<3x2x1x4x{t}>",
                  "tensor<1x5x6x4x{t}>"),
    "max_pool": ("%x: tensor<1x5x6x4x{t}>",
                 "pool max %x window [3, 2] strides [2, 1] dilations [1, 1] pad "
                 "[1, 1] to [1, 1] : tensor<1x5x6x4x{t}>",
                 "tensor<1x3x7x4x{t}>"),
    "sum_pool": ("%x: tensor<1x9x4x{t}>",
                 "pool sum %x window [3] strides [2] dilations [1] pad [0] to "
                 "[0] : tensor<1x9x4x{t}>", "tensor<1x4x4x{t}>"),
}
for combiner in ("sum", "prod", "max", "min"):
    for dims, result in (("0, 2", "19x"), ("1", "3x21x"), ("0, 1, 2", "")):
        STATEMENTS[f"{combiner} over [{dims}]"] = (
            "%x: tensor<3x19x21x{t}>",
            f"reduce {combiner} %x over [{dims}] : tensor<3x19x21x{{t}}>",
            f"tensor<{result}{{t}}>")
ROWS = [("%x: tensor<3x41x{t}>", "layer_norm %x epsilon 1.0e-3 : "
         "tensor<3x41x{t}>", "tensor<3x41x{t}>"),
        ("%x: tensor<3x41x{t}>", "log_sum_exp %x : tensor<3x41x{t}>",
         "tensor<3x{t}>")]


def make_model(statements, element):
    """@main with all statements, and the names of its inputs."""
    arguments, body, results, names = [], [], [], []
    for i, statement in enumerate(statements):
        typed, text, result = (part.format(t=element) for part in statement)
        for argument in typed.split(", "):
            name, shape = argument.strip("%").split(": ")
            names.append(f"{name}{i}")
            arguments.append(f'%{name}{i}: {shape} '
                             f'{{hamkaas.name = "{name}{i}"}}')
        text = text.replace("%x", f"%x{i}").replace("%w", f"%w{i}")
        body.append(f"  %y{i} = hamkaas.{text}\n")
        results.append(result)
    named = ", ".join(f'{result} {{hamkaas.name = "y{i}"}}'
                      for i, result in enumerate(results))
    values = ", ".join(f"%y{i}" for i in range(len(results)))
    return (f"func.func @main({', '.join(arguments)}) -> ({named}) {{\n"
            f"{''.join(body)}  return {values} : {', '.join(results)}\n}}\n",
            names)


def run(statements, element, level, folder):
    text, names = make_model(statements, element)
    path = f"{folder}/model.mlir"
    with open(path, "w") as model:
        model.write(text)
    done = subprocess.run(
        ["hamkaas-run", path, "--device=cpu", "--check-against=reference",
         f"--target-cpu={level}",
         *(f"--input={name}=random" for name in names)],
        capture_output=True, text=True)
    if done.returncode:
        return [f"{element}: {done.stdout[-3000:]}{done.stderr}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target-cpu", default="host")
    level = parser.parse_args().target_cpu
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for element in FLOATS:
            errors += run([*STATEMENTS.values(), *ROWS], element, level, folder)
        for element in INTEGERS:
            errors += run(STATEMENTS.values(), element, level, folder)
        errors += run([STATEMENTS[f"{combiner} over [1]"]
                       for combiner in ("max", "min")], "i1", level, folder)
    print("\n".join(errors[:10]))
    print(f"{len(errors)} errors")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
