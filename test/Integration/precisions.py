# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs contractions on an emulated GPU in each precision.

usage: precisions.py [--assemble=CHECK_PTX | --on-cpu]

Each result is compared with a sum in double of the factors as the precision
rounds them (tf32 rounds constants and truncates others), which tells it from all others, and with that of the factors as
they are. Long sums of positive numbers are also added as tensor cores do, whose
errors have one sign. With --assemble, each model is compiled to PTX instead, which the
command CHECK_PTX must accept. With --on-cpu a `hamkaas-run` that is not ours,
benchmarks/cuda/record.py, runs them on the processor and keeps them for a GPU.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy as np

from windows import save_parameter


def round_bits(x, dropped, ties_to_even):
    """float32 rounded to numbers whose lower bits are zero."""
    bits = x.view(np.uint32).astype(np.uint64)
    half = np.uint64(1 << (dropped - 1))
    if ties_to_even:
        half = half - np.uint64(1) + (bits >> np.uint64(dropped)) % np.uint64(2)
    mask = np.uint64(2**32 - 2**dropped)
    return ((bits + half) & mask).astype(np.uint32).view(np.float32)


def tf32(x):
    return round_bits(x, 13, False)


def bf16(x):
    return round_bits(x, 16, True)


def truncate_tf32(x):
    """The bits that tensor cores read."""
    return (x.view(np.uint32) & np.uint32(2**32 - 2**13)).view(np.float32)


def multiply_tf32(multiply, x, w, is_constant):
    return multiply(truncate_tf32(x),
                    tf32(w) if is_constant else truncate_tf32(w))


def multiply_split(multiply, x, w, _):
    large = tf32(x), tf32(w)
    small = truncate_tf32(x - large[0]), truncate_tf32(w - large[1])
    return (multiply(large[0], large[1]) + multiply(small[0], large[1])
            + multiply(large[0], small[1]))


# The product in each precision, and its error relative to the largest value.
PRECISIONS = {
    "exact": (lambda multiply, x, w, _: multiply(x, w), 1e-6),
    "tf32": (multiply_tf32, 2e-3),
    "3xtf32": (multiply_split, 1e-6),
    "bf16": (lambda multiply, x, w, _: multiply(bf16(x), bf16(w)), 1e-2),
}
# float32 sums of a few hundred products.
SUM_ERROR = 1e-6


def matmul(x, w):
    return np.matmul(x.astype(np.float64), w.astype(np.float64))


def convolve(x, w):
    """With steps of 2 and a border of 1."""
    x = np.pad(x.astype(np.float64), [(0, 0), (1, 1), (1, 1), (0, 0)])
    taps = np.lib.stride_tricks.sliding_window_view(
        x, w.shape[:2], axis=(1, 2))[:, ::2, ::2]
    return np.einsum("nijcab,abco->nijo", taps, w.astype(np.float64))


CONVOLUTION = ("hamkaas.conv %x, %w strides [2, 2] dilations [1, 1] "
               "pad [1, 1] to [1, 1] groups 1")
# Shapes of the factors; the blocks of each size, whole and in part.
CASES = [
    ("hamkaas.matmul %x, %w", matmul, shapes) for shapes in [
        ((128, 64), (64, 128)), ((8, 32), (32, 32)), ((37, 45), (45, 33)),
        ((16, 100), (100, 300)), ((700, 33), (33, 40)), ((259, 47), (47, 131)),
        ((3, 33, 50), (3, 50, 70)),
    ]
] + [(CONVOLUTION, convolve, ((2, 13, 11, 5), (3, 3, 5, 36)))]


# Depths of thousands, which the errors of single sums must not grow with.
DEEP = ("hamkaas.matmul %x, %w", matmul, ((16, 4096), (4096, 32)))
# Enough for the largest blocks, at a wide and at a narrow edge.
LARGE = ("hamkaas.matmul %x, %w", matmul, ((1276, 36), (36, 2556)))
# Factors that are worth storing as bf16.
STORED = ("hamkaas.matmul %x, %w", matmul, ((257, 1032), (1032, 1048)))


def tensor(shape):
    return "tensor<" + "x".join([*map(str, shape), "f32"]) + ">"


def make_model(case, result, has_epilogue, is_constant):
    """The product, or its relu after an offset of each column and a sum."""
    operation, _, (x, w) = case
    bias = [1] * (len(result) - 1) + [result[-1]]
    named = {"x": x} if is_constant else {"x": x, "w": w}
    if has_epilogue:
        named.update(b=bias, r=result)
    arguments = ", ".join(f'%{name}: {tensor(shape)} {{hamkaas.name = "{name}"}}'
                          for name, shape in named.items())
    lines = [f"  %0 = {operation} : {tensor(x)}, {tensor(w)}"]
    if has_epilogue:
        t = tensor(result)
        lines += [f"  %1 = hamkaas.add %0, %b : {t}, {tensor(bias)}",
                  f"  %2 = hamkaas.relu %1 : {t}",
                  f"  %3 = hamkaas.add %2, %r : {t}, {t}"]
    name = "%3" if has_epilogue else "%0"
    head = []
    if is_constant:
        head = ["#extern = #ml_program.extern",
                f"ml_program.global private @w(#ml_program.extern<{tensor(w)}>)"
                f" : {tensor(w)}"]
        lines.insert(0, "  %w = ml_program.global_load_const @w : "
                     f"{tensor(w)}")
    return "\n".join([
        *head, f"func.func @main({arguments}) -> "
        f'({tensor(result)} {{hamkaas.name = "y"}}) {{',
        *lines, f"  return {name} : {tensor(result)}", "}", ""])


