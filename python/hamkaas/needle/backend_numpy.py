# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device of tensors that show arrays of numpy."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from ..arrays import Array as NumpyArray


class Device:
    """A place for elements. Equal to others of its class."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self).__name__)


class CPUDevice(Device):
    """The memory of the host."""

    name = "cpu"

    def __repr__(self) -> str:
        return "needle.cpu()"

    def enabled(self) -> bool:
        """True."""
        return True

    def zeros(self, *shape: int, dtype: Any = "float32") -> NumpyArray:
        """An array of zeros."""
        return np.zeros(shape, dtype)

    def ones(self, *shape: int, dtype: Any = "float32") -> NumpyArray:
        """An array of ones."""
        return np.ones(shape, dtype)

    def rand(self, *shape: int) -> NumpyArray:
        """Numbers from 0 to 1, drawn by numpy's global generator."""
        return np.asarray(np.random.rand(*shape))

    def randn(self, *shape: int) -> NumpyArray:
        """Normal numbers, drawn by numpy's global generator."""
        return np.asarray(np.random.randn(*shape))

    def one_hot(self, n: int, i: Any, dtype: Any = "float32") -> NumpyArray:
        """Rows of ``n`` numbers that are 1 at ``i`` and 0 elsewhere."""
        return np.asarray(np.eye(n, dtype=dtype)[i])

    def empty(self, shape: Any, dtype: Any = "float32") -> NumpyArray:
        """An array of any numbers."""
        return np.empty(shape, dtype)

    def full(self, shape: Any, fill_value: Any,
             dtype: Any = "float32") -> NumpyArray:
        """An array of one number."""
        return np.full(shape, fill_value, dtype)


def cpu() -> CPUDevice:
    """The memory of the host."""
    return CPUDevice()


def default_device() -> CPUDevice:
    """The device of tensors for which none is named."""
    return cpu()


def all_devices() -> List[Device]:
    """Each device once."""
    return [cpu()]
