# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights of bfloat16 and float16, against those of float32.

usage: narrow-weights.py LEVEL...

A program whose weights are stored in 16 bits computes the bits of the program
of float32 that has the same numbers, on 1 and 2 threads. So does a program of
float32 with `--precision=bf16`, whose weights are rounded when it is compiled
or loaded.
"""

import dataclasses
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np


@dataclasses.dataclass
class Case:
    left: tuple
    columns: int
    transposed: bool = False
    batch: int = 0
    # Matrices that multiply the same left side.
    matrices: int = 1
    epilogue: bool = False
    # Of the depth, which a slice of the weights leaves.
    sliced: int = 0

    @property
    def shape(self):
        depth = self.left[-1] + self.sliced
        matrix = [self.columns, depth] if self.transposed else [depth,
                                                                self.columns]
        return [self.batch, *matrix] if self.batch else matrix


CASES = [
    Case((1, 64), 48), Case((64,), 5), Case((1, 300), 1000, transposed=True),
    Case((1, 96), 40, transposed=True, matrices=3),
    Case((1, 96), 40, matrices=2, epilogue=True),
    Case((3, 33), 7), Case((7, 96), 50, transposed=True, epilogue=True),
    Case((64, 128), 200, transposed=True), Case((130, 1100), 52),
    Case((5, 2), 1), Case((2, 12, 24), 20, batch=2),
    Case((2, 1, 24), 9, batch=2, transposed=True),
    Case((40, 32), 24, sliced=16), Case((600, 512), 96, transposed=True),
]


def widen(bits, kind):
    if kind == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_to_bf16(weights):
    """To nearest, halves to even."""
    bits = weights.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def type_of(shape, kind):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


def format_constant(array):
    return f'dense<"0x{array.tobytes().hex()}">'


class Program:
    """The model of a case; `kind` is the type of its weights in memory."""

    def __init__(self, case, kind, weights, constants=False):
        self.case, self.kind, self.weights = case, kind, weights
        self.constants = constants

    def text(self):
        case, lines, globals_ = self.case, [], []
        for i, array in enumerate(self.weights):
            stored = type_of(case.shape, self.kind)
            if self.constants:
                lines.append(f"%b{i} = hamkaas.constant "
                             f"{format_constant(array)} : {stored}")
            else:
                globals_.append(
                    f"ml_program.global private @w{i}(#ml_program.extern : "
                    f"{stored}) : {stored} {{hamkaas.name = \"w{i}\"}}")
                lines.append(
                    f"%b{i} = ml_program.global_load_const @w{i} : {stored}")
            lines += self.multiply(i)
        result = type_of(self.result_shape(), "f32")
        results = ", ".join(f'{result} {{hamkaas.name = "y{i}"}}'
                            for i in range(case.matrices))
        values = ", ".join(f"%y{i}" for i in range(case.matrices))
        types = ", ".join([result] * case.matrices)
        body = "\n  ".join(lines)
        return "\n".join([*globals_, f"""
