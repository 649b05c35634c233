#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every test: the whole suite on the optimised build, clang-tidy on what the
# branch changes, the Python package in a clean environment, the benchmarks for
# some seconds, the suite again under AddressSanitizer and
# UndefinedBehaviorSanitizer, the fuzzers for a short while, the planner and the
# emulator with assertions, and what has threads under ThreadSanitizer. Goes on
# after a failure, ends with the totals.
#
#   scripts/check.sh [release] [tidy] [wheel] [bench] [asan] [fuzz] [debug]
#                    [tsan]                                   (default: these)
#   scripts/check.sh tidy-all                 clang-tidy on all code, most of an hour
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
fuzz_seconds=${FUZZ_SECONDS:-30}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Adds one test that passes when its command does.
run_step() {
  local name=$1
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "FAILED: $name"
    failed=$((failed + 1))
    return 1
  fi
}

# Sums the numbers of lit's summary lines "  Passed: 12 (3.45%)" that match.
count() {
  sed -nE "s/^ *($1) *: *([0-9]+).*/\2/p" "$log" | awk '{n += $1} END {print n + 0}'
}

# Adds what lit reports; a suite that fails without a report counts as one.
run_suite() {
  local preset=$1
  echo "== test suite, preset $preset"
  cmake --build --preset "$preset" --target check-hamkaas 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  local bad
  bad=$(count 'Failed|Timed Out|Unresolved|Unexpectedly Passed')
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1
  fi
  passed=$((passed + $(count 'Passed|Expectedly Failed')))
  failed=$((failed + bad))
}

check_release() {
  run_step "build, preset release" scripts/build.sh release && run_suite release
}

# The files that clang-tidy reads, with the headers of ours that they include.
tidy_regex='(lib|tools|python/src)/.*\.cpp'

# A file takes 13 s of a core. So only the newest commits of the branch are read,
# as many as change at most 24 files together, and only what is found in changed
# lines counts.
tidy_changes() {
  local main base next
  main=$(git merge-base HEAD origin/main 2>/dev/null ||
    git merge-base HEAD main 2>/dev/null || echo HEAD)
  base=HEAD
  for next in $(git rev-list "$main..HEAD"); do
    next=$(git rev-parse "$next^")
    [ "$(git diff --name-only "$next" | grep -cE "^$tidy_regex\$")" -le 24 ] || break
    base=$next
  done
  git diff --unified=0 "$base" | clang-tidy-diff-22.py -p1 -path build -quiet \
    -only-check-in-db -clang-tidy-binary clang-tidy-22 -j "$(nproc)" \
    -regex "$tidy_regex"
}

check_tidy() {
  [ -f build/compile_commands.json ] || scripts/build.sh release || return
  run_step "clang-tidy on changes" tidy_changes
}

check_tidy-all() {
  [ -f build/compile_commands.json ] || scripts/build.sh release || return
  run_step "clang-tidy on everything" run-clang-tidy-22 -p build -quiet \
    -clang-tidy-binary clang-tidy-22 -j "$(nproc)" "$tidy_regex"
}

check_asan() {
  run_step "build, preset asan" scripts/build.sh asan && run_suite asan
}

# libFuzzer writes to its first folder, so that the corpus of the tree, the
# second, stays as it is. Why arenas are not poisoned: test/lit.cfg.py.
fuzz_one() {
  local fuzzer=$1 name found
  name=$(basename "$fuzzer")
  found=$(mktemp -d)
  local arguments=("$found")
  [ -d "test/fuzz/corpus/$name" ] && arguments+=("test/fuzz/corpus/$name")
  [ -f "test/fuzz/$name.dict" ] && arguments+=("-dict=test/fuzz/$name.dict")
  ASAN_OPTIONS=allow_user_poisoning=0 \
    "$fuzzer" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix=build-asan/ \
    "${arguments[@]}"
  local status=$?
  rm -rf "$found"
  return $status
}

# The package that users install.
check_wheel() {
  run_step "wheel in a clean environment" scripts/check-wheel.sh build/wheel
}

check_bench() {
  run_step "benchmarks" scripts/bench-smoke.sh
}

check_fuzz() {
  local fuzzer
  for fuzzer in build-asan/bin/*-fuzzer; do
    run_step "$(basename "$fuzzer"), $fuzz_seconds s" fuzz_one "$fuzzer"
  done
}

# Code without LLVM and threads, with assertions.
check_debug() {
  local tests=(HamKaasPlannerTests HamKaasEmulationTests) name
  run_step "build, preset debug" scripts/build.sh debug "${tests[@]}" || return
  for name in "${tests[@]}"; do
    run_step "$name with assertions" "build-debug/bin/$name" --gtest_brief=1
  done
}

# The libraries whose code shares memory between threads. Not the compiler, for
# LLVM is not instrumented: its locks and once-flags would look like races.
check_tsan() {
  local tests=(HamKaasRuntimeTests HamKaasCudaTests HamKaasCodeCacheTests)
  run_step "build, preset tsan" scripts/build.sh tsan "${tests[@]}" || return
  run_step "runtime under ThreadSanitizer" \
    build-tsan/bin/HamKaasRuntimeTests --gtest_brief=1
  run_step "GPU runtime under ThreadSanitizer" \
    build-tsan/bin/HamKaasCudaTests --gtest_brief=1
  run_step "code cache under ThreadSanitizer" \
    build-tsan/bin/HamKaasCodeCacheTests --gtest_brief=1
}

for part in "${@:-release tidy wheel bench asan fuzz debug tsan}"; do
  for name in $part; do
    "check_$name"
  done
done

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
