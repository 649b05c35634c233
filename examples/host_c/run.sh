#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the MNIST net and main.c into a temporary folder, runs the program,
# and fails when fewer than 93 % of the digits are read right.
#
#   examples/host_c/run.sh [FOLDER WITH THE TOOLS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mnist=$here/../mnist
tools=${1:-$here/../../build/bin}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$tools/hamkaas-compile" "$mnist/mnist.hk" --weights "$mnist/weights.safetensors" -o "$out/mnist.so"
"${CC:-clang-22}" -std=c99 -Wall -Wextra -Werror -I "$out" "$here/main.c" "$out/mnist.so" -Wl,-rpath,"$out" -o "$out/host"
"$out/host" <"$mnist/digits.npy" | tee "$out/read"

# labels.npy is a header of 128 bytes, then one byte a digit.
tr -s ' \n' '\n' <"$out/read" >"$out/digits"
tail -c +129 "$mnist/labels.npy" | head -c 128 | od -An -v -t u1 -w1 | tr -d ' ' >"$out/labels"
right=$(paste "$out/digits" "$out/labels" | awk '$1 == $2 {n++} END {print n + 0}')
echo "$right of 128 right"
[ "$right" -ge 119 ]
