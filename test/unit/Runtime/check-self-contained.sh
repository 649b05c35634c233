#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: check-self-contained.sh <nm> <C compiler> <archive>...
#
# Fails if the archives together need more than libc. Exits with 77 (skipped)
# where they are instrumented and therefore need a sanitizer's library.
set -eu
nm=$1 compiler=$2
shift 2

undefined=$("$nm" -u "$@" | sed -n 's/^ *U //p' | sort -u)
case $undefined in
*__asan_* | *__tsan_* | *__ubsan_*) exit 77 ;;
esac
defined=$("$nm" --defined-only "$@" | sed -n 's/.* [A-Z] //p')
failed=0
for symbol in $undefined; do
  case $symbol in
  _ZN7hamkaas* | _ZNK7hamkaas* | HamKaas*)
    echo "$defined" | grep -qx -- "$symbol" && continue ;;
  _Z* | __cxa_* | __gxx_* | _Unwind_* | __cpu_*) ;;
  *) continue ;;
  esac
  echo "error: expected names of libc only, got $symbol"
  failed=1
done

# The C compiler links no C++ library, and -z defs refuses what is missing.
library=$(mktemp)
trap 'rm -f "$library"' EXIT
"$compiler" -shared -o "$library" -Wl,-z,defs -Wl,--whole-archive "$@" \
  -Wl,--no-whole-archive
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for name in $needed; do
  case $name in
  libc.so.* | libm.so.* | ld-linux*) ;;
  *)
    echo "error: expected to need libc only, got $name"
    failed=1
    ;;
  esac
done
exit $failed
