# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases that are known not to pass."""

from __future__ import annotations

import pathlib
import re
from typing import Dict, Iterable, List, Tuple

Entries = Dict[str, Tuple[str, str]]
"""The outcome of each case that does not pass: what, and why."""

_HEADER = """\
# The cases of the backend test that do not pass, and why. Written by
#   make check-onnx ARGS=--update
"""


def read(path: pathlib.Path) -> Entries:
    """The entries of a file, none if there is no file."""
    if not path.exists():
        return {}
    entries: Entries = {}
    for line in path.read_text().splitlines():
        match = re.fullmatch(r"(\w+): (\w+): (.*)", line)
        if match:
            name, what, why = match.groups()
            entries[name] = (what, why)
        elif not line.startswith("#"):
            raise ValueError(f"{path}: expected 'case: outcome: reason', got "
                             f"'{line}'")
    return entries


def write(path: pathlib.Path, entries: Entries) -> None:
    """Writes a file that `read` reads."""
    lines = [f"{name}: {what}: {why}\n"
             for name, (what, why) in sorted(entries.items())]
    path.write_text(_HEADER + "".join(lines))


def shorten(reason: str) -> str:
    """The first problem of an error, without the place in the model's text.

    >>> shorten("model.onnx: error: operator Det is not supported\\nmore")
    'operator Det is not supported'
    """
    line = next(iter(reason.strip().splitlines()), "")
    line = line.rpartition(" error: ")[2] if " error: " in line else line
    return re.sub(r"\s+", " ", line)[:160]


def compare(expected: Entries, found: Entries, ran: Iterable[str]) -> List[str]:
    """A line for each case that ran and had another outcome than expected.

    A reason is for people to read: another one is no difference.

    >>> compare({"a": ("refused", "x")}, {"b": ("wrong", "y")}, "abc")
    ['a: expected refused, now passes', 'b: expected to pass, wrong: y']
    """
    lines = []
    for name in ran:
        wanted, now = expected.get(name), found.get(name)
        if (wanted and wanted[0]) == (now and now[0]):
            continue
        before = wanted[0] if wanted else "to pass"
        after = f"{now[0]}: {now[1]}" if now else "now passes"
        lines.append(f"{name}: expected {before}, {after}")
    return lines
