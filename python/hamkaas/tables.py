# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors and memory as texts and tables for people."""

from __future__ import annotations

import html
from typing import Any, Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

from .arrays import Shape, item_size

# Tensors that a line of text names.
_SHOWN = 4


class TensorInfo(NamedTuple):
    """An input, output, parameter or state of a model."""

    name: str
    dtype: "np.dtype[Any]"
    shape: Shape


def make_tensors(
        table: Iterable[Tuple[str, Any, Shape]]) -> Tuple[TensorInfo, ...]:
    """The tensors that the native module lists."""
    return tuple(TensorInfo(*row) for row in table)


def count_bytes(tensor: TensorInfo) -> int:
    """The bytes of the elements."""
    size = item_size(tensor.dtype)
    for length in tensor.shape:
        size *= length
    return size


def format_bytes(count: int) -> str:
    """Short, for people.

    >>> [format_bytes(size) for size in (1, 512, 12_500, 3_000_000)]
    ['1 byte', '512 bytes', '12.5 kB', '3 MB']
    """
    if count < 1000:
        return format_count(count, "byte")
    value, units = count / 1000, ["kB", "MB", "GB", "TB", "PB", "EB"]
    while value >= 999.95:
        value /= 1000
        units.pop(0)
    return f"{value:.1f}".removesuffix(".0") + " " + units[0]


def format_count(count: int, what: str) -> str:
    """E.g. ``1 kernel``, ``1,200 kernels``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def describe_tensors(tensors: Sequence[TensorInfo]) -> str:
    """E.g. ``x: float32 [1, 3], y: int64 [1]``; of many the first ones."""
    texts = [f"{tensor.name}: {tensor.dtype} {list(tensor.shape)}"
             for tensor in tensors[:_SHOWN]]
    if len(tensors) > _SHOWN:
        texts.append(f"... {len(tensors) - _SHOWN} more")
    return ", ".join(texts)


def _make_row(cells: Sequence[str], kind: str) -> str:
    style = ' style="text-align: left"'
    return "<tr>" + "".join(f"<{kind}{style}>{html.escape(cell)}</{kind}>"
                            for cell in cells) + "</tr>"


def make_html_table(title: str, tensors: Sequence[TensorInfo]) -> str:
    """A table of tensors under its title; nothing for none."""
    if not tensors:
        return ""
    rows: List[str] = [_make_row([title, "type", "shape", "size"], "th")]
    rows += [_make_row([tensor.name, str(tensor.dtype), str(list(tensor.shape)),
                        format_bytes(count_bytes(tensor))], "td")
             for tensor in tensors]
    return f"<table>{''.join(rows)}</table>"
