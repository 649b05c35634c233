# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress of a compilation."""

from __future__ import annotations

import sys
import time
from typing import Callable, Optional, Union

ProgressFunction = Callable[[str, int, int], object]
"""Called with the step that begins, the number of those done, and of all."""

Progress = Union[None, bool, ProgressFunction]

_DELAY = 1.0  # seconds before the first word
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """A line on standard error that is rewritten, and wiped at the end.

    It reads as that of the tools does (lib/Driver/ProgressLine.cpp).
    """

    def __init__(self, name: str, delay: float) -> None:
        self._name = name
        self._begin = time.monotonic() + delay
        self._is_shown = False

    def __call__(self, step: str, done: int, total: int) -> None:
        if time.monotonic() < self._begin or sys.stderr is None:
            return
        self._is_shown = True
        sys.stderr.write(
            f"{_CLEAR}compiling {self._name}: {done + 1}/{total} {step}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._is_shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()


def make_progress(progress: Progress, name: str) -> Optional[ProgressFunction]:
    """The callback of `hamkaas.compile` for its argument ``progress``."""
    if progress is None:
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        return ProgressLine(name, _DELAY) if is_terminal else None
    if progress is True:
        return ProgressLine(name, 0)
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError("expected progress to be None, True, False or a "
                        f"function, got {type(progress).__name__}")
    return progress
