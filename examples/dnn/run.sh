#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the samples against an installation and runs them:
#
#   run.sh PREFIX [DEVICE]
#
# CC and CXX name the compilers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1
device=${2:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags="-O1 -Wall -Wextra -Werror -I$prefix/include -L$prefix/lib -Wl,-rpath,$prefix/lib"
${CC:-cc} -std=c99 "$here/conv_bias_relu.c" $flags -lhamkaas -lm -o "$work/conv_bias_relu"
"$work/conv_bias_relu" "$device"
for sample in batchnorm_training attention fused_chain; do
  ${CXX:-c++} -std=c++17 "$here/$sample.cpp" $flags -lhamkaas -o "$work/$sample"
done
"$work/batchnorm_training" "$device"
"$work/attention" "$device"
"$work/fused_chain" "$device" "$work/plan.so"
