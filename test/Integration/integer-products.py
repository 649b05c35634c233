# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies bytes less zero points, and compares with numpy.

usage: integer-products.py [--seed=S] [--count=N] [--target-cpu=LEVEL]
                           [--tiles]

Half of the cases have extremes alone, whose products saturate where 16 bits
hold the sum of two. Half have weights that fit into signed bytes, and half a
zero point of the left side that is an input. With --tiles, processors with AMX
multiply by tiles in all cases. All cases run on 1 and 2 threads, and without the instructions that only some processors of a level have; all sums
must be exact.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from formulas import convolve  # noqa: E402

TYPES = {"i8": np.int8, "ui8": np.uint8}


def tensor(shape, element):
    return "tensor<" + "x".join([*map(str, shape), element]) + ">"


def draw_bytes(rng, shape, element, extremes):
    info = np.iinfo(TYPES[element])
    if extremes:
        return rng.choice([info.min, info.max], shape).astype(TYPES[element])
    return rng.integers(info.min, info.max + 1, shape).astype(TYPES[element])


def draw(rng):
    """A random product, of matrices or of images and windows."""
    case = {"types": [str(rng.choice(list(TYPES))) for _ in range(2)],
            "extremes": bool(rng.integers(2)),
            "constant": bool(rng.integers(2)), "conv": bool(rng.integers(2)),
            "fits": bool(rng.integers(2)), "given": bool(rng.integers(2))}
    if not case["conv"]:
        m, k, n = (int(rng.choice([1, 2, 3, 7, 16, 33, 70, 200]))
                   for _ in range(3))
        batch = [int(rng.integers(2, 4))] if rng.integers(4) == 0 else []
        return case | {"x": [*batch, m, k], "w": [*batch, k, n]}
    pick = lambda low, high: [int(v) for v in rng.integers(low, high, 2)]
    case |= {"size": pick(1, 4), "strides": pick(1, 3), "low": pick(0, 2),
             "dilations": pick(1, 3), "high": pick(0, 2),
             "groups": int(rng.choice([1, 1, 2, 8]))}
    extents = [(k - 1) * d + 1 + int(rng.integers(0, 12)) for k, d in
               zip(case["size"], case["dilations"])]
    depth = int(rng.choice([1, 3, 8, 17]))
    channels = int(rng.choice([1, 8, 19, 40]))
    return case | {
        "x": [int(rng.integers(1, 3)), *extents, depth * case["groups"]],
        "w": [*case["size"], depth, channels * case["groups"]]}


def draw_for_tiles(rng):
    """A product with constant weights that fit, some rows and whole words."""
    pick = lambda *values: int(rng.choice(values))
    case = {"types": [str(rng.choice(list(TYPES))) for _ in range(2)],
            "extremes": bool(rng.integers(2)), "constant": True,
            "conv": bool(rng.integers(2)), "fits": True,
            "given": bool(rng.integers(2))}
    n = pick(16, 33, 70)
    if not case["conv"]:
        k = pick(16, 64, 76, 200)
        return case | {"x": [pick(8, 9, 33, 70), k], "w": [k, n]}
    size, depth = [pick(1, 3), pick(2, 3)], pick(16, 48, 64)
    return case | {"size": size, "strides": [1, pick(1, 2)], "low": [0, 0],
                   "dilations": [1, 1], "high": [0, pick(0, 1)], "groups": 1,
                   "x": [1, pick(3, 5), pick(20, 43), depth],
                   "w": [*size, depth, n]}


def product(case):
    """The operation, up to its operands' types."""
    if not case["conv"]:
        return "hamkaas.matmul %x32, %w32"
    text = lambda values: "[" + ", ".join(map(str, values)) + "]"
    return (f"hamkaas.conv %x32, %w32 strides {text(case['strides'])} dilations"
            f" {text(case['dilations'])} pad {text(case['low'])} to "
            f"{text(case['high'])} groups {case['groups']}")


