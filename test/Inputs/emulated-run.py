#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas-run for levels that this machine lacks: the first hamkaas-run on the
path of tests that are emulated.

usage: emulated-run.py MODEL [OPTION]...

Runs the program in the emulator, on one thread, if the level of --target-cpu or
of MODEL, a .so, is one that the machine lacks, and otherwise hamkaas-run. Knows
the options that are named below. With HAMKAAS_MAX_CPU, which only that level
has, programs use no HamKaasCpuFeature, and all otherwise, or those that
HAMKAAS_CPU_FEATURES names.
"""

import argparse
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

import emulator

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = {"x86-64": 1, "x86-64-v2": 2, "x86-64-v3": 3, "x86-64-v4": 4}
# HamKaasCpuFeature.
FEATURES = {"vnni": 1, "amx": 2}
# HamKaasElementType of hamkaas-c/Program.h, but bfloat16.
TYPES = {0: np.float32, 1: np.int64, 2: np.float64, 3: np.float16, 5: np.int32,
         6: np.int16, 7: np.int8, 8: np.uint8, 9: np.uint16, 10: np.uint32,
         11: np.uint64, 12: np.bool_}
TOLERANCES = {np.float32: 1e-5, np.float64: 1e-12, np.float16: 5e-3}
# Options of hamkaas-compile, and those that change nothing here.
PASSED = ("--weights=", "--quantized-products=", "--precision=",
          "--no-optimize=", "--winograd-error=", "--const-input=", "--dim=")
IGNORED = ("--threads=", "--no-cache", "--device=cpu")


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("element_type", ctypes.c_int32),
                ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_uint64), ("offset", ctypes.c_uint64),
                ("data", ctypes.c_void_p)]


class Program:
    """A compiled model."""

    def __init__(self, path, folder):
        runner = f"{folder}/emulator-program.so"
        subprocess.run(
            [os.environ.get("CC", "clang"), "-O1", "-shared", "-fPIC", "-o",
             runner, HERE / "emulator-program.c", f"-I{HERE}/../../include"],
            check=True)
        self.path = path
        self.runner = ctypes.CDLL(runner)
        self.address = ctypes.addressof(ctypes.c_char.in_dll(
            ctypes.CDLL(path), "HamKaasModelProgram"))
        self.level = self.runner.getIsaLevel(ctypes.c_void_p(self.address))
        self.inputs = self.read(self.runner.getInputs)
        self.outputs = self.read(self.runner.getOutputs)

    def read(self, function):
        """Names, types and shapes of tensors."""
        function.restype = ctypes.POINTER(TensorInfo)
        count = ctypes.c_int32()
        infos = function(ctypes.c_void_p(self.address), ctypes.byref(count))
        return {info.name.decode(): (TYPES[info.element_type],
                                     tuple(info.shape[:info.rank]))
                for info in infos[:count.value]}

    def run(self, inputs, features):
        outputs = {name: np.empty(shape, element)
                   for name, (element, shape) in self.outputs.items()}
        tables = [(ctypes.c_void_p * (len(arrays) + 1))(
            *[array.ctypes.data for array in arrays.values()])
            for arrays in (inputs, outputs)]
        cpu = emulator.Emulator()
        cpu.add_library(self.path)
        message = cpu.call(self.runner.runProgram, self.address,
                           *map(ctypes.addressof, tables), features)
        if message:
            sys.exit("hamkaas-run: error: " +
                     ctypes.string_at(message).decode())
        return outputs


def find_features():
    names = os.environ.get("HAMKAAS_CPU_FEATURES")
    if names is not None:
        return sum(FEATURES[name] for name in set(names.split(",")) - {""})
    return 0 if os.environ.get("HAMKAAS_MAX_CPU") else sum(FEATURES.values())


def make_input(name, source, element, shape):
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if source == "zeros":
        return np.zeros(shape, element)
    if source != "random":
        return np.ascontiguousarray(np.load(source)).astype(element, copy=False)
    if np.issubdtype(element, np.floating):
        return random.uniform(-1, 1, shape).astype(element)
    if np.dtype(element).itemsize == 1 and element is not np.bool_:
        return random.integers(0, 256, shape, np.uint8).view(element)
    return random.integers(0, 2, shape).astype(element)


def agree(got, expected):
    """As --check-against of hamkaas-run: to a share of the largest value in the
    row, or in a usual row."""
    tolerance = TOLERANCES.get(got.dtype.type)
    if tolerance is None or not got.size:
        return (got == expected).all()
    got, expected = (a.astype(np.float64).reshape(-1, a.shape[-1] if a.ndim
                                                  else 1)
                     for a in (got, expected))
    finite = np.isfinite(expected)
    rows = np.abs(np.where(finite, expected, 0)).max(1, keepdims=True)
    scale = np.maximum(rows, np.median(rows))
    close = np.abs(np.where(finite, got - expected, 0)) <= tolerance * scale
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return np.where(finite, close, same).all()


def check_against_reference(run, model, options, inputs, outputs, folder):
    command = [run, model, "--device=reference", *options]
    for name, array in inputs.items():
        np.save(f"{folder}/input-{name}.npy", array)
        command.append(f"--input={name}={folder}/input-{name}.npy")
    for name in outputs:
        command.append(f"--output={name}={folder}/output-{name}.npy")
    subprocess.run(command, check=True)
    for name, got in outputs.items():
        if not agree(got, np.load(f"{folder}/output-{name}.npy")):
            sys.exit(f"hamkaas-run: error: '{name}' disagrees with reference")
        print(f"agrees with reference: '{name}', emulated")


def split_assignments(texts):
    return dict(text.split("=", 1) for text in texts)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("model")
    parser.add_argument("--target-cpu", default="x86-64")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--output", action="append", default=[])
    parser.add_argument("--check-against", choices=["reference"])
    options, others = parser.parse_known_args()
    path = [folder for folder in os.environ["PATH"].split(os.pathsep)
            if pathlib.Path(folder) != HERE / "Emulated"]
    run = shutil.which("hamkaas-run", path=os.pathsep.join(path))
    highest = LEVELS[os.environ["HAMKAAS_EMULATED_ABOVE"]]
    with tempfile.TemporaryDirectory() as folder:
        model = options.model
        passed = [option for option in others if option.startswith(PASSED)]
        if LEVELS.get(options.target_cpu, 0) > highest:
            model = f"{folder}/model.so"
            subprocess.run(["hamkaas-compile", options.model, "-o", model,
                            f"--target-cpu={options.target_cpu}", *passed],
                           check=True)
        program = model.endswith(".so") and Program(model, folder)
        if not program or program.level <= highest:
            os.execv(run, [run, *sys.argv[1:]])
        unknown = [option for option in others
                   if not option.startswith(PASSED + IGNORED)]
        if unknown:
            sys.exit(f"hamkaas-run: error: not emulated: {' '.join(unknown)}")
        sources = split_assignments(options.input)
        inputs = {name: make_input(name, sources[name], *kind)
                  for name, kind in program.inputs.items()}
        outputs = program.run(inputs, find_features())
        for name, file in split_assignments(options.output).items():
            np.save(file, outputs[name])
        if options.check_against:
            check_against_reference(run, options.model, passed, inputs, outputs,
                                    folder)


if __name__ == "__main__":
    main()
