# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of elements that scripts of version 2 have, as numpy has them."""

import ml_dtypes
import numpy as np

FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16,
                                ml_dtypes.bfloat16)]
INTEGERS = [np.dtype(t) for t in (np.int64, np.int32, np.int16, np.int8,
                                  np.uint64, np.uint32, np.uint16, np.uint8)]
FLOAT32, INT64, BOOL = FLOATS[0], INTEGERS[0], np.dtype(bool)
NUMBERS = [*FLOATS, *INTEGERS]
TYPES = [*NUMBERS, BOOL]
# Bits of the significand, and the error of some roundings one after the other.
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
ROUNDING = {"float64": 1e-12, "float32": 2e-5, "float16": 4e-3,
            "bfloat16": 3e-2}


def is_float(dtype):
    return dtype in FLOATS


def widen(value):
    """Narrow floats as float32, in which they are computed."""
    is_narrow = is_float(value.dtype) and value.dtype.itemsize == 2
    return value.astype(np.float32) if is_narrow else value
