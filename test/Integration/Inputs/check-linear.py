# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a pipeline executes more than linearly many instructions.

usage: check-linear.py INPUTS KIND FOLDER

Compiles models of KIND with COUNTS of their parts, and counts instructions
(cachegrind), which, unlike time, depends on nothing else. Four times the parts
may take five times as many as the first; linear is four, quadratic sixteen.
"""

import pathlib
import re
import subprocess
import sys

inputs, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
kind = sys.argv[2]
COUNTS = 1, 101, 401
LIMIT = 5
PIPELINE = {"rows": "planned", "columns": "planned"}.get(kind, "kernels")


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def make_model(count):
    model = folder / f"{kind}-{count}.mlir"
    if kind in ("rows", "columns"):
        dim = 0 if kind == "rows" else 1
        model.write_text(run(sys.executable, inputs / "many-joins.py", count,
                             dim))
        return model
    script = model.with_suffix(".hk")
    script.write_text(run(sys.executable, inputs / "many-layers.py", kind,
                          count))
    run("hamkaas-translate", "--import-script", script, "-o", model)
    return model


def count_instructions(model):
    log = model.with_suffix(".log")
    text = run("valgrind", "--tool=cachegrind", "--cache-sim=no",
               "--cachegrind-out-file=/dev/null", f"--log-file={log}",
               "hamkaas-opt", f"--hamkaas-to-{PIPELINE}=target-cpu=x86-64-v3",
               "--mlir-disable-threading", model)
    if "call @k0(" not in text:
        sys.exit(f"expected a kernel in the result, got:\n{text[:1000]}")
    return int(re.search(r"I +refs: +([\d,]+)", log.read_text())[1]
               .replace(",", ""))


start, few, many = (count_instructions(make_model(n)) for n in COUNTS)
ratio = (many - start) / (few - start)
print(f"{kind}: {start:,}, {few:,} and {many:,} instructions for "
      f"{COUNTS} parts, ratio {ratio:.2f}")
if ratio > LIMIT:
    sys.exit(f"expected at most {LIMIT} times as many instructions for 4 times "
             f"the parts, got {ratio:.2f}")
