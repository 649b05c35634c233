#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints the Python 3 that builds and tests use: that which
# install-dependencies.sh made, or the first that has numpy. A version manager's
# python3 may come first in PATH and lack what apt installed for the system's.
root=$(cd "$(dirname "$0")/.." && pwd)
for python in "$root/.venv/bin/python" python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    echo "$python"
    exit 0
  fi
done
echo "find-python.sh: error: no python3 with numpy found" >&2
exit 1
