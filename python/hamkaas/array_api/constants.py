# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of elements, by their names, and the numbers that have one."""

import math

from ..arrays import dtype_of

bool = dtype_of("bool")
int8 = dtype_of("int8")
int16 = dtype_of("int16")
int32 = dtype_of("int32")
int64 = dtype_of("int64")
uint8 = dtype_of("uint8")
uint16 = dtype_of("uint16")
uint32 = dtype_of("uint32")
uint64 = dtype_of("uint64")
float16 = dtype_of("float16")
bfloat16 = dtype_of("bfloat16")
float32 = dtype_of("float32")
float64 = dtype_of("float64")
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
