"""Runs a test of models on the emulator of a GPU.

usage: emulated.py ORDER COMMAND...

COMMAND finds under the name `hamkaas-run` one that runs models by
`--device=cuda-emulation` where it was asked for the processor, with the threads
of a block in that ORDER. Options that only the processor has are left out.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SHIM = """#!{python}
import os, sys
kept = [word for word in sys.argv[1:]
        if not word.startswith(("--threads=", "--target-cpu=", "--device=cpu"))]
if not any(word.startswith("--device=") or word.endswith(".so")
           for word in kept):
    kept += ["--device=cuda-emulation", "--emulation-order={order}"]
os.execv({program!r}, ["hamkaas-run", *kept])
"""


def main():
    order, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        shim = pathlib.Path(folder) / "hamkaas-run"
        shim.write_text(SHIM.format(python=sys.executable, order=order,
                                    program=shutil.which("hamkaas-run")))
        shim.chmod(0o755)
        path = os.pathsep.join([folder, os.environ["PATH"]])
        return subprocess.run(command, env={**os.environ, "PATH": path}
                              ).returncode


if __name__ == "__main__":
    sys.exit(main())
