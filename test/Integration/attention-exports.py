# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what is recognised in PyTorch's exports of models with attention.

usage: attention-exports.py HAMKAAS_TESTS FOLDER

FOLDER has the graphs that Inputs/export_attention.py wrote, and in
expectation.txt a line for each of them: how many operations of each kind the
optimized graph has, and why weights times values are no attention where they are
not. Each graph is read as every opset that the exporters wrote it for, and
computed for the first one by the compiler and by the interpreter.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

RAISED = ["attention", "layer_norm", "rms_norm", "gelu", "silu"]
LENGTH = 6


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options)


def encode(tests, text, opset, path):
    """Writes the graph as a model of the opset, and returns its inputs."""
    text += f"opset_import {{ version: {opset} }}\n"
    model = run("protoc", "--encode=onnx.ModelProto",
                f"--proto_path={tests}/Frontend/ONNX/Inputs", "onnx.proto",
                input=text.encode()).stdout
    path.write_bytes(model)
    return re.findall(r'^  input {.*?name: "(\w+)"', text, re.MULTILINE)


def optimize(model):
    """The optimized graph and why weights times values are no attention."""
    graph = run("hamkaas-translate", "--import-onnx", model).stdout
    name = "hamkaas-raise-attention"
    result = run("hamkaas-opt", "--hamkaas-to-graph", "--remark-format=emitRemark",
                 f"--remarks-filter-missed={name}", input=graph)
    reasons = re.findall(r'\[Missed\] attention .* Reason="(.*)"',
                         result.stderr.decode())
    return result.stdout.decode(), reasons


def describe(graph, reasons):
    """`attention 1, gelu 1; not recognised: REASON`."""
    counts = collections.Counter(re.findall(r"hamkaas\.(\w+)", graph))
    kinds = [f"{kind} {counts[kind]}" for kind in RAISED if counts[kind]]
    missed = [f"not recognised: {reason}" for reason in reasons]
    return "; ".join(filter(None, [", ".join(kinds), *missed]))


def write_mask(folder):
    """Where a query may look; the first nowhere, which gives zeros."""
    mask = np.tril(np.ones([LENGTH, LENGTH], bool), -1)
    np.save(folder / "mask.npy", mask)
    return folder / "mask.npy"


def compare(model, inputs, mask):
    """Computes with the compiled model and with the interpreter."""
    values = {name: "random" for name in inputs}
    if mask:
        values[inputs[-1]] = mask
    return run("hamkaas-run", model, "--check-against=reference",
               *(f"--input={name}={value}" for name, value in values.items()))


def check(tests, path, folder):
    text = path.read_text()
    opsets = re.search("^# opsets (.*)$", text, re.MULTILINE)[1].split()
    model = folder / "model.onnx"
    found = set()
    for opset in opsets:
        inputs = encode(tests, text, opset, model)
        found.add(describe(*optimize(model)))
        if opset == opsets[0]:
            compare(model, inputs, "bool-mask" in path.name and
                    write_mask(folder))
    return f"{path.stem}: {' or '.join(sorted(found))}"


def main():
    tests, exports = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rng = np.random.default_rng(0)
        weights = rng.uniform(-0.5, 0.5, 1 << 15).astype(np.float32)
        weights.tofile(folder / "weights.bin")
        found = [check(tests, path, folder)
                 for path in sorted(exports.glob("*.textproto"))]
    print(*found, sep="\n")
    expected = (exports / "expectation.txt").read_text().splitlines()
    if found != expected:
        sys.exit("this is not what expectation.txt says")


try:
    main()
except subprocess.CalledProcessError as error:
    sys.exit(f"{' '.join(map(str, error.cmd))}:\n"
             f"{error.stdout.decode()}{error.stderr.decode()}")
