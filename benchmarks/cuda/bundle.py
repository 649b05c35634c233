#!/usr/bin/env python3
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = ROOT / "benchmarks" / "peers"
TESTS = ROOT / "test" / "Integration"
WORKLOADS = ["mlp1", "mlp128", "resnet50", "bert_mini", "llama15m",
             "llama110m", "smollm2_135m", "sgemm_512x512x512", "sgemm_2048x2048x2048",
             "softmax_1024x1024", "layernorm_1024x1024", "eltwise_4m",
             "transpose_2048", "conv3x3_256_256_14"]
# The tests whose models become cases.
SUITES = {
    "op-examples": ["{reference}", "--device=cpu"],
    "random-graphs": ["--seed=7", "--count={random}"],
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
    add("--suites", metavar="NAME,...", default=",".join(SUITES),
        help="tests to record cases of (default: %(default)s)")
    add("--random", type=int, default=100, metavar="N",
        help="random scripts among the cases (default: %(default)s)")
    add("--python", default=sys.executable,
        help="interpreter with numpy, and with PyTorch for --workloads")
    add("--models", type=path,
        help="folder of exported workloads, to take and to leave there")
    add("--workloads", metavar="NAME,...", default=",".join(WORKLOADS),
        help="what to measure, or none (default: %(default)s)")
    return parser.parse_args()


#===------------------------------------------------------------------------===#
# The conformance suite
#===------------------------------------------------------------------------===#


def record_cases(options, folder):
    folder.mkdir()
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
            "HAMKAAS_RECORD_TARGET": options.target,
        }
        for suite in options.suites.split(","):
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
    """Packs them: each program has a runtime of its own. Returns how many."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "cases"
        record_cases(options, folder)
        with tarfile.open(archive, "w:gz") as file:
            file.add(folder, folder.name)
        return len((folder / "cases.txt").read_text().splitlines())


#===------------------------------------------------------------------------===#
# What is measured
#===------------------------------------------------------------------------===#


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True)
    if done.returncode:
        fail(f"{' '.join(done.args)}:\n{done.stderr}")
    return done.stdout


def add_workload(options, name, models, folder):
    """Compiles a workload. The driver gives it floats, as random as those that
    PyTorch gives the peers, so they take no place here."""
    if not (models / f"{name}.json").exists():
        run(options.python, PEERS / "workloads.py", models, name)
    tools = options.build / "bin"
    # For a GPU alone a program may be faster than as a part of one for both.
    target = "cuda" if "cuda" in options.target else "cpu"
    graph = models / f"{name}.mlir"
    run(tools / "hamkaas-translate", "--import-onnx", models / f"{name}.onnx",
        "-o", graph)
    run(tools / "hamkaas-compile", graph, f"--target={target}", "-o",
        folder / f"{name}.so")
    if target == "cuda":
        run(tools / "hamkaas-compile", graph, "--target=cuda",
            "--engine=cublaslt", "-o", folder / "engine" / f"{name}.so")
        run(tools / "hamkaas-compile", graph, "--target=cpu", "-o",
            folder / "reference" / f"{name}.so")
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
                 folder / f"{name}.so").splitlines()
    with open(folder / f"{name}.integers", "wb") as file:
        for kind, content, tensor in (line.split(" ", 2) for line in listed):
            if kind == "output" or content == "floats":
                continue
            if tensor not in arrays:
                fail(f"{name}: expected the values of {kind} '{tensor}'")
            file.write(np.ascontiguousarray(arrays[tensor]).tobytes())


def add_workloads(options, folder):
    for kind in ("engine", "reference"):
        (folder / kind).mkdir(parents=True)
    names = [name for name in options.workloads.split(",") if name != "none"]
    if not names:
        return
    with tempfile.TemporaryDirectory() as scratch:
        models = options.models or pathlib.Path(scratch)
        models.mkdir(parents=True, exist_ok=True)
        for name in names:
            add_workload(options, name, models, folder)
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
    count = add_cases(options, options.output / "cases.tar.gz")
    add_workloads(options, options.output / "workloads")
    total = count_bytes(options.output)
    print(f"{options.output}: {count} cases, {total / 2**20:.1f} MiB")
    if total > LIMIT:
        fail(f"expected at most {LIMIT >> 20} MiB, got {total / 2**20:.1f}")


if __name__ == "__main__":
    main()
