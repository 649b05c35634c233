# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what a fatbin that a file contains is made of: "elf sm_80"."""

import struct
import sys

HEADER = struct.Struct("<IHHQ")
PART = struct.Struct("<HHIQIIHHI")
MAGIC = struct.pack("<I", 0xba55ed50)

with open(sys.argv[1], "rb") as file:
    data = file.read()
begin = data.find(MAGIC)
if begin < 0:
    sys.exit("found no fatbin")
_, _, header, size = HEADER.unpack_from(data, begin)
at, end = begin + header, begin + header + size
while at < end:
    kind, _, header, size, _, _, _, _, arch = PART.unpack_from(data, at)
    start = data[at + header:][:100].lstrip()
    assert start.startswith({1: b".version", 2: b"\x7fELF"}[kind]), start
    print({1: "ptx", 2: "elf"}[kind], f"sm_{arch}")
    at += header + size
