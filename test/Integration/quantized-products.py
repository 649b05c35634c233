# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights of few bits have the bits of the products with the
float32 numbers that they stand for, at every level and number of threads. Those
by integers are the products with numbers rounded to 8 bits, and have the same
bits with and without the instructions for dot products of bytes.

usage: quantized-products.py LEVEL...
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Numbers and bytes of a block, and where it has float16 numbers.
FORMATS = {"q4_0": (32, 18, [0]), "q4_1": (32, 20, [0, 2]),
           "q5_0": (32, 22, [0]), "q5_1": (32, 24, [0, 2]),
           "q8_0": (32, 34, [0]), "q2_k": (256, 84, [80, 82]),
           "q3_k": (256, 110, [108]), "q4_k": (256, 144, [0, 2]),
           "q5_k": (256, 176, [0, 2]), "q6_k": (256, 210, [208])}
# Rows, columns and depth: one row of some panels and of a part of one, fewer
# columns than a vector has lanes, a few rows, a block of rows and a rest, and a
# depth of several blocks.
SIZES = [(1, 200, 256), (5, 2, 256), (3, 17, 512), (29, 3, 256), (29, 40, 256),
         (70, 33, 2560)]


def make_blocks(name, columns, depth, rng):
    numbers, size, halves = FORMATS[name]
    blocks = rng.integers(0, 256, [columns, depth // numbers, size], np.uint8)
    for offset in halves:
        scales = rng.standard_normal(blocks.shape[:2] + (1,)) * 0.1
        blocks[..., offset:offset + 2] = scales.astype(np.float16).view(np.uint8)
    return blocks.reshape(columns, -1)


def write_weights(path, array):
    """A safetensors file of one tensor, 'w'."""
    kind = {"uint8": "U8", "float32": "F32"}[str(array.dtype)]
    header = (f'{{"w":{{"dtype":"{kind}","shape":{list(array.shape)},'
              f'"data_offsets":[0,{array.nbytes}]}}}}').encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header +
                     array.tobytes())


def make_dequantize(name, shape, depth):
    blocks = f"tensor<{shape[0]}x{shape[1]}xui8>"
    return f"""ml_program.global private @w(#ml_program.extern : {blocks}) : {blocks}
func.func @main() -> (tensor<{shape[0]}x{depth}xf32> {{hamkaas.name = "r"}}) {{
  %b = ml_program.global_load_const @w : {blocks}
  %w = hamkaas.dequantize_blocks {name} %b : {blocks}
  return %w : tensor<{shape[0]}x{depth}xf32>
}}
"""


def make_product(rows, columns, depth, weights, statements):
    matrix = f"tensor<{columns}x{depth}xf32>"
    left, result = f"tensor<{rows}x{depth}xf32>", f"tensor<{rows}x{columns}xf32>"
    return f"""ml_program.global private @w(#ml_program.extern : {weights}) : {weights}
func.func @main(%x: {left} {{hamkaas.name = "x"}}) -> ({result} {{hamkaas.name = "r"}}) {{
  %b = ml_program.global_load_const @w : {weights}
{statements}
  %t = hamkaas.permute %w [1, 0] : {matrix}
  %y = hamkaas.matmul %x, %t : {left}, tensor<{depth}x{columns}xf32>
  %r = hamkaas.relu %y : {result}
  return %r : {result}
}}
"""


def round_rows(x):
    """Each 32 numbers of a row as multiples of their largest magnitude / 127."""
    blocks = x.reshape(len(x), -1, 32)
    largest = np.abs(blocks).max(-1, keepdims=True)
    factor = np.float32(127) / np.maximum(largest, np.float32(2**-100))
    scale = largest * np.float32(1 / 127)
    codes = np.rint(blocks * factor).astype(np.float64)
    return (codes * scale).reshape(x.shape)


class Runner:
    """Runs models in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, model, weights, x=None, options=(), max_cpu=None):
        (self.folder / "m.mlir").write_text(model)
        write_weights(self.folder / "w.safetensors", weights)
        inputs = []
        if x is not None:
            np.save(self.folder / "x.npy", x)
            inputs = [f"--input=x={self.folder}/x.npy"]
        subprocess.run(["hamkaas-run", self.folder / "m.mlir",
                        f"--weights={self.folder}/w.safetensors", *inputs,
                        f"--output=r={self.folder}/r.npy", *options],
                       check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **({"HAMKAAS_MAX_CPU": max_cpu}
                                             if max_cpu else {})})
        return np.load(self.folder / "r.npy")


def check(runner, name, size, levels, rng):
    rows, columns, depth = size
    blocks = make_blocks(name, columns, depth, rng)
    matrix = runner.run(make_dequantize(name, blocks.shape, depth), blocks,
                        options=["--device=reference"])
    x = rng.standard_normal([rows, depth]).astype(np.float32)
    kind = f"tensor<{columns}x{depth}xf32>"
    floats = make_product(rows, columns, depth, kind,
                          f"  %w = hamkaas.reshape %b : {kind} -> {kind}")
    kind = f"tensor<{blocks.shape[0]}x{blocks.shape[1]}xui8>"
    codes = make_product(rows, columns, depth, kind,
                         f"  %w = hamkaas.dequantize_blocks {name} %b : {kind}")
    rounded = np.maximum(round_rows(x) @ matrix.astype(np.float64).T, 0)
    for level in levels:
        options = [f"--target-cpu={level}"]
        expected = runner.run(floats, matrix, x, options)
        for threads in 1, 2:
            got = runner.run(codes, blocks, x, [*options,
                                                f"--threads={threads}"])
            wrong = expected.view(np.uint32) != got.view(np.uint32)
            if wrong.any():
                sys.exit(f"{level} {name} {size}: expected "
                         f"{expected[wrong][0]}, got {got[wrong][0]}")
        options.append("--quantized-products=int8")
        integers = [runner.run(codes, blocks, x,
                               [*options, f"--threads={threads}"])
                    for threads in (1, 2)]
        if not np.array_equal(*integers):
            sys.exit(f"{level} {name} {size}: the threads change the integers")
        # A level has no features beside it.
        plain = runner.run(codes, blocks, x, options, max_cpu=level)
        if not np.array_equal(integers[0], plain):
            sys.exit(f"{level} {name} {size}: instructions change the integers")
        error = np.abs(integers[0] - rounded).max() / np.abs(rounded).max()
        if not error < 1e-5:
            sys.exit(f"{level} {name} {size}: integers are off by {error}")


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(folder))
        for i, name in enumerate(FORMATS):
            # Each format has two of the sizes, which the others have, too.
            for j in (0, i % 5 + 1):
                check(runner, name, SIZES[j], sys.argv[1:], rng)
    print("no errors")


if __name__ == "__main__":
    main()
