# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a pass is not described, not tested, or crashes.

usage: check-passes.py SOURCE

* Each pass of the Passes.td files has a summary, and a description of what it
  does in more words than that.
* Each pass and each of its options occurs in the RUN line of a test that checks
  what is printed or reported.
* Each pass and each pipeline, run on every .mlir test file for a target, ends
  by itself.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
errors = []
marker = "// -----"


def read_passes():
    """Maps each pass to its text in the .td file."""
    passes = {}
    for path in (source / "include").rglob("Passes.td"):
        for record in re.split(r"^(?=def )", path.read_text(), flags=re.M):
            found = re.search(r'Pass<"([\w-]+)"', record)
            if found:
                passes[found[1]] = record
    return passes


def read_commands():
    """The RUN lines of tests that check something, continued ones joined."""
    commands = []
    for path in (source / "test").rglob("*"):
        if path.suffix in (".mlir", ".test", ".hk"):
            text = path.read_text().replace("\\\n", " ")
            commands += re.findall(r"RUN:.*(?:FileCheck|verify-diagnostics"
                                   r"|diff).*", text)
    return commands


def check_text(name, record, commands):
    def words(pattern):
        found = re.search(pattern, record, re.S)
        return len(found[1].split()) if found else 0

    if not 3 <= words(r'summary = "(.*?)"') < words(
            r"description = \[\{(.*?)\}\]"):
        errors.append(f"{name}: expected a summary and a longer description")
    used = [line for line in commands if re.search(rf"[-(]{name}\b(?!-)", line)]
    if not used:
        errors.append(f"{name}: expected a RUN line of a test that uses it")
    for option in re.findall(r'Option<"\w+", "([\w-]+)"', record):
        if not any(f"{option}=" in line for line in used):
            errors.append(f"{name}: expected a RUN line with {option}=")


def run(name, path):
    return subprocess.run(
        ["hamkaas-opt", "-hamkaas-attach-target=target-cpu=x86-64-v4",
         f"-{name}", "-split-input-file", str(path)],
        capture_output=True, text=True)


def check_file(name, path):
    done = run(name, path)
    if "Sanitizer: " in done.stderr:
        errors.append(f"{name}: a sanitizer's error on {path}")
    elif done.returncode not in (0, 1):
        errors.append(f"{name}: exit status {done.returncode} on {path}")
    elif done.returncode == 1 and "error:" not in done.stderr:
        errors.append(f"{name}: no message on {path}")


def find_suspects(name, joined, owners):
    """The files that the pass may end badly on: all after a crash, else those
    with a part of which neither a result nor an error is printed."""
    done = run(name, joined)
    results = done.stdout.split(f"{marker}\n")
    if ("Sanitizer: " in done.stderr or done.returncode not in (0, 1) or
            len(results) != len(owners)):
        return {path for path, _ in owners}
    wrong = {int(line) for line in re.findall(r":(\d+):\d+: error:", done.stderr)}
    return {path for (path, lines), result in zip(owners, results)
            if not result.strip() and wrong.isdisjoint(lines)}


def join(files):
    """The parts of all files as one text, because a process for each takes
    minutes; and the file and the lines of each part."""
    text, owners, line = [], [], 1
    for path in files:
        for part in path.read_text().split(f"{marker}\n"):
            text.append(part)
            end = line + part.count("\n")
            # A module as such is at the end of the line before.
            owners.append((path, range(line - 1, end + 1)))
            line = end + 2
    return f"\n{marker}\n".join(text), owners


passes = read_passes()
commands = read_commands()
for name, record in passes.items():
    check_text(name, record, commands)
if not passes:
    errors.append(f"expected Passes.td files in {source}")

pipelines = ["hamkaas-lower-kernels", "hamkaas-to-graph", "hamkaas-to-kernels",
             "hamkaas-to-device", "hamkaas-to-llvm", "hamkaas-to-planned"]
files = [p for p in (source / "test").rglob("*.mlir") if "Install" not in p.parts]
text, owners = join(sorted(files))
names = [*passes, *pipelines]
with tempfile.TemporaryDirectory() as folder:
    joined = pathlib.Path(folder) / "all.mlir"
    joined.write_text(text)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        suspects = pool.map(lambda name: find_suspects(name, joined, owners),
                            names)
        for name, paths in zip(names, suspects):
            for path in sorted(paths):
                check_file(name, path)
print("\n".join(errors), file=sys.stderr)
sys.exit(bool(errors))
