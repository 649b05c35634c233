#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shows that the benchmarks of build/ work and that all contestants agree on the
# values. Takes some seconds and downloads nothing; times decide nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "bench-smoke.sh: skipped $1: $2"
}

if [ -x build/bin/kernel-benchmark ]; then
  build/bin/kernel-benchmark --rounds=2 \
    benchmarks/kernels/{128x784x1000-fused,1x784x1000,softmax-1024x1024}.hk
else
  skip kernel-benchmark "it is not built (Debian: libbenchmark-dev)"
fi

# The peers that happen to be there; onnx writes the workloads.
python=$(scripts/find-python.sh)
if ! "$python" -c 'import onnx' 2>/dev/null; then
  skip benchmarks/peers "$python has no package onnx"
elif ! PYTHONPATH=build/python "$python" -c 'import hamkaas' 2>/dev/null; then
  skip benchmarks/peers "$python cannot import hamkaas from build/python"
else
  "$python" benchmarks/peers/run.py --python "$python" \
    --cache build/bench-smoke --peers hamkaas,numpy,ort,openvino,tract \
    --workloads small_mlp,small_conv,small_softmax \
    --rounds 2 --seconds 0.02
fi