def make_model(case, zeros, result):
    weights, parameter, load = "", "", ""
    w = tensor(case["w"], case["types"][1])
    if case["constant"]:
        parameter = (f"ml_program.global private @w(#ml_program.extern<{w}>) : "
                     f"{w}\n")
        load = f"  %w = ml_program.global_load_const @w : {w}\n"
    else:
        weights = f", %w: {w} {{hamkaas.name = \"w\"}}"
    x = tensor(case["x"], case["types"][0])
    scalar = tensor([1] * len(case["x"]), case["types"][0])
    body = ""
    for name, element, zero in zip("xw", case["types"], zeros):
        narrow, wide = (tensor(case[name], t) for t in (element, "i32"))
        one = tensor([1] * len(case[name]), "i32")
        body += (
            f"  %{name}z = hamkaas.cast %z : {scalar} -> {one}\n"
            if name == "x" and case["given"] else
            f"  %{name}z = hamkaas.constant dense<{zero}> : {one}\n")
        body += (
            f"  %{name}c = hamkaas.cast %{name} : {narrow} -> {wide}\n"
            f"  %{name}32 = hamkaas.sub %{name}c, %{name}z : {wide}, {one}\n")
    x32, w32 = (tensor(case[name], "i32") for name in "xw")
    y = tensor(result, "i32")
    if case["given"]:
        weights += f", %z: {scalar} {{hamkaas.name = \"z\"}}"
    return (f"{parameter}func.func @main(%x: {x} {{hamkaas.name = \"x\"}}"
            f"{weights}) -> ({y} {{hamkaas.name = \"y\"}}) {{\n{load}{body}"
            f"  %y = {product(case)} : {x32}, {w32}\n  return %y : {y}\n}}\n")


def write_weights(w, element, folder):
    """As a safetensors file."""
    dtype = {"i8": "I8", "ui8": "U8"}[element]
    header = json.dumps({"w": {"dtype": dtype, "shape": list(w.shape),
                               "data_offsets": [0, w.nbytes]}}).encode()
    header += b" " * (-len(header) % 8)
    (folder / "w.safetensors").write_bytes(
        struct.pack("<Q", len(header)) + header + w.tobytes())


def run(case, x, w, zero, folder, threads, level, max_cpu):
    np.save(folder / "x.npy", x)
    np.save(folder / "w.npy", w)
    np.save(folder / "z.npy", np.full([1] * x.ndim, zero, x.dtype))
    command = ["hamkaas-run", f"{folder}/model.mlir", "--device=cpu",
               f"--threads={threads}", f"--target-cpu={level}",
               f"--input=x={folder}/x.npy", f"--output=y={folder}/y.npy"]
    if case["constant"]:
        write_weights(w, case["types"][1], folder)
        command.append(f"--weights={folder}/w.safetensors")
    else:
        command.append(f"--input=w={folder}/w.npy")
    if case["given"]:
        command.append(f"--input=z={folder}/z.npy")
    limit = {"HAMKAAS_MAX_CPU": max_cpu} if max_cpu else {}
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, **limit})
    if done.returncode:
        sys.exit(f"{case}: {done.stderr}")
    return np.load(folder / "y.npy")


def check(case, rng, folder, level):
    x, w = (draw_bytes(rng, case[name], element, case["extremes"])
            for name, element in zip("xw", case["types"]))
    zeros = [int(draw_bytes(rng, (), element, case["extremes"]))
             for element in case["types"]]
    if case["fits"]:
        zeros[1] = 128 if case["types"][1] == "ui8" else 0
    # Doubles hold all of the sums.
    left, right = x.astype(np.float64) - zeros[0], w.astype(np.float64) - zeros[1]
    expected = convolve(left, right, case) if case["conv"] else left @ right
    (folder / "model.mlir").write_text(make_model(case, zeros, expected.shape))
    # A level has no features beside it.
    limits = (None,) if level == "host" else (None, level)
    for threads, max_cpu in [(1, limit) for limit in limits] + [(2, None)]:
        y = run(case, x, w, zeros[0], folder, threads, level, max_cpu)
        if y.dtype != np.int32 or not (y == expected).all():
            sys.exit(f"{case}: wrong on {threads} threads, limit {max_cpu}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--target-cpu", default="host")
    parser.add_argument("--tiles", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    make_case = draw_for_tiles if options.tiles else draw
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.count):
            check(make_case(rng), rng, pathlib.Path(folder), options.target_cpu)
    print(f"{options.count} cases are right")


if __name__ == "__main__":
    main()
