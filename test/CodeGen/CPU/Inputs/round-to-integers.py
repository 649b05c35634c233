#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares quantized numbers, and those made of them, with those of numpy.

usage: round-to-integers.py LEVEL
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

MODEL = """func.func @main(%x: tensor<{n}xf32> {{hamkaas.name = "x"}})
    -> (tensor<{n}x{type}> {{hamkaas.name = "narrow"}},
        tensor<{n}xi16> {{hamkaas.name = "wide"}},
        tensor<{n}xf32> {{hamkaas.name = "float"}}) {{
  %z = hamkaas.constant dense<{zero}.0> : tensor<1xf32>
  %r = hamkaas.round %x : tensor<{n}xf32>
  %s = hamkaas.add %r, %z : tensor<{n}xf32>, tensor<1xf32>
  %narrow = hamkaas.cast %s : tensor<{n}xf32> -> tensor<{n}x{type}>
  %wide = hamkaas.cast %narrow : tensor<{n}x{type}> -> tensor<{n}xi16>
  %f = hamkaas.cast %narrow : tensor<{n}x{type}> -> tensor<{n}xf32>
  %float = hamkaas.sub %f, %z : tensor<{n}xf32>, tensor<1xf32>
  return %narrow, %wide, %float
      : tensor<{n}x{type}>, tensor<{n}xi16>, tensor<{n}xf32>
}}
"""


def sample():
    """Halves and their neighbours, limits of integers, and odd numbers."""
    halves = np.arange(-66000, 66000, dtype=np.float32) / 2
    edges = np.array([2**23, 2**24, 2**31, 2**32, 3e38, np.inf, 1e-45],
                     np.float32)
    x = np.concatenate([halves, edges, -edges,
                        np.array([-0.0, np.nan], np.float32)])
    return np.concatenate([x, np.nextafter(x, np.float32(np.inf)),
                           np.nextafter(x, np.float32(-np.inf))])


def quantize(x, zero, info):
    numbers = np.clip(np.rint(x) + np.float32(zero), info.min, info.max)
    return np.where(np.isnan(x), 0, numbers).astype(info.dtype)


def check(folder, level, mlir_type, dtype, zero):
    x = sample()
    model = folder / "model.mlir"
    model.write_text(MODEL.format(n=x.size, type=mlir_type, zero=zero))
    np.save(folder / "x.npy", x)
    names = "narrow", "wide", "float"
    subprocess.run(
        ["hamkaas-run", model, f"--target-cpu={level}",
         f"--input=x={folder}/x.npy"]
        + [f"--output={name}={folder}/{name}.npy" for name in names],
        check=True, stdout=subprocess.DEVNULL)
    with np.errstate(all="ignore"):
        narrow = quantize(x, zero, np.iinfo(dtype))
    expected = (narrow, narrow.astype(np.int16),
                narrow.astype(np.float32) - np.float32(zero))
    for name, value in zip(names, expected):
        got = np.load(folder / f"{name}.npy")
        wrong = got.view(np.uint8) != value.view(np.uint8)
        wrong = np.flatnonzero(wrong.reshape(x.size, -1).any(1))
        assert not wrong.size, (
            f"{mlir_type}, zero point {zero}, {name}: {x[wrong[0]]!r} becomes "
            f"{got[wrong[0]]}, not {value[wrong[0]]}")


def main():
    cases = [("ui8", np.uint8, 0), ("ui8", np.uint8, 113), ("i8", np.int8, 0),
             ("i8", np.int8, -19), ("ui16", np.uint16, 32768),
             ("i16", np.int16, 5)]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            check(pathlib.Path(folder), sys.argv[1], *case)


if __name__ == "__main__":
    main()
