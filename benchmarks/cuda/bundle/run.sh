#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests and measures HamKaas on this machine.
#
# usage: run.sh [STAGE...] [OPTION...]
#
#   look       what there is here, and one case      60 s
#   right      all cases, compute-sanitizer on some  300 s
#   own        times of HamKaas                      360 s
#   peers      times of PyTorch and cuBLASLt         300 s
#   questions  times that decide what to improve     240 s
#   rest       times of inductor                     600 s
#
# Without a STAGE, all of them in this order. What is known is in the results
# from then on, whatever ends this program later.
#
#   --device=cuda|cuda:N|cpu  cpu tests this folder without a GPU
#   --results=FOLDER          where they go (default: results)
#   --limit=N                 seconds for each stage
#   --seconds=S               to measure each model for (default: 0.5)
#   --after=CASE              right: the case behind which to begin
#   --workloads=NAME,...      own, peers, rest: what to measure
#
# The environment variable PYTHON names the Python that has PyTorch.
#
# The exit status is 0 if all that could be run is right, 1 if something is
# wrong, 2 if there is no GPU.
usage() {
  sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit 1
}

here=$(cd "$(dirname "$0")" && pwd) || exit 1
script=$here/$(basename "$0")
device=cuda results= limit= seconds=0.5 after= workloads= inside= stages=
for argument; do
  case $argument in
  --device=*) device=${argument#*=} ;;
  --results=*) results=${argument#*=} ;;
  --limit=*) limit=${argument#*=} ;;
  --seconds=*) seconds=${argument#*=} ;;
  --after=*) after=${argument#*=} ;;
  --workloads=*) workloads=${argument#*=} ;;
  --inside) inside=yes ;;
  look | right | own | peers | questions | rest) stages="$stages $argument" ;;
  *) usage ;;
  esac
done
results=${results:-$here/results}
mkdir -p "$results" || exit 1
results=$(cd "$results" && pwd)
cd "$here" || exit 1
driver=./hamkaas-cuda-driver
PYTHON=${PYTHON:-python3}
# Where the driver keeps machine code that it makes of PTX.
CUDA_CACHE_PATH=${CUDA_CACHE_PATH:-$here/cache}
# Programs name the engine libraries of the machine that compiled them.
HAMKAAS_ENGINE_PATH=$here/engines${HAMKAAS_ENGINE_PATH:+:$HAMKAAS_ENGINE_PATH}
export CUDA_CACHE_PATH HAMKAAS_ENGINE_PATH

seconds_of() {
  case $1 in
  look) echo 60 ;;
  right | peers) echo 300 ;;
  own) echo 360 ;;
  questions) echo 240 ;;
  rest) echo 600 ;;
  esac
}

#===------------------------------------------------------------------------===#
# Shared functions
#===------------------------------------------------------------------------===#

# PyTorch brings cuBLASLt in a place where nobody else looks: below a package
# `nvidia` in one of the folders that Python imports from.
find_cublaslt() {
  [ -z "$HAMKAAS_CUBLASLT" ] || return 0
  found=$("$PYTHON" -c 'import sys; print(*filter(None, sys.path), sep="\n")' \
    2>/dev/null | while read -r folder; do
    find "$folder/nvidia" -name 'libcublasLt.so.1?' 2>/dev/null | sort -r
  done | head -n 1)
  [ -z "$found" ] || export HAMKAAS_CUBLASLT="$found"
}

note_state() {
  command -v nvidia-smi >/dev/null || return 0
  echo "$1 $(timeout 10 nvidia-smi --format=csv,noheader --query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu,driver_version 2>&1)" \
    >>"$results/look.txt"
}

unpack() {
  [ -f cases/cases.txt ] && return
  # Under another name first: of what is unpacked in part, cases would fail.
  # Where tar has no xz, Python may have.
  rm -rf unpacked && mkdir unpacked &&
    { tar -xJf cases.tar.xz -C unpacked 2>/dev/null ||
      "$PYTHON" -m tarfile -e cases.tar.xz unpacked; } &&
    rm -rf cases && mv unpacked/cases cases && rmdir unpacked
}

# Of lines.
commas() { tr '\n' ',' | sed 's/,$//'; }

count() { grep -c "$1" "$results/conformance.txt"; }

#===------------------------------------------------------------------------===#
# look
#===------------------------------------------------------------------------===#

describe_machine() {
  echo "== $(date)"
  uname -sr
  nproc
  timeout 10 nvidia-smi -q -d CLOCK,PERFORMANCE,COMPUTE 2>&1 | head -n 120
  for program in "$PYTHON" gcc ptxas compute-sanitizer nsys ncu; do
    command -v $program
  done
  for module in torch triton torchvision onnxruntime jax; do
    timeout 30 "$PYTHON" -c \
      "import $module; print('$module', $module.__version__)" 2>&1 | tail -n 1
  done
  find_cublaslt
  echo "cuBLASLt: ${HAMKAAS_CUBLASLT:-none of PyTorch}"
}

