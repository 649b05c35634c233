# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 2, 4 and 8 bits with block scales in ONNX models, against numpy.

usage: block-weights.py [--against=onnxruntime] [DEVICE...]

With onnxruntime, its results have to agree as well.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper


def pack(codes, bits):
    """Rows of codes in bytes, from the lowest bits on."""
    per_byte = 8 // bits
    padding = -codes.shape[-1] % per_byte
    codes = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, padding)])
    codes = codes.reshape(*codes.shape[:-1], -1, per_byte).astype(np.uint8)
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    return np.bitwise_or.reduce(codes << shifts, axis=-1).astype(np.uint8)


@dataclasses.dataclass
class Case:
    bits: int
    block: int
    rows: int
    columns: int
    zeros: str = "none"  # or "packed" or "floats"
    dtype: type = np.float32
    shape: tuple = (3,)  # of the left side but for its rows' length
    has_bias: bool = False
    has_groups: bool = False


PRODUCTS = [
    Case(4, 32, 24, 64), Case(4, 32, 24, 64, "packed"),
    Case(4, 16, 7, 80, "floats", has_bias=True), Case(4, 128, 16, 200, "packed"),
    Case(2, 16, 5, 48, "packed"), Case(2, 32, 8, 100), Case(8, 32, 9, 96),
    Case(8, 64, 9, 100, "packed", has_bias=True), Case(8, 16, 4, 32, "floats"),
    Case(4, 32, 24, 64, "packed", np.float16, has_bias=True),
    Case(4, 32, 12, 96, shape=(2, 2), has_groups=True),
    # More elements than constants of a program have.
    Case(4, 32, 320, 512, "packed", shape=(1,)),
    Case(2, 32, 1024, 512, shape=(5,)), Case(8, 32, 256, 512),
]

# Types, shapes, axes and blocks of DequantizeLinear before a product; no block
# for a scale an index of the axis, no axis for one scale.
LINEAR = [("INT4", [64, 24], 0, 16), ("UINT4", [64, 24], 0, 32),
          ("INT8", [64, 24], 1, 8), ("UINT8", [60, 24], 0, 32),
          ("INT4", [64, 24], 1, None), ("UINT8", [64, 24], -1, None),
          ("UINT4", [64, 24], None, None), ("INT8", [512, 320], 0, 64),
          ("INT4", [512, 320], -2, 32), ("UINT4", [9, 5], 0, 3),
          ("INT2", [64, 24], 0, 16)]
GATHERS = [Case(4, 16, 9, 48), Case(4, 32, 9, 96, "packed"),
           Case(8, 16, 9, 40, "packed"), Case(4, 128, 600, 512, "packed"),
           Case(4, 32, 9, 64, dtype=np.float16),
           Case(4, 64, 9, 24, "packed")]


def make_weights(case, rng):
    blocks = -(-case.columns // case.block)
    codes = rng.integers(0, 2**case.bits, [case.rows, blocks * case.block])
    scales = (rng.random([case.rows, blocks]) / 2**case.bits).astype(case.dtype)
    zeros = np.full([case.rows, blocks], 2**(case.bits - 1), np.float64)
    if case.zeros == "packed":
        zeros = rng.integers(0, 2**case.bits, [case.rows, blocks])
    elif case.zeros == "floats":
        zeros = rng.random([case.rows, blocks]) * 2**case.bits
    stored = {"none": None, "packed": pack(zeros.astype(np.uint8), case.bits),
              "floats": zeros.astype(case.dtype)}[case.zeros]
    if case.zeros == "floats":
        zeros = stored.astype(np.float64)
    values = ((codes - np.repeat(zeros, case.block, 1))
              * np.repeat(scales.astype(np.float64), case.block, 1))
    return codes, scales, stored, values[:, :case.columns]


def add_constants(named):
    return [array if isinstance(array, onnx.TensorProto)
            else numpy_helper.from_array(array, name)
            for name, array in named.items() if array is not None]


def make_graph(nodes, constants, x, opset=21):
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", element, x.shape)],
        [onnx.ValueInfoProto(name="y")], add_constants(constants))
    return helper.make_model(
        graph, ir_version=10,
        opset_imports=[helper.make_opsetid("", opset),
                       helper.make_opsetid("com.microsoft", 1)])


