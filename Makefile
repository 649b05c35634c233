# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The two commands of the README. Each is complete on a fresh Debian 12 that has
# git and make: it installs what is missing (as root or through sudo), builds
# with CMake and runs. Everything else is a CMake preset or target.

.PHONY: help demo check check-release check-asan check-onnx fuzz-smoke \
	bench-smoke build cuda-bundle \
	dependencies test-dependencies

help:
	@echo 'make demo          build two tools and read handwritten digits (examples/mnist)'
	@echo 'make check         build and run all tests'
	@echo 'make build         build only, into build/'
	@echo 'make check-release the tests on the optimised build'
	@echo 'make check-asan    the tests under the address and undefined-behaviour sanitizers'
	@echo 'make check-onnx    the backend test of the onnx package (ARGS=--help)'
	@echo 'make bench-smoke   whether the benchmarks work, in seconds'
	@echo 'make cuda-bundle   a folder that tests and measures on a machine with a GPU (ARGS=--help)'
	@echo 'make fuzz-smoke    30 seconds of fuzzing (FUZZ_SECONDS=600 for more)'

# Only the tools that the demo runs: neither tests nor the Python package.
demo: dependencies
	@scripts/build.sh demo hamkaas-compile hamkaas-run
	@python=$$(scripts/find-python.sh) && $$python examples/mnist/demo.py

check: test-dependencies
	@scripts/check.sh

check-release: test-dependencies
	@scripts/check.sh release

check-asan: test-dependencies
	@scripts/check.sh asan

check-onnx: build
	@scripts/check-onnx.sh $(ARGS)

fuzz-smoke: test-dependencies
	@scripts/build.sh asan
	@scripts/check.sh fuzz

bench-smoke: build
	@scripts/bench-smoke.sh

build: dependencies
	@scripts/build.sh release

dependencies:
	@scripts/install-dependencies.sh

test-dependencies:
	@scripts/install-dependencies.sh tests

cuda-bundle: build
	@python=$$(scripts/find-python.sh) && \
	  $$python benchmarks/cuda/bundle.py build/cuda-bundle $(ARGS)
