#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the wheel and tries it in a fresh virtual environment, which gets
# nothing else but numpy: scripts/check-wheel.sh [FOLDER of the wheel]
set -eu
cd "$(dirname "$0")/.."
wheels=${1:-dist}
. scripts/ccache.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps \
  --wheel-dir "$wheels" .
/usr/bin/python3 -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  "$wheels"/hamkaas-*.whl
# Not from here, where the sources could be imported.
examples=$PWD/examples smoke=$PWD/test/python/smoke.py
cd "$scratch"
env -u PYTHONPATH "$scratch/venv/bin/python" "$smoke" "$examples"
