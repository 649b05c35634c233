# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys

# NOTE: a module, because lit sends tests to other processes.
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import leveltest

config.name = "HamKaas"
config.test_format = leveltest.LevelTest(execute_external=False)
# ".textproto" is the text of an ONNX model, which `%encode_onnx` makes one.
config.suffixes = [".mlir", ".hk", ".test", ".textproto"]
config.excludes = ["Inputs", "unit", "fuzz"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.hamkaas_binary_dir, "test")


def find_python():
    """The Python that CMake uses, or the first with numpy: a version manager's
    may lack it."""
    for python in (config.python, "python3", "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", "import numpy"], check=True,
                           capture_output=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            continue
    lit_config.fatal("no python3 with numpy found (Debian: python3-numpy)")


def find_missing_for_python_tests(python):
    """Why the tests of the Python package cannot run, or an empty text."""
    package = os.path.join(config.hamkaas_binary_dir, "python")
    if not glob.glob(os.path.join(package, "hamkaas", "_native*.so")):
        return "the package was not built"
    result = subprocess.run(
        [python, "-c", "import pytest, hypothesis, hamkaas"],
        env={**os.environ, "PYTHONPATH": package}, capture_output=True,
        text=True)
    return result.stderr.strip().rpartition("\n")[2]


path = os.pathsep.join([
    os.path.join(config.hamkaas_binary_dir, "bin"), config.llvm_tools_dir,
    os.environ["PATH"]])
