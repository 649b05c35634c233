# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One contestant with one workload, in a process of its own.

`worker.py WORKLOAD PEER THREADS MODELS SCRATCH SECONDS` loads, compiles and
runs once, compares the results with the reference, and writes a line of JSON.
Then it takes a turn for every line `turn` that it reads: it runs for SECONDS and
writes the times. After a line `load WORKLOAD` it goes on with that workload.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pathlib
import resource
import statistics
import sys
import time
from typing import Any

# Largest difference from the reference, relative to its largest value, and one
# that is a rounding error of what a small value was computed from.
TOLERANCE, ROUNDING = 2e-4, 1e-6
WARM_UP_RUNS = 2
LEAST_RUNS = 3


def start(workload: str, peer: str, threads: int, models: str,
          scratch: str) -> tuple[Any, dict[str, Any]]:
    """Returns the session, and what is known before the first turn."""
    import contestants
    import numpy as np
    contestants.import_peers()
    model = contestants.Model(pathlib.Path(models), workload,
                              pathlib.Path(scratch))
    model.inputs  # Reading them is no part of compiling.
    for module in contestants.IMPORTS[peer]:
        importlib.import_module(module)
    begin = time.perf_counter()
    session = contestants.PEERS[peer](model, threads)
    session.run()
    seconds = time.perf_counter() - begin
    results = [np.array(result) for result in session.outputs()]
    check(results, model.reference())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return session, {
        "version": session.version,
        "note": session.note,
        "compile_seconds": max(seconds, session.compile_seconds or 0),
        "peak_mb": peak
    }


def check(results: list[Any], reference: list[Any]) -> None:
    import numpy as np
    if len(results) != len(reference):
        raise ValueError(
            f"expected {len(reference)} outputs, got {len(results)}")
    for result, expected in zip(results, reference):
        if result.size != expected.size:
            raise ValueError(f"expected a result of shape {expected.shape}, "
                             f"got {result.shape}")
        difference = np.abs(result.reshape(expected.shape).astype(float) -
                            expected).max()
        largest = np.abs(expected).max()
        if not difference <= max(TOLERANCE * largest, ROUNDING):
            raise ValueError(f"wrong results: a difference of {difference:.3g} "
                             f"where the largest value is {largest:.3g}")


def busy_seconds_of_others() -> float:
    """That the processors have spent on anything but this process."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _, _, irq, soft_irq, steal = map(int, fields[1:9])
    busy = user + nice + system + irq + soft_irq + steal
    own = resource.getrusage(resource.RUSAGE_SELF)
    return busy / os.sysconf("SC_CLK_TCK") - own.ru_utime - own.ru_stime


def take_turn(session: Any, seconds: float) -> dict[str, Any]:
    for _ in range(WARM_UP_RUNS):
        session.run()
    times: list[int] = []
    others = busy_seconds_of_others()
    begin = now = time.perf_counter_ns()
    while now - begin < 1e9 * seconds or len(times) < LEAST_RUNS:
        session.run()
        end = time.perf_counter_ns()
        times.append(end - now)
        now = end
    elapsed = (now - begin) / 1e9
    return {
        "median_ms": statistics.median(times) / 1e6,
        "least_ms": min(times) / 1e6,
        "runs": len(times),
        # Cores that other processes used.
        "others": max(0.0, (busy_seconds_of_others() - others) / elapsed)
    }


def main() -> None:
    # Frameworks print what they like; the parent reads only our lines.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    workload, peer, threads, models, scratch, seconds = sys.argv[1:]
    session = None

    def load(workload: str) -> dict[str, Any]:
        nonlocal session
        session = None  # Frees what it holds before the next one is there.
        gc.enable()
        gc.collect()
        session, description = start(workload, peer, int(threads), models,
                                     scratch)
        gc.collect()
        gc.disable()
        return description

    def answer(line: str) -> dict[str, Any]:
        command, _, name = line.rstrip("\n").partition(" ")
        try:
            if command == "load":
                return load(name)
            return take_turn(session, float(seconds))
        except Exception as error:  # It is the parent that reports it.
            return {"error": f"{type(error).__name__}: {error}"}

    answers.write(json.dumps(answer(f"load {workload}")) + "\n")
    for line in sys.stdin:
        answers.write(json.dumps(answer(line)) + "\n")


if __name__ == "__main__":
    main()
