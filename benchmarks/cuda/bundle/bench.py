#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the models of workloads/ on this machine, and peers beside them.

Each time is the median of whole runs by the clock of the host: from the call to
when the outputs are in the memory of the GPU. Inputs lie there and are others
in each run. The kernels of HamKaas alone, by events of the GPU, are what is
compared with the limits: the bandwidth of copies, and arithmetic of float32
without tensor cores, both measured here. Contestants have processes of their
own.

Each result is a line of FOLDER/bench.jsonl as soon as it is known, and
FOLDER/report.md is written anew. What the lines have is not measured again, so
a run that was ended goes on when it is started again.
"""

import argparse
import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

import report

HERE = pathlib.Path(__file__).resolve().parent
WORKLOADS = HERE / "workloads"
DRIVER = HERE / "hamkaas-cuda-driver"
# The same models for the processor, which computes what outputs are compared
# with.
REFERENCE = WORKLOADS / "reference"
# HamKaas: the folder of its programs, and how far outputs may be from those of
# the processor, in parts of the largest value.
OWN = {"hamkaas": ("exact", 1e-3), "hamkaas-tf32": ("tf32", 1e-2),
       "hamkaas-3xtf32": ("3xtf32", 1e-3), "hamkaas-bf16": ("bf16", 5e-2),
       "hamkaas-cublaslt": ("cublaslt", 1e-3)}
# PyTorch with tensor cores is beside programs of the same precision.
PRECISION_OF = {"tf32": "tf32", "bf16": "bf16"}
PEERS = ["eager", "cublaslt", *PRECISION_OF, "inductor", "ort", "jax"]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--device", default="cuda", help="cuda, cuda:N or cpu")
    add("--seconds", type=float, default=1, help="for each (default: 1)")
    add("--timeout", type=float, default=90,
        help="seconds to compile and measure one (default: 90)")
    add("--total-seconds", type=float, default=float("inf"),
        help="for all together")
    add("--contestants", default=",".join([*OWN, *PEERS]),
        metavar="CONTESTANT,...",
        help="one after the other, each on all workloads (default: all)")
    add("--workloads", metavar="NAME,...", help="default: all")
    add("--again", action="store_true", help="measure what is known, too")
    add("--results", type=pathlib.Path, default=HERE / "results",
        metavar="FOLDER")
    return parser.parse_args()


#===------------------------------------------------------------------------===#
# Programs that write lines of JSON
#===------------------------------------------------------------------------===#


class Child:
    """Its processes end with it: those that it started in the background would
    disturb what is measured next."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, process_group=0)
        self.rest = b""
        self.last_words = ""

    def read_line(self, timeout):
        """None at the end; raises TimeoutError."""
        deadline = time.monotonic() + timeout
        pipe = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            wait = max(0, deadline - time.monotonic())
            if not select.select([pipe], [], [], wait)[0]:
                raise TimeoutError
            more = os.read(pipe, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode(errors="replace")

    def read_result(self, timeout, key=None):
        """The next line that is an object of JSON, and has `key` if that is
        given; libraries write others, inductor also such objects."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self.read_line(deadline - time.monotonic())
            except TimeoutError:
                return {"error": f"took more than {timeout:g} s"}
            if line is None:
                status = self.process.wait()
                return {"error": self.last_words or f"status {status}"}
            with contextlib.suppress(ValueError):
                result = json.loads(line)
                if isinstance(result, dict) and (not key or key in result):
                    return result
            self.last_words = line.strip() or self.last_words

    def finish(self):
        """After its last result; an error if its status is one."""
        with contextlib.suppress(TimeoutError):
            while (line := self.read_line(timeout=10)) is not None:
                self.last_words = line.strip() or self.last_words
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.process.wait(timeout=5):
                return {"error": self.last_words or "it failed"}
        return {}

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


# Those that run now, for a signal that ends this program.
children = []


@contextlib.contextmanager
def start(*command):
    child = Child(command)
    children.append(child)
    try:
        yield child
    finally:
        child.kill()
        child.process.wait()
        child.process.stdout.close()
        children.remove(child)


def stop(number, _):
    for child in children:
        child.kill()
    os._exit(128 + number)


def execute(command, timeout):
    """A program that writes one object. The times of a model whose outputs are
    wrong are kept beside the error."""
    with start(*command) as child:
        result = child.read_result(timeout)
        return result if "error" in result else {**result, **child.finish()}


#===------------------------------------------------------------------------===#
# Measurements
#===------------------------------------------------------------------------===#


class Bench:

    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.total_seconds
        options.results.mkdir(parents=True, exist_ok=True)
        self.file = options.results / "bench.jsonl"
        self.records = report.read_records([self.file])

    def add(self, **record):
        """A whole line, at once."""
        self.records.append(record)
        torn = self.file.exists() and not self.file.read_bytes().endswith(b"\n")
        with open(self.file, "ab", buffering=0) as file:
            file.write(b"\n" * torn + json.dumps(record).encode() + b"\n")
        report.write(self.records, WORKLOADS, self.options.results)
        print(json.dumps(record), flush=True)

    def limit(self):
        """Seconds that the next one may take; 0 if there is no more time."""
        left = self.end - time.monotonic()
        return 0 if left < 1 else min(self.options.timeout, left)

    def is_known(self, **wanted):
        return not self.options.again and any(
            all(record.get(key) == value for key, value in wanted.items())
            for record in self.records)

    def describe_gpu(self):
        """False if there is none."""
        if self.options.device == "cpu":
            return True
        for command in ("gpu", "ceilings"):
            if self.is_known(kind=command):
                continue
            result = execute(
                [DRIVER, command, f"--device={self.options.device}"], 60)
            if command == "gpu" and "error" in result:
                print(f"bench.py: there is no GPU to run on: {result['error']}",
                      file=sys.stderr)
                return False
            self.add(kind=command, result=result)
        return True

    def measure_own(self, contestant, name):
        kind, tolerance = OWN[contestant]
        program = WORKLOADS / kind / f"{name}.so"
        reference = REFERENCE / f"{name}.so"
        if self.options.device == "cpu" and reference.exists():
            program = reference
        flags = [f"--reference={reference}"] * reference.exists()
        return execute(
            [DRIVER, "time", program, f"--device={self.options.device}",
             f"--seconds={self.options.seconds}", f"--tolerance={tolerance}",
             f"--integers={WORKLOADS / name}.integers", *flags], self.limit())

    def measure_peer(self, peer, names):
        """In one process for all names, if it lives through them."""
        while names and self.limit():
            with start(sys.executable, HERE / "contestants_cuda.py", peer,
                       self.options.device, self.options.seconds,
                       *names) as child:
                is_alive = True
                while is_alive and names and self.limit():
                    result = child.read_result(self.limit(), "workload")
                    # It names the workload, unless it ends or hangs.
                    is_alive = result.pop("workload", None) is not None
                    self.add(kind="time", contestant=peer, workload=names[0],
                             result=result)
                    names = names[1:]

    def list_missing(self, contestant, names):
        kind, _ = OWN.get(contestant, (PRECISION_OF.get(contestant), None))
        return [name for name in names
                if (not kind or (WORKLOADS / kind / f"{name}.so").exists())
                and not self.is_known(contestant=contestant, workload=name)]

    def measure(self, contestant, names):
        if contestant not in OWN:
            return self.measure_peer(contestant, names)
        for name in names:
            if self.limit():
                self.add(kind="time", contestant=contestant, workload=name,
                         result=self.measure_own(contestant, name))


def list_contestants(options):
    names = [name for name in options.contestants.split(",") if name]
    for name in names:
        if name not in OWN and name not in PEERS:
            sys.exit(f"bench.py: expected one of {', '.join([*OWN, *PEERS])}, "
                     f"got {name}")
    # The processor is exact.
    return [name for name in names if options.device != "cpu"
            or name not in OWN or name == "hamkaas"]


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    names = (options.workloads.split(",") if options.workloads
             else (WORKLOADS / "order.txt").read_text().split())
    contestants = list_contestants(options)
    bench = Bench(options)
    if not bench.describe_gpu():
        return 2
    missing = {contestant: bench.list_missing(contestant, names)
               for contestant in contestants}
    count = len(bench.records) + sum(map(len, missing.values()))
    for contestant, ones in missing.items():
        bench.measure(contestant, ones)
    if len(bench.records) < count:
        print(f"bench.py: no time was left for {count - len(bench.records)} "
              "results", file=sys.stderr)
    return any("error" in record["result"] for record in bench.records
               if record.get("contestant") in OWN)


if __name__ == "__main__":
    sys.exit(main())