config.environment["PATH"] = path
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"
# Tests test the compiler, not what it compiled before.
config.environment["HAMKAAS_CACHE_DIR"] = ""
for variable in ("HAMKAAS_TEST_DATA", "HAMKAAS_MAX_CPU", "HAMKAAS_CPU_FEATURES",
                 "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
if "HAMKAAS_TEST_DATA" in os.environ:
    config.available_features.add("test-data")
if os.path.isdir(os.environ.get("HAMKAAS_MODELS", "")):
    config.available_features.add("onnx-models")
if config.sanitize:
    config.available_features.add("sanitizer")
    # LLVM's arena allocator poisons what it has not handed out. Our code, which
    # is instrumented, creates arenas from which libMLIR, which is not, allocates
    # without lifting the poison again.
    options = config.environment.get("ASAN_OPTIONS")
    config.environment["ASAN_OPTIONS"] = ":".join(
        filter(None, ["allow_user_poisoning=0", options]))
if config.benchmarks:
    config.available_features.add("benchmarks")
for engine in ("openblas", "onednn"):
    if os.path.exists(f"{config.hamkaas_binary_dir}/lib/hamkaas/engines/"
                      f"hamkaas-engine-{engine}.so"):
        config.available_features.add(engine)
if config.fuzzers:
    config.available_features.add("fuzzers")
if config.shared_library:
    config.available_features.add("shared-library")

python = find_python()
# find_spec, because importing torch takes seconds.
if subprocess.run([python, "-c", "import importlib.util, sys\n"
                   "sys.exit(importlib.util.find_spec('torch') is None)"],
                  capture_output=True).returncode == 0:
    config.available_features.add("torch")
if subprocess.run([python, "-c", "import llvmlite"],
                  capture_output=True).returncode == 0:
    config.available_features.add("llvmlite")
if subprocess.run([python, "-c", "import gguf"],
                  capture_output=True).returncode == 0:
    config.available_features.add("gguf")
else:
    lit_config.note("the tests of GGUF blocks cannot run: gguf is not installed")
# The expectation of test/onnx is that of this version's cases.
if subprocess.run([python, "-c",
                   "import onnx; assert onnx.__version__ == '1.23.2'"],
                  capture_output=True).returncode == 0:
    config.available_features.add("onnx")
else:
    lit_config.note("the tests of ONNX models cannot run: onnx 1.23.2 is not "
                    "installed")
for feature, program in (("gcc", "g++"), ("pkg-config", "pkg-config"),
                         ("ccache", "ccache"), ("valgrind", "valgrind"),
                         ("fish", "fish"), ("mandoc", "mandoc"),
                         ("zsh", "zsh"), ("make", "make"), ("git", "git")):
    if shutil.which(program):
        config.available_features.add(feature)

# An x86 emulator: it has the levels that the machine lacks. Programs of a build
# with sanitizers call these, which it cannot load.
if config.sanitize:
    lit_config.note("no tests run in an emulator: the build has sanitizers")
else:
    result = subprocess.run(
        [python, f"{config.test_source_root}/Inputs/emulator.py"],
        env={**os.environ, **config.environment}, capture_output=True,
        text=True)
    if result.returncode == 0:
        config.available_features.add("emulator")
    else:
        lit_config.note("no tests can run in an emulator: " +
                        result.stderr.strip().rpartition("\n")[2])


def find_level():
    """The instruction set level of this machine, as the compiler sees it."""
    model = os.path.join(config.test_source_root, "Tools/Inputs/scale.hk")
    try:
        report = subprocess.run(
            ["hamkaas-compile", model, "--report"], capture_output=True,
            text=True, env={**os.environ, **config.environment}).stdout
    except OSError:
        report = ""
    found = re.match(r"\S+ for (x86-64\S*),", report)
    return found[1] if found else None


level = find_level()
if level:
    here = leveltest.up_to(level)
    config.available_features.update(f"isa-{name}" for name in here)
    missing = leveltest.LEVELS[len(here):]
    other = ("emulated or unsupported" if "emulator" in
             config.available_features else "unsupported")
    lit_config.note(f"instruction set levels that run: {', '.join(here)}; "
                    f"{other}: {', '.join(missing) or 'none'}")
    config.emulation = {
        "PATH": f"{config.test_source_root}/Inputs/Emulated:{path}",
        "HAMKAAS_EMULATOR_PYTHON": python, "HAMKAAS_EMULATED_ABOVE": level}
else:
    config.emulation = {}
    lit_config.note("the tests of instruction set levels cannot run: "
                    "hamkaas-compile tells none")


def has_gpu():
    """Whether there is an NVIDIA GPU to run on."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return (driver.cuInit(0) == 0 and driver.cuDeviceGetCount(
        ctypes.byref(count)) == 0 and count.value > 0)


if has_gpu():
    config.available_features.add("cuda")
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")
if os.access(config.ptxas, os.X_OK):
    config.available_features.add("ptxas")
else:
    lit_config.note("the tests of PTX cannot run: no ptxas of a CUDA toolkit "
                    "was found")

# The compiler runs these two as programs of one toolkit.
cuda_toolkit = os.path.dirname(os.path.dirname(config.ptxas))
if ("ptxas" in config.available_features and
        os.path.dirname(config.fatbinary) == os.path.dirname(config.ptxas) and
        os.access(config.fatbinary, os.X_OK)):
    config.available_features.add("fatbinary")
else:
    lit_config.note("the tests of machine code for GPUs cannot run: no ptxas "
                    "and fatbinary of a CUDA toolkit were found")

missing = find_missing_for_python_tests(python)
if missing:
    lit_config.note(f"the tests of the Python package cannot run: {missing}")
else:
    config.available_features.add("python-package")

config.substitutions += [
    ("%pytest", f"env PYTHONPATH={config.hamkaas_binary_dir}/python {python} "
      "-m pytest -q -rs -p no:cacheprovider -o faulthandler_timeout=300"),
    ("%check_ptx", f"{python} {config.test_source_root}/Inputs/check-ptx.py "
      f"{config.ptxas}"),
    ("%ptxas", config.ptxas),
    ("%onnx_models", os.environ.get("HAMKAAS_MODELS", "")),
    ("%cuda_toolkit", cuda_toolkit),
    ("%python", python),
    # A driver of NVIDIA GPUs for machines without one.
    ("%with_fake_cuda", "env LD_LIBRARY_PATH="
      f"{config.hamkaas_binary_dir}/test/unit/Runtime/FakeCuda"),
    ("%llvm_library_dir", config.llvm_library_dir),
    ("%encode_onnx", "protoc --encode=onnx.ModelProto --proto_path="
      f"{config.test_source_root}/Frontend/ONNX/Inputs onnx.proto"),
    ("%source", config.hamkaas_source_dir),
    ("%engines", f"{config.hamkaas_binary_dir}/lib/hamkaas/engines"),
    ("%build", config.hamkaas_binary_dir),
    ("%cc", config.c_compiler),
    ("%cxx", config.cxx_compiler),
    ("%cmake", config.cmake),
]
