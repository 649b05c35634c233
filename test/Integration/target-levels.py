# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of each level that this machine has, and one that it has not.

usage: target-levels.py SOURCE

The MNIST net and random graphs agree with the interpreter at each level; a level
above the machine's is an error that names both.
"""

import os
import pathlib
import subprocess
import sys

LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
# A flag of /proc/cpuinfo that no lower level has.
FLAGS = {"x86-64-v2": "sse4_2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}

mnist = pathlib.Path(sys.argv[1], "examples/mnist")
graphs = pathlib.Path(__file__).with_name("random-graphs.py")
flags = next(line for line in open("/proc/cpuinfo")
             if line.startswith("flags")).split()
here = [level for level in LEVELS if FLAGS.get(level, flags[-1]) in flags]
if "HAMKAAS_MAX_CPU" in os.environ:
    here = here[:LEVELS.index(os.environ["HAMKAAS_MAX_CPU"]) + 1]
errors = []


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True,
                          text=True)


def run_mnist(level):
    return run("hamkaas-run", mnist / "mnist.hk", "--input=input=random",
               f"--weights={mnist / 'weights.safetensors'}",
               f"--target-cpu={level}", "--check-against=reference")


for level in LEVELS:
    done = run_mnist(level)
    if level in here:
        if done.returncode or "agrees with reference" not in done.stdout:
            errors.append(f"{level}: {done.stdout}{done.stderr}")
        done = run(sys.executable, graphs, "--seed=7", "--count=20",
                   f"--target-cpu={level}")
        if done.returncode:
            errors.append(f"{level}: {done.stdout}{done.stderr}")
    else:
        expected = f"program needs {level} ("
        offers = f"), this machine offers {here[-1]}\n"
        if (done.returncode != 1 or expected not in done.stderr
                or not done.stderr.endswith(offers)):
            errors.append(f"{level}: expected '{expected}...{offers}', got "
                          f"{done.stderr}")
print(f"ran {', '.join(here)}; refused {', '.join(LEVELS[len(here):])}")
print("\n".join(errors))
sys.exit(bool(errors))