def check(what, found, expected, bound):
    scale = np.abs(expected).max()
    error = np.abs(found - expected).max() / scale
    if not error <= bound:
        sys.exit(f"{what}: error {error:.1e} of the largest value, expected "
                 f"at most {bound:.0e}")


class Case:
    def __init__(self, number, folder):
        self.case = [*CASES, DEEP, LARGE, STORED][number]
        self.folder = folder
        rng = np.random.default_rng(number)
        draw = lambda shape: rng.standard_normal(shape).astype(np.float32)
        _, self.multiply, (x, w) = self.case
        self.arrays = {"x": draw(x), "w": draw(w)}
        self.shape = self.multiply(self.arrays["x"], self.arrays["w"]).shape
        self.arrays["b"] = draw([1] * (len(self.shape) - 1) + [self.shape[-1]])
        self.arrays["r"] = draw(self.shape)
        self.has_epilogue = number % 2 == 1
        # Constants are packed.
        self.is_constant = number % 3 != 0
        self.model = folder / f"{number}.mlir"
        self.model.write_text(make_model(
            self.case, self.shape, self.has_epilogue, self.is_constant))

    def finish(self, product):
        if not self.has_epilogue:
            return product
        return np.maximum(product + self.arrays["b"], 0) + self.arrays["r"]

    def run(self, precision, options):
        inputs = []
        for name in "xwbr" if self.has_epilogue else "xw":
            if name == "w" and self.is_constant:
                save_parameter(self.folder / "w.safetensors", name,
                               self.arrays[name])
                inputs.append(f"--weights={self.folder}/w.safetensors")
            else:
                np.save(self.folder / f"{name}.npy", self.arrays[name])
                inputs.append(f"--input={name}={self.folder / name}.npy")
        subprocess.run(
            ["hamkaas-run", self.model, f"--precision={precision}", *options,
             f"--output=y={self.folder / 'y.npy'}", *inputs],
            check=True, stdout=subprocess.DEVNULL)
        return np.load(self.folder / "y.npy")

    def emulate(self, precision, *options):
        return self.run(
            precision, ["--device=cuda-emulation", "--no-cache", *options])

    def check_deep(self):
        for name in self.arrays:
            self.arrays[name] = np.abs(self.arrays[name])
        x, w = self.arrays["x"], self.arrays["w"]
        found = self.emulate("3xtf32", "--emulation-sums=cut")
        check("a deep product in 3xtf32, sums cut", found,
              self.finish(self.multiply(x, w)), SUM_ERROR)
        # tf32 does add in tensor cores: else nothing was cut above.
        found = self.emulate("tf32", "--emulation-sums=cut")
        bias = (self.finish(multiply_tf32(
            self.multiply, x, w, self.is_constant)) - found).mean()
        if not bias > 10 * SUM_ERROR * found.max():
            sys.exit(f"expected sums that are cut, got a bias of {bias:g}")

    def check(self, precision):
        multiply, bound = PRECISIONS[precision]
        x, w = self.arrays["x"], self.arrays["w"]
        what = f"{self.case[0]} of {x.shape} and {w.shape} in {precision}"
        found = self.emulate(precision, "--emulation-order=1")
        check(what, found, self.finish(
            multiply(self.multiply, x, w, self.is_constant)), SUM_ERROR)
        check(what, found, self.finish(self.multiply(x, w)), bound)
        if not np.array_equal(found, self.emulate(
                precision, "--emulation-order=backward")):
            sys.exit(f"{what}: another result in another order of threads")

    def assemble(self, precision, command):
        ptx = self.folder / "model.ptx"
        subprocess.run(
            ["hamkaas-compile", self.model, "--target=cuda", "--no-cache",
             f"--precision={precision}", "--emit=ptx", "-o", ptx], check=True)
        if precision != "exact" and "mma.sync.aligned" not in ptx.read_text():
            sys.exit(f"{self.model}: expected mma.sync in {precision}")
        subprocess.run([*command, ptx], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assemble", type=shlex.split)
    parser.add_argument("--on-cpu", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(len(CASES)):
            case = Case(number, pathlib.Path(folder))
            for precision in PRECISIONS:
                if arguments.assemble:
                    case.assemble(precision, arguments.assemble)
                elif arguments.on_cpu:
                    case.run(precision, [])
                else:
                    case.check(precision)
        if not arguments.assemble and not arguments.on_cpu:
            Case(len(CASES), pathlib.Path(folder)).check_deep()
            for precision in ["tf32", "bf16"]:
                Case(len(CASES) + 1, pathlib.Path(folder)).check(precision)
            Case(len(CASES) + 2, pathlib.Path(folder)).check("bf16")
    print(f"{len(CASES)} cases in {len(PRECISIONS)} precisions")


if __name__ == "__main__":
    main()
