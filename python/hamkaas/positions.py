# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions in the user's program."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Optional, Tuple, Type, TypeVar

from .errors import HamKaasError

Position = Tuple[str, int]
"""File and line, from 1."""


def user_position() -> Position:
    """The innermost line that runs now and is not of this package."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if not (module == "hamkaas" or module.startswith("hamkaas.")):
            return printable(frame.f_code.co_filename), frame.f_lineno
        frame = frame.f_back
    return "<unknown>", 1


def printable(file: str) -> str:
    """The name of a file for messages."""
    # Names of files need not be UTF-8; C and terminals want that.
    return file.encode(errors="backslashreplace").decode()


def format_position(position: Position) -> str:
    """E.g. ``train.py:12``."""
    return f"{position[0]}:{position[1]}"


_Error = TypeVar("_Error", bound=HamKaasError)


def make_error(message: str,
               kind: Type[_Error] = HamKaasError) -> _Error:  # type: ignore
    """An error at the line of the user's program that runs now."""
    return kind(f"{format_position(user_position())}: error: {message}")
