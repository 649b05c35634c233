# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of blocks of GGUF files, against the package gguf, bit by bit.

usage: dequantize-blocks.py DEVICE...

The bytes are random, so each code, scale and minimum occurs, but for the float16
of a block: none is inf or NaN, and some are zeros and denormal.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from gguf import GGMLQuantizationType
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize

# Where the float16 of a block begin.
HALVES = {"q4_0": [0], "q4_1": [0, 2], "q5_0": [0], "q5_1": [0, 2],
          "q8_0": [0], "q2_k": [80, 82], "q3_k": [108], "q4_k": [0, 2],
          "q5_k": [0, 2], "q6_k": [208]}
# Of the blocks of each format.
SHAPES = [[5], [3, 1], [2, 3, 4]]


def make_blocks(count, size, halves, rng):
    blocks = rng.integers(0, 256, [count, size], "uint8")
    for at in halves:
        half = blocks[:, at:at + 2].copy().view(np.uint16)
        # Every exponent but the largest; every fourth is zero or denormal.
        half = np.where((half & 0x7c00) == 0x7c00, half & 0x83ff, half)
        half[::4] &= 0x83ff
        half[::16] &= 0x8000
        blocks[:, at:at + 2] = half.astype(np.uint16).view(np.uint8)
    return blocks


def make_cases(rng):
    """Yields the format, the bytes and the numbers of each case."""
    for name, halves in HALVES.items():
        kind = GGMLQuantizationType[name.upper()]
        _, size = GGML_QUANT_SIZES[kind]
        for shape in SHAPES:
            blocks = make_blocks(int(np.prod(shape)), size, halves, rng)
            blocks = blocks.reshape([*shape[:-1], shape[-1] * size])
            yield name, blocks, dequantize(blocks, kind)


def type_text(array, element):
    return f"tensor<{'x'.join(map(str, array.shape))}x{element}>"


def make_model(cases):
    arguments, body, results = [], [], []
    for i, (name, blocks, numbers) in enumerate(cases):
        source = type_text(blocks, "ui8")
        arguments.append(f'%b{i}: {source} {{hamkaas.name = "b{i}"}}')
        body.append(f"  %r{i} = hamkaas.dequantize_blocks {name} %b{i} : "
                    f"{source}")
        results.append(
            f'{type_text(numbers, "f32")} {{hamkaas.name = "r{i}"}}')
    types = ", ".join(result.split(" ")[0] for result in results)
    values = ", ".join(f"%r{i}" for i in range(len(cases)))
    return "\n".join([f"func.func @main({', '.join(arguments)}) -> "
                      f"({', '.join(results)}) {{", *body,
                      f"  return {values} : {types}", "}", ""])


def main():
    cases = list(make_cases(np.random.default_rng(1)))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.mlir"
        model.write_text(make_model(cases))
        for i, (_, blocks, _) in enumerate(cases):
            np.save(folder / f"b{i}.npy", blocks)
        for device in sys.argv[1:]:
            subprocess.run(
                ["hamkaas-run", model, f"--device={device}",
                 *(f"--input=b{i}={folder}/b{i}.npy"
                   for i in range(len(cases))),
                 *(f"--output=r{i}={folder}/r{i}.npy"
                   for i in range(len(cases)))],
                check=True, stdout=subprocess.DEVNULL)
            for i, (name, blocks, expected) in enumerate(cases):
                got = np.load(folder / f"r{i}.npy")
                assert got.shape == expected.shape, (name, got.shape)
                wrong = got.view(np.uint32) != expected.view(np.uint32)
                if np.any(wrong):
                    sys.exit(f"{device} {name} {blocks.shape}: expected "
                             f"{expected[wrong][0]}, got {got[wrong][0]}")
            print(f"{device}: {len(cases)} cases, no errors")


if __name__ == "__main__":
    main()
