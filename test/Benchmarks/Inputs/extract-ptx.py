# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the PTX in a program that has a kernel of this name.

usage: extract-ptx.py PROGRAM KERNEL
"""

import pathlib
import sys

contents = pathlib.Path(sys.argv[1]).read_bytes()
kernel = contents.index(b".entry " + sys.argv[2].encode())
begin = contents.rindex(b".version", 0, kernel)
end = contents.index(b"\0", kernel)
sys.stdout.write(contents[begin:end].decode())
