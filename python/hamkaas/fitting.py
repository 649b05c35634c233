# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop of training, with its progress, snapshots and history."""

from __future__ import annotations

import operator
import os
import sys
import time
from typing import (Any, Dict, Iterator, Mapping, Optional, Protocol,
                    Sequence)

import numpy as np

from .data import DataLoader
from .errors import HamKaasError
from .functions import EntryFunction
from .history import History
from .model import Model
from .state import PathLike
from .tables import format_bytes


class Batches(Protocol):
    """A loader: as many batches as its length says, each time."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


def fit(model: Model, loader: Batches, epochs: int, *,
        names: Optional[Sequence[str]] = None, step: str = "train_step",
        evaluate: Optional[Batches] = None, evaluation: str = "evaluate",
        snapshot: Optional[PathLike] = None, every: int = 0,
        resume: bool = False, progress: bool = True,
        seconds: float = 10.0) -> History:
    """Runs the function ``step`` of a model on the batches of ``epochs``.

    ``names`` are those of the inputs that the arrays of a batch are given to;
    batches that are dictionaries have them. After each epoch the function
    ``evaluation`` runs on the batches of ``evaluate``; the means of its numbers
    go to the history.

    ``snapshot`` is a file that is written at the end and, with ``every``, each
    time that so many steps are done. With ``resume``, training goes on from
    that file, if it is there. Both need a `DataLoader`.

    The progress is a line on standard error: rewritten on a terminal, else a
    new one after each epoch and after so many ``seconds``.

    >>> import hamkaas as hk, numpy as np
    >>> x, w = hk.input("x", [2]), hk.state([], name="w")
    >>> step = hk.train_step(hk.mean((x - w) ** 2), hk.optim.SGD(lr=0.25))
    >>> model = hk.compile({"train_step": step})
    >>> rows = hk.data.ArrayDataset(np.full(4, 8, "float32"))
    >>> history = hk.fit(model, hk.data.DataLoader(rows, 2), 2, names=["x"],
    ...                  progress=False)
    >>> history.losses
    [64.0, 16.0, 4.0, 1.0]
    """
    if not isinstance(model, Model):
        raise TypeError(f"expected a hamkaas.Model, got {type(model).__name__}")
    if operator.index(epochs) < 0:
        raise HamKaasError(f"expected 0 or more epochs, got {epochs}")
    if not hasattr(loader, "__len__"):
        raise TypeError("expected batches whose number is known, as those of a "
                        f"list, got {type(loader).__name__}")
    if (snapshot is not None or resume) and not isinstance(loader, DataLoader):
        raise TypeError("expected a hamkaas.data.DataLoader, whose position a "
                        f"snapshot holds, got {type(loader).__name__}")
    if resume and snapshot is None:
        raise HamKaasError("expected the file of a snapshot to resume from, "
                           "got none")
    loop = _Loop(model, loader, names, step, snapshot, every)
    begun = loop.steps // loop.length if isinstance(loader, DataLoader) else 0
    if resume and snapshot is not None and os.path.exists(snapshot):
        assert isinstance(loader, DataLoader)
        model.state.load(snapshot, loader=loader)
        loop.steps = count_steps(loader)
    line = ProgressLine(model, (begun + epochs) * loop.length, loop,
                        seconds if progress else None)
    try:
        while loop.steps < (begun + epochs) * loop.length:
            loop.run_epoch(line)
            if evaluate is not None:
                loop.history.evaluations.append(
                    (loop.steps, loop.measure(evaluation, evaluate)))
            line.show(True)
    finally:
        line.close()
    if snapshot is not None and loop.saved != loop.steps:
        loop.save()
    return loop.history


def count_steps(loader: DataLoader) -> int:
    """The batches that a loader gave out in all epochs."""
    _, epoch, batch = (int(part) for part in loader.position)
    return epoch * len(loader) + batch


class _Loop:
    """Training in progress."""

    def __init__(self, model: Model, loader: Batches,
                 names: Optional[Sequence[str]], step: str,
                 snapshot: Optional[PathLike], every: int) -> None:
        self.model, self.loader, self.names = model, loader, names
        self.step = _find_function(model, step)
        self.snapshot, self.every = snapshot, every
        self.length = len(loader)
        if self.length < 1:
            raise HamKaasError("expected a loader of at least one batch, got "
                               "none")
        self.steps = count_steps(loader) if isinstance(loader, DataLoader) \
            else 0
        self.saved: Optional[int] = None
        self.examples = 0
        self.history = History()

    def run_epoch(self, line: "ProgressLine") -> None:
        before = self.steps
        for batch in self.loader:
            arrays = self._name(batch)
            values = _run(self.step, arrays)
            if "loss" not in values:
                raise HamKaasError("expected a result 'loss' of "
                                   f"{self.step.name!r}, got {list(values)}")
            self.steps += 1
            self.examples += len(next(iter(arrays.values())))
            self.history.add(self.steps, values)
            line.show(False)
            if self.every and self.snapshot is not None and \
                    self.steps % self.every == 0:
                self.save()
        if self.steps == before:
            raise HamKaasError(f"expected {self.length} batches of the loader, "
                               "got none")

    def measure(self, evaluation: str, batches: Batches) -> Dict[str, float]:
        """The means over batches."""
        function = _find_function(self.model, evaluation)
        found = [_run(function, self._name(batch)) for batch in batches]
        if not found:
            raise HamKaasError("expected batches to evaluate, got none")
        return {name: float(np.mean([values[name] for values in found]))
                for name in found[0]}

    def save(self) -> None:
        assert self.snapshot is not None
        assert isinstance(self.loader, DataLoader)
        self.model.state.save(self.snapshot, loader=self.loader)
        self.saved = self.steps

    def _name(self, batch: Any) -> Mapping[str, Any]:
        if isinstance(batch, Mapping):
            return batch
        if self.names is None or len(self.names) != len(batch):
            raise HamKaasError(
                f"expected a name for each of the {len(batch)} arrays of a "
                f"batch, got {None if self.names is None else list(self.names)}")
        return dict(zip(self.names, batch))


def _find_function(model: Model, name: str) -> Any:
    function = getattr(model, name, None)
    if function is None or not hasattr(function, "run"):
        raise HamKaasError(f"expected a function {name!r} of the model "
                           f"{model.name}, got none")
    return function


def _run(function: EntryFunction, arrays: Mapping[str, Any]) -> Dict[str, float]:
    """The numbers among the results."""
    results: Any = function.run(arrays)
    if not function._has_structure and not isinstance(results, Mapping):
        # A file has names of outputs, but no dictionaries.
        names = [output.name for output in function.outputs]
        results = dict(zip(names, [results] if len(names) == 1 else results))
    if not isinstance(results, Mapping):
        raise HamKaasError(f"expected {function.name!r} to return a dictionary, "
                           f"got {type(results).__name__}")
    return {name: float(np.asarray(value).reshape(()))
            for name, value in results.items() if np.size(value) == 1}


def _count_memory(model: Model) -> int:
    """Constants, states and workspace, in bytes."""
    memory = model.report.json()["memory"]
    return sum(memory[part] for part in ("constants", "state", "workspace"))


class ProgressLine:
    """Loss, examples a second, memory and the time left, on standard error."""

    def __init__(self, model: Model, steps: int, loop: _Loop,
                 seconds: Optional[float]) -> None:
        self._steps, self._loop, self._seconds = steps, loop, seconds
        self._first = loop.steps
        self._begin = self._last = time.monotonic()
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_open = False
        self._memory = "" if seconds is None else format_bytes(
            _count_memory(model))

    def show(self, is_epoch_over: bool) -> None:
        if self._seconds is None or sys.stderr is None:
            return
        now = time.monotonic()
        wait = 0.1 if self._is_terminal else self._seconds
        if not is_epoch_over and now < self._last + wait:
            return
        self._last = now
        text = self._format(now - self._begin)
        sys.stderr.write(f"\r\x1b[K{text}" if self._is_terminal
                         else f"{text}\n")
        sys.stderr.flush()
        self._is_open = self._is_terminal

    def _format(self, passed: float) -> str:
        loop = self._loop
        epoch = -(-loop.steps // loop.length)
        left = passed / max(1, loop.steps - self._first) * \
            (self._steps - loop.steps)
        minutes, rest = divmod(round(left), 60)
        text = (f"epoch {epoch}/{self._steps // loop.length}  step {loop.steps}"
                f"/{self._steps}  loss {loop.history.losses[-1]:.4f}  ")
        if loop.history.evaluations:
            text += "".join([f"{name} {value:.4f}  " for name, value in
                             loop.history.evaluations[-1][1].items()
                             if name != "loss"])
        return (f"{text}{loop.examples / max(passed, 1e-9):,.0f} examples/s  "
                f"{self._memory}  {minutes}:{rest:02} left")

    def close(self) -> None:
        if self._is_open:
            sys.stderr.write("\n")
            sys.stderr.flush()
