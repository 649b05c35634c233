# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases in processes that may crash or hang."""

from __future__ import annotations

import dataclasses
import multiprocessing
import multiprocessing.connection
import os
import signal
import tempfile
import time
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

Outcome = Tuple[str, str]
"""passed, refused, wrong or crashed, and why."""

RunCase = Callable[[int], Outcome]
"""Runs the case of that number."""

# Forked processes have what this one has loaded.
_context = multiprocessing.get_context("fork")


@dataclasses.dataclass
class Result:
    """The outcome of the case of that number."""

    number: int
    outcome: Outcome
    seconds: float


class _Worker:
    """A process that runs one case at a time."""

    def __init__(self, make_run: Callable[[], RunCase]) -> None:
        # Its standard error matters only when it crashes.
        self.log = tempfile.TemporaryFile()
        self.connection, other = _context.Pipe()
        self.process = _context.Process(
            target=_serve, args=(other, make_run, self.log.fileno()),
            daemon=True)
        self.process.start()
        other.close()
        self.number: Optional[int] = None
        self.start = 0.0

    def begin(self, number: int) -> None:
        self.number = number
        self.start = time.monotonic()
        self.log.seek(0)
        self.log.truncate()
        self.connection.send(number)

    def finish(self, outcome: Outcome) -> Result:
        number, self.number = self.number, None
        assert number is not None
        return Result(number, outcome, time.monotonic() - self.start)

    def end(self) -> str:
        """Ends the process, tells how it ended before."""
        self.process.join(timeout=1)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()
        how = _describe_exit(self.process.exitcode or 0)
        self.log.seek(0)
        for line in self.log.read().decode(errors="replace").splitlines():
            if "ERROR:" in line or "Assertion" in line or "runtime error" in line:
                return f"{how}: {line.strip()[:150]}"
        return how


def _describe_exit(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _serve(connection: Any, make_run: Callable[[], RunCase], log: int) -> None:
    os.dup2(log, 2)
    run = make_run()
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        connection.send(run(number))


def run_cases(numbers: Sequence[int], make_run: Callable[[], RunCase],
              processes: int, seconds: float) -> Iterator[Result]:
    """The results of the cases, in the order in which they end.

    Each process calls ``make_run`` once and what that returns with one number
    after the other. One that ends, or takes longer than ``seconds`` for a case,
    is replaced.
    """
    waiting = list(reversed(numbers))
    workers: List[_Worker] = []
    try:
        while waiting or any(worker.number is not None for worker in workers):
            while waiting and len(workers) < processes:
                workers.append(_Worker(make_run))
            for worker in workers:
                if worker.number is None and waiting:
                    worker.begin(waiting.pop())
            for worker in _wait(workers, seconds):
                result = _take_result(worker, seconds)
                if result is None:
                    continue
                if not worker.process.is_alive():
                    workers.remove(worker)
                yield result
    finally:
        for worker in workers:
            worker.process.kill()
            worker.end()


def _wait(workers: Sequence[_Worker], seconds: float) -> List[_Worker]:
    """The busy workers that may have a result, an end, or no time left."""
    busy = [worker for worker in workers if worker.number is not None]
    until = min(worker.start for worker in busy) + seconds
    multiprocessing.connection.wait([worker.connection for worker in busy],
                                    timeout=max(0, until - time.monotonic()))
    return busy


def _take_result(worker: _Worker, seconds: float) -> Optional[Result]:
    if worker.connection.poll():
        try:
            return worker.finish(worker.connection.recv())
        except (EOFError, ConnectionResetError):
            return worker.finish(("crashed", worker.end()))
    if time.monotonic() - worker.start < seconds:
        return None
    worker.process.kill()
    worker.end()
    return worker.finish(("crashed", f"took longer than {seconds:g} s"))
