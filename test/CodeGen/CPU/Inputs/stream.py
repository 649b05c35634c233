#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels that write past the caches into results of every alignment.

usage: stream.py LEVEL

A kernel must write all of its result and nothing else, wherever in a cache line
the result begins, and also if that is where its operand is.
"""

import ctypes
import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Inputs"))
import execute

SUM, BIAS, TURNED = "1024x2064xf32", "2064xf32", "2064x1030xf32"
RESULT = "1030x2064xf32"
KERNELS = f"""
func.func private @sum(%x: tensor<{SUM}>, %b: tensor<{BIAS}>, %out: tensor<{SUM}>)
    -> tensor<{SUM}> attributes {{hamkaas.kernel = #hamkaas.kernel<elementwise>}} {{
  %e = tensor.empty() : tensor<{SUM}>
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
    ins(%x, %b : tensor<{SUM}>, tensor<{BIAS}>) outs(%e : tensor<{SUM}>) {{
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.addf %v, %w : f32
    linalg.yield %r : f32
  }} -> tensor<{SUM}>
  return %y : tensor<{SUM}>
}}
func.func private @turned(%x: tensor<{TURNED}>, %out: tensor<{RESULT}>)
    -> tensor<{RESULT}> attributes {{hamkaas.kernel = #hamkaas.kernel<elementwise>}} {{
  %e = tensor.empty() : tensor<{RESULT}>
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%x : tensor<{TURNED}>) outs(%e : tensor<{RESULT}>) {{
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }} -> tensor<{RESULT}>
  return %y : tensor<{RESULT}>
}}
"""
LINE = 64


def run(processor, function, inputs, expected, tiles, offset, shares):
    raw = np.full(expected.nbytes + 4 * LINE, 0xA5, np.uint8)
    begin = -raw.ctypes.data % LINE + LINE + offset
    end = begin + expected.nbytes
    result = raw[begin:end].view(np.float32).reshape(expected.shape)
    addresses = [array.ctypes.data for array in inputs]
    if shares:
        result[:] = inputs[0]
        addresses[0] = result.ctypes.data
    addresses.append(result.ctypes.data)
    table = (ctypes.c_void_p * len(addresses))(*addresses)
    values = (ctypes.c_int64 * 4)()
    for first, last in ((tiles // 2, tiles), (0, tiles // 2)):
        processor.call(function, 0, ctypes.addressof(table), first, last,
                       ctypes.addressof(values))
    assert (result == expected).all(), f"wrong at offset {offset}"
    assert (raw[:begin] == 0xA5).all() and (raw[end:] == 0xA5).all(), \
        f"wrote outside at offset {offset}"


def main():
    level = sys.argv[1]
    text, tiles, _ = execute.compile_kernels(KERNELS, level)
    processor = execute.Processor(level)
    random = np.random.default_rng(3)
    x, b, turned = (random.random(shape, np.float32)
                    for shape in ((1024, 2064), 2064, (2064, 1030)))
    with tempfile.TemporaryDirectory() as folder:
        library = execute.build(folder, "stream", text, level)
        for offset in range(0, LINE, 4 if processor.is_native(0) else 20):
            for shares in (False, True):
                run(processor, library.sum, [x, b], x + b, tiles["sum"], offset,
                    shares)
            run(processor, library.turned, [turned], turned.T, tiles["turned"],
                offset, False)
    print("all offsets are right")


if __name__ == "__main__":
    main()
