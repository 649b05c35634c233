# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Byte pair encoding: neighbours are joined, the best pair first."""

from __future__ import annotations

import heapq
from typing import Callable, Optional, Sequence

# (priority, joined symbol) of two neighbours, or None if they stay apart. The
# smallest priority is joined first.
Rule = Callable[[bytes, bytes], Optional[tuple[float, bytes]]]


def merge(symbols: Sequence[bytes], rule: Rule) -> list[bytes]:
    """Joins neighbours until no rule applies; of equal pairs the first.

    Takes n log n steps for n symbols, so that long texts are no trouble.

    >>> merge([b"a", b"b", b"b"], lambda l, r: (0, l + r) if l == b"a" else None)
    [b'ab', b'b']
    """
    items: list[Optional[bytes]] = list(symbols)
    following = list(range(1, len(items) + 1))
    preceding = list(range(-1, len(items) - 1))
    heap: list[tuple[float, int, bytes, bytes, bytes]] = []

    def consider(left: int) -> None:
        right = following[left] if left >= 0 else len(items)
        if right >= len(items):
            return
        first, second = items[left], items[right]
        assert first is not None and second is not None
        found = rule(first, second)
        if found:
            heapq.heappush(heap, (found[0], left, first, second, found[1]))

    for i in range(len(items)):
        consider(i)
    while heap:
        _, left, first, second, joined = heapq.heappop(heap)
        right = following[left]
        # One of the two may be gone, or part of a longer symbol, by now.
        if right >= len(items) or (items[left], items[right]) != (first,
                                                                  second):
            continue
        items[left], items[right] = joined, None
        following[left] = following[right]
        if following[left] < len(items):
            preceding[following[left]] = left
        consider(preceding[left])
        consider(left)
    return [item for item in items if item is not None]
