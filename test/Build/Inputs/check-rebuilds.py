# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a changed .td file of operations compiles too much again.

usage: check-rebuilds.py SOURCE BUILD FOLDER

FOLDER gets copies of the .td files with other summaries and descriptions. What is
generated from them must be what the build has, comments left out, so that it
compiles nothing again. Of what is generated from one file, fewer than 44 objects
of the build may depend.
"""

import pathlib
import re
import subprocess
import sys

LIMIT = 44
IR = pathlib.Path("HamKaas/Dialect/HamKaas/IR")
GENERATORS = {".h.inc": "-gen-op-decls", ".cpp.inc": "-gen-op-defs"}
source, build, folder = map(pathlib.Path, sys.argv[1:])
errors = []


def get_output(*command):
    return subprocess.run(list(map(str, command)), check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def change_descriptions(text):
    text = re.sub("let description = ", r'\g<0>"Another one. " # ', text)
    return re.sub('let summary = "', r"\g<0>another: ", text)


def generate(td, generator):
    """The output of the build's command for the changed file."""
    text = get_output("mlir-tblgen", generator, folder / IR / td, "-I", folder,
                      "-I", get_output("llvm-config", "--includedir").strip())
    if "nother" not in text and generator == "-gen-op-decls":
        errors.append(f"{td}: expected descriptions to be among {generator}")
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(" *//", line))


def find_dependents():
    """Maps each file that objects depend on to these objects."""
    dependents = {}
    for block in get_output("ninja", "-C", build, "-t", "deps").split("\n\n"):
        target, *files = block.splitlines() or [""]
        # The fuzzers compile the readers once more, in one of the presets.
        if target.startswith("test/fuzz/"):
            continue
        for file in files:
            name = pathlib.PurePath(file.strip())
            dependents.setdefault(name, set()).add(target.split(":")[0])
    return dependents


def check(td, dependents):
    objects = set()
    for suffix, generator in GENERATORS.items():
        generated = "include" / IR / (td.stem + suffix)
        if generate(td.name, generator) != (build / generated).read_text():
            errors.append(f"{td.name}: another description changes {generated}")
        objects |= dependents.get(generated, set())
    print(f"{td.name}: {len(objects)} objects")
    if not 0 < len(objects) < LIMIT:
        errors.append(f"{td.name}: expected 1 to {LIMIT - 1} objects to depend "
                      f"on it, got {len(objects)}: {sorted(objects)}")


(folder / IR).mkdir(parents=True)
for path in (source / "include" / IR).glob("*.td"):
    # The summaries of types are parts of messages.
    is_ops = path.stem.endswith("Ops")
    text = path.read_text()
    (folder / IR / path.name).write_text(
        change_descriptions(text) if is_ops else text)
dependents = find_dependents()
for td in sorted((folder / IR).glob("*Ops.td")):
    if td.name != "HamKaasOps.td":
        check(td, dependents)
print("\n".join(errors))
sys.exit(bool(errors))
