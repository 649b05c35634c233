# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if `make demo` builds more or less than the tools that it runs.

usage: check-demo.py SOURCE BUILD SCRATCH

BUILD is configured for all; SCRATCH is a folder to configure for the demo.
"""

import pathlib
import re
import subprocess
import sys

# The folders whose objects the tools consist of.
FOLDERS = ("lib/", "tools/")
# The demo is no C library, plug-in or other tool, and needs neither a GPU nor
# what reads ONNX.
OTHER_FOLDERS = re.compile("lib/(CAPI|Plugin|CodeGen/GPU)/|.*/CudaTarget"
                           "|lib/Frontend/ONNX/.*/Importer"
                           "|tools/hamkaas-(opt|translate|lsp)")
source, build, scratch = map(pathlib.Path, sys.argv[1:])
errors = []


def get_output(*command):
    return subprocess.run(list(map(str, command)), check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def find_objects(folder, *targets):
    inputs = get_output("ninja", "-C", folder, "-t", "inputs", *targets)
    return {line for line in inputs.splitlines() if line.endswith(".o")}


commands = get_output("make", "--no-print-directory", "-C", source, "-n", "demo")
targets = re.search(r"^scripts/build.sh demo (.+)$", commands, re.M)
targets = set(targets[1].split()) if targets else set()
demo = (source / "examples/mnist/demo.py").read_text()
tools = set(re.findall(r'run\(tools / "([\w-]+)"', demo))
if not tools or targets != tools:
    errors.append(f"expected to build {sorted(tools)}, got {sorted(targets)}")

get_output("cmake", "--preset", "demo", "-S", source, "-B", scratch)
objects = find_objects(scratch, *sorted(tools))
others = {name for name in objects
          if not name.startswith(FOLDERS) or OTHER_FOLDERS.match(name)}
if others:
    errors.append(f"expected none of these objects: {sorted(others)}")
# So that a test that reads the graph in a wrong way fails.
expected = {"lib/Planner", "tools/hamkaas-compile", "tools/hamkaas-run"}
found = {"/".join(name.split("/")[:2]) for name in objects}
if not expected <= found:
    errors.append(f"expected objects of {sorted(expected)}, got {sorted(found)}")

print(f"{len(objects)} objects for the demo, {len(find_objects(build, 'all'))} for all")
sys.exit("\n".join(errors) or 0)
