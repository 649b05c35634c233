# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights behind DequantizeLinear have the bits of products with
the floats that these stand for, and kernels that read the codes. Products by
integers are close.

usage: dequantize-linear.py
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RANGES = {TensorProto.INT4: (-8, 8), TensorProto.UINT4: (0, 16),
          TensorProto.INT8: (-128, 128), TensorProto.UINT8: (0, 256)}
ROWS, DEPTH, COLUMNS = 5, 64, 24

# Name, type, axis, block (0: none), zero point (None: none), transposed weights,
# and the bits of a code in memory (0: floats).
CASES = [
    ("blocks along the depth", TensorProto.INT4, 0, 32, None, False, 4),
    ("blocks with a zero point", TensorProto.UINT4, 0, 32, 8, False, 4),
    ("blocks with a signed zero point", TensorProto.INT4, 0, 32, -3, False, 4),
    ("blocks with signed zero points", TensorProto.INT4, 1, 32, "drawn", True, 8),
    ("blocks with zero points", TensorProto.UINT4, 0, 16, "drawn", False, 8),
    ("transposed blocks", TensorProto.INT4, 1, 32, None, True, 4),
    ("a scale a column", TensorProto.INT8, 1, 0, None, False, 8),
    ("a scale a column of 4 bits", TensorProto.INT4, 1, 0, 0, False, 4),
    ("a scale a row, transposed", TensorProto.INT8, 0, 0, None, True, 8),
    ("one scale", TensorProto.INT8, None, 0, None, False, 8),
    ("one scale and the middle", TensorProto.UINT8, None, 0, 128, False, 8),
    ("one zero point", TensorProto.UINT8, None, 0, 100, False, 8),
    ("a zero point of 0", TensorProto.UINT8, 1, 0, None, False, 8),
    ("a signed zero point", TensorProto.INT8, 1, 0, -128, False, 8),
    ("zero points of 8 bits", TensorProto.UINT8, 1, 0, "drawn", False, 0),
    ("a scale an element of the depth", TensorProto.INT8, 0, 0, None, False, 0),
]


def draw(case, rng):
    """The codes, scales and zero points of the weights."""
    _, kind, axis, block, zero, is_transposed, _ = case
    shape = [COLUMNS, DEPTH] if is_transposed else [DEPTH, COLUMNS]
    low, high = RANGES[kind]
    codes = rng.integers(low, high, shape)
    counts = [] if axis is None else [shape[axis]]
    if block:
        counts = list(shape)
        counts[axis] //= block
    scales = (rng.random(counts) * 0.01 + 0.001).astype(np.float32)
    zeros = np.zeros(counts, np.int64)
    if zero == "drawn":
        zeros = rng.integers(low, high, counts)
    elif zero is not None:
        zeros = np.full(counts, zero)
    return codes, scales, zeros


def expand(array, shape, axis, block):
    """One number for each weight."""
    if block:
        return np.repeat(array, block, axis)
    if axis is None:
        return np.broadcast_to(array, shape)
    return np.broadcast_to(array[:, None] if axis == 0 else array, shape)


def write(path, case, weights, nodes):
    is_transposed = case[5]
    product = (helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)
               if is_transposed else helper.make_node("MatMul", ["x", "w"], ["y"]))
    graph = helper.make_graph(
        [*nodes, product], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, DEPTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS, COLUMNS])],
        weights)
    onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21)]), path)


def make(folder, case, rng):
    """Writes the model with codes and the one with floats."""
    _, kind, axis, block, zero, _, _ = case
    codes, scales, zeros = draw(case, rng)
    attributes = {} if axis is None else {"axis": axis}
    if block:
        attributes["block_size"] = block
    weights = [helper.make_tensor("c", kind, codes.shape, codes.flatten().tolist()),
               numpy_helper.from_array(scales, "s")]
    names = ["c", "s"]
    if zero is not None:
        weights.append(helper.make_tensor("z", kind, zeros.shape,
                                          zeros.flatten().tolist()))
        names.append("z")
    write(folder / "codes.onnx", case, weights,
          [helper.make_node("DequantizeLinear", names, ["w"], **attributes)])
    difference = codes - expand(zeros, codes.shape, axis, block)
    floats = difference.astype(np.float32) * expand(scales, codes.shape, axis,
                                                    block)
    write(folder / "floats.onnx", case, [numpy_helper.from_array(floats, "w")], [])


def run(folder, name, *options):
    subprocess.run(["hamkaas-run", folder / f"{name}.onnx", *options,
                    f"--input=x={folder}/x.npy", f"--output=y={folder}/y.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "y.npy")


def count_bits(folder):
    """Of the codes that the kernel reads; 0 if it reads floats."""
    kernels = subprocess.run(["hamkaas-compile", folder / "codes.onnx",
                              "--emit=kernels", "-o", "-"], check=True,
                             capture_output=True, text=True).stdout
    _, found, rest = kernels.partition("hamkaas.dequantize_panels")
    return int(rest.split(" bits ")[1].split()[0]) if found else 0


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        np.save(folder / "x.npy",
                rng.standard_normal([ROWS, DEPTH]).astype(np.float32))
        for case in CASES:
            make(folder, case, rng)
            expected, got = run(folder, "floats"), run(folder, "codes")
            if not np.array_equal(expected, got):
                sys.exit(f"{case[0]}: expected {expected}, got {got}")
            rounded = run(folder, "codes", "--quantized-products=int8")
            error = np.abs(rounded - expected).max() / np.abs(expected).max()
            if not error < 0.02:
                sys.exit(f"{case[0]}: products of integers are off by {error}")
            if count_bits(folder) != case[-1]:
                sys.exit(f"{case[0]}: expected codes of {case[-1]} bits, got "
                         f"{count_bits(folder)}")
    print("no errors")


if __name__ == "__main__":
    main()
