# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares conversions of float16 with numpy's, bit by bit.

usage: float16.py FOLDER

All values of float16 become float32. Back come these, the middle between each
two neighbours and the float32 just above and below it, and random bits.
"""

import pathlib
import subprocess
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
errors = 0


def convert(values, source, target, options):
    model = folder / "model.mlir"
    before, after = (f"tensor<{values.size}x{t}>" for t in (source, target))
    model.write_text(
        f'func.func @main(%x: {before} {{hamkaas.name = "x"}}) -> '
        f'({after} {{hamkaas.name = "y"}}) {{\n'
        f"  %0 = hamkaas.cast %x : {before} -> {after}\n"
        f"  return %0 : {after}\n}}\n")
    np.save(folder / "x.npy", values)
    subprocess.run(["hamkaas-run", str(model), f"--input=x={folder}/x.npy",
                    f"--output=y={folder}/y.npy", *options],
                   check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "y.npy")


def check(values, source, target, dtype, options):
    global errors
    got = convert(values, source, target, options)
    with np.errstate(over="ignore"):
        expected = values.astype(dtype)
    same = ((got == expected) & (np.signbit(got) == np.signbit(expected))
            | np.isnan(got) & np.isnan(expected))
    if got.dtype != dtype or not same.all():
        errors += 1
        at = np.argmin(same)
        print(f"{options}: {source} {values[at]!r} became {got[at]!r}, expected "
              f"{expected[at]!r}")


every = np.arange(65536, dtype=np.uint16).view(np.float16)
finite = np.unique(every[np.isfinite(every)]).astype(np.float64)
middle = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
bits = np.random.default_rng(1).integers(0, 2**32, 100000).astype(np.uint32)
narrowed = np.concatenate([
    every.astype(np.float32), middle, bits.view(np.float32),
    np.nextafter(middle, np.float32(np.inf)),
    np.nextafter(middle, np.float32(-np.inf)),
    np.array([65519.99, 65520, 65536, 1e9], dtype=np.float32)])
for options in (["--device=reference"], ["--target-cpu=x86-64"],
                ["--target-cpu=x86-64-v2"], ["--target-cpu=host"]):
    check(every, "f16", "f32", np.float32, options)
    check(narrowed, "f32", "f16", np.float16, options)
sys.exit(bool(errors))
