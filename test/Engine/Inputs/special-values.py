# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions of NaN, infinities, -0 and numbers at which they are steep or
flat, as steps of a product that an engine computes, against the interpreter.

    special-values.py ENGINE FOLDER
"""

import pathlib
import subprocess
import sys

import numpy

FUNCTIONS = ["abs", "hard_swish", "round", "relu", "sigmoid", "sqrt", "tanh"]
# fmt: off
VALUES = [numpy.nan, -numpy.inf, numpy.inf, -0.0, 0.5, 2.5, -3, -105, 90, 1e-40, -7, 20]
# fmt: on


def main():
    engine, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    size = len(VALUES)
    shape = f"tensor<{size}x{size}xf32>"
    body = []
    # Equal products would be computed once.
    for name in FUNCTIONS:
        body += [
            f"  %{name}_m = hamkaas.matmul %one, %{name} : {shape}, {shape}",
            f"  %{name}_p = hamkaas.mul %{name}_m, %values : {shape}, {shape}",
            f"  %{name}_y = hamkaas.{name} %{name}_p : {shape}",
        ]
    arguments = ", ".join(
        f'%{name}: {shape} {{hamkaas.name = "{name}"}}'
        for name in ["one", "values", *FUNCTIONS]
    )
    types = ", ".join(f'{shape} {{hamkaas.name = "{name}_y"}}' for name in FUNCTIONS)
    results = ", ".join(f"%{name}_y" for name in FUNCTIONS)
    text = [f"func.func @main({arguments}) -> ({types}) {{", *body]
    text += [f"  return {results} : {', '.join([shape] * len(FUNCTIONS))}", "}", ""]
    (folder / "special.mlir").write_text("\n".join(text))
    numpy.save(folder / "one.npy", numpy.eye(size, dtype="float32"))
    numpy.save(folder / "ones.npy", numpy.ones((size, size), "float32"))
    # A value a row, which is what the comparison is relative to.
    rows = numpy.repeat(numpy.array(VALUES, "float32")[:, None], size, 1)
    numpy.save(folder / "values.npy", rows)
    subprocess.run(
        [
            "hamkaas-run",
            folder / "special.mlir",
            f"--engine={engine}",
            "--emit-report",
            "--check-against=reference",
            f"--input=one={folder}/one.npy",
            f"--input=values={folder}/values.npy",
        ]
        + [f"--input={name}={folder}/ones.npy" for name in FUNCTIONS],
        check=True,
    )


main()
