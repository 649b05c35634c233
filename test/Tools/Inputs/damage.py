# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a file in place: damage.py FILE HOW.

HOW is truncate, grow; flip, which changes a bit of the last byte; flip-code or
flip-data, one in the middle of the first executable or the first other segment
of an ELF file; or flip=TEXT, one of the first character of a text in it.
"""
import struct
import sys

path, how = sys.argv[1:]
with open(path, "rb") as file:
    data = bytearray(file.read())


def middle_of_segment(executable):
    table, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for i in range(count):
        kind, flags, offset, _, _, size = struct.unpack_from(
            "<IIQQQQ", data, table + 56 * i)
        if kind == 1 and bool(flags & 1) == executable:
            return offset + size // 2
    raise SystemExit(f"{path} has no such segment")


if how == "truncate":
    del data[-1]
elif how == "grow":
    data.append(0)
else:
    if how == "flip":
        at = -1
    elif how.startswith("flip="):
        at = data.index(how[5:].encode())
    else:
        at = middle_of_segment(how == "flip-code")
    data[at] ^= 4
with open(path, "wb") as file:
    file.write(data)
