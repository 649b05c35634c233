# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Output files that are complete or absent."""

from __future__ import annotations

import os
import stat
from types import TracebackType
from typing import BinaryIO, List, Optional, Tuple, Type

from ..errors import HamKaasError
from ..state import PathLike

__all__ = ["Outputs", "cannot_read"]


def cannot_read(path: PathLike, error: OSError) -> HamKaasError:
    return HamKaasError(f"cannot read '{os.fspath(path)}': {error.strerror}")


class Outputs:
    """Files that replace others together, when the block ends without an error.

    Links stay links, and files keep their modes.
    """

    def __init__(self) -> None:
        self._files: List[Tuple[Optional[BinaryIO], str]] = []

    def __enter__(self) -> "Outputs":
        return self

    def open(self, path: PathLike) -> BinaryIO:
        """A new file for bytes, which becomes ``path``."""
        file = open(self.create(path), "wb")
        self._files[-1] = file, self._files[-1][1]
        return file

    def create(self, path: PathLike) -> str:
        """The name of a new file, which becomes ``path``."""
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            raise HamKaasError(f"cannot write '{os.fspath(path)}': expected "
                               "the name of a file")
        index = len(self._files)
        self._files.append((None, target))
        try:
            os.close(os.open(self._temporary(index),
                             os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except OSError as error:
            raise HamKaasError(f"cannot write '{os.fspath(path)}': "
                               f"{error.strerror}") from None
        return self._temporary(index)

    def __exit__(self, kind: Optional[Type[BaseException]],
                 error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self._replace()
        except OSError as problem:
            raise HamKaasError(f"cannot write '{problem.filename}': "
                               f"{problem.strerror}") from None
        finally:
            for index in range(len(self._files)):
                self._discard(index)

    def _temporary(self, index: int) -> str:
        return f"{self._files[index][1]}.{os.getpid()}-{index}.tmp"

    def _replace(self) -> None:
        for index, (file, target) in enumerate(self._files):
            if file:
                file.close()
            if os.path.exists(target):
                os.chmod(self._temporary(index),
                         stat.S_IMODE(os.stat(target).st_mode))
        for index, (_, target) in enumerate(self._files):
            os.replace(self._temporary(index), target)

    def _discard(self, index: int) -> None:
        file = self._files[index][0]
        try:
            if file:
                file.close()
        except OSError:
            pass  # A full disk, which was an error before.
        try:
            os.unlink(self._temporary(index))
        except FileNotFoundError:
            pass
