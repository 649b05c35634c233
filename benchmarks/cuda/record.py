#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in place of hamkaas-run, and keeps what it runs as cases.

The tests that run models do so by `hamkaas-run`. With this program under that
name first in PATH they run as ever, and each run on the processor whose outputs
are written becomes a case of the conformance suite, which hamkaas-cuda-driver
runs: NAME.so, the inputs in NAME.in, and in NAME.out what the interpreter says,
or in NAME.error a part of the message of a run that is refused.

A `--precision` is that of the case; the processor, which is exact, runs it
without.

The environment has HAMKAAS_RECORD, a folder that exists, HAMKAAS_BIN with the
real programs, and HAMKAAS_RECORD_OPTIONS for hamkaas-compile.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

FOLDER = pathlib.Path(os.environ["HAMKAAS_RECORD"])
BIN = pathlib.Path(os.environ["HAMKAAS_BIN"])
OPTIONS = os.environ["HAMKAAS_RECORD_OPTIONS"].split()
# Of the largest value: what any order of the sums may differ by, and how much
# further than the processor another device may be from the interpreter.
LEAST_TOLERANCE = 2e-5
FACTOR = 20
# How far a precision that rounds may be from the interpreter.
ROUNDING = {"exact": 0, "tf32": 2e-3, "3xtf32": 1e-5, "bf16": 1e-2}


def options_of(arguments, name):
    return [argument.partition("=")[2] for argument in arguments
            if argument.startswith(f"--{name}=")]


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True,
                          text=True)


def read_interface(library):
    """The names of a compiled model's tensors, in their order."""
    done = run(BIN / "hamkaas-cuda-driver", "describe", library)
    if done.returncode:
        sys.exit(done.stderr)
    names = {"parameter": [], "input": [], "output": []}
    for line in done.stdout.splitlines():
        kind, _, name = line.split(" ", 2)
        names[kind].append(name)
    return names


def write_arrays(path, arrays):
    path.write_bytes(b"".join(np.ascontiguousarray(array).tobytes()
                              for array in arrays))


def read_assignments(arguments, name):
    return dict(value.split("=", 1) for value in options_of(arguments, name))


def find_tolerance(got, expected):
    """None if the processor has a NaN or infinity where the interpreter has
    not: then it is nobody's fault if another device has."""
    worst = 0.0
    for name, array in expected.items():
        if array.dtype.kind != "f":
            continue
        wide, other = array.astype(np.float64), got[name].astype(np.float64)
        finite = np.isfinite(wide)
        if not np.array_equal(wide[~finite], other[~finite], equal_nan=True):
            return None
        if not np.isfinite(other[finite]).all():
            return None
        largest = np.max(np.abs(wide[finite]), initial=0)
        if largest > 0:
            worst = max(worst, np.max(np.abs(wide - other)[finite]) / largest)
    return max(LEAST_TOLERANCE, FACTOR * worst)


def compute_expected(model, arguments, names, folder):
    """The outputs of the interpreter, or its error."""
    kept = [argument for argument in arguments
            if re.match(r"--(input|weights|repeat|unchecked)", argument)]
    files = [f"--output={name}={folder}/{i}.npy"
             for i, name in enumerate(names)]
    done = run(BIN / "hamkaas-run", model, "--device=reference", *kept, *files)
    if done.returncode:
        return None, done.stderr
    return {name: np.load(folder / f"{i}.npy")
            for i, name in enumerate(names)}, None


def record(arguments, done):
    """Keeps a run that is over; leaves out what the driver could not repeat."""
    models = [argument for argument in arguments
              if not argument.startswith("-")]
    if len(models) != 1 or models[0].endswith(".so"):
        return
    if (options_of(arguments, "device") or ["cpu"])[0] != "cpu":
        return
    inputs = read_assignments(arguments, "input")
    outputs = read_assignments(arguments, "output")
    if not all(file.endswith(".npy") for file in inputs.values()):
        return
    text = pathlib.Path(models[0]).read_bytes()
    precision = (options_of(arguments, "precision") or ["exact"])[0]
    digest = hashlib.sha256(precision.encode() + text)
    for name, file in sorted(inputs.items()):
        digest.update(name.encode() + pathlib.Path(file).read_bytes())
    for file in options_of(arguments, "weights"):
        digest.update(pathlib.Path(file).read_bytes())
    name = digest.hexdigest()[:12]
    library = FOLDER / f"{name}.so"
    if library.exists():
        return
    weights = [f"--weights={file}"
               for file in options_of(arguments, "weights")]
    compiled = run(BIN / "hamkaas-compile", models[0], *weights,
                   *OPTIONS, f"--precision={precision}", "-o", library)
    if compiled.returncode:
        sys.exit(f"record.py: {compiled.stderr}")
    library.with_suffix(".h").unlink()
    interface = read_interface(library)
    with tempfile.TemporaryDirectory() as scratch:
        expected, error = compute_expected(models[0], arguments,
                                           interface["output"],
                                           pathlib.Path(scratch))
    tolerance = LEAST_TOLERANCE
    if error is None and done.returncode == 0:
        got = {key: np.load(file) for key, file in outputs.items()}
        tolerance = find_tolerance(got, {key: expected[key] for key in got})
    if tolerance is None:
        library.unlink()
        return
    tolerance = max(tolerance, ROUNDING[precision])
    write_arrays(FOLDER / f"{name}.in",
                 [np.load(inputs[key]) for key in interface["input"]])
    if error is not None:
        # The line and column of the source are the same on every device.
        message = error.splitlines()[0].partition("error: ")[2]
        if not message:
            sys.exit(f"record.py: expected a message, got {error}")
        (FOLDER / f"{name}.error").write_text(message)
    else:
        write_arrays(FOLDER / f"{name}.out", expected.values())
    runs = max(1, int((options_of(arguments, "repeat") or ["1"])[0]))
    with open(FOLDER / "cases.txt", "a") as cases:
        cases.write(f"{name} {runs} {tolerance:.3g}\n")


def main():
    arguments = sys.argv[1:]
    done = run(BIN / "hamkaas-run",
               *[argument for argument in arguments
                 if not argument.startswith("--precision=")])
    record(arguments, done)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
