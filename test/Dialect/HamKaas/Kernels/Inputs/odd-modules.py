# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each pass on each module of FILE, and prints how it ends.

usage: odd-modules.py FILE

A module begins after a line `//--- NAME`; the first one is empty.
"""

import pathlib
import re
import subprocess
import sys

PASSES = ["form-groups", "lower-groups", "cpu-pack-parameters",
          "hoist-parameters", "outline-kernels", "verify-kernels", "bufferize",
          "plan-memory", "verify-planned", "lower-program", "link-kernels",
          "verify-target"]


def run(name, text):
    done = subprocess.run(["hamkaas-opt", "--hamkaas-attach-target=target-cpu=x86-64-v4",
                           f"--{name}", "-"], input=text,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return "passes"
    found = re.search("error: .*", done.stderr)
    if done.returncode != 1 or not found:
        sys.exit(f"{name}: exit status {done.returncode}\n{text}\n{done.stderr}")
    return found[0]


parts = re.split(r"^//--- (\S+)$", pathlib.Path(sys.argv[1]).read_text(),
                 flags=re.M)
for module, text in [("empty", ""), *zip(parts[1::2], parts[2::2])]:
    for name in PASSES:
        print(f"{module}: hamkaas-{name}: {run(f'hamkaas-{name}', text)}")
