# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convolutions and poolings of many shapes and compares with numpy.

usage: windows.py [--seed=S] [--count=N]

Each case is compiled for 1 and 2 threads, which must give the same bits, and
compared with a sum in double.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from formulas import convolve, windows  # noqa: E402


def tensor(shape):
    return "tensor<" + "x".join([*map(str, shape), "f32"]) + ">"


def attributes(case):
    def text(values):
        return "[" + ", ".join(map(str, values)) + "]"
    return (f"strides {text(case['strides'])} dilations "
            f"{text(case['dilations'])} pad {text(case['low'])} to "
            f"{text(case['high'])}")


def draw(rng):
    """A random case whose windows fit."""
    rank = int(rng.integers(1, 4))
    pick = lambda low, high: [int(v) for v in rng.integers(low, high, rank)]
    case = {"size": pick(1, 4), "strides": pick(1, 3), "dilations": pick(1, 3),
            "low": pick(0, 3), "high": pick(0, 3)}
    if rng.integers(2):
        case["low"] = case["high"] = [0] * rank
    case["groups"] = int(rng.choice([1, 1, 1, 2, 4]))
    depth = int(rng.choice([1, 2, 3, 8]))
    channels = int(rng.choice([1, 3, 8, 19, 40]))
    extents = [(k - 1) * d + 1 + int(rng.integers(0, 12)) for k, d in
               zip(case["size"], case["dilations"])]
    # One channel a group, or few channels of rows that fill vectors; of images,
    # in either order of the dimensions.
    case["planar"] = False
    kind = rng.integers(3)
    if kind == 0 and rank == 2:
        case["groups"], channels = 1, int(rng.integers(1, 6))
        case["strides"][1] = 1
        extents[1] += int(rng.integers(40, 80))
        case["planar"] = bool(rng.integers(2))
    elif kind == 1:
        case["groups"] = int(rng.choice([2, 5, 24, 40]))
        depth = channels = 1
        case["planar"] = rank == 2 and bool(rng.integers(2))
    case["x"] = [int(rng.integers(1, 3)), *extents, depth * case["groups"]]
    case["w"] = [*case["size"], depth, channels * case["groups"]]
    case["constant"] = bool(rng.integers(2))
    return case


def channels_first(shape):
    return [shape[0], shape[-1], *shape[1:-1]]


def make_model(case, result):
    """Convolution, offset of each channel and relu; and a pooling."""
    x, o = case["x"], [1] * (len(case["x"]) - 1) + [case["w"][-1]]
    size = "[" + ", ".join(map(str, case["size"])) + "]"
    weights = f", %w: {tensor(case['w'])} {{hamkaas.name = \"w\"}}"
    load = ""
    parameter = ""
    if case["constant"]:
        weights = ""
        parameter = (f"ml_program.global private @w(#ml_program.extern<"
                     f"{tensor(case['w'])}>) : {tensor(case['w'])}\n")
        load = (f"  %w = ml_program.global_load_const @w : "
                f"{tensor(case['w'])}\n")
    pooled = [result[0], *result[1:-1], x[-1]]
    given, returned, to_last, to_first = x, result, "", ""
    argument, final, pooled_from, more = "%x", "%2", "%x", ""
    if case["planar"]:
        given, returned = channels_first(x), channels_first(result)
        argument, final, pooled_from = "%given", "%returned", "%z"
        more = f", %z: {tensor(x)} {{hamkaas.name = \"z\"}}"
        to_last = (f"  %x = hamkaas.permute %given [0, 2, 3, 1] : "
                   f"{tensor(given)}\n")
        to_first = (f"  %returned = hamkaas.permute %2 [0, 3, 1, 2] : "
                    f"{tensor(result)}\n")
    return (f"{parameter}func.func @main({argument}: {tensor(given)} "
            f"{{hamkaas.name = \"x\"}}{weights}{more}, %b: {tensor(o)} "
            f"{{hamkaas.name = \"b\"}}) -> "
            f"({tensor(returned)} {{hamkaas.name = \"y\"}}, {tensor(pooled)} "
            f"{{hamkaas.name = \"p\"}}) {{\n{load}{to_last}"
            f"  %0 = hamkaas.conv %x, %w {attributes(case)} groups "
            f"{case['groups']} : {tensor(x)}, {tensor(case['w'])}\n"
            f"  %1 = hamkaas.add %0, %b : {tensor(result)}, {tensor(o)}\n"
            f"  %2 = hamkaas.relu %1 : {tensor(result)}\n{to_first}"
            f"  %3 = hamkaas.pool max {pooled_from} window {size} {attributes(case)} : "
            f"{tensor(x)}\n"
            f"  return {final}, %3 : {tensor(returned)}, {tensor(pooled)}\n}}\n")


def save_parameter(path, name, array):
    """Writes a safetensors file of one tensor."""
    header = json.dumps({name: {"dtype": "F32", "shape": list(array.shape),
                                "data_offsets": [0, array.nbytes]}})
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode()
                     + array.tobytes())


def run(case, arrays, folder, threads):
    command = ["hamkaas-run", str(folder / "model.mlir"), "--device=cpu",
               f"--threads={threads}"]
    for name, array in arrays.items():
        if name == "w" and case["constant"]:
            save_parameter(folder / "w.safetensors", name, array)
            command.append(f"--weights={folder}/w.safetensors")
        else:
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
            command.append(f"--input={name}={folder / name}.npy")
    command += [f"--output={name}={folder}/{name}-{threads}.npy"
                for name in ("y", "p")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case}: {done.stderr}")
    return [np.load(folder / f"{name}-{threads}.npy") for name in ("y", "p")]


def check(case, rng, folder):
    x, w = (rng.standard_normal(case[name]).astype(np.float32)
            for name in ("x", "w"))
    b = rng.standard_normal([1] * (x.ndim - 1) + [w.shape[-1]])
    b = b.astype(np.float32)
    wide = x.astype(np.float64)
    sums = convolve(wide, w.astype(np.float64), case)
    scale = convolve(np.abs(wide), np.abs(w.astype(np.float64)), case)
    rank = x.ndim - 2
    pooled = np.max(windows(wide, case["size"], case, -np.inf),
                    axis=tuple(range(rank + 2, 2 * rank + 2)))
    (folder / "model.mlir").write_text(make_model(case, sums.shape))
    planar = case["planar"]
    arrays = {"x": x, "w": w, "b": b}
    if planar:
        arrays.update(x=np.moveaxis(x, -1, 1), z=x)
    first, second = (run(case, arrays, folder, threads) for threads in (1, 2))
    for one, two in zip(first, second):
        if one.tobytes() != two.tobytes():
            sys.exit(f"{case}: the bits depend on the number of threads")
    expected = np.maximum(sums + b, 0)
    y = np.moveaxis(first[0], 1, -1) if planar else first[0]
    if (np.abs(y - expected) > 4e-6 * (scale + np.abs(b))).any():
        sys.exit(f"{case}: wrong convolution")
    if not (first[1] == pooled).all():
        sys.exit(f"{case}: wrong pooling")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.count):
            check(draw(rng), rng, pathlib.Path(folder))
    print(f"{options.count} cases are right")


if __name__ == "__main__":
    main()
