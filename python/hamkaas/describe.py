"""What a model tells about itself, as text and as pictures in notebooks."""

from __future__ import annotations

import html
import json
from typing import Any, Callable, Dict, Optional, cast

from .errors import HamKaasError

# The values of HamKaasDescription in hamkaas-c/Compiler.h.
(REPORT, REPORT_JSON, PLAN_SVG, GRAPH_SVG, GRAPH, SCRIPT,
 UNFOLDED_GRAPH_SVG) = range(7)

Describe = Callable[[int], str]
"""Gives one of the descriptions above, or raises HamKaasError."""


class _Description:
    """Asks a model when it is looked at, and not before."""

    def __init__(self, describe: Describe) -> None:
        self._describe = describe

    def _describe_if_known(self, description: int) -> Optional[str]:
        # In a notebook what cannot be shown one way is shown another.
        try:
            return self._describe(description)
        except HamKaasError:
            return None


class Report(_Description):
    """The tensors, memory, work and kernels of a model.

    ``print`` it for tables; in a notebook it shows them.
    """

    def __str__(self) -> str:
        return self._describe(REPORT)

    def json(self) -> Dict[str, Any]:
        """The same and more as a dictionary; sizes are in bytes."""
        return cast(Dict[str, Any], json.loads(self._describe(REPORT_JSON)))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class MemoryPlan(_Description):
    """Which part of the workspace holds what, and when.

    In a notebook it shows a picture: time from left to right, offsets upwards.
    """

    @property
    def svg(self) -> str:
        """The picture. HamKaasError for a model loaded from a library."""
        return self._describe(PLAN_SVG)

    def _repr_svg_(self) -> Optional[str]:
        return self._describe_if_known(PLAN_SVG)


class Graph(_Description):
    """The graph of a model. Not known of one loaded from a library.

    In a notebook it shows a picture if Graphviz is installed, else the script.
    """

    @property
    def script(self) -> str:
        """The graph as a script, canonical."""
        return self._describe(SCRIPT)

    @property
    def mlir(self) -> str:
        """The graph as MLIR."""
        return self._describe(GRAPH)

    @property
    def svg(self) -> str:
        """The picture; equal blocks in a row of a long graph are one.

        HamKaasError without Graphviz, or for more than 2000 operations.
        """
        return self._describe(GRAPH_SVG)

    @property
    def unfolded_svg(self) -> str:
        """The picture, with every repetition of such blocks."""
        return self._describe(UNFOLDED_GRAPH_SVG)

    def __str__(self) -> str:
        return self.script

    def _repr_svg_(self) -> Optional[str]:
        return self._describe_if_known(GRAPH_SVG)

    def _repr_html_(self) -> Optional[str]:
        if self._describe_if_known(GRAPH_SVG) is not None:
            return None
        script = self._describe_if_known(SCRIPT)
        return None if script is None else f"<pre>{html.escape(script)}</pre>"