func.func @main(%x: {type_of(case.left, "f32")} {{hamkaas.name = "x"}})
    -> ({results}) {{
  {body}
  return {values} : {types}
}}
"""])

    def result_shape(self):
        return [*self.case.left[:-1], self.case.columns]

    def multiply(self, i):
        """Lines that compute result number `i`."""
        case, shape, last = self.case, list(self.case.shape), f"%b{i}"
        lines = []
        if self.kind != "f32":
            lines.append(f"%c{i} = hamkaas.cast {last} : "
                         f"{type_of(shape, self.kind)} -> "
                         f"{type_of(shape, 'f32')}")
            last = f"%c{i}"
        if case.sliced:
            sizes = [shape[0] - case.sliced, shape[1]]
            lines.append(f"%s{i} = hamkaas.strided_slice {last} offsets "
                         f"[{case.sliced}, 0] sizes {sizes} strides [1, 1] : "
                         f"{type_of(shape, 'f32')}")
            last, shape = f"%s{i}", sizes
        if case.transposed:
            order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
            lines.append(f"%t{i} = hamkaas.permute {last} {order} : "
                         f"{type_of(shape, 'f32')}")
            last, shape = f"%t{i}", [shape[d] for d in order]
        result = f"%p{i}" if case.epilogue else f"%y{i}"
        lines.append(f"{result} = hamkaas.matmul %x, {last} : "
                     f"{type_of(case.left, 'f32')}, {type_of(shape, 'f32')}")
        if case.epilogue:
            whole = type_of(self.result_shape(), "f32")
            lines += [f"%a{i} = hamkaas.add %p{i}, %p{i} : {whole}, {whole}",
                      f"%y{i} = hamkaas.relu %a{i} : {whole}"]
        return lines

    def run(self, folder, x, level, threads, *options):
        model = folder / "model.mlir"
        model.write_text(self.text())
        np.save(folder / "x.npy", x)
        write_safetensors(folder / "w.safetensors",
                          [] if self.constants else self.weights, self.kind)
        names = [f"y{i}" for i in range(self.case.matrices)]
        subprocess.run(
            ["hamkaas-run", model, "--device=cpu", f"--target-cpu={level}",
             f"--threads={threads}", f"--input=x={folder}/x.npy",
             f"--weights={folder}/w.safetensors", *options,
             *(f"--output={name}={folder}/{name}.npy" for name in names)],
            check=True, stdout=subprocess.DEVNULL)
        return [np.load(folder / f"{name}.npy") for name in names]


def write_safetensors(path, weights, kind):
    header, offset = {}, 0
    for i, array in enumerate(weights):
        header[f"w{i}"] = {"dtype": kind.upper(), "shape": array.shape,
                           "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text +
                     b"".join(array.tobytes() for array in weights))


def check(what, got, expected):
    for y, wanted in zip(got, expected, strict=True):
        wrong = y.view(np.uint32) != wanted.view(np.uint32)
        if np.any(wrong):
            sys.exit(f"{what}: expected {wanted[wrong][0]}, got {y[wrong][0]}")


def check_case(case, folder, levels, rng):
    """Returns the number of programs that were compared."""
    x = rng.standard_normal(case.left).astype(np.float32)
    exact = [rng.standard_normal(case.shape).astype(np.float32)
             for _ in range(case.matrices)]
    for weights in exact:
        # Halves of the last bit, and numbers that float16 has no normal for.
        weights.reshape(-1)[:2] = [1 + 2**-8, 2**-20]
    rounded = {
        "bf16": [round_to_bf16(w) for w in exact],
        "f16": [w.astype(np.float16).view(np.uint16) for w in exact]}
    count = 0
    for level in levels:
        for kind, weights in rounded.items():
            wide = Program(case, "f32", [widen(w, kind) for w in weights])
            expected = wide.run(folder, x, level, 1)
            product = x.astype(np.float64) @ np.swapaxes(
                wide.weights[0][case.sliced:].astype(np.float64), -1,
                -2 if case.transposed else -1)
            if case.epilogue:
                product = np.maximum(2 * product, 0)
            assert np.allclose(expected[0], product, 1e-4, 1e-4), (case, level)
            for threads, constants in ((2, False), (1, True)):
                program = Program(case, kind, weights, constants)
                check(f"{case} of {kind}, {level}, {threads} threads",
                      program.run(folder, x, level, threads), expected)
                count += 1
            if kind == "f16":
                continue
            for constants in (False, True):
                program = Program(case, "f32", exact, constants)
                check(f"{case} by --precision=bf16, {level}",
                      program.run(folder, x, level, 2, "--precision=bf16"),
                      expected)
                count += 1
    return count


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        count = sum(check_case(case, pathlib.Path(folder), sys.argv[1:], rng)
                    for case in CASES)
    print(f"{count} programs, no errors")


if __name__ == "__main__":
    main()
