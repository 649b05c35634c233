# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what headers declare with what a library exports.

usage: check-exports.py HEADERS EXPORTS

HEADERS is a folder of headers that mark functions with HAMKAAS_API, EXPORTS a
file with one name a line.
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r"^HAMKAAS_API\s[^;(]*?(\w+)\s*\(", re.MULTILINE)


def main():
    headers, exports = map(pathlib.Path, sys.argv[1:])
    declared = set()
    for header in headers.glob("*.h"):
        declared.update(DECLARATION.findall(header.read_text()))
    exported = set(exports.read_text().split())
    for name in sorted(declared - exported):
        print(f"declared but not exported: {name}")
    for name in sorted(exported - declared):
        print(f"exported but not declared: {name}")
    if not declared or declared != exported:
        sys.exit(f"{len(declared)} declared, {len(exported)} exported")


main()
