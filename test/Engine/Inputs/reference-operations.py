# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a test of models with engine `reference`.

usage: reference-operations.py COMMAND...

COMMAND finds another program under the name `hamkaas-run`, which adds the engine.
Results of models that the engine computes alone must have the bits of the
interpreter's. At the end, the operations are printed that the engine computed,
and those that were never offered to it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SHIM = r"""#!{python}
import pathlib, re, subprocess, sys
options = ["--engine=reference", "--no-optimize=all",
           "--check-against=reference", "--emit-report"]
model = next(word for word in sys.argv[1:] if not word.startswith("-"))
# Operations that check positions are not offered. Those that would write
# anywhere are ours.
if not re.search("replace_slice|scatter", pathlib.Path(model).read_text()):
    options.append("--unchecked")
done = subprocess.run([{program!r}, *sys.argv[1:], *options],
                      capture_output=True, text=True)
sys.stderr.write(done.stderr)
lines = done.stdout.splitlines()
# Another table has the names of kernels that keep threads waiting.
calls = [line for line in lines
         if re.match(r" *k\d+ ", line) and re.search(r":\d+:\d+", line)]
agreed = [line for line in lines if line.startswith("agrees with reference")]
if done.returncode == 0 and not agreed:
    sys.exit("expected a comparison")
if all("(reference)" in call for call in calls):
    for line in agreed:
        if not re.search(r": (largest difference 0,|0 of )", line):
            sys.exit("expected equal bits, got " + line)
with open({calls!r}, "a") as file:
    file.writelines(call + "\n" for call in calls)
sys.exit(done.returncode)
"""


def list_operations(calls):
    """Of the engine, and others."""
    lists = [set(), set()]
    for call in calls.splitlines():
        # The last column but one.
        found = re.search(r"  ([a-z][a-z0-9_+]*) {2,}\S+:\d+:\d+", call)
        assert found, call
        lists["(reference)" not in call].update(found[1].split("+"))
    return lists


def main():
    with tempfile.TemporaryDirectory() as folder:
        calls = pathlib.Path(folder, "calls")
        shim = pathlib.Path(folder, "hamkaas-run")
        shim.write_text(SHIM.format(python=sys.executable, calls=str(calls),
                                    program=shutil.which("hamkaas-run")))
        shim.chmod(0o755)
        path = os.pathsep.join([folder, os.environ["PATH"]])
        status = subprocess.run(sys.argv[1:],
                                env={**os.environ, "PATH": path}).returncode
        computed, others = list_operations(calls.read_text())
        print("computed:", *sorted(computed))
        print("others:", *sorted(others))
        return status


if __name__ == "__main__":
    sys.exit(main())
