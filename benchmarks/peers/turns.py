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
            return {"error": f"no answer in {self.timeout:.0f} s"}
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.log.seek(0)
        last = self.log.read().decode(errors="replace").strip()[-400:]
        return {"error": f"ended with status {self.process.wait()}: {last}"}

    def has_failed(self) -> bool:
        return "error" in self.result

    def take_turn(self) -> None:
        assert self.process.stdin
        self.signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(b"turn\n")
            self.process.stdin.flush()
        turn = self.read()
        self.signal(signal.SIGSTOP)
        if "error" in turn:
            self.result = turn
        else:
            self.turns.append(turn)

    def finish(self) -> Result:
        self.process.kill()
        self.process.communicate()
        self.log.close()
        if not self.has_failed():
            self.result.update(summarize(self.turns))
        return self.result


def summarize(turns: list[Result]) -> Result:
    """Medians of the turns that nothing disturbed, or else of all."""
    quiet = [turn for turn in turns if turn["others"] <= DISTURBED]
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


def measure(python: str, workload: str, peers: list[str], threads: int,
            options: Any) -> list[Result]:
    """A result a peer. `options` are those of run.py."""
    contestants: list[tuple[str, Contestant]] = []
    try:
        for peer in peers:
            command = [
                python,
                str(HERE / "worker.py"), workload, peer,
                str(threads),
                str(options.models),
                str(options.cache),
                str(options.seconds)
            ]
            environment = environment_of(peer, threads,
                                         str(options.hamkaas_package))
            contestants.append(
                (peer, Contestant(command, environment, options.timeout)))
        for _ in range(options.rounds):
            for _, contestant in contestants:
                if not contestant.has_failed():
                    with locked(options.lock):
                        contestant.take_turn()
    finally:
        results = [{
            "workload": workload,
            "peer": peer,
            "threads": threads,
            **contestant.finish()
        } for peer, contestant in contestants]
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
