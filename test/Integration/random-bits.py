# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws of hamkaas.random_bits, against Random123 and plain Python.

usage: random-bits.py [ARGUMENTS OF hamkaas-run]
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from philox import KNOWN, join, philox, random_bits  # noqa: E402

# Shapes with and without whole blocks and whole vectors, and an offset.
DRAWS = [([], 0), ([1], 0), ([4], 0), ([5], 2), ([3, 7], 0), ([16, 16], 2**40),
         ([2, 3, 5, 1], 1), ([1031], 2**63 - 1), ([40, 33], 3)]

WRAPPING = [0x0123456789abcdef, 2**64 - 2, 2**64 - 1]


def format_module():
    results, body = [], []
    for i, (shape, offset) in enumerate(DRAWS):
        dims = "".join(f"{size}x" for size in shape)
        results.append(f'tensor<{dims}ui32> {{hamkaas.name = "r{i}"}}')
        body.append(f"%{i} = hamkaas.random_bits %g {shape} offset {offset} : "
                    "tensor<3xui64>")
    types = ", ".join(result.split(" ")[0] for result in results)
    values = ", ".join(f"%{i}" for i in range(len(DRAWS)))
    return "\n".join([
        'func.func @main(%g: tensor<3xui64> {hamkaas.name = "g"}) -> '
        f"({', '.join(results)}) {{", *body, f"return {values} : {types}", "}"])


def run(folder, generator, arguments):
    np.save(folder / "g.npy", np.array(generator, np.uint64))
    outputs = [f"--output=r{i}={folder}/r{i}.npy" for i in range(len(DRAWS))]
    subprocess.run(["hamkaas-run", folder / "model.mlir", *arguments,
                    f"--input=g={folder}/g.npy", *outputs], check=True)
    return [np.load(folder / f"r{i}.npy") for i in range(len(DRAWS))]


def main():
    generators = [WRAPPING]
    for counter, key, block in KNOWN:
        assert philox(counter, key) == block
        generators.append([join(key), join(counter[:2]), join(counter[2:])])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.mlir").write_text(format_module())
        for generator in generators:
            drawn = run(folder, generator, sys.argv[1:])
            for (shape, offset), words in zip(DRAWS, drawn):
                assert words.dtype == np.uint32, words.dtype
                np.testing.assert_array_equal(
                    words, random_bits(generator, shape, offset))
    print(len(generators) * len(DRAWS), "draws agree")


main()
