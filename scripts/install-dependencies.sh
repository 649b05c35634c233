#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what building HamKaas needs on Debian 12: packages by apt, and the
# Python packages that Debian lacks into .venv. Does nothing, offline and without
# a word, when all of it is there.
#
#   scripts/install-dependencies.sh [tests]      also what the tests need
set -eu
cd "$(dirname "$0")/.."

packages="
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 libclang-rt-22-dev lld-22 liblld-22-dev
  zlib1g-dev libzstd-dev
  cmake ninja-build ccache
  libgtest-dev libbenchmark-dev libjsmn-dev
  python3 python3-dev python3-venv python3-numpy graphviz"

# The first builds the Python package, the second its wheel.
python_packages="nanobind==3.1.0 scikit-build-core==1.1.2"

if [ "${1:-}" = tests ]; then
  packages="$packages clang-format-22 clang-tidy-22 protobuf-compiler valgrind zsh fish mandoc
    libopenblas-dev libdnnl-dev
    python3-pytest python3-hypothesis python3-torch"
  python_packages="$python_packages
    safetensors==0.8.0 gguf==0.19.0 llvmlite==0.50.0 ml_dtypes==0.5.4
    mypy==2.4.1 onnx==1.23.2 aiohttp==3.14.5 bochscpu-python==0.4.0"
fi

is_installed() {
  dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^.i'
}

is_available() {
  apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

fail() {
  echo "install-dependencies.sh: error: $1" >&2
  exit 1
}

missing=
if command -v dpkg-query >/dev/null; then
  for package in $packages; do
    is_installed "$package" || missing="$missing $package"
  done
fi

install_missing() {
  command -v apt-get >/dev/null ||
    fail "this system has no apt; install by hand what these Debian 12 packages
hold, then build with cmake --preset release:$(echo $packages)"

  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "these packages are missing, and installing them needs root or sudo:
 $missing"
    as_root="sudo env DEBIAN_FRONTEND=noninteractive"
  else
    export DEBIAN_FRONTEND=noninteractive
  fi

  echo "Installing by apt:$missing"
  $as_root apt-get update -qq ||
    echo "install-dependencies.sh: warning: apt-get update failed; going on with the package lists that are there" >&2

  unavailable=
  for package in $missing; do
    is_available "$package" || unavailable="$unavailable $package"
  done
  [ -z "$unavailable" ] ||
    fail "apt offers no package for:$unavailable
HamKaas needs LLVM and MLIR 22. Add an apt source that has them for this
release, for Debian 12 its security archive (suite bookworm-security) or the
packages of the LLVM project, run apt-get update and try again."

  $as_root apt-get install -y -qq --no-install-recommends $missing
}

# The Python of the system: numpy, torch and the test tools are its packages.
install_python_packages() {
  if .venv/bin/python -c '
import sys
from importlib.metadata import version
for package in sys.argv[1:]:
    name, wanted = package.split("==")
    assert version(name) == wanted' $python_packages 2>/dev/null; then
    return
  fi
  echo "Installing by pip into .venv:" $python_packages
  /usr/bin/python3 -m venv --system-site-packages .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    $python_packages
}

[ -z "$missing" ] && command -v dpkg-query >/dev/null || install_missing
install_python_packages
