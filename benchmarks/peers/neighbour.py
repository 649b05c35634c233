# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies 64 MB from one place to another without end, on the last processor.

Writes a line when it begins. It stands for another tenant of the machine, who
shares the caches and the memory, and ends with the process that started it.
"""

import os
import sys

import numpy as np

BYTES = 64 << 20


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    source = np.zeros(BYTES, np.uint8)
    copy = np.ones_like(source)
    parent = os.getppid()
    sys.stdout.write("\n")
    sys.stdout.flush()
    while os.getppid() == parent:
        np.copyto(copy, source)


if __name__ == "__main__":
    main()
