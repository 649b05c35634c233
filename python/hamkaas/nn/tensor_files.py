# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Safetensors files of arrays by name."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Union

import numpy as np

from ..arrays import Array
from ..errors import HamKaasError

PathLike = Union[str, "os.PathLike[str]"]

_TYPES = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4",
          "I16": "i2", "I8": "i1", "U64": "u8", "U32": "u4", "U16": "u2",
          "U8": "u1", "BOOL": "?"}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}


def save_arrays(path: PathLike, arrays: Mapping[str, Any]) -> None:
    """Writes arrays to a safetensors file."""
    header: Dict[str, Any] = {}
    parts, end = [], 0
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        if array.dtype not in _NAMES:
            raise HamKaasError(f"{name}: expected numbers or booleans, got "
                               f"{array.dtype}")
        header[name] = {"dtype": _NAMES[array.dtype],
                        "shape": list(np.shape(value)),
                        "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
        parts.append(array.tobytes())
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(parts))


def load_arrays(path: PathLike) -> Dict[str, Array]:
    """The arrays of a safetensors file; bfloat16 becomes float32."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise HamKaasError(f"{os.fsdecode(path)}: expected a safetensors file, "
                           f"got an error: {error.strerror}") from None
    size = int.from_bytes(content[:8], "little")
    try:
        if len(content) < 8 or size > len(content) - 8:
            raise ValueError("the header is cut off")
        header = json.loads(content[8:8 + size])
        return {name: _read(entry, content[8 + size:])
                for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HamKaasError(f"{os.fspath(path)}: expected a safetensors file, "
                           f"got {error}") from None


def _read(entry: Any, data: bytes) -> Array:
    begin, end = entry["data_offsets"]
    piece = data[begin:end]
    if entry["dtype"] == "BF16":
        wide = np.frombuffer(piece, "u2").astype("u4") << 16
        return wide.view("f4").reshape(entry["shape"])
    kind = np.dtype(_TYPES[entry["dtype"]])
    return np.frombuffer(piece, kind).reshape(entry["shape"]).copy()
