# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weights that became narrow, those that did not, and errors."""

from __future__ import annotations

import dataclasses
from typing import Callable, List, Optional, Tuple

from .rounding import Errors

__all__ = ["Layer", "OutputErrors", "Report"]


@dataclasses.dataclass
class Layer:
    """A weight of a product or an embedding."""

    name: str
    """That of the weight in the file."""
    node: str
    """That of the node which uses it; empty in a file of weights."""
    shape: Tuple[int, ...]
    format: str
    """Such as ``"4 bits"`` or ``"q4_0"``."""
    errors: Errors
    before: int
    """Bytes that it took."""
    after: int
    """Bytes that it takes."""

    @property
    def label(self) -> str:
        """The more telling name: exporters number what they have transposed."""
        is_numbered = self.name.startswith("onnx::")
        return self.node if self.node and is_numbered else self.name


@dataclasses.dataclass
class OutputErrors:
    """The errors of an output of a model with narrow weights."""

    name: str
    arithmetic: str
    """``"exact"`` or ``"int8"``, as of the option quantized_products."""
    errors: Errors


@dataclasses.dataclass
class Report:
    """The result of `hamkaas.quantize.quantize`."""

    layers: List[Layer] = dataclasses.field(default_factory=list)
    left: List[Tuple[str, str]] = dataclasses.field(default_factory=list)
    """Weights that stay as they are, with the reason."""
    small: int = 0
    """How many weights have too few numbers."""
    before: int = 0
    """Bytes of the files of the model."""
    after: int = 0
    on_layer: Optional[Callable[[Layer], None]] = None

    def add(self, layer: Layer) -> None:
        self.layers.append(layer)
        if self.on_layer:
            self.on_layer(layer)
