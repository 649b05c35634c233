# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program whose standard output nobody reads: closed-pipe.py PROGRAM...

Prints what it says, and whether the signal of a closed pipe ended it.
"""

import signal
import subprocess
import sys

# NOTE: Popen gives the program the default of the signal, which Python ignores.
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
process.stdout.close()
print(process.stderr.read(), process.wait() == -signal.SIGPIPE)
