# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices packed by panels of columns, against numpy, bit by bit.

usage: dequantize-panels.py DEVICE...
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Bits, span, block, zero point, rows, columns, width, type of the scales,
# whether there are offsets, and the rows that share a factor of scales of i8.
CASES = [(4, 32, 32, 8, 64, 14, 8, "f16", False),
         (4, 8, 4, 0, 16, 16, 16, "f32", True),
         (4, 64, 16, 15, 128, 1, 4, "f16", True),
         (4, 32, 64, 3, 128, 20, 8, "f32", False),
         (8, 4, 32, -128, 64, 9, 8, "f16", False),
         (8, 4, 4, 127, 12, 5, 2, "f32", True),
         (8, 4, 12, 0, 12, 3, 3, "f32", False),
         (6, 32, 32, 16, 96, 14, 8, "f16", False),
         (6, 32, 8, 63, 64, 5, 4, "f32", True),
         (6, 32, 16, 32, 128, 9, 8, "i8", False, 64),
         (6, 32, 64, 0, 128, 9, 8, "i8", True, 128),
         (4, 32, 16, 4, 64, 7, 8, "i8", True, 16),
         (8, 4, 16, 0, 64, 7, 8, "i8", False, 32)]


def pack(codes, bits, span, width):
    """The bytes that hold `codes`, by the operation's definition."""
    rows, columns = codes.shape
    panels = -(-columns // width)
    padded = np.ones([rows, panels * width], np.uint8)  # Nothing reads padding.
    padded[:, :columns] = codes.astype(np.uint8)
    if bits < 8:
        halves = padded.reshape(rows // span, 2, span // 2, panels * width) & 15
        upper = padded.reshape(rows // span, 4, span // 4, panels * width) >> 4
        padded = halves[:, 0] | halves[:, 1] << np.uint8(4)
        if bits == 6:
            padded = np.concatenate(
                [padded, sum(upper[:, i] << np.uint8(2 * i) for i in range(4))],
                axis=1)
    split = padded.reshape(rows * bits // 32, 4, panels, width)
    return np.ascontiguousarray(split.transpose(2, 0, 3, 1))


def make_case(case, rng):
    bits, span, block, zero, rows, columns, width, kind, has_offsets = case[:9]
    least = -128 if bits == 8 else 0
    codes = rng.integers(least, least + 2**bits, [rows, columns])
    panels = -(-columns // width)
    shape = [panels, rows // block, width]
    if kind == "i8":
        scales, offsets = rng.integers(-128, 128, [2, *shape]).astype(np.int8)
        group = case[9]
        factors = rng.standard_normal(
            [panels, rows // group, 1 + has_offsets, width]).astype(np.float16)
    else:
        dtype = {"f16": np.float16, "f32": np.float32}[kind]
        scales, offsets = rng.standard_normal([2, *shape]).astype(dtype)

    def repeat(values, count):
        values = values.astype(np.float32).transpose(1, 0, 2)
        values = values.reshape(-1, panels * width)
        return np.repeat(values[:, :columns], count, axis=0)

    def spread(values, level):
        values = repeat(values, block)
        return (values * repeat(factors[:, :, level], group) if kind == "i8"
                else values)

    expected = (codes.astype(np.float32) - np.float32(zero)) * spread(scales, 0)
    operands = {"c": pack(codes, bits, span, width), "s": scales}
    if has_offsets:
        operands["o"] = offsets
        expected = expected + spread(offsets, 1)
    if kind == "i8":
        operands["f"] = factors
    return operands, expected


def make_model(case, operands):
    bits, span, block, zero, rows, columns, _, kind, has_offsets = case[:9]
    elements = {"c": "ui8", "s": kind, "o": kind, "f": "f16"}
    types = {name: f"tensor<{'x'.join(map(str, array.shape))}x{elements[name]}>"
             for name, array in operands.items()}
    arguments = ", ".join(f'%{name}: {text} {{hamkaas.name = "{name}"}}'
                          for name, text in types.items())
    suffix = f" factors {types.pop('f')}" if "f" in types else ""
    result = f"tensor<{rows}x{columns}xf32>"
    return f"""func.func @main({arguments})
    -> ({result} {{hamkaas.name = "r"}}) {{
  %r = hamkaas.dequantize_panels %c, %s {"offsets %o " if has_offsets else ""}{"factors %f " if suffix else ""}bits {bits} span {span} block {block} zero {zero} columns {columns} : {", ".join(types.values())}{suffix}
  return %r : {result}
}}
"""


def main():
    rng = np.random.default_rng(1)
    cases = [(case, *make_case(case, rng)) for case in CASES]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.mlir"
        for device in sys.argv[1:]:
            for case, operands, expected in cases:
                model.write_text(make_model(case, operands))
                for name, array in operands.items():
                    np.save(folder / f"{name}.npy", array)
                subprocess.run(
                    ["hamkaas-run", model, f"--device={device}",
                     *(f"--input={name}={folder}/{name}.npy"
                       for name in operands),
                     f"--output=r={folder}/r.npy"],
                    check=True, stdout=subprocess.DEVNULL)
                got = np.load(folder / "r.npy")
                assert got.shape == expected.shape, (case, got.shape)
                wrong = got.view(np.uint32) != expected.view(np.uint32)
                if np.any(wrong):
                    sys.exit(f"{device} {case}: expected {expected[wrong][0]}, "
                             f"got {got[wrong][0]}")
            print(f"{device}: {len(cases)} cases, no errors")


if __name__ == "__main__":
    main()
