#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every test: the whole suite on the optimised build, clang-tidy on what the
# branch changes, the Python package in a clean environment, the benchmarks for
# some seconds, the planner and the emulator with assertions, what has threads
# under ThreadSanitizer, the suite again under AddressSanitizer and
# UndefinedBehaviorSanitizer, and the fuzzers for a short while. Goes on after a
# failure, ends with what failed, and the totals.
#
# One or two tests of a suite that fail are run once more, and an input that
# crashes a fuzzer as well: if they pass then, they are listed as failures that
# did not repeat, with their output, and count as passed.
#
#   scripts/check.sh [release] [tidy] [wheel] [bench] [debug] [tsan] [asan] [fuzz]
#                                                            (default: these)
#   scripts/check.sh tidy-all                 clang-tidy on all code, most of an hour
#
# CHECK_MINUTES bounds the time of what follows the release suite, for machines
# that end a longer run: the suite under sanitizers then runs in random order for
# what is left, 12 minutes at most. What had no time is listed at the end.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
fuzz_seconds=${FUZZ_SECONDS:-30}
log=$(mktemp)
failures=$(mktemp)
not_run=()
trap 'rm -f "$log" "$failures"' EXIT

# The seconds that are left of CHECK_MINUTES; a day where it is not set.
seconds_left() {
  echo $((${CHECK_MINUTES:-1440} * 60 - SECONDS))
}

print_time() {
  echo "== after $((SECONDS / 60)) min: $*"
}

# Adds the end of what is read to the failures listed at the end.
note_failure() {
  { echo "-- $1"; tail -n 60; } >>"$failures"
}

# Adds one test that passes when its command does.
run_step() {
  local name=$1
  shift
  print_time "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "FAILED: $name"
    echo "$name" | note_failure "failed"
    failed=$((failed + 1))
    return 1
  fi
}

# Sums the numbers of lit's summary lines "  Passed: 12 (3.45%)" that match.
count() {
  sed -nE "s/^ *($1) *: *([0-9]+).*/\2/p" "$log" | awk '{n += $1} END {print n + 0}'
}

# The names of the failed tests in lit's report.
list_failed() {
  sed -nE 's/^(FAIL|TIMEOUT|UNRESOLVED): HamKaas :: ([^ ]*) .*/\2/p' "$log"
}

# The output of one failed test in lit's report.
print_failed() {
  awk -v title="TEST 'HamKaas :: $1' FAILED" \
    'index($0, title) {on = 1} on {print} on && /^\*+$/ {exit}' "$log"
}

# Runs one or two failed tests again. Fails if there are more or one fails again.
repeat_failed() {
  local preset=$1 names
  mapfile -t names < <(list_failed)
  [ "${#names[@]}" -gt 0 ] && [ "${#names[@]}" -le 2 ] || return
  echo "== failed tests again, preset $preset"
  # Without a deadline: a skipped test would count as passed.
  LIT_FILTER="($(IFS='|'; echo "${names[*]}"))\$" \
    env -u HAMKAAS_TEST_SECONDS cmake --build --preset "$preset" --target check-hamkaas
}

# Adds what lit reports; a suite that fails without a report counts as one.
run_suite() {
  local preset=$1 name
  print_time "test suite, preset $preset"
  cmake --build --preset "$preset" --target check-hamkaas 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  local bad
  bad=$(count 'Failed|Timed Out|Unresolved|Unexpectedly Passed')
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1
  fi
  passed=$((passed + $(count 'Passed|Expectedly Failed')))
  if [ "$bad" -gt 0 ]; then
    for name in $(list_failed); do
      print_failed "$name" | note_failure "$name, preset $preset"
    done
    if repeat_failed "$preset"; then
      echo "not repeated" | note_failure "the failures of preset $preset"
      passed=$((passed + bad))
      bad=0
    fi
  fi
  failed=$((failed + bad))
}

check_release() {
  run_step "build, preset release" scripts/build.sh release && run_suite release
}

# The files that clang-tidy reads, with the headers of ours that they include.
tidy_regex='(lib|tools|python/src)/.*\.cpp'

# A file takes 13 s of a core. So only the newest commits of the branch are read,
# as many as change at most 24 files together, and only what is found in changed
# lines counts. On main itself they are the newest of main.
tidy_changes() {
  local main base next range=HEAD
  main=$(git merge-base HEAD origin/main 2>/dev/null ||
    git merge-base HEAD main 2>/dev/null)
  if [ -n "$main" ] && [ "$main" != "$(git rev-parse HEAD)" ]; then
    range=$main..HEAD
  fi
  base=HEAD
  for next in $(git rev-list --first-parent -n 100 "$range"); do
    next=$(git rev-parse --verify --quiet "$next^") || break
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
  local seconds name="preset asan"
  # A second build, for which nothing is left to do, counts and shows errors.
  print_time "build, $name"
  timeout "$(seconds_left)" scripts/build.sh asan
  if [ $? -eq 124 ]; then
    not_run+=("build and suite, $name")
    return
  fi
  run_step "build, $name" scripts/build.sh asan || return
  # Some are kept for the four fuzzers.
  seconds=$(($(seconds_left) - 4 * fuzz_seconds - 20))
  if [ -n "${CHECK_MINUTES:-}" ] && [ "$seconds" -gt 720 ]; then
    seconds=720
  fi
  LIT_OPTS=--order=random HAMKAAS_TEST_SECONDS=$seconds run_suite asan
  [ "$(count Skipped)" -eq 0 ] || not_run+=("$(count Skipped) tests, $name")
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
    "${arguments[@]}" 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]} input
  rm -rf "$found"
  [ "$status" -ne 0 ] || return 0
  note_failure "$name" <"$log"
  input=$(sed -nE 's/.*Test unit written to (.*)/\1/p' "$log" | tail -n 1)
  [ -f "$input" ] || return "$status"
  base64 "$input" | note_failure "the input of $name in base64"
  ASAN_OPTIONS=allow_user_poisoning=0 "$fuzzer" -timeout=10 "$input" || return
  echo "not repeated" | note_failure "$name"
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
    # Without them, the build had no time, or its failure is counted.
    [ -f "$fuzzer" ] || continue
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

for part in "${@:-release tidy wheel bench debug tsan asan fuzz}"; do
  for name in $part; do
    if [ "$(seconds_left)" -gt 0 ]; then
      "check_$name"
    else
      not_run+=("$name")
    fi
  done
done

if [ -s "$failures" ]; then
  echo "== failures"
  cat "$failures"
fi
for name in "${not_run[@]}"; do
  echo "not run for lack of time: $name"
done
print_time "the end"
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
