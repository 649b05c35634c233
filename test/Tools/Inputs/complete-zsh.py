# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completes lines in zsh as Tab does: complete-zsh.py FOLDER LINE...

It completes at a terminal alone. The scripts are in the folder.
"""

import os
import pty
import select
import sys
import time

READY = "ready>"


def read(file, until):
    """The output up to a text, or of 20 seconds."""
    text, end = "", time.monotonic() + 20
    while until not in text and time.monotonic() < end:
        if select.select([file], [], [], 0.1)[0]:
            text += os.read(file, 4096).decode()
    return text


process, terminal = pty.fork()
if process == 0:
    os.environ.update(TERM="dumb", PS1=READY)
    os.execlp("zsh", "zsh", "-f", "-i")
read(terminal, READY)
# A line ends with what Tab makes of it and '#', which is written behind.
os.write(terminal, f"fpath=({sys.argv[1]} $fpath); autoload -U compinit; "
                   "compinit -u -D; unsetopt beep; PS1=go'>'\n".encode())
read(terminal, "go>")
for line in sys.argv[2:]:
    os.write(terminal, line.encode() + b"\t#")
    print(read(terminal, "#").strip("#").replace("\x07", ""))
    os.write(terminal, b"\x15")  # Wipes the line.
os.write(terminal, b"exit\n")
os.waitpid(process, 0)
