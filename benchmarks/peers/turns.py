# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the contestants of a workload take turns, each in its own process."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import select
import signal
import statistics
import subprocess
import sys
import tempfile
from typing import Any, Iterator, Optional

HERE = pathlib.Path(__file__).resolve().parent
# Cores that other processes may use during a turn that counts.
DISTURBED = 0.15

Result = dict[str, Any]


class Contestant:
    """A process of worker.py. Between its turns it is stopped, so that none of
    its threads that waits in a loop disturbs the others."""

    def __init__(self, command: list[str], environment: dict[str, str],
                 timeout: float) -> None:
        self.timeout = timeout
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=self.log, env=environment)
        self.result = self.read()
        self.turns: list[Result] = []
        self.signal(signal.SIGSTOP)

    def signal(self, number: signal.Signals) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def read(self) -> Result:
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            self.process.kill()
            self.process.wait()
            return {"error": f"no answer in {self.timeout:.0f} s"}
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.log.seek(0)
        last = self.log.read().decode(errors="replace").strip()[-400:]
        return {"error": f"ended with status {self.process.wait()}: {last}"}

    def move(self, processors: list[int]) -> None:
        """Lets all its threads run on these processors only."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in os.listdir(f"/proc/{self.process.pid}/task"):
                os.sched_setaffinity(int(thread), processors)

    def ask(self, line: str) -> Result:
        assert self.process.stdin
        self.signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        answer = self.read()
        self.signal(signal.SIGSTOP)
        return answer

    def has_failed(self) -> bool:
        return "error" in self.result

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def load(self, workload: str) -> None:
        """Goes on with another workload."""
        self.turns = []
        self.result = self.ask(f"load {workload}")

    def take_turn(self) -> None:
        turn = self.ask("turn")
        if "error" in turn:
            self.result = turn
        else:
            self.turns.append(turn)

    def summary(self, disturbed: float = DISTURBED) -> Result:
        if self.has_failed():
            return self.result
        return {**self.result, **summarize(self.turns, disturbed)}

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.log.close()

    def finish(self) -> Result:
        self.end()
        return self.summary()


def summarize(turns: list[Result], disturbed: float) -> Result:
    """Medians of the turns that nothing disturbed, or else of all: other
    processes used at most `disturbed` cores."""
    quiet = [turn for turn in turns if turn["others"] <= disturbed]
    return {
        "median_ms":
        statistics.median(turn["median_ms"] for turn in quiet or turns),
        "least_ms": min(turn["least_ms"] for turn in turns),
        "runs": sum(turn["runs"] for turn in turns),
        "is_disturbed": not quiet
    }


@contextlib.contextmanager
def locked(path: Optional[pathlib.Path]) -> Iterator[None]:
    """Holds the lock of this file, if there is one, for the sake of others."""
    if not path:
        yield
        return
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def environment_of(peer: str, threads: int, package: str) -> dict[str, str]:
    environment = dict(os.environ)
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS",
                     "OPENBLAS_NUM_THREADS", "TVM_NUM_THREADS"):
        environment[variable] = str(threads)
    if peer == "hamkaas":
        environment["PYTHONPATH"] = package
    return environment


@contextlib.contextmanager
def neighbour(python: str, is_wanted: bool) -> Iterator[None]:
    """A process that walks through memory on the last processor, as another
    tenant of a rented machine would."""
    if not is_wanted:
        yield
        return
    process = subprocess.Popen([python, str(HERE / "neighbour.py")],
                               stdout=subprocess.PIPE)
    try:
        assert process.stdout
        process.stdout.readline()  # It walks from now on.
        yield
    finally:
        process.kill()
        process.wait()


class Measurement:
    """The contestants of one number of threads. `options` are those of
    run.py."""

    def __init__(self, python: str, threads: int, options: Any) -> None:
        self.python, self.threads, self.options = python, threads, options
        self.contestants: dict[str, Contestant] = {}

    def __enter__(self) -> Measurement:
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def end(self) -> None:
        for contestant in self.contestants.values():
            contestant.end()
        self.contestants.clear()

    def start(self, peer: str, workload: str) -> None:
        """In the process that the peer has already, if it is alive."""
        if peer in self.contestants:
            if self.contestants[peer].is_alive():
                return self.contestants[peer].load(workload)
            self.contestants.pop(peer).end()
        options = self.options
        command = [
            self.python,
            str(HERE / "worker.py"), workload, peer,
            str(self.threads),
            str(options.models),
            str(options.cache),
            str(options.seconds)
        ]
        environment = environment_of(peer, self.threads,
                                     str(options.hamkaas_package))
        self.contestants[peer] = Contestant(command, environment,
                                            options.timeout)

    def processors(self, turn: int) -> list[int]:
        """Where all contestants take this turn. On rented machines each
        processor shares its core with another tenant, so that contestants on
        different ones would compare their neighbours."""
        processors = sorted(os.sched_getaffinity(0))
        if self.options.neighbour and len(processors) > 1:
            processors.pop()
        begin = turn * self.threads
        return [
            processors[i % len(processors)]
            for i in range(begin, begin + self.threads)
        ]

    def measure(self, workload: str, peers: list[str]) -> list[Result]:
        """A result a peer."""
        for peer in peers:
            self.start(peer, workload)
        for turn in range(self.options.rounds):
            processors = self.processors(turn)
            for peer in peers:
                if not self.contestants[peer].has_failed():
                    self.contestants[peer].move(processors)
                    with locked(self.options.lock), neighbour(
                            self.python, self.options.neighbour):
                        self.contestants[peer].take_turn()
        # The neighbour has a core of its own.
        disturbed = DISTURBED + (1 if self.options.neighbour else 0)
        results = [{
            "workload": workload,
            "peer": peer,
            "threads": self.threads,
            **self.contestants[peer].summary(disturbed)
        } for peer in peers]
        for result in results:
            print(describe(result), file=sys.stderr, flush=True)
        return results


def describe(result: Result) -> str:
    threads = result["threads"]
    text = (f"{result['workload']}, {threads} "
            f"{'thread' if threads == 1 else 'threads'}, {result['peer']}: ")
    if "error" in result:
        return text + " ".join(result["error"].split())[:300]
    return text + (f"{result['median_ms']:.4g} ms"
                   f"{' (disturbed)' if result['is_disturbed'] else ''}")
