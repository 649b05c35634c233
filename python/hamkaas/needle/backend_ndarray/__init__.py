# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of float32 with strides, and their devices."""

from . import ndarray
from .devices import (BackendDevice, all_devices, cpu, cpu_numpy, cuda,
                      default_device)
from .ndarray import (NDArray, array, broadcast_to, empty, exp, flip, full, log,
                      maximum, reshape, sum, tanh)

__all__ = ["BackendDevice", "NDArray", "all_devices", "array", "broadcast_to",
           "cpu", "cpu_numpy", "cuda", "default_device", "empty", "exp", "flip",
           "full", "log", "maximum", "ndarray", "reshape", "sum", "tanh"]
