# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a pipeline executes more than linearly many instructions.

usage: check-linear.py INPUTS FOLDER KIND...

Compiles models of each KIND with COUNTS of their parts, and counts instructions
(cachegrind), which, unlike time, depends on nothing else. Four times the parts
may take five times as many as the first; linear is four, quadratic sixteen. The
cost of the start is measured once, with one part of the first kind.
"""

import pathlib
import re
import subprocess
import sys

inputs, folder = map(pathlib.Path, sys.argv[1:3])
COUNTS = 101, 401
LIMIT = 5


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def make_model(kind, count):
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


def count_instructions(kind, count):
    model = make_model(kind, count)
    pipeline = {"rows": "planned", "columns": "planned"}.get(kind, "kernels")
    log = model.with_suffix(".log")
    text = run("valgrind", "--tool=cachegrind", "--cache-sim=no",
               "--cachegrind-out-file=/dev/null", f"--log-file={log}",
               "hamkaas-opt", f"--hamkaas-to-{pipeline}=target-cpu=x86-64-v3",
               "--mlir-disable-threading", model)
    if "call @k0(" not in text:
        sys.exit(f"expected a kernel in the result, got:\n{text[:1000]}")
    return int(re.search(r"I +refs: +([\d,]+)", log.read_text())[1]
               .replace(",", ""))


start = count_instructions(sys.argv[3], 1)
for kind in sys.argv[3:]:
    few, many = (count_instructions(kind, count) for count in COUNTS)
    ratio = (many - start) / (few - start)
    print(f"{kind}: {few:,} and {many:,} instructions for {COUNTS} parts, {start:,} "
          f"for one, ratio {ratio:.2f}")
    if ratio > LIMIT:
        sys.exit(f"{kind}: expected at most {LIMIT} times as many instructions for "
                 f"4 times the parts, got {ratio:.2f}")
