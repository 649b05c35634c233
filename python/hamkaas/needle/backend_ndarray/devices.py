# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices of `NDArray`: the host under two names, and a GPU that is not there.

`hamkaas.array` computes on the host, so both names mean the same.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, List, Optional

import numpy as np

from ...errors import HamKaasError


class BackendDevice:
    """A device by its name, with the functions of ``mod`` as attributes.

    A device without ``mod`` cannot be used. Equal to others of its name.
    """

    def __init__(self, name: str, mod: Optional[Any]) -> None:
        self.name = name
        self.mod = mod

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BackendDevice) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}()"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__tile_size__":
            raise AttributeError(name)
        self.check()
        return getattr(self.mod, name)

    def enabled(self) -> bool:
        """Tells whether arrays can be made on the device."""
        return self.mod is not None

    def check(self) -> None:
        """HamKaasError unless the device can be used."""
        if self.mod is None:
            raise HamKaasError(f"expected a device that is enabled, such as "
                               f"cpu(), got {self!r}: tensors of needle are in "
                               "the memory of the host")

    def rand(self, *shape: int, dtype: str = "float32") -> Any:
        """Numbers from 0 to 1, drawn by numpy's global generator."""
        return self._make(np.random.rand(*shape), dtype)

    def randn(self, *shape: int, dtype: str = "float32") -> Any:
        """Normal numbers, drawn by numpy's global generator."""
        return self._make(np.random.randn(*shape), dtype)

    def one_hot(self, n: int, i: Any, dtype: str = "float32") -> Any:
        """Rows of ``n`` numbers that are 1 at ``i`` and 0 elsewhere."""
        return self._make(np.eye(n, dtype="float32")[i], dtype)

    def empty(self, shape: Any, dtype: str = "float32") -> Any:
        """An array of any numbers."""
        return self._make(np.zeros(shape, "float32"), dtype)

    def full(self, shape: Any, fill_value: float,
             dtype: str = "float32") -> Any:
        """An array of one number."""
        return self._make(np.full(shape, fill_value, "float32"), dtype)

    def _make(self, value: Any, dtype: Any) -> Any:
        from .ndarray import NDArray
        assert dtype in (None, "float32"), f"expected float32, got {dtype}"
        return NDArray(value, device=self)


def _functions() -> ModuleType:
    from . import functions
    return functions


def cpu() -> BackendDevice:
    """The memory of the host."""
    return BackendDevice("cpu", _functions())


def cuda() -> BackendDevice:
    """A GPU, which is not enabled."""
    return BackendDevice("cuda", None)


def cpu_numpy() -> BackendDevice:
    """The memory of the host by its other name."""
    return BackendDevice("cpu_numpy", _functions())


def default_device() -> BackendDevice:
    """The device of arrays and tensors for which none is named."""
    return cpu_numpy()


def all_devices() -> List[BackendDevice]:
    """Each device once, also those that are not enabled."""
    return [cpu(), cuda(), cpu_numpy()]
