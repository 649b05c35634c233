#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configures a preset of CMakePresets.json and builds it, or some targets of it:
#
#   scripts/build.sh release [TARGET]...
#
# Compiling a file of ours takes up to 2 GB of memory, so the number of parallel
# jobs is that of the cores or what memory has room for, whichever is less. The
# environment variable CMAKE_BUILD_PARALLEL_LEVEL sets it.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

# All build folders, the wheel's too, share compiled files.
. scripts/ccache.sh

if [ -z "${CMAKE_BUILD_PARALLEL_LEVEL:-}" ]; then
  CMAKE_BUILD_PARALLEL_LEVEL=$(awk -v cores="$(nproc)" '
    /^MemAvailable:/ { jobs = int($2 / 2e6) }
    END { print jobs < 1 ? 1 : jobs < cores ? jobs : cores }' /proc/meminfo)
  export CMAKE_BUILD_PARALLEL_LEVEL
fi

# Ninja configures again by itself when a CMakeLists.txt has changed.
folder=build
case $preset in
  release | demo) ;;
  *) folder=build-$preset ;;
esac
# The demo shares the folder of the release, which may grow but not shrink.
built=demo
! grep -qs '^HAMKAAS_ONNX:BOOL=ON$' "$folder/CMakeCache.txt" || built=release
[ "$preset:$built" != demo:release ] || preset=release
python=$(command -v "$(scripts/find-python.sh)")
if [ ! -f "$folder/build.ninja" ] || [ "$preset:$built" = release:demo ] || [ CMakePresets.json -nt "$folder/build.ninja" ] ||
  ! grep -q "^Python3_EXECUTABLE:.*=$python\$" "$folder/CMakeCache.txt"; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  cmake --preset "$preset" -DPython3_EXECUTABLE="$python" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
fi
cmake --build --preset "$preset" ${1:+--target "$@"}
