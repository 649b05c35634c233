# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a test of models so that it tests the code for GPUs.

usage: on-gpu.py run OPTION... -- COMMAND...
       on-gpu.py assemble CHECK_PTX... -- COMMAND...

COMMAND finds another program under the name `hamkaas-run`. That of `run` runs
models with each OPTION, such as `--device=cuda`, where it was asked for the
processor; options that only the processor has are left out. That of `assemble` runs them as ever, but first compiles each to
PTX, which the command CHECK_PTX must accept; at the end it says how many.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RUN = """
kept = [word for word in sys.argv[1:]
        if not word.startswith(("--threads=", "--target-cpu=", "--device=cpu"))]
if not any(word.startswith("--device=") or word.endswith(".so")
           for word in kept):
    kept += {options!r}
"""

# A model is known by its text: tests run each several times.
ASSEMBLE = """
import hashlib, pathlib, subprocess
kept = sys.argv[1:]
model = next(word for word in kept if not word.startswith("-"))
if not model.endswith(".so"):
    name = hashlib.sha256(pathlib.Path(model).read_bytes()).hexdigest()
    ptx = pathlib.Path({folder!r}, name + ".ptx")
    if not ptx.exists():
        subprocess.run([{compiler!r}, model, "--target=cuda", "--emit=ptx",
                        "--no-cache", "-o", ptx], check=True)
        # A program that only copies has no kernels.
        if ".entry" in ptx.read_text():
            done = subprocess.run([*{check!r}, ptx], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(model + ": " + done.stderr)
"""

SHIM = """#!{python}
import os, sys
{body}
os.execv({program!r}, ["hamkaas-run", *kept])
"""


def run(command, body, folder):
    """Runs a command with a hamkaas-run of its own, in `folder`."""
    shim = pathlib.Path(folder) / "hamkaas-run"
    shim.write_text(SHIM.format(python=sys.executable, body=body,
                                program=shutil.which("hamkaas-run")))
    shim.chmod(0o755)
    path = os.pathsep.join([folder, os.environ["PATH"]])
    return subprocess.run(command, env={**os.environ, "PATH": path}).returncode


def main():
    action, *words = sys.argv[1:]
    end = words.index("--")
    options, command = words[:end], words[end + 1:]
    with tempfile.TemporaryDirectory() as folder:
        if action == "run":
            return run(command, RUN.format(options=options), folder)
        status = run(command, ASSEMBLE.format(
            check=options, folder=folder,
            compiler=shutil.which("hamkaas-compile")), folder)
        print(f"{len(list(pathlib.Path(folder).glob('*.ptx')))} models as PTX")
        return status


if __name__ == "__main__":
    sys.exit(main())
