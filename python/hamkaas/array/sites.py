# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the user's program that compile again and again."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Dict, Optional, Sequence

from ..positions import format_position
from .records import Place, position_of

_MOST_COMPILATIONS = 64


class RecompilationWarning(UserWarning):
    """A line has compiled many programs, as what it computes changes in shape.

    The text says what changes, and where.
    """


@dataclasses.dataclass
class _Site:
    count: int = 0
    steps: Sequence[Any] = ()


_sites: Dict[Place, _Site] = {}


def _describe_type(step: Any) -> str:
    name, shape = step.type
    return f"{name} {list(shape)}"


def _difference(old: Any, new: Any) -> Optional[str]:
    """How a step of a program differs from that of the one before."""
    if old.form is new.form and old.type == new.type:
        return None
    place = format_position(position_of(new.place))
    if old.form is None and new.form is None:
        return (f"the array made at {place} was {_describe_type(old)} and is "
                f"now {_describe_type(new)}")
    if old.form is None or new.form is None or old.form.row != new.form.row:
        return f"there are other operations, at {place}"
    if old.form.attributes != new.form.attributes:
        pairs = zip(old.form.attributes, new.form.attributes)
        changed = next((a, b) for a, b in pairs if a != b)
        return (f"'{new.form.row}' at {place} had {changed[0][0]} = "
                f"{changed[0][1]} and has now {changed[1][1]}")
    return None  # Of other operands, which come first.


def _find_cause(old: Sequence[Any], new: Sequence[Any]) -> str:
    for pair in zip(old, new):
        if difference := _difference(*pair):
            return difference
    return f"there were {len(old)} operations and are now {len(new)}"


def count_compilation(place: Place, steps: Sequence[Any]) -> None:
    """Warns, once, when a line compiles its 65th program."""
    site = _sites.setdefault(place, _Site())
    site.count += 1
    if site.count == _MOST_COMPILATIONS + 1:
        file, line = position_of(place)
        warnings.warn_explicit(
            f"compiled {_MOST_COMPILATIONS} programs for this line, and now "
            f"another: {_find_cause(site.steps, steps)}; equal shapes share a "
            "program, so pad to few sizes", RecompilationWarning, file, line)
    site.steps = steps if site.count <= _MOST_COMPILATIONS else ()
