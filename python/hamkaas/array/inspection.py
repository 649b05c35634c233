# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Capabilities, as the standard lets a program ask for them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ..array_api.data_types import isdtype
from ..array_api.promotion import (DEFAULT_FLOAT, DEFAULT_INTEGER,
                                   ELEMENT_TYPES)
from .interchange import CPU, check_device

# The standard has no names for the other two.
_NAMES = tuple(name for name in ELEMENT_TYPES
               if name not in ("float16", "bfloat16"))


class NamespaceInfo:
    """Devices, types and limits of `hamkaas.array`."""

    def capabilities(self) -> Dict[str, Any]:
        """Arrays have up to 8 dimensions; masks and `nonzero` work."""
        return {"boolean indexing": True, "data-dependent shapes": True,
                "max dimensions": 8}

    def default_device(self) -> str:
        """The processor."""
        return CPU

    def devices(self) -> List[str]:
        """The processor."""
        return [CPU]

    def default_dtypes(self, *, device: Optional[str] = None) \
            -> Dict[str, "np.dtype[Any]"]:
        """The types of arrays made of numbers.

        Complex numbers have the one of the standard, but no array has it.
        """
        check_device(device)
        return {"real floating": np.dtype(DEFAULT_FLOAT),
                "complex floating": np.dtype("complex64"),
                "integral": np.dtype(DEFAULT_INTEGER),
                "indexing": np.dtype("int64")}

    def dtypes(self, *, device: Optional[str] = None,
               kind: Union[None, str, Tuple[str, ...]] = None) \
            -> Dict[str, "np.dtype[Any]"]:
        """The types of a kind, by the names that the standard gives them."""
        check_device(device)
        return {name: np.dtype(name) for name in _NAMES
                if kind is None or isdtype(name, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """Tells what arrays can do."""
    return NamespaceInfo()
