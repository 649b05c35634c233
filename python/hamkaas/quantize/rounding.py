# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices as codes of 4 or 8 bits with a scale for each block of a row."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Tuple

import numpy as np

from ..arrays import Array

__all__ = ["Codes", "Errors", "Rounding", "measure", "restore", "round_rows"]

# Numbers that are rounded at once: 24.6 million take 1.1 s, with 1 << 20 3.5 s,
# with 1 << 15 1.5 s (AMD EPYC, Zen 3), as temporaries stay in the caches.
_CHUNK = 1 << 17


@dataclasses.dataclass(frozen=True)
class Rounding:
    """How numbers become codes."""

    bits: int = 4
    block: int = 32
    asymmetric: bool = False


@dataclasses.dataclass
class Codes:
    """A matrix of codes, in the layout of the operator MatMulNBits.

    ``codes`` is uint8, rows x blocks x bytes of a block, the first code in the
    lowest bits. ``scales`` is rows x blocks. ``zeros`` is rows x bytes, packed
    in the same way; None means the middle of the codes.
    """

    rounding: Rounding
    columns: int
    codes: Array
    scales: Array
    zeros: Optional[Array]

    @property
    def bytes(self) -> int:
        zeros = 0 if self.zeros is None else self.zeros.nbytes
        return int(self.codes.nbytes + self.scales.nbytes + zeros)


@dataclasses.dataclass
class Errors:
    """The errors of rounded numbers, or of results that depend on them."""

    squares: float = 0.0
    """The sum of the squared errors."""
    norm: float = 0.0
    """The sum of the squared exact numbers."""
    largest: float = 0.0
    """The largest magnitude of an error."""
    greatest: float = 0.0
    """The largest magnitude of an exact number."""

    def add(self, exact: Array, rounded: Array) -> None:
        wide = exact.astype(np.float64, copy=False)
        error = np.abs(rounded.astype(np.float64, copy=False) - wide)
        self.squares += float(np.vdot(error, error))
        self.norm += float(np.vdot(wide, wide))
        if error.size:
            self.largest = float(np.fmax(self.largest, error.max()))
            self.greatest = float(np.fmax(self.greatest, np.abs(wide).max()))

    @property
    def relative(self) -> float:
        """Root of the sum of squared errors over that of squared numbers."""
        if self.norm == 0:
            return 0.0 if self.squares == 0 else math.inf
        return math.sqrt(self.squares / self.norm)


def round_rows(matrix: Array, rounding: Rounding) -> Codes:
    """Rounds each block of a row of float32 or float16 numbers to nearest.

    A last block that is not full is filled up with zeros.

    The formulas are those of ONNX Runtime's MatMulNBitsQuantizer
    (onnxruntime/core/mlas/lib/q4_dq.cpp), to the bit.
    """
    rows, columns = matrix.shape
    blocks = -(-columns // rounding.block)
    codes = np.empty((rows, blocks, rounding.block * rounding.bits // 8),
                     np.uint8)
    scales = np.empty((rows, blocks), matrix.dtype)
    zeros = None
    if rounding.asymmetric:
        zeros = np.empty((rows, -(-blocks * rounding.bits // 8)), np.uint8)
    step = max(1, _CHUNK // (blocks * rounding.block))
    for begin in range(0, rows, step):
        part = slice(begin, min(begin + step, rows))
        numbers = np.zeros((part.stop - begin, blocks * rounding.block),
                           np.float32)
        numbers[:, :columns] = matrix[part]
        numbers = numbers.reshape(-1, blocks, rounding.block)
        if zeros is None:
            found, scales[part] = _round_symmetric(
                numbers, rounding.bits, matrix.dtype)
        else:
            found, scales[part], zero = _round_asymmetric(
                numbers, rounding.bits, matrix.dtype)
            zeros[part] = _pack(zero, rounding.bits)
        codes[part] = _pack(found, rounding.bits)
    return Codes(rounding, columns, codes, scales, zeros)


def _round_symmetric(x: Array, bits: int, dtype: "np.dtype[Any]") \
        -> Tuple[Array, Array]:
    """``q = round(x / s) + h`` with ``s = m / -h``, where ``m`` is the number
    of the largest magnitude and ``h`` the middle of the codes."""
    half = np.float32(1 << (bits - 1))
    low, high = x.min(-1), x.max(-1)
    scales = (np.where(np.abs(high) > np.abs(low), high, low) /
              -half).astype(dtype)
    codes = _round_away(x * _invert(scales)[..., None] + half, bits)
    return codes, scales


def _round_asymmetric(x: Array, bits: int, dtype: "np.dtype[Any]") \
        -> Tuple[Array, Array, Array]:
    """``q = round(x / s + z)`` with ``s = (max - min) / n`` and
    ``z = round(-min / s)``, where the range includes 0 and ``n`` is the
    largest code."""
    largest = np.float32((1 << bits) - 1)
    low, high = np.minimum(x.min(-1), 0), np.maximum(x.max(-1), 0)
    exact = (high - low) / largest
    zeros = _round_away(-low / np.where(exact == 0, np.float32(1), exact), bits)
    scales = exact.astype(dtype)
    codes = _round_away(x * _invert(scales)[..., None] +
                        zeros[..., None].astype(np.float32), bits)
    return codes, scales, zeros


def _invert(scales: Array) -> Array:
    wide = scales.astype(np.float32)
    # Blocks whose scale has no inverse in float32 become zeros.
    result: Array = np.divide(np.float32(1), wide, out=np.zeros_like(wide),
                              where=np.abs(wide) >= np.float32(2)**-127)
    return result


def _round_away(x: Array, bits: int) -> Array:
    """The nearest codes. Halves go up: what is below 0 becomes 0 anyway."""
    whole = np.floor(x)
    whole += (x - whole) >= np.float32(0.5)
    codes: Array = np.clip(whole, 0, (1 << bits) - 1).astype(np.uint8)
    return codes


def _pack(codes: Array, bits: int) -> Array:
    """Codes of the last dimension as bytes, the first in the lowest bits."""
    if bits == 8:
        return codes
    if codes.shape[-1] % 2:
        codes = np.concatenate([codes, np.zeros_like(codes[..., :1])], -1)
    packed: Array = codes[..., ::2] | codes[..., 1::2] << 4
    return packed


def _unpack(packed: Array, bits: int) -> Array:
    if bits == 8:
        return packed
    pairs = np.stack([packed & 15, packed >> 4], -1)
    codes: Array = pairs.reshape(*packed.shape[:-1], -1)
    return codes


def restore(codes: Codes, begin: int, end: int) -> Array:
    """The float32 numbers that the codes of some rows stand for."""
    bits, blocks = codes.rounding.bits, codes.scales.shape[1]
    zeros = np.full((), 1 << (bits - 1), np.float32)
    if codes.zeros is not None:
        zeros = _unpack(codes.zeros[begin:end], bits)[:, :blocks, None]
        zeros = zeros.astype(np.float32)
    numbers = _unpack(codes.codes[begin:end], bits).astype(np.float32) - zeros
    numbers *= codes.scales[begin:end, :, None].astype(np.float32)
    rows: Array = numbers.reshape(end - begin, -1)[:, :codes.columns]
    return rows


def measure(matrix: Array, codes: Codes) -> Errors:
    """The errors of the numbers that codes stand for."""
    errors = Errors()
    step = max(1, _CHUNK // max(1, codes.columns))
    for begin in range(0, len(matrix), step):
        end = min(begin + step, len(matrix))
        errors.add(matrix[begin:end].astype(np.float32),
                   restore(codes, begin, end))
    return errors
