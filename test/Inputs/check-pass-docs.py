# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a Passes.td stands in a folder without add_hamkaas_doc."""
import pathlib
import sys

include = pathlib.Path(sys.argv[1], "include")
missing = [td for td in include.rglob("Passes.td")
           if "add_hamkaas_doc(" not in
           td.with_name("CMakeLists.txt").read_text()]
for td in missing:
    print(f"expected add_hamkaas_doc for {td}", file=sys.stderr)
sys.exit(bool(missing))
