# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs GridSample nodes of all modes and paddings, and compares with numpy.

usage: grid-sample.py [--seed=S]

Positions lie on both sides of each border, as far as two sizes away.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper


def pad(index, size, padding, aligned):
    """The element that an index means, or none."""
    if padding == "zeros":
        return index if 0 <= index < size else None
    if padding == "reflection":
        low, high = (0, size - 1) if aligned else (-0.5, size - 0.5)
        index = (index - low) % (2 * (high - low))
        index = low + min(index, 2 * (high - low) - index)
    return int(min(max(index, 0), size - 1))


def weigh(x, mode):
    """Indices around a position, with their weights."""
    if mode == "nearest":
        return [(np.rint(x), 1.0)]
    base = np.floor(x)
    if mode == "linear":
        return [(base, base + 1 - x), (base + 1, x - base)]

    def cubic(d):
        a = -0.75
        if d <= 1:
            return ((a + 2) * d - (a + 3)) * d * d + 1
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [(base + i, cubic(abs(x - base - i))) for i in range(-1, 3)]


def sample(x, grid, mode, padding, aligned):
    """As torch.nn.functional.grid_sample has it, of planes."""
    y = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:3]))
    for n, i, j in np.ndindex(grid.shape[:3]):
        taps = []
        for value, size in zip(grid[n, i, j, ::-1], x.shape[2:]):
            value = float(value) + 1
            at = (value / 2 * (size - 1) if aligned
                  else (value * size - 1) / 2)
            taps.append([(pad(index, size, padding, aligned), weight)
                         for index, weight in weigh(at, mode)])
        for (r, v), (c, w) in itertools.product(*taps):
            if r is not None and c is not None:
                y[n, :, i, j] += v * w * x[n, :, int(r), int(c)]
    return y


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    x = rng.standard_normal((2, 3, 5, 7)).astype(np.float32)
    grid = rng.uniform(-3, 3, (2, 4, 6, 2)).astype(np.float32)
    cases = list(itertools.product(["nearest", "linear", "cubic"],
                                   ["zeros", "border", "reflection"], [0, 1]))
    nodes = [helper.make_node("GridSample", ["x", "g"], [f"y{i}"], mode=mode,
                              padding_mode=padding, align_corners=aligned)
             for i, (mode, padding, aligned) in enumerate(cases)]
    graph = helper.make_graph(
        nodes, "samples",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape)
         for n, v in (("x", x), ("g", grid))],
        [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None)
         for i in range(len(cases))])
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 20)])
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "m.onnx").write_bytes(model.SerializeToString())
        np.save(folder / "x.npy", x)
        np.save(folder / "g.npy", grid)
        subprocess.run(
            ["hamkaas-run", folder / "m.onnx", f"--input=x={folder}/x.npy",
             f"--input=g={folder}/g.npy", "--threads=1"] +
            [f"--output=y{i}={folder}/y{i}.npy" for i in range(len(cases))],
            check=True, stdout=subprocess.DEVNULL)
        for i, case in enumerate(cases):
            y, expected = np.load(folder / f"y{i}.npy"), sample(x, grid, *case)
            error = np.abs(y - expected).max()
            if not error < 1e-4:
                errors += 1
                print(f"{case}: differs by {error}")
    print(errors or "no", "errors", flush=True)
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
