# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of weights, from safetensors to blocks of few bits in GGUF.

The packages safetensors and gguf read, round and write them.
"""

from __future__ import annotations

import dataclasses
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

import gguf
import numpy as np
from safetensors import SafetensorError, safe_open

from ..arrays import Array
from ..errors import HamKaasError
from ..state import PathLike
from .files import Outputs, cannot_read
from .report import Layer, Report
from .rounding import Errors

__all__ = ["FORMATS", "Choice", "narrow_weights", "write_weights"]

FORMATS = {(4, False): "q4_0", (4, True): "q4_1", (8, False): "q8_0"}
"""By bits, and whether blocks have a smallest number."""

_BLOCK = 32

# Numbers that are rounded at once, so that temporaries are small.
_CHUNK = 1 << 17

_TYPES = {"F32": "F32", "F16": "F16", "BF16": "BF16", "F64": "F64", "I8": "I8",
          "I16": "I16", "I32": "I32", "I64": "I64"}

_FLOATS = ("F32", "F16", "BF16")


@dataclasses.dataclass
class Choice:
    """Which weights become narrow, and how."""

    format: str
    min_elements: int
    is_kept: Callable[[str], Optional[str]]
    """The pattern that keeps a weight of this name."""


@dataclasses.dataclass
class _Plan:
    """A tensor of the written file."""

    name: str
    kind: Any
    shape: List[int]
    is_transposed: bool = False


def narrow_weights(source: PathLike, output: PathLike, choice: Choice,
                   report: Report) -> None:
    """Writes the weights of ``source`` with those of two dimensions narrow."""
    with Outputs() as outputs:
        write_weights(source, outputs, output, choice, report)


def write_weights(source: PathLike, outputs: Outputs, output: PathLike,
                  choice: Choice, report: Report,
                  by_columns: Optional[Mapping[str, bool]] = None) \
        -> Dict[str, List[int]]:
    """Writes a GGUF file, and gives the shapes of narrow weights in bytes.

    With ``by_columns``, only the weights there become narrow, whose columns
    become rows where it says so.
    """
    with _open(source) as reader:
        plans = [_plan(reader, name, choice, report, by_columns)
                 for name in reader.keys()]
        if not any(_is_narrow(plan) for plan in plans):
            reasons = [f"'{name}' {reason}" for name, reason in report.left]
            if report.small:
                reasons.append(f"{report.small} have fewer than "
                               f"{choice.min_elements} numbers")
            raise HamKaasError(
                f"{os.fspath(source)}: expected weights of two dimensions, got "
                "none that can be narrow" +
                "".join(f"; {reason}" for reason in reasons[:5]))
        path = outputs.create(output)
        try:
            _write(reader, plans, path, choice, report)
        except OSError as error:
            raise HamKaasError(f"cannot write '{os.fspath(output)}': "
                               f"{error.strerror or error}") from None
    return {plan.name: list(gguf.quant_shape_to_byte_shape(
        plan.shape, plan.kind)) for plan in plans if _is_narrow(plan)}


def _open(source: PathLike) -> Any:
    # The package has an untyped interface.
    try:
        return safe_open(os.fspath(source), "numpy")
    except OSError as error:
        raise cannot_read(source, error) from None
    except SafetensorError as error:
        raise HamKaasError(f"{os.fspath(source)}: expected a safetensors file: "
                           f"{error}") from None


def _plan(reader: Any, name: str, choice: Choice, report: Report,
          by_columns: Optional[Mapping[str, bool]]) -> _Plan:
    entry = reader.get_slice(name)
    shape, kind = entry.get_shape(), entry.get_dtype()
    if kind not in _TYPES:
        raise HamKaasError(f"tensor '{name}': expected elements that a GGUF "
                           f"file has, {', '.join(_TYPES)}, got {kind}")
    if not 1 <= len(shape) <= 4 or 0 in shape:
        raise HamKaasError(f"tensor '{name}': expected the 1 to 4 dimensions, "
                           f"not empty, of a GGUF file, got {shape}")
    if kind == "BF16" and find_spec("ml_dtypes") is None:
        raise HamKaasError(f"tensor '{name}': bfloat16 needs the package "
                           "ml_dtypes: pip install ml_dtypes")
    types = gguf.GGMLQuantizationType
    wide = _Plan(name, types[_TYPES[kind]], shape)
    if len(shape) != 2 or kind not in _FLOATS:
        return wide
    if by_columns is not None and name not in by_columns:
        report.left.append((name, "is no parameter of float32"))
        return wide
    is_transposed = by_columns is not None and by_columns[name]
    rows, columns = reversed(shape) if is_transposed else shape
    pattern = choice.is_kept(name)
    if pattern is not None:
        report.left.append((name, f"is kept by '{pattern}'"))
    elif rows * columns < choice.min_elements:
        report.small += 1
    elif columns % _BLOCK:
        what = "columns" if is_transposed else "rows"
        report.left.append((name, f"has {what} of {columns} numbers, no "
                            f"multiple of {_BLOCK}"))
    elif not _is_finite(entry, shape):
        report.left.append((name, "has numbers above those of float16"))
    else:
        return _Plan(name, types[choice.format.upper()], [rows, columns],
                     is_transposed)
    return wide


def _is_narrow(plan: _Plan) -> bool:
    return str(plan.kind.name).startswith("Q")


def _chunks(entry: Any, shape: List[int]) -> Iterator[Array]:
    """Some rows after the other, as float32."""
    step = max(1, _CHUNK // shape[1])
    for begin in range(0, shape[0], step):
        rows: Array = entry[begin:min(begin + step, shape[0])]
        yield rows.astype(np.float32, copy=False)


def _read_rows(entry: Any, plan: _Plan) -> Iterator[Array]:
    if not plan.is_transposed:
        yield from _chunks(entry, plan.shape)
        return
    matrix = entry[:].T
    step = max(1, _CHUNK // plan.shape[1])
    for begin in range(0, plan.shape[0], step):
        yield np.ascontiguousarray(matrix[begin:begin + step], np.float32)


def _is_finite(entry: Any, shape: List[int]) -> bool:
    """Whether all numbers are, and fit scales of float16."""
    largest = float(np.finfo(np.float16).max)
    return all(float(np.abs(rows).max()) < largest
               for rows in _chunks(entry, shape))


def _write(reader: Any, plans: List[_Plan], path: str, choice: Choice,
           report: Report) -> None:
    writer = gguf.GGUFWriter(path, "weights")
    for plan in plans:
        size, bytes_ = gguf.GGML_QUANT_SIZES[plan.kind]
        count = int(np.prod(plan.shape))
        writer.add_tensor_info(plan.name, plan.shape, np.dtype(np.float32),
                               count // size * bytes_, plan.kind)
    writer.write_header_to_file(Path(path))
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for plan in plans:
        entry = reader.get_slice(plan.name)
        if not _is_narrow(plan):
            writer.write_tensor_data(
                np.ascontiguousarray(reader.get_tensor(plan.name)))
            continue
        parts, errors = [], Errors()
        for rows in _read_rows(entry, plan):
            # Scales may have no inverse in float32, and are 0 in float16 then.
            with np.errstate(all="ignore"):
                parts.append(gguf.quantize(rows, plan.kind))
            errors.add(rows, gguf.dequantize(parts[-1], plan.kind))
        codes = np.concatenate(parts)
        writer.write_tensor_data(codes)
        before = int(np.prod(plan.shape)) * (4 if entry.get_dtype() == "F32"
                                             else 2)
        report.add(Layer(plan.name, "", tuple(entry.get_shape()), choice.format,
                         errors, before, codes.nbytes))
    writer.close()
