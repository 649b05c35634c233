# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the emulator to plain loops.

usage: check.py LIBRARY calls|tiles

LIBRARY holds functions.c.
"""

import ctypes
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Inputs"))
import emulator

CPU = emulator.Emulator()
LIBRARY = ctypes.CDLL(sys.argv[1])
RANDOM = np.random.default_rng(1)


def call(name, *arguments):
    return CPU.call(getattr(LIBRARY, name),
                    *[a.ctypes.data if isinstance(a, np.ndarray) else a
                      for a in arguments])


def report_fault(name, *arguments):
    try:
        call(name, *arguments)
    except emulator.Fault as fault:
        print(f"{name}: {fault}")


def random_bytes(signed, *shape):
    element = np.int8 if signed else np.uint8
    limits = np.iinfo(element)
    return RANDOM.integers(limits.min, limits.max, shape, element,
                           endpoint=True)


def check_calls():
    assert call("digits", 1, 2, 3, 4, 5, 6, 7, 8) == 87654321
    assert call("digits", -1, 0, 0, 0, 0, 0, 0, 0) == 2**64 - 1
    x, y, z = (RANDOM.random(16, np.float32) for _ in range(3))
    expected = x.astype(np.float64) * y + z
    call("multiply_add", x, y, z)
    assert (z == expected.astype(np.float32)).all()
    for name, bits in ("dot512", 512), ("dot256", 256):
        x, y = random_bytes(False, bits // 8), random_bytes(True, bits // 8)
        z = RANDOM.integers(-1000, 1000, bits // 32, np.int32)
        expected = z + (x.astype(np.int32) * y).reshape(-1, 4).sum(1)
        call(name, x, y, z)
        assert (z == expected).all()
    text = np.frombuffer(b"a" * 5000 + b"\0", np.uint8)
    assert call("length_of_copy", text) == 5000
    report_fault("trap")
    report_fault("write_to", 0x1000)
    code = ctypes.cast(LIBRARY.write_to, ctypes.c_void_p).value
    report_fault("write_to", code)


def configure(*shapes):
    """The configuration of tiles of (number, rows, bytes of a row)."""
    memory = np.zeros(64, np.uint8)
    memory[0] = 1
    for tile, rows, columns in shapes:
        memory[16 + 2 * tile:18 + 2 * tile] = columns & 0xFF, columns >> 8
        memory[48 + tile] = rows
    return memory


def check_product(name, rows, columns, depth):
    """Compares c[rows, columns] += a[rows, 4 depth] b[4 depth, columns], where
    the rows of `b` in memory hold the 4 bytes of each column side by side."""
    a = random_bytes(name[3] == "s", rows, 4 * depth + 3)
    b = random_bytes(name[4] == "s", depth, columns * 4 + 5)
    c = RANDOM.integers(-2**31, 2**31, (rows, columns + 2), np.int32)
    expected = c.copy()
    for i in range(rows):
        for j in range(columns):
            total = int(c[i, j])
            for k in range(4 * depth):
                total += int(a[i, k]) * int(b[k // 4, 4 * j + k % 4])
            expected[i, j] = (total + 2**31) % 2**32 - 2**31
    memory = configure((0, rows, 4 * columns), (1, rows, 4 * depth),
                       (7, depth, 4 * columns))
    call(name, memory, a, a.strides[0], b, b.strides[0], c, c.strides[0])
    assert (c == expected).all(), name


def check_tiles():
    for name in "dpbssd", "dpbsud", "dpbusd", "dpbuud":
        for shape in (16, 16, 16), (1, 1, 1), (5, 16, 3), (16, 7, 11):
            check_product(name, *shape)
    c = random_bytes(False, 16, 80)
    expected = c.copy()
    expected[:9, :33] = 0
    call("zero", configure((0, 9, 33)), c, c.strides[0])
    assert (c == expected).all()
    memory = configure((0, 9, 33), (5, 16, 64))
    stored = random_bytes(False, 64)
    call("copy_configuration", memory, stored)
    assert (stored == memory).all()
    source, target = random_bytes(True, 13, 160), random_bytes(True, 13, 80)
    expected = target.copy()
    expected[:, :48] = source[:, :48]
    call("copy_tile", configure((3, 13, 48)), source, target, 80)
    assert (target == expected).all()
    print("equal")
    report_fault("zero", configure((0, 17, 64)), c, 64)
    report_fault("zero", configure((0, 16, 65)), c, 64)
    report_fault("zero", configure((0, 0, 64)), c, 64)
    report_fault("zero", configure((1, 16, 64)), c, 64)
    report_fault("zero", configure((0, 16, 64)), 0x1000, 64)
    report_fault("release_and_zero", memory)
    for left, right in (((15, 64), (16, 64)), ((16, 60), (16, 64)),
                        ((16, 64), (16, 60))):
        memory = configure((0, 16, 64), (1, *left), (7, *right))
        report_fault("dpbusd", memory, c, 64, c, 64, c, 64)


{"calls": check_calls, "tiles": check_tiles}[sys.argv[2]]()
