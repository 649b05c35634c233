# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kind of arrays that tensors show: the environment's NEEDLE_BACKEND.

``nd``, the default: `backend_ndarray.NDArray` of float32. ``np``: arrays of
numpy of any type. It is read once, when the package is imported.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import HamKaasError
from . import backend_ndarray, backend_numpy

BACKEND: str = os.environ.get("NEEDLE_BACKEND", "nd")

if BACKEND not in ("nd", "np"):
    raise HamKaasError("expected NEEDLE_BACKEND to be 'nd' or 'np', got "
                       f"{BACKEND!r}")

IS_NUMPY = BACKEND == "np"

array_api: Any
NDArray: Any
Device: Any
default_device: Any
all_devices: Any
cpu: Any

if IS_NUMPY:
    import numpy

    array_api, NDArray = numpy, numpy.ndarray
    Device, cpu = backend_numpy.Device, backend_numpy.cpu
    default_device = backend_numpy.default_device
    all_devices = backend_numpy.all_devices
    __all__ = ["BACKEND", "Device", "NDArray", "all_devices", "array_api",
               "cpu", "default_device"]
else:
    from .backend_ndarray import cpu_numpy, cuda

    array_api, NDArray = backend_ndarray, backend_ndarray.NDArray
    Device, cpu = backend_ndarray.BackendDevice, backend_ndarray.cpu
    default_device = backend_ndarray.default_device
    all_devices = backend_ndarray.all_devices
    __all__ = ["BACKEND", "Device", "NDArray", "all_devices", "array_api",
               "cpu", "cpu_numpy", "cuda", "default_device"]
