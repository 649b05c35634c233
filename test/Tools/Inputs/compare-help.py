# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless a manual page has the options of --help: compare-help.py TOOL PAGE."""

import re
import subprocess
import sys

tool, page = sys.argv[1:]
text = subprocess.run([tool, "--help"], capture_output=True, text=True,
                      check=True).stdout
shown = set(re.findall(r"^ +(--?[\w-]+)", text, re.MULTILINE))
shown.discard("--help-list")
with open(page) as file:
    roff = file.read().replace("\\-", "-")
described = set(re.findall(r"^\.TP\n\\fB(--?[\w-]+)", roff, re.MULTILINE))
assert shown == described, shown ^ described
