# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes less zero points are those of the interpreter at every
level and number of threads, with and without the instructions for dot products.

usage: byte-products.py LEVEL...
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Of matmuls: rows, columns and depth. Rests of words, of vectors and of blocks.
SIZES = [(1, 40, 64), (5, 3, 7), (13, 37, 9), (29, 70, 130), (70, 16, 1)]
# Of convolutions: size of the image, channels in and out, window, stride,
# padding and groups.
CONVOLUTIONS = [((9, 7), 3, 8, 3, 2, 1, 1), ((6, 5), 16, 24, 3, 1, 0, 1),
                ((8, 8), 8, 40, 5, 1, 2, 2), ((5, 4), 6, 5, 1, 1, 0, 1)]
KINDS = {"ui8": np.uint8, "i8": np.int8}


def declare(kind, shape, *rest):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


def make_model(kinds, shapes, zeros, product):
    """`product` is an operation on %l and %r of the types {l} and {r}; a zero
    point is a number, or "input"."""
    left, right = (declare(kind, shape) for kind, shape in zip(kinds, shapes))
    wide = [declare("i32", shape) for shape in shapes]
    ones = [1] * len(shapes[0])
    one, scalar = declare("i32", ones), declare(kinds[0], ones)
    lines = []
    if zeros[0] == "input":
        lines.append(f"%z0 = hamkaas.cast %z : {scalar} -> {one}")
    for i, zero in enumerate(zeros):
        if zero != "input":
            lines.append(f"%z{i} = hamkaas.constant dense<{zero}> : {one}")
    for i, (name, kind) in enumerate((("x", left), ("w", right))):
        lines.append(f"%c{i} = hamkaas.cast %{name} : {kind} -> {wide[i]}")
        lines.append(f"%{'lr'[i]} = hamkaas.sub %c{i}, %z{i} : {wide[i]}, {one}")
    body = "\n  ".join(lines + product(*wide))
    result = body.rsplit("-> ", 1)[1]
    body = body.rsplit(" -> ", 1)[0]
    return f"""ml_program.global private @w(#ml_program.extern : {right}) : {right}
func.func @main(%x: {left} {{hamkaas.name = "x"}}, %z: {scalar} {{hamkaas.name = "z"}}) -> ({result} {{hamkaas.name = "y"}}) {{
  %w = ml_program.global_load_const @w : {right}
  {body}
  return %y : {result}
}}
"""


def make_matmul(kinds, size, zeros):
    rows, columns, depth = size

    def product(left, right):
        result = declare("i32", (rows, columns))
        return [f"%m = hamkaas.matmul %l, %r : {left}, {right}",
                f"%y = hamkaas.neg %m : {result} -> {result}"]

    shapes = (rows, depth), (depth, columns)
    return make_model(kinds, shapes, zeros, product), shapes


def make_conv(kinds, case, zeros):
    (height, width), channels, filters, window, stride, pad, groups = case
    sizes = [(size + 2 * pad - window) // stride + 1
             for size in (height, width)]

    def product(left, right):
        result = declare("i32", (2, *sizes, filters))
        return [f"%m = hamkaas.conv %l, %r strides [{stride}, {stride}] "
                f"dilations [1, 1] pad [{pad}, {pad}] to [{pad}, {pad}] groups "
                f"{groups} : {left}, {right}",
                f"%y = hamkaas.neg %m : {result} -> {result}"]

    shapes = ((2, height, width, channels),
              (window, window, channels // groups, filters))
    return make_model(kinds, shapes, zeros, product), shapes


class Runner:

    def __init__(self, folder):
        self.folder = folder

    def save(self, model, weights, inputs):
        (self.folder / "m.mlir").write_text(model)
        kind = {"uint8": "U8", "int8": "I8"}[str(weights.dtype)]
        header = (f'{{"w":{{"dtype":"{kind}","shape":{list(weights.shape)},'
                  f'"data_offsets":[0,{weights.nbytes}]}}}}').encode()
        (self.folder / "w.safetensors").write_bytes(
            len(header).to_bytes(8, "little") + header + weights.tobytes())
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)

    def run(self, options, max_cpu=None):
        subprocess.run(["hamkaas-run", self.folder / "m.mlir",
                        f"--weights={self.folder}/w.safetensors",
                        f"--input=x={self.folder}/x.npy",
                        f"--input=z={self.folder}/z.npy",
                        f"--output=y={self.folder}/y.npy", *options],
                       check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **({"HAMKAAS_MAX_CPU": max_cpu}
                                             if max_cpu else {})})
        return np.load(self.folder / "y.npy")


def check(runner, make, case, kinds, zeros, levels, rng):
    model, shapes = make(kinds, case, zeros)

    def draw(kind, shape):
        limits = np.iinfo(KINDS[kind])
        return rng.integers(limits.min, limits.max, shape, KINDS[kind],
                            endpoint=True)

    rank = len(shapes[0])
    runner.save(model, draw(kinds[1], shapes[1]),
                {"x": draw(kinds[0], shapes[0]), "z": draw(kinds[0], [1] * rank)})
    expected = runner.run(["--device=reference"])
    for level in levels:
        for options, max_cpu in ((["--threads=1"], None), (["--threads=2"], None),
                                 (["--threads=1"], level)):
            got = runner.run([f"--target-cpu={level}", *options], max_cpu)
            if not np.array_equal(expected, got):
                sys.exit(f"{level} {case} {kinds} {zeros} {options} {max_cpu}: "
                         f"expected {expected}, got {got}")


def main():
    rng = np.random.default_rng(1)
    cases = [(("ui8", "i8"), (0, 0)), (("i8", "i8"), (-7, 0)),
             (("ui8", "ui8"), (130, 128)), (("i8", "i8"), ("input", 0)),
             (("ui8", "ui8"), ("input", 3))]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(folder))
        for i, (make, size) in enumerate([(make_matmul, size) for size in SIZES] +
                                         [(make_conv, c) for c in CONVOLUTIONS]):
            for j in (i, i + 2):
                check(runner, make, size, *cases[j % len(cases)], sys.argv[1:],
                      rng)
    print("no errors")


if __name__ == "__main__":
    main()
