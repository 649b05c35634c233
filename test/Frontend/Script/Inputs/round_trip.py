# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each script in a folder, printed and read again, is the same
graph, and that what was printed is printed the same again."""

import pathlib
import subprocess
import sys


def translate(direction, text):
    return subprocess.run(
        ["hamkaas-translate", direction], input=text, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


paths = sorted(pathlib.Path(sys.argv[1]).glob("*.hk"))
assert paths, "no scripts"
for path in paths:
    graph = translate("--import-script", path.read_text())
    script = translate("--export-script", graph)
    again = translate("--import-script", script)
    if again != graph or translate("--export-script", again) != script:
        sys.exit(f"{path}: another graph after printing:\n{graph}{script}{again}")
