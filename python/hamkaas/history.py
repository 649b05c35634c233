# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of a training, and curves of them."""

from __future__ import annotations

import dataclasses
import importlib
import os
from typing import Dict, List, Mapping, Tuple

from .errors import HamKaasError
from .state import PathLike


@dataclasses.dataclass
class History:
    """The numbers that the steps of a training gave, and its evaluations."""

    steps: List[int] = dataclasses.field(default_factory=list)
    """The numbers of the steps, from 1; later for training that was resumed."""
    values: Dict[str, List[float]] = dataclasses.field(default_factory=dict)
    """The losses and other results of one element, by name."""
    evaluations: List[Tuple[int, Dict[str, float]]] = dataclasses.field(
        default_factory=list)
    """The step before, and the means of the results."""

    @property
    def losses(self) -> List[float]:
        """The loss of each step, before its update."""
        return self.values.get("loss", [])

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Adds the numbers of a step."""
        self.steps.append(step)
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)

    def save(self, path: PathLike) -> None:
        """Draws the curves of the losses. The name's ending, such as .svg or
        .png, is the format. matplotlib has to be installed."""
        try:
            figures = importlib.import_module("matplotlib.figure")
        except ImportError as error:
            raise HamKaasError(
                "expected matplotlib, which draws the curves, got none "
                f"({error}); pip install matplotlib") from None
        figure = figures.Figure()
        axes = figure.subplots()
        axes.plot(self.steps, self.losses, label="training")
        evaluated = [(step, values["loss"])
                     for step, values in self.evaluations if "loss" in values]
        if evaluated:
            axes.plot(*zip(*evaluated), marker="o", label="evaluation")
        axes.set_xlabel("step")
        axes.set_ylabel("loss")
        axes.legend()
        try:
            figure.savefig(os.fspath(path))
        except ValueError as error:
            raise HamKaasError(f"{os.fspath(path)!r}: {error}") from None