measure_ceilings() {
  [ "$device" = cpu ] && return
  for what in gpu ceilings; do
    timeout 30 $driver $what --device="$device" 2>&1
  done
}

# The first is PTX alone, of which the driver makes machine code, and the second
# has machine code.
run_first_cases() {
  timeout 50 $driver conformance cases --device="$device" \
    --only="$(cut -d' ' -f1 cases/cases.txt | head -n 2 | commas)" 2>&1
}

# Cases first: if they fail, their message is what is needed.
look() {
  status=0
  run_first_cases >"$results/look.new" || status=1
  cat "$results/look.new" | tee -a "$results/look.txt"
  rm -f "$results/look.new"
  measure_ceilings | tee -a "$results/look.txt"
  describe_machine 2>&1 | tee -a "$results/look.txt" | tail -n 10
  return $status
}

#===------------------------------------------------------------------------===#
# right
#===------------------------------------------------------------------------===#

find_last() { sed -n 's/^run //p' "$results/conformance.txt" | tail -n 1; }

# A case that has no result was ended, perhaps with all else.
close_case() {
  [ -f "$results/conformance.txt" ] || return
  case $(grep -E '^(run|passed|FAILED|skipped) ' "$results/conformance.txt" |
    tail -n 1) in
  'run '*) echo "FAILED $(find_last): $1" >>"$results/conformance.txt" ;;
  esac
}

# Goes on in a new process where a case has ended one, or lost the GPU.
run_cases() {
  close_case 'ended from outside'
  touch "$results/conformance.txt"
  last=${after:-$(find_last)}
  while [ "$last" != "$(tail -n 1 cases/cases.txt | cut -d' ' -f1)" ]; do
    $driver conformance cases --device="$device" ${last:+--after="$last"} \
      >>"$results/conformance.txt" 2>&1
    status=$?
    before=$last
    last=$(find_last)
    [ $status -gt 128 ] && close_case "ended by signal $((status - 128))"
    [ $status -gt 2 ] && [ "$last" != "$before" ] || break
  done
}

# CUDA_LAUNCH_BLOCKING names the kernel.
repeat_failures() {
  sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$results/conformance.txt" | head -n 10 |
    while read -r name; do
      CUDA_LAUNCH_BLOCKING=1 $driver conformance cases --device="$device" \
        --only="$name" --case-seconds=10 2>&1
    done >>"$results/failures.txt"
}

# The cases that compute-sanitizer runs: small ones of all kinds, and of the
# large ones those with parts of tiles. Under a tool, each takes seconds.
list_small_cases() {
  awk 'NF == 3 { name[++n] = $1 }
    END { step = n / 20; for (i = 0; i < 20 && i < n; ++i)
      print name[1 + int(i * (step > 1 ? step : 1))] }' cases/cases.txt
}
list_large_cases() {
  awk 'NF > 3 && $1 ~ /ragged|attention|transpose/ { print $1 }' cases/cases.txt
}

# sanitize TOOL CASE,...: what it says goes to a file named for both.
sanitize() {
  log=$results/sanitizer/$1-${2%%,*}.txt
  timeout "$sanitize_seconds" "$sanitizer" --tool "$1" --error-exitcode 99 \
    $driver conformance cases --device="$device" --case-seconds=0 --only="$2" \
    >"$log" 2>&1
  echo "$? $1 $2" >>"$results/sanitizer/status.txt"
}

# Begins both tools on all these cases. They run beside each other and beside
# the cases: nothing is measured meanwhile.
begin_sanitizers() {
  sanitizer=$(command -v compute-sanitizer ||
    ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  [ "$device" != cpu ] && [ -n "$sanitizer" ] || return
  sanitize_seconds=$((limit > 30 ? limit - 20 : limit))
  rm -rf "$results/sanitizer"
  mkdir "$results/sanitizer"
  for tool in memcheck racecheck; do
    for some in "$(list_small_cases | commas)" $(list_large_cases); do
      [ -z "$some" ] || sanitize $tool "$some" &
    done
  done
}

# Prints what they found, once all have ended.
report_sanitizers() {
  if [ "$device" = cpu ]; then
    echo 'compute-sanitizer: skipped, there is no kernel of a GPU to look at'
    return
  elif [ -z "$sanitizer" ]; then
    echo 'compute-sanitizer: skipped, it (of the CUDA toolkit) was not found'
    return
  fi
  wait
  echo "compute-sanitizer: $(grep -c '^0 ' "$results/sanitizer/status.txt") runs clean, $(
    grep -vc '^0 ' "$results/sanitizer/status.txt") not"
  grep -v '^0 ' "$results/sanitizer/status.txt" | while read -r status tool some; do
    echo "$tool of $some: status $status"
    grep -m 5 '=========' "$results/sanitizer/$tool-${some%%,*}.txt"
  done
  ! grep -qv '^0 ' "$results/sanitizer/status.txt"
}

