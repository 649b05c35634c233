"""Runs a program whose standard error is a terminal, and prints what came there:
at-terminal.py PROGRAM ARGUMENT... Ends with its status."""

import os
import pty
import subprocess
import sys

terminal, end = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=end)
os.close(end)
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:
    pass  # So a terminal ends whose other side is closed.
sys.stdout.buffer.write(text)
sys.exit(process.wait())
