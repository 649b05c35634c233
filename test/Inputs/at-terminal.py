# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program whose standard error is a terminal, with --both its standard
output, too, and prints what came there: at-terminal.py [--both] PROGRAM
ARGUMENT... Ends with its status."""

import os
import pty
import subprocess
import sys

command = sys.argv[1:]
both = command[0] == "--both"
terminal, end = pty.openpty()
process = subprocess.Popen(command[both:], stderr=end,
                           stdout=end if both else subprocess.DEVNULL)
os.close(end)
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:
    pass  # So a terminal ends whose other side is closed.
sys.stdout.buffer.write(text)
sys.exit(process.wait())
