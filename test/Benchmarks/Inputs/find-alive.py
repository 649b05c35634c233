# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if one of the processes that a file lists still runs."""

import pathlib
import sys

for pid in pathlib.Path(sys.argv[1]).read_text().split():
    status = pathlib.Path(f"/proc/{pid}/stat")
    # Nobody may have asked for the status of one that has ended.
    if status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z":
        sys.exit(f"process {pid} runs")
