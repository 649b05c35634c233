# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of a model, as text and as drawings in notebooks."""

from __future__ import annotations

import collections
import html
import json
import re
from typing import Any, Callable, Dict, List, Optional, cast

from .errors import HamKaasError
from .tables import format_bytes, format_count

# The values of HamKaasDescription in hamkaas-c/Compiler.h.
(REPORT, REPORT_JSON, PLAN_SVG, GRAPH_SVG, GRAPH, SCRIPT,
 UNFOLDED_GRAPH_SVG) = range(7)

# Operators that the short text of a graph counts.
_SHOWN_OPS = 6

Describe = Callable[[int], str]
"""Gives one of the descriptions above, or raises HamKaasError."""


def _list_functions(report: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The work of each function; that of the only one is in the report."""
    return cast(List[Dict[str, Any]], report.get("functions", [report]))


class _Description:
    """A description that is computed when it is first used."""

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
        """The same and more as a dictionary; sizes are in bytes.

        ``"missed"`` lists the operations that the model nearly has, each with
        the condition that failed and where. ``"repacked"``, if there are any, are
        the parameters that are in memory several times, in several layouts.
        """
        return cast(Dict[str, Any], json.loads(self._describe(REPORT_JSON)))

    @property
    def memory(self) -> str:
        """The model's memory, e.g. ``1.2 MB constants, 4 kB workspace``."""
        sizes = self.json()["memory"]
        parts = [(sizes["constants"], "constants"), (sizes["state"], "state"),
                 (sizes["workspace"], "workspace")]
        return ", ".join(f"{format_bytes(size)} {name}"
                         for size, name in parts if size) or "none"

    def __repr__(self) -> str:
        report = self.json()
        functions = _list_functions(report)
        calls = [call for function in functions for call in function["calls"]]
        kernels = {call["kernel"] for call in calls}
        flops = sum(function["flops"] for function in functions)
        known = f" in {len(functions)} functions" if len(functions) > 1 else ""
        return (f"<hamkaas.Report {report['name']}: "
                f"{format_count(len(calls), 'call')} of "
                f"{format_count(len(kernels), 'kernel')}{known}, "
                f"{format_count(flops, 'FLOP')}; print shows all>")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class MemoryPlan(_Description):
    """The place and lifetime of each buffer of the workspace.

    In a notebook it shows a drawing: time from left to right, offsets upwards.
    """

    @property
    def svg(self) -> str:
        """The drawing. HamKaasError for a model loaded from a library."""
        return self._describe(PLAN_SVG)

    def __repr__(self) -> str:
        report = cast(Dict[str, Any], json.loads(self._describe(REPORT_JSON)))
        memory = report["memory"]
        buffers = sum(len(function["buffers"])
                      for function in _list_functions(report))
        known = f" for {format_count(buffers, 'buffer')}" if buffers else ""
        return (f"<hamkaas.MemoryPlan {memory['workspace']:,} bytes{known}; no "
                f"plan needs less than {memory['workspaceLowerBound']:,}>")

    def _repr_svg_(self) -> Optional[str]:
        return self._describe_if_known(PLAN_SVG)


class Graph(_Description):
    """The graph of a model; a model loaded from a library has none.

    In a notebook it shows a drawing if Graphviz is installed, else the script.
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
        """The drawing; a long graph shows consecutive equal blocks once.

        HamKaasError without Graphviz, or for more than 2000 operations.
        """
        return self._describe(GRAPH_SVG)

    @property
    def unfolded_svg(self) -> str:
        """The drawing, with every repetition of such blocks."""
        return self._describe(UNFOLDED_GRAPH_SVG)

    def __str__(self) -> str:
        return self.script

    def __repr__(self) -> str:
        # Not every graph has a script of version 1 or 2; then count in MLIR.
        text = self._describe_if_known(SCRIPT)
        pattern = r"= (\w+)\("
        if text is None:
            text = self._describe_if_known(GRAPH)
            pattern = r"= hamkaas\.(\w+)"
        if text is None:
            return "<hamkaas.Graph, not known of a library>"
        counts = collections.Counter(re.findall(pattern, text))
        shown = [f"{count} {op}" for op, count in counts.most_common(_SHOWN_OPS)]
        if len(counts) > _SHOWN_OPS:
            shown.append("...")
        return (f"<hamkaas.Graph {format_count(counts.total(), 'node')}: "
                f"{', '.join(shown)}>")

    def _repr_svg_(self) -> Optional[str]:
        return self._describe_if_known(GRAPH_SVG)

    def _repr_html_(self) -> Optional[str]:
        if self._describe_if_known(GRAPH_SVG) is not None:
            return None
        script = self._describe_if_known(SCRIPT)
        return None if script is None else f"<pre>{html.escape(script)}</pre>"
