# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The states of a model, kept between runs."""

from __future__ import annotations

import os
import threading
import weakref
from typing import (TYPE_CHECKING, Any, Callable, Iterator, List, Mapping,
                    Optional, Sequence, Tuple, Union)

import numpy as np

from . import _native
from .arrays import Array
from .tables import (TensorInfo, count_bytes, describe_tensors, format_bytes,
                     make_html_table)

if TYPE_CHECKING:
    from .data import DataLoader

PathLike = Union[str, "os.PathLike[str]"]


class RunLock:
    """Lets the models that share a state run one at a time."""

    _all: "weakref.WeakSet[RunLock]" = weakref.WeakSet()

    def __init__(self) -> None:
        # Reentrant: a signal handler may run the model when a run has ended.
        # NOTE: to be used in `with` itself. In functions of Python around it,
        # Ctrl-C could strike where the lock is taken and nobody gives it back.
        self.mutex = threading.RLock()
        RunLock._all.add(self)

    @staticmethod
    def renew_all() -> None:
        """In a forked child: nobody else is there to give a lock back."""
        for lock in list(RunLock._all):
            lock.mutex = threading.RLock()


os.register_at_fork(after_in_child=RunLock.renew_all)


class State(Mapping[str, Array]):
    """The states of a model by their names.

    Reading gives a copy, assigning sets the contents; the array must have the
    state's type and shape. Waits for a run that is in progress.
    """

    def __init__(self, tensors: Sequence[TensorInfo], lock: RunLock,
                 instance: Callable[[], _native.Instance]) -> None:
        self._tensors = tensors
        self._names = [tensor.name for tensor in tensors]
        self._lock = lock
        self._instance = instance

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            names = ", ".join(map(repr, self._names))
            raise KeyError(f"expected the name of a state, got {name!r}; the "
                           f"model has {names or 'none'}")
        with self._lock.mutex:
            array: Array = self._instance().read_state(name)
            return array

    def __setitem__(self, name: str, value: object) -> None:
        with self._lock.mutex:
            self._instance().write_state(name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        if not self._tensors:
            return "<hamkaas.State none>"
        return (f"<hamkaas.State {self._format_size()} "
                f"({describe_tensors(self._tensors)})>")

    def _repr_html_(self) -> str:
        if not self._tensors:
            return "no state"
        return (make_html_table("state", self._tensors) +
                f"together {self._format_size()}")

    def _format_size(self) -> str:
        return format_bytes(sum(map(count_bytes, self._tensors)))

    def reset(self) -> None:
        """Sets all states to zero."""
        with self._lock.mutex:
            self._instance().reset_state()

    def save(self, path: PathLike, *, loader: Optional[DataLoader] = None,
             extra: Optional[Mapping[str, Any]] = None) -> None:
        """Writes all states to a safetensors file, whole or not at all.

        The file also holds the position of ``loader`` and the arrays or
        numbers of ``extra``. When this returns, it is on the disk; after an
        error an older file is as it was.
        """
        given = {name: np.asarray(value)
                 for name, value in (extra or {}).items()}
        if loader is not None:
            given[_LOADER] = loader.position
        with self._lock.mutex:
            self._instance().save_state(os.fsencode(path), _list_extra(given))

    def load(self, path: PathLike, *, loader: Optional[DataLoader] = None,
             extra: Optional[Mapping[str, Array]] = None) -> None:
        """Sets all states from a safetensors file that has exactly these.

        What `save` wrote beside them goes to ``loader`` and to the arrays of
        ``extra``, which have to have the types and shapes of the file. After
        an error all are as they were.
        """
        given = {name: np.empty_like(value)
                 for name, value in (extra or {}).items()}
        if loader is not None:
            given[_LOADER] = loader.position
        if given:
            _native.read_extra(os.fsencode(path), _list_extra(given))
        if loader is not None:
            loader.check_position(given[_LOADER])
        with self._lock.mutex:
            self._instance().load_state(os.fsencode(path))
        for name, value in (extra or {}).items():
            value[...] = given[name]
        if loader is not None:
            loader.position = given[_LOADER]


_LOADER = "loader.position"


def _list_extra(arrays: Mapping[str, Array]) -> List[Tuple[str, str, Array]]:
    return [(f"extra.{name}", str(array.dtype), array)
            for name, array in arrays.items()]
