#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles digits.onnx and main.c into a temporary folder and runs the program,
# which fine-tunes the network. Fails if it then reads less than 80 % right.
#
#   examples/finetune/run.sh [FOLDER WITH THE TOOLS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mnist=$here/../mnist
tools=${1:-$here/../../build/bin}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$tools/hamkaas-compile" "$here/digits.onnx" --train --loss=cross_entropy \
  --optimizer=adam:lr=3e-3 --freeze='layer1.*' -o "$out/train.so"
"${CC:-clang-22}" -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror \
  -I "$out" "$here/main.c" "$out/train.so" -Wl,-rpath,"$out" -o "$out/finetune"
size=$(wc -c <"$out/train.so")
echo "train.so: $((size / 1000)) KB"
[ "$size" -lt 1000000 ]
"$out/finetune" "$mnist/digits.npy" "$mnist/labels.npy" \
  "$out/tuned.safetensors" >"$out/result" || { cat "$out/result"; exit 1; }
cat "$out/result"
awk '$1 == "after:" {exit !($2 >= 80)}' "$out/result"
