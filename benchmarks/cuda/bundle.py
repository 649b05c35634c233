#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder that tests and measures HamKaas on a machine with a GPU.

That machine needs a Linux with glibc, the NVIDIA driver, and nothing of ours;
what its run.sh leaves out without Python, PyTorch or compute-sanitizer, it
says. HamKaas must be built (make build). With --workloads PyTorch and the other
packages of benchmarks/peers must be there, or --models have been exported
before.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import large

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = ROOT / "benchmarks" / "peers"
TESTS = ROOT / "test" / "Integration"
# In the order in which they are measured: if there is no time for all, then
# for the first.
WORKLOADS = ["sgemm_2048x2048x2048", "softmax_1024x1024", "eltwise_4m", "mlp1",
             "mlp128", "llama15m", "llama110m", "sgemm_512x512x512",
             "layernorm_1024x1024", "transpose_2048", "conv3x3_256_256_14",
             "bert_mini", "resnet50", "sgemm_4096x4096x4096", "smollm2_135m"]
# Workloads for tensor cores are measured in each precision.
PRECISIONS = ["tf32", "3xtf32", "bf16"]
ROUNDED = ["sgemm_2048x2048x2048", "sgemm_512x512x512",
           "sgemm_4096x4096x4096", "conv3x3_256_256_14"]
# The tests whose models become cases.
SUITES = {
    "op-examples": ["{reference}", "--device=cpu"],
    # A case has one tolerance, results of version 2 have parts of several types.
    "random-graphs": ["--version=1", "--seed=7", "--count={random}"],
    "windows": ["--count=10"],
    "element-types": [],
    "typed-reductions": [],
    "structural-ops": [],
    "attention": [],
    "precisions": ["--on-cpu"],
}
LIMIT = 60 << 20


def fail(text):
    sys.exit(f"bundle.py: error: {text}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    # Tests run their programs in folders of their own.
    path = lambda text: pathlib.Path(text).resolve()
    add("output", type=path, help="the folder to make")
    add("--build", type=path, default=ROOT / "build",
        help="where HamKaas was built (default: %(default)s)")
    add("--target", default="cpu,cuda",
        help="as of hamkaas-compile (default: %(default)s)")
    add("--gpu-arch", default="sm_80,sm_90",
        help="as of hamkaas-compile (default: %(default)s)")
    add("--target-cpu", default="x86-64-v3",
        help="as of hamkaas-compile (default: %(default)s)")
    add("--suites", metavar="NAME,...", default=",".join(SUITES),
        help="tests to record cases of (default: %(default)s)")
    add("--random", type=int, default=100, metavar="N",
        help="random scripts among the cases (default: %(default)s)")
    add("--large", type=int, default=1, metavar="N",
        help="large cases, their dimensions divided by N; 0 for none "
        "(default: %(default)s)")
    add("--python", default=sys.executable,
        help="interpreter with numpy, and with PyTorch for --workloads")
    add("--models", type=path,
        help="folder of exported workloads, to take and to leave there")
    add("--workloads", metavar="NAME,...", default=",".join(WORKLOADS),
        help="what to measure, or none (default: %(default)s)")
    return parser.parse_args()


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True)
    if done.returncode:
        fail(f"{' '.join(done.args)}:\n{done.stderr}")
    return done.stdout


def compile_program(options, model, library, *flags):
    """Without the header, for nothing here is linked with it."""
    library.parent.mkdir(parents=True, exist_ok=True)
    run(options.build / "bin" / "hamkaas-compile", model, *flags, "-o", library)
    library.with_suffix(".h").unlink()


#===------------------------------------------------------------------------===#
# The conformance suite
#===------------------------------------------------------------------------===#


def list_flags(options, target, architecture=None):
    """Those of hamkaas-compile that all programs for that target have."""
    flags = [f"--target={target}"]
    if "cpu" in target:
        flags.append(f"--target-cpu={options.target_cpu}")
    if "cuda" in target:
        flags.append(f"--gpu-arch={architecture or options.gpu_arch}")
    return flags


def add_large(options, folder):
    """First in the list: they are what nothing else tests."""
    target = "cuda" if "cuda" in options.target else "cpu"
    for case in large.list_large(options.large):
        if target == "cpu" and case.precision != "exact":
            continue
        model = folder / f"{case.name}.mlir"
        model.write_text(case.model)
        flags = list_flags(options, target, case.architecture)
        if target == "cuda":
            flags.append(f"--precision={case.precision}")
        compile_program(options, model, folder / f"{case.name}.so", *flags)
        compile_program(options, model, folder / f"{case.name}-reference.so",
                        *list_flags(options, "cpu"))
        model.unlink()
        with open(folder / "cases.txt", "a") as cases:
            cases.write(f"{case.name} 1 {large.TOLERANCE[case.precision]:g} "
                        f"{case.name}-reference {case.contents}\n")
    print("compiled large cases", flush=True)


