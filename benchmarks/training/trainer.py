# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One contestant with one network, in a process of its own.

`trainer.py JSON`: an object of the network's name, its sizes, the contestant,
threads, steps and seconds. Trains for as many steps and writes a line of JSON
with the losses. Then it takes a turn for every line that it reads.
"""

from __future__ import annotations

import gc
import json
import os
import pathlib
import sys
import time
from typing import Any

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "peers"))


class Session:
    """Training that goes on with each run."""

    def __init__(self, step: Any, batches: list[Any]) -> None:
        self.step, self.batches, self.done = step, batches, 0

    def run(self) -> float:
        loss = self.step(self.batches[self.done % len(self.batches)])
        self.done += 1
        return float(loss)


def start(task: dict[str, Any]) -> tuple[Session, dict[str, Any]]:
    from frameworks import FRAMEWORKS
    from networks import NETWORKS
    network = NETWORKS[task["network"]](**task["sizes"])
    framework = FRAMEWORKS[task["peer"]](task["threads"])
    begin = time.perf_counter()
    session = Session(framework.make_step(network), network.batches)
    losses = [session.run()]
    seconds = time.perf_counter() - begin
    losses += [session.run() for _ in range(1, task["steps"])]
    return session, {
        "version": framework.version,
        "losses": losses,
        "compile_seconds": seconds,
        "workspace": framework.workspace
    }


def limit_threads(threads: int) -> None:
    """To so many cores, before any framework counts them."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:threads])


def main() -> None:
    # Frameworks print what they like; the parent reads only our lines.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    task = json.loads(sys.argv[1])
    limit_threads(task["threads"])
    try:
        session, description = start(task)
    except Exception as error:  # It is the parent that reports it.
        answers.write(
            json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        return
    answers.write(json.dumps(description) + "\n")
    gc.collect()
    gc.disable()
    from worker import take_turn
    for _ in sys.stdin:
        answers.write(json.dumps(take_turn(session, task["seconds"])) + "\n")


if __name__ == "__main__":
    main()
