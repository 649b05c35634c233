#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares programs of several functions with one program for each function.

usage: random-functions.py [--seed=S] [--count=N]

Each program has three functions: two random scripts, and the first one again,
over the same parameters and states. Each function gives the bits of its own
program, with state that lasts from run to run.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from random_script import make_script  # noqa: E402
from importlib import import_module  # noqa: E402

write_safetensors = import_module("random-graphs").write_safetensors


def execute(*command):
    return subprocess.run(list(map(str, command)), capture_output=True,
                          text=True, check=True).stdout


def rename(text, name):
    """The globals and the function of a module, with names of their own."""
    lines = [line for line in text.splitlines()
             if not line.startswith(("module", "}"))]
    text = re.sub(r"@(\w+)", rf"@{name}_\1", "\n".join(lines))
    text = text.replace(f"@{name}_main", f"@{name}")
    for alias in re.findall(r"^#(\w+) =", text, re.MULTILINE):
        text = re.sub(rf"#{alias}\b", f"#{name}_{alias}", text)
    return "\n".join(
        re.sub(r'hamkaas.name = "', f'hamkaas.name = "{name}_', line)
        if "ml_program.global " in line else line
        for line in text.splitlines())


def split(text):
    lines = text.splitlines()
    is_global = ["ml_program.global " in line or line.startswith("#")
                 for line in lines]
    return ("\n".join(l for l, g in zip(lines, is_global) if g),
            "\n".join(l for l, g in zip(lines, is_global) if not g))


def run(model, script, folder, *options):
    output = folder / "out.npy"
    inputs = []
    for name, array in script.inputs.items():
        np.save(folder / f"{name}.npy", array)
        inputs.append(f"--input={name}={folder / name}.npy")
    execute("hamkaas-run", model, *inputs, *options, "--repeat=2",
            f"--output=result={output}")
    return np.load(output).tobytes()


def check(seed, folder):
    globals_of, bodies, weights, expected = {}, {}, {}, {}
    scripts = {"a": make_script(2 * seed), "b": make_script(2 * seed + 1)}
    for name, script in scripts.items():
        model = folder / f"{name}.hk"
        model.write_text(script.text())
        own = folder / f"{name}.safetensors"
        write_safetensors(own, script.constants)
        expected[name] = run(model, script, folder, f"--weights={own}")
        text = rename(execute("hamkaas-compile", model, "--emit=graph",
                              "--no-optimize=all", "-o", "-"), name)
        globals_of[name], bodies[name] = split(text)
        weights.update({f"{name}_{key}": array
                        for key, array in script.constants.items()})
    again = re.sub(r"@a\(", "@again(", bodies["a"])
    merged = folder / "merged.mlir"
    merged.write_text("\n".join([*globals_of.values(), *bodies.values(),
                                 again]) + "\n")
    together = folder / "merged.safetensors"
    write_safetensors(together, weights)
    library = folder / "merged.so"
    execute("hamkaas-compile", merged, f"--weights={together}", "-o", library)
    for function, name in {"a": "a", "b": "b", "again": "a"}.items():
        got = run(library, scripts[name], folder, f"--function={function}")
        if got != expected[name]:
            return f"seed {seed}: the bits of function '{function}' differ"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                failure = check(seed, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                failure = f"seed {seed}: {error.cmd}\n{error.stderr}"
        if failure:
            sys.exit(failure)
    print(f"{options.count} programs of three functions agree")


if __name__ == "__main__":
    main()