# A process of its own, for it loses the GPU.
check_failures() {
  model=$(ls workloads/exact/*.so 2>/dev/null | head -n 1)
  [ "$device" != cpu ] && [ -n "$model" ] || return 0
  $driver failures "$model" --device="$device" >"$results/errors.txt" 2>&1
  status=$?
  echo "errors: $(grep -c '^passed' "$results/errors.txt") as expected"
  grep -v '^passed' "$results/errors.txt"
  return $status
}

right() {
  failed=
  begin_sanitizers
  run_cases
  skipped=$(count '^skipped ')
  [ "$skipped" -gt 0 ] || skipped=
  echo "$(count '^passed ') passed, $(count '^FAILED ') failed${skipped:+, $skipped skipped} of $(
    wc -l <cases/cases.txt) on $device"
  grep '^FAILED ' "$results/conformance.txt" | cut -c1-300 | head -n 20
  [ "$device" = cpu ] || repeat_failures
  report_sanitizers || failed=1
  check_failures || failed=1
  [ -z "$failed" ] || return 1
  [ "$(count '^FAILED ')" -eq 0 ] && [ "$(count '^passed ')" -gt 0 ]
}

#===------------------------------------------------------------------------===#
# Times
#===------------------------------------------------------------------------===#

# Ends by itself before it is ended.
bench() {
  if ! command -v "$PYTHON" >/dev/null; then
    echo "skipped: $PYTHON was not found"
    return
  fi
  find_cublaslt
  [ -s workloads/order.txt ] || return 0
  "$PYTHON" bench.py --device="$device" --results="$results" \
    --seconds="$seconds" --total-seconds=$((limit > 20 ? limit - 10 : limit)) \
    ${workloads:+--workloads="$workloads"} "$@"
}

own() {
  bench --contestants=hamkaas,hamkaas-tf32,hamkaas-3xtf32,hamkaas-bf16,hamkaas-cublaslt
}

peers() { bench --contestants=eager,tf32,bf16,cublaslt; }

# Each of these compiles for a minute.
rest() {
  workloads=${workloads:-$(for name in mlp128 llama110m softmax_1024x1024 \
    layernorm_1024x1024 bert_mini resnet50; do
    grep -x $name workloads/order.txt
  done | commas)}
  [ -z "$workloads" ] || bench --contestants=inductor
}

questions() {
  if [ "$device" = cpu ]; then
    echo 'skipped: they are about a GPU'
    return
  fi
  find_cublaslt
  {
    $driver questions --device="$device" 2>&1
    # Does a graph of cuBLASLt take other addresses, or is it made anew?
    for kind in exact cublaslt; do
      for flag in '' --alternate; do
        model=workloads/$kind/sgemm_512x512x512.so
        [ ! -f $model ] || $driver time $model --device="$device" $flag 2>&1 |
          sed "s/^{/{\"question\": \"time $kind $flag\", /"
      done
    done
  } | tee -a "$results/questions.jsonl"
}

#===------------------------------------------------------------------------===#
# All of them
#===------------------------------------------------------------------------===#

# In a process that can be ended with all that it has started.
run_stage() {
  echo "== $1"
  seconds_left=${limit:-$(seconds_of "$1")}
  note_state "before $1:"
  timeout -k 5 "$seconds_left" sh "$script" --inside "$1" --device="$device" \
    --results="$results" --limit="$seconds_left" --seconds="$seconds" \
    --after="$after" --workloads="$workloads" &
  running=$!
  wait $running
  status=$?
  close_case "the time of the stage was over"
  note_state "after $1:"
  [ $status -ne 124 ] || echo "$1: $seconds_left s were over"
  return $status
}

unpack || exit 1
if [ -n "$inside" ]; then
  $stages
  exit
fi
running=
trap '[ -z "$running" ] || kill $running; exit 143' INT TERM
if [ "$device" != cpu ] && ! reason=$(timeout 30 $driver gpu --device="$device" 2>&1); then
  echo "run.sh: there is no GPU to run on: $reason" >&2
  exit 2
fi
failed=0
for stage in ${stages:-look right own peers questions rest}; do
  run_stage "$stage" || failed=1
done
exit $failed