def record_cases(options, folder):
    with tempfile.TemporaryDirectory() as scratch:
        shim = pathlib.Path(scratch) / "hamkaas-run"
        shim.write_text(f"#!/bin/sh\nexec {options.python} "
                        f"{HERE / 'record.py'} \"$@\"\n")
        shim.chmod(0o755)
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([scratch, str(options.build / "bin"),
                                     os.environ["PATH"]]),
            "HAMKAAS_RECORD": str(folder),
            "HAMKAAS_BIN": str(options.build / "bin"),
            "HAMKAAS_RECORD_OPTIONS": " ".join(
                list_flags(options, options.target)),
        }
        for suite in filter(None, options.suites.split(",")):
            arguments = [word.format(
                reference=options.build / "docs" / "reference",
                random=options.random) for word in SUITES[suite]]
            command = [options.python, TESTS / f"{suite}.py", *arguments]
            done = subprocess.run([str(word) for word in command],
                                  env=environment, capture_output=True,
                                  text=True)
            if done.returncode:
                fail(f"{suite} failed:\n{done.stdout}{done.stderr}")
            print(f"recorded {suite}", flush=True)
    if not (folder / "cases.txt").exists():
        fail("no case was recorded")


def add_cases(options, archive):
    """Packs them: each program has a runtime of its own, which xz, unlike gzip,
    sees again from one to the next. Returns how many."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "cases"
        folder.mkdir()
        if options.large:
            add_large(options, folder)
        record_cases(options, folder)
        with tarfile.open(archive, "w:xz") as file:
            file.add(folder, folder.name)
        return len((folder / "cases.txt").read_text().splitlines())


#===------------------------------------------------------------------------===#
# Measurements
#===------------------------------------------------------------------------===#


def list_variants(name, target):
    """The folders of a workload's programs, and the options that they differ
    by."""
    variants = {"exact": []}
    if target == "cuda":
        rounded = PRECISIONS if name in ROUNDED else []
        variants.update({kind: [f"--precision={kind}"] for kind in rounded})
        variants["cublaslt"] = ["--engine=cublaslt"]
    return variants


def add_workload(options, name, models, folder):
    """Compiles a workload. The driver gives it floats, as random as those that
    PyTorch gives the peers, so they take no place here."""
    if not (models / f"{name}.json").exists():
        run(options.python, PEERS / "workloads.py", models, name)
    # For a GPU alone a program may be faster than as a part of one for both.
    target = "cuda" if "cuda" in options.target else "cpu"
    graph = models / f"{name}.mlir"
    run(options.build / "bin" / "hamkaas-translate", "--import-onnx",
        models / f"{name}.onnx", "-o", graph)
    for kind, flags in list_variants(name, target).items():
        compile_program(options, graph, folder / kind / f"{name}.so",
                        *list_flags(options, target), *flags)
    if target == "cuda":
        compile_program(options, graph, folder / "reference" / f"{name}.so",
                        *list_flags(options, "cpu"))
    shutil.copy(models / f"{name}.json", folder)
    write_integers(options, models, folder, name)
    print(f"compiled {name}", flush=True)


def write_integers(options, models, folder, name):
    """Keeps what the tensors of a workload hold that are not floats, such as
    positions in a sequence: they decide how much is computed."""
    import numpy as np
    import onnx
    arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in
              onnx.load(models / f"{name}.onnx").graph.initializer}
    arrays.update(np.load(models / f"{name}.in.npz"))
    listed = run(options.build / "bin" / "hamkaas-cuda-driver", "describe",
                 folder / "exact" / f"{name}.so").splitlines()
    with open(folder / f"{name}.integers", "wb") as file:
        for kind, content, tensor in (line.split(" ", 2) for line in listed):
            if kind == "output" or content == "floats":
                continue
            if tensor not in arrays:
                fail(f"{name}: expected the values of {kind} '{tensor}'")
            file.write(np.ascontiguousarray(arrays[tensor]).tobytes())


def add_engines(options, folder):
    """Copies the engine libraries of programs; run.sh says where they are."""
    folder.mkdir()
    shutil.copy(options.build / "lib" / "hamkaas" / "engines" /
                "hamkaas-engine-cublaslt.so", folder)


def add_workloads(options, folder):
    folder.mkdir()
    names = [name for name in options.workloads.split(",") if name != "none"]
    if not names:
        return
    with tempfile.TemporaryDirectory() as scratch:
        models = options.models or pathlib.Path(scratch)
        models.mkdir(parents=True, exist_ok=True)
        for name in names:
            add_workload(options, name, models, folder)
    (folder / "order.txt").write_text("\n".join([*names, ""]))
    for source in PEERS.glob("*.py"):
        shutil.copy(source, folder)


def count_bytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("*")
               if file.is_file())


def main():
    options = parse_arguments()
    driver = options.build / "bin" / "hamkaas-cuda-driver"
    if not driver.exists():
        fail(f"expected {driver}; build HamKaas first (make build)")
    if options.output.exists():
        shutil.rmtree(options.output)
    shutil.copytree(HERE / "bundle", options.output)
    shutil.copy(driver, options.output)
    count = add_cases(options, options.output / "cases.tar.xz")
    add_workloads(options, options.output / "workloads")
    if "cuda" in options.target:
        add_engines(options, options.output / "engines")
    total = count_bytes(options.output)
    print(f"{options.output}: {count} cases, {total / 2**20:.1f} MiB")
    if total > LIMIT:
        fail(f"expected at most {LIMIT >> 20} MiB, got {total / 2**20:.1f}")


if __name__ == "__main__":
    main()
