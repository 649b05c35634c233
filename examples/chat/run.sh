#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles a GGUF file and chat.c into a temporary folder and runs the program,
# which chats.
#
#   examples/chat/run.sh MODEL.gguf [TEMPERATURE]
#
# BUILD is the folder of a build of HamKaas, by default that of the repository.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$build/bin/hamkaas-compile" "$1" --context=1024 --cache-type=f16 \
  --external-weights -o "$out/chat.so"
"${CC:-clang-22}" -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -Werror \
  -I "$out" -I "$here/../../include" "$here/chat.c" "$out/chat.so" \
  "$build/lib/libHamKaasTokenizer.a" "$build/lib/libHamKaasRuntime.a" \
  -Wl,-rpath,"$out" -pthread -lm -o "$out/chat"
"$out/chat" "$@"
