# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random scripts on every path and compares the results.

usage: random-graphs.py [--version=1|2] [--seed=S] [--count=N] [--only=I]
                        [--target-cpu=LEVEL] [--gpu=cuda|cuda-emulation]
                        [--all-of=OPERATORS]

Scripts are of both versions in turn, unless one is given. Each is also
evaluated by numpy. Then

* `reference` and `cpu` agree with numpy within the error of single precision,
* 1 and 2 threads agree bit for bit,
* a compiled library agrees with just-in-time compilation bit for bit.

With --gpu, that device is all that runs: it agrees with numpy, and with itself
bit for bit, in three orders of the threads of a block if it is emulated.

A failure prints the command that repeats it. Scripts are run several times in a
process, so that state lasts from run to run. With --all-of, what the file
OPERATORS names must be needed by the result of some script: each operator of a
table in C++, or each operator, attribute, word and type of a script.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from random_script import Script, make_script  # noqa: E402
from random_script2 import Script2, describe  # noqa: E402

SAFETENSORS = {"float64": "F64", "float32": "F32", "float16": "F16",
               "bfloat16": "BF16", "int64": "I64", "int32": "I32",
               "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32",
               "uint16": "U16", "uint8": "U8", "bool": "BOOL"}


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": SAFETENSORS[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


class Failure(Exception):
    pass


def execute(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode} of {' '.join(done.args)}"
                      f"\n{done.stderr}")


class Runner:
    """The files of one script and the ways to run it."""

    def __init__(self, script, folder, runs):
        self.script, self.folder, self.runs = script, folder, runs
        self.model = folder / "model.hk"
        self.model.write_text(script.text())
        self.weights = []
        if script.constants:
            write_safetensors(folder / "w.safetensors", script.constants)
            self.weights = [f"--weights={folder / 'w.safetensors'}"]
        self.inputs = []
        for name, array in script.inputs.items():
            np.save(folder / f"{name}.npy", array)
            self.inputs.append(f"--input={name}={folder / name}.npy")

    def run(self, model, *options):
        output = self.folder / "out.npy"
        output.unlink(missing_ok=True)
        execute("hamkaas-run", model, *self.inputs, *options,
                f"--repeat={self.runs}", f"--output=result={output}")
        return np.load(output)

    def run_script(self, *options):
        return self.run(self.model, *self.weights, *options)

    def run_library(self, *options):
        library = self.folder / "model.so"
        execute("hamkaas-compile", self.model, *self.weights, *options,
                "-o", library)
        return self.run(library, "--threads=2")


def expect_close(what, got, wide, single, script):
    """`single` shows how far the types of the script take the result from
    `wide`."""
    if got.dtype != single.dtype or got.shape != single.shape:
        raise Failure(f"{what}: expected {single.dtype}{single.shape}, "
                      f"got {got.dtype}{got.shape}")
    if not got.size:
        raise Failure(f"{what}: nothing was written")
    if got.dtype.kind != "f":
        return expect_equal(what, got, single)
    for part, rounding in script.find_parts():
        expect_part_close(what, *(a.reshape(-1)[part]
                                  for a in (got, wide, single)), rounding)


def expect_part_close(what, got, wide, single, rounding):
    scale = float(np.max(np.abs(wide)))
    allowed = (50 * float(np.max(np.abs(single - wide))) + rounding * scale
               + 1e-6)
    error = np.abs(got - wide)
    worst = np.nanargmax(error) if np.any(error == error) else 0
    if not np.all(error <= allowed):
        raise Failure(f"{what}: at {worst} expected {wide[worst]}, got "
                      f"{got[worst]}; the error may be {allowed}")


def expect_equal(what, got, expected):
    if got.tobytes() != expected.tobytes():
        raise Failure(f"{what}: the bits differ in "
                      f"{int(np.sum(got != expected))} elements")


def check_processor(runner, wide, single, options):
    expect_close("reference", runner.run_script("--device=reference"), wide,
                 single, runner.script)
    one = runner.run_script("--device=cpu", "--threads=1", *options)
    expect_close("cpu", one, wide, single, runner.script)
    expect_equal("2 threads",
                 runner.run_script("--device=cpu", "--threads=2",
                                   "--check-each-pass", *options),
                 one)
    expect_equal("library", runner.run_library(*options), one)


def check_gpu(runner, wide, single, device):
    first = None
    for order in ("forward", "backward", "1"):
        options = [f"--device={device}"]
        if device == "cuda-emulation":
            options.append(f"--emulation-order={order}")
        got = runner.run_script("--no-cache", *options)
        expect_close(" ".join(options), got, wide, single, runner.script)
        first = got if first is None else first
        expect_equal(" ".join(options), got, first)


def choose_script(seed, index, version):
    kinds = [Script, Script2]
    kind = kinds[version - 1 if version else index % 2]
    return make_script(f"{seed}/{index}", kind)


def check(seed, index, version, gpu, options):
    """The text of what is wrong with script `index`, or an empty one."""
    script = choose_script(seed, index, version)
    runs = 1 + index % 3 if script.buffers else 1
    with np.errstate(all="ignore"):
        wide, _ = script.evaluate(runs, np.float64)
        single, _ = script.evaluate(runs, np.float32)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(script, pathlib.Path(folder), runs)
        try:
            if gpu:
                check_gpu(runner, wide, single, gpu)
            else:
                check_processor(runner, wide, single, options)
        except Failure as failure:
            return (f"seed {seed}, script {index}, {runs} runs: {failure}\n"
                    f"{script.text()}To repeat it: {sys.executable} "
                    f"{sys.argv[0]} --seed={seed} --only={index} "
                    f"{f'--version={version} ' if version else ''}"
                    f"{f'--gpu={gpu}' if gpu else ' '.join(options)}\n")
    return ""


def find_missing(scripts, operators):
    """Names in the text of a file on which no result depends."""
    text = operators.read_text()
    if operators.suffix == ".hk":
        names = set().union(*map(describe, text.splitlines()))
    else:
        names = set(re.findall(r'"(\w+Node)"', text))
    if not names:
        return [f"expected operators in {operators}"]
    for script in scripts:
        names -= script.describe_used()
    return [f"no script needs {name}" for name in sorted(names)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--version", type=int, choices=[1, 2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", type=int, help="the one script to run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--print", action="store_true",
                        help="print the scripts and run nothing")
    parser.add_argument("--target-cpu", default="host")
    parser.add_argument("--gpu")
    parser.add_argument("--all-of", type=pathlib.Path, metavar="OPERATORS")
    options = parser.parse_args()
    indices = ([options.only] if options.only is not None
               else range(options.count))
    if options.print:
        for i in indices:
            print(choose_script(options.seed, i, options.version).text())
        return False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [text for text in pool.map(
            lambda i: check(options.seed, i, options.version, options.gpu,
                            [f"--target-cpu={options.target_cpu}"]),
            indices) if text]
    if options.all_of:
        failures += find_missing(
            (choose_script(options.seed, i, options.version)
             for i in indices), options.all_of)
    print("\n".join(failures[:5]))
    print(f"seed {options.seed}: {len(indices)} scripts, "
          f"{len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
