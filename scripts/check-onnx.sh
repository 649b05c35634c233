#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the backend test of the onnx package, 2005 cases, on what is built in
# build/, and compares with test/onnx/expectation.txt. Makes an environment of
# its own.
#
#   scripts/check-onnx.sh [--filter=REGEX] [--subset=fast] [--update] ...
#   scripts/check-onnx.sh models [--folder=FOLDER] ...      real models instead
#   scripts/check-onnx.sh [models] --help
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/onnx-venv

# The same cases for everyone: another version of onnx has others. What they
# expect is computed by numpy, whose version 2 transforms complex64 in float32:
# test_dft_inverse then expects 1.9e-7 in place of 0, within 1e-7.
packages="onnx==1.23.2 ml_dtypes==0.5.4 protobuf==7.36.2 numpy==1.26.4"

program=check_cases.py
if [ "${1:-}" = models ]; then
  shift
  program=check_models.py
  # To fetch the models, which computes what they should give.
  packages="$packages onnxruntime==1.31.1"
fi

if ! "$environment/bin/python" -c '
import sys
from importlib.metadata import version
for package in sys.argv[1:]:
    name, wanted = package.split("==")
    assert version(name) == wanted' $packages 2>/dev/null; then
  "$(scripts/find-python.sh)" -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    $packages
fi

PYTHONPATH=build/python exec "$environment/bin/python" \
  "test/onnx/$program" "$@"
