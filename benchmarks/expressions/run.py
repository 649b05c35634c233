#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares expressions of hamkaas-cpp/Array.h with a loop compiled by the C++
compiler, Eigen, numpy and numexpr, on the same memory:

    python3 run.py PREFIX [--threads N] [--json FILE]

PREFIX is an installation of HamKaas. Needs Eigen 3.4 (libeigen3-dev), numpy and
numexpr. The contestants take turns of a millisecond or four runs, so that all of them
see the same state of the machine; the shortest time of each counts. All results
are compared with those of numpy first. Eigen and numpy use one thread.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import subprocess
import tempfile
import time

import numexpr
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"4 B": 1, "1 KB": 256, "64 KB": 16384, "1 MB": 262144, "16 MB": 4194304}
CONTESTANTS = ["loop", "eigen", "numpy", "numexpr", "hamkaas"]
TURN = 1e-3


class Operands(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in "abcy"] + [
        ("size", ctypes.c_int64),
        ("low", ctypes.c_float),
        ("high", ctypes.c_float),
        ("scale", ctypes.c_float),
        ("threads", ctypes.c_int32),
    ]


def allocate(size):
    """Pages of 2 MB where the system has them, and whole cache lines."""
    memory = np.zeros(size * 4 + 4096, np.uint8)
    start = -memory.ctypes.data % 4096
    return memory[start : start + size * 4].view(np.float32)


def build(prefix, folder):
    library = os.path.join(folder, "expressions.so")
    subprocess.run(
        [os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native"]
        + ["-fopenmp", "-shared", "-fPIC", str(HERE / "expressions.cpp")]
        + [f"-I{prefix}/include", "-isystem", "/usr/include/eigen3"]
        + [f"-L{prefix}/lib", "-lhamkaas", f"-Wl,-rpath,{prefix}/lib"]
        + ["-o", library],
        check=True,
    )
    return ctypes.CDLL(library)


def repeat(compute):
    def measure(runs):
        begin = time.perf_counter()
        for _ in range(runs):
            compute()
        return time.perf_counter() - begin

    return measure


class Benchmark:
    def __init__(self, library, size, threads):
        self.library, self.threads = library, threads
        random = np.random.default_rng(1)
        self.a, self.b, self.c, self.y = (allocate(size) for _ in range(4))
        for array in (self.a, self.b, self.c):
            array[:] = random.normal(size=size)
        self.low, self.high, self.scale = map(np.float32, (-0.5, 1, 3))
        numexpr.set_num_threads(threads)

    def numpy(self, expression):
        a, b, c, y = self.a, self.b, self.c, self.y
        if expression == "clamp":
            np.clip(a, self.low, self.high, out=y)
            np.subtract(y, self.low, out=y)
            np.multiply(y, self.scale, out=y)
            np.add(y, np.float32(0.5), out=y)
        elif expression == "muladd":
            np.multiply(a, b, out=y)
            np.add(y, c, out=y)
        else:
            np.negative(a, out=y)
            np.exp(y, out=y)
            np.add(y, np.float32(1), out=y)
            np.divide(np.float32(1), y, out=y)

    def numexpr(self, expression):
        text = {
            "clamp": "(minimum(maximum(a, l), h) - l) * s + half",
            "muladd": "a * b + c",
            "sigmoid": "one / (one + exp(-a))",
        }[expression]
        names = {
            **{"a": self.a, "b": self.b, "c": self.c, "l": self.low},
            **{"h": self.high, "s": self.scale},
            **{"half": np.float32(0.5), "one": np.float32(1)},
        }
        numexpr.evaluate(text, names, out=self.y)

    def contestant(self, name, expression):
        if name in ("numpy", "numexpr"):
            return repeat(lambda: getattr(self, name)(expression))
        function = getattr(self.library, f"{name}_{expression}")
        function.restype = ctypes.c_double
        operands = Operands(
            *(x.ctypes.data for x in (self.a, self.b, self.c, self.y)),
            self.a.size, self.low, self.high, self.scale, self.threads,
        )
        return lambda runs: function(ctypes.byref(operands), ctypes.c_int64(runs))

    def check(self, measures, expression):
        self.numpy(expression)
        expected = self.y.copy()
        for name, measure in measures.items():
            self.y[:] = np.nan
            measure(1)
            np.testing.assert_allclose(
                self.y, expected, rtol=2e-6, atol=1e-6, err_msg=name
            )

    def run(self, expression, rounds):
        """Seconds a run, the least of all rounds, and by how much HamKaas takes
        longer than the loop: the median of the rounds."""
        measures = {name: self.contestant(name, expression) for name in CONTESTANTS}
        self.check(measures, expression)
        runs, times = {}, {name: [] for name in measures}
        for name, measure in measures.items():
            measure(1)
            runs[name] = max(4, int(TURN / max(measure(1), 1e-8)))
            runs[name] = max(4, int(TURN / (measure(runs[name]) / runs[name])))
        for _ in range(rounds):
            for name, measure in measures.items():
                # Evict what the previous contestant left in the caches.
                measure(1)
                times[name].append(measure(runs[name]) / runs[name])
        ratio = np.median(np.array(times["hamkaas"]) / np.array(times["loop"]))
        return {name: min(values) for name, values in times.items()}, float(ratio)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        library = build(os.path.abspath(arguments.prefix), folder)
        print(f"{arguments.threads} threads; microseconds a run")
        print(f"{'':16}" + "".join(f"{x:>10}" for x in CONTESTANTS) + "   ratio")
        for expression in ("clamp", "muladd", "sigmoid"):
            for label, size in SIZES.items():
                benchmark = Benchmark(library, size, arguments.threads)
                times, ratio = benchmark.run(expression, arguments.rounds)
                rows.append({"expression": expression, "size": label, **times})
                print(
                    f"{expression:8}{label:>8}"
                    + "".join(f"{times[x] * 1e6:10.3f}" for x in CONTESTANTS)
                    + f"{ratio:8.2f}"
                )
    if arguments.json:
        report = {
            "machine": platform.processor(),
            "threads": arguments.threads,
            "rows": rows,
        }
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
