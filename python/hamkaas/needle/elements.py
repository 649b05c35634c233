# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of tensors, with shape and device, and arrays of the backend."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple, Union

import numpy as np

from ..array.array import Array
from ..arrays import Shape
from .backend_ndarray import NDArray as StridedArray
from .backend_selection import IS_NUMPY, default_device
from .memory import Memory, copy_elements


class Data(NamedTuple):
    """The elements of a tensor."""

    memory: Memory
    shape: Shape
    device: Any

    @staticmethod
    def of(array: Array, device: Any) -> "Data":
        """The elements that an array records."""
        return Data(Memory.of(array), array._type[1], device)

    def array(self) -> Array:
        """For one operation."""
        return self.memory.array(self.shape)

    def show(self) -> Any:
        """An array of the backend that shares the elements."""
        if not IS_NUMPY:
            return StridedArray.make(self.shape, None, self.device, self.memory)
        data = self.memory.expose()
        return data if data.shape == self.shape else data.reshape(self.shape)


Parts = Union[Data, Tuple[Data, ...]]


def make_data(value: Any, device: Any, dtype: Any = None) -> Data:
    """A copy of what numpy takes for an array, or of an NDArray."""
    device = default_device() if device is None else device
    if not IS_NUMPY:
        assert dtype in (None, "float32"), \
            f"expected the type float32, got {dtype}"
        device.check()
        dtype = np.float32
    if isinstance(value, StridedArray):
        value = value.numpy()
    data = copy_elements(value, dtype)
    return Data(Memory.of_elements(data), data.shape, device)


def take_over(value: Any, device: Any = None) -> Data:
    """The elements of an array of the backend, shared where that works."""
    if isinstance(value, StridedArray) and not IS_NUMPY:
        compact = value.compact()
        if compact._offset == 0:
            return Data(compact._handle, compact.shape, compact.device)
    if not IS_NUMPY or not isinstance(value, np.ndarray) or \
            not value.flags.c_contiguous or not value.flags.writeable:
        return make_data(value, device)
    memory = Memory.of_elements(value)
    memory._own = value
    return Data(memory, value.shape,
                default_device() if device is None else device)
