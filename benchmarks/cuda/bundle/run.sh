#!/bin/sh
# Tests and measures HamKaas on this machine; what comes out is in results/.
#
# usage: run.sh [--device=cuda|cuda:N|cpu] [--without-benchmark]
#
# The exit status is 0 if all that could be run is right, 1 if something is
# wrong, 2 if there is no GPU. `cpu` tests this folder without a GPU.
cd "$(dirname "$0")" || exit 1
device=cuda
benchmark=yes
for argument; do
  case $argument in
  --device=*) device=${argument#*=} ;;
  --without-benchmark) benchmark=no ;;
  *)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
  esac
done

driver=./hamkaas-cuda-driver
mkdir -p results
failed=0

if [ "$device" != cpu ]; then
  if ! reason=$($driver gpu --device="$device" 2>&1 >results/gpu.json); then
    echo "run.sh: there is no GPU to run on: $reason" >&2
    exit 2
  fi
  cat results/gpu.json
fi

echo '== Conformance'
[ -d cases ] || tar -xzf cases.tar.gz || exit 1
$driver conformance cases --device="$device" >results/conformance.txt 2>&1 ||
  failed=1
tail -n 20 results/conformance.txt

echo '== Sanitizer'
sanitizer=$(command -v compute-sanitizer ||
  ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ "$device" = cpu ]; then
  echo 'skipped: there is no kernel of a GPU to look at'
elif [ -z "$sanitizer" ]; then
  echo 'skipped: compute-sanitizer (of the CUDA toolkit) was not found'
else
  for tool in memcheck racecheck; do
    if "$sanitizer" --tool "$tool" --error-exitcode 99 \
      $driver conformance cases --device="$device" \
      >"results/$tool.txt" 2>&1; then
      echo "$tool: clean"
    else
      echo "$tool: see results/$tool.txt"
      grep -m 5 '=========' "results/$tool.txt"
      failed=1
    fi
  done
fi

echo '== Benchmark'
if [ $benchmark = no ]; then
  echo 'skipped, as asked for'
elif ! command -v python3 >/dev/null; then
  echo 'skipped: python3 was not found'
else
  python3 bench.py --device="$device" --output=results/report.md || failed=1
fi
exit $failed