def make_product(case, rng):
    codes, scales, zeros, values = make_weights(case, rng)
    packed = pack(codes.reshape(case.rows, -1, case.block), case.bits)
    x = rng.standard_normal([*case.shape, case.columns]).astype(case.dtype)
    bias = rng.standard_normal(case.rows).astype(case.dtype)
    groups = np.arange(case.columns, dtype=np.int32) // case.block
    constants = {"w": packed, "s": scales, "z": zeros,
                 "g": groups if case.has_groups else None,
                 "b": bias if case.has_bias else None}
    names = ["x", *(n if c is not None else "" for n, c in constants.items())]
    while not names[-1]:
        names.pop()
    node = helper.make_node(
        "MatMulNBits", names, ["y"], domain="com.microsoft", K=case.columns,
        N=case.rows, bits=case.bits, block_size=case.block)
    expected = x.astype(np.float64) @ values.T
    magnitude = np.abs(x).astype(np.float64) @ np.abs(values).T
    if case.has_bias:
        expected += bias.astype(np.float64)
    return make_graph([node], constants, x), x, expected, magnitude


def make_gather(case, rng):
    codes, scales, zeros, values = make_weights(case, rng)
    packed = pack(codes[:, :case.columns], case.bits)
    x = rng.integers(0, case.rows, [2, 3])
    constants = {"w": packed, "s": scales, "z": zeros}
    names = ["w", "x", "s", *(["z"] if zeros is not None else [])]
    node = helper.make_node(
        "GatherBlockQuantized", names, ["y"], domain="com.microsoft",
        gather_axis=0, quantize_axis=1, block_size=case.block, bits=case.bits)
    expected = values[x]
    return make_graph([node], constants, x), x, expected, np.abs(expected)


def make_linear(case, rng):
    kind, shape, axis, block = case
    bits, least = int(kind[-1]), 0 if kind[0] == "U" else -2**(int(kind[-1]) - 1)
    codes = rng.integers(least, least + 2**bits, shape)
    size = [] if axis is None else [shape[axis]]
    if block:
        size = list(shape)
        size[axis] = -(-shape[axis] // block)
    scales = (rng.random(size) / 2**bits).astype(np.float32)
    zeros = rng.integers(least, least + 2**bits, size)

    def spread(values):
        if block:
            whole = np.repeat(values, block, axis)
            return np.take(whole, range(shape[axis]), axis)
        if axis is not None:
            values = values.reshape(
                [-1 if i == axis % 2 else 1 for i in range(2)])
        return values

    values = (codes - spread(zeros)) * spread(scales.astype(np.float64))
    x = rng.standard_normal([3, shape[0]]).astype(np.float32)
    element = onnx.TensorProto.DataType.Value(kind)
    constants = {
        "w": helper.make_tensor("w", element, shape, codes.reshape(-1)),
        "s": scales,
        "z": helper.make_tensor("z", element, size, zeros.reshape(-1))}
    given = {"axis": axis, "block_size": block}
    nodes = [helper.make_node(
        "DequantizeLinear", ["w", "s", "z"], ["v"],
        **{name: value for name, value in given.items() if value is not None}),
        helper.make_node("MatMul", ["x", "v"], ["y"])]
    opset = 25 if bits == 2 else 21
    return (make_graph(nodes, constants, x, opset), x,
            x.astype(np.float64) @ values,
            np.abs(x).astype(np.float64) @ np.abs(values))


def run_ours(model, x, device, folder):
    np.save(folder / "x.npy", x)
    subprocess.run(["hamkaas-run", model, f"--device={device}",
                    f"--input=x={folder}/x.npy", f"--output=y={folder}/y.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "y.npy")


def run_onnxruntime(model, x):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    # It rounds activations to 8 bits otherwise.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level",
                                     "1")
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": x})[0]


def check(what, got, dtype, expected, magnitude):
    assert got.dtype == dtype and got.shape == expected.shape, (
        what, got.dtype, got.shape)
    error = 1e-3 if dtype == np.float16 else 1e-6
    wrong = ~(np.abs(got - expected) <= error * (magnitude + np.abs(expected)))
    if np.any(wrong):
        sys.exit(f"{what}: expected {expected[wrong][0]}, got {got[wrong][0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--against", choices=["onnxruntime"])
    parser.add_argument("devices", nargs="*")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    cases = [*((case, make_product) for case in PRODUCTS),
             *((case, make_gather) for case in GATHERS),
             *((case, make_linear) for case in LINEAR)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.onnx"
        for case, make in cases:
            proto, x, expected, magnitude = make(case, rng)
            onnx.save(proto, model)
            dtype = getattr(case, "dtype", np.float32)
            for device in options.devices:
                got = run_ours(model, x, device, folder)
                check(f"{device} {case}", got, dtype, expected, magnitude)
            # It has no 8 bits with zero points of floats.
            if options.against and not (case in PRODUCTS and case.bits == 8
                                        and case.zeros == "floats"):
                check(f"onnxruntime {case}", run_onnxruntime(model, x), dtype,
                      expected, magnitude)
    print(f"{len(cases)} cases, no errors")


if __name__ == "__main__":
    main()
