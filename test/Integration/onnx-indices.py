# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random models that choose elements by several indices, against numpy.

usage: onnx-indices.py [--seed=S] [--count=N] [--device=D,...]

Indices are constants or inputs, negative ones count from the end of their own
dimension. One component of one of them is then taken out of its dimension: the
run, or for constants the import, must fail and say which it is, on each device
with the same text.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from onnx import helper, numpy_helper

REDUCTIONS = {"none": lambda _, u: u, "add": np.add, "mul": np.multiply,
              "max": np.maximum, "min": np.minimum}


class Case:
    """A node, its operands, what is expected, and the sizes that the components
    of the indices count, from dimension `first` on."""

    def __init__(self, op, operands, at, expected, sizes, first, **attributes):
        self.op, self.operands, self.at = op, operands, at
        self.expected, self.attributes = expected, attributes
        self.sizes, self.first = sizes, first

    def message(self, component, index):
        size, dim = self.sizes[component], self.first + component
        if len(self.sizes) == 1:
            return (f"expected indices of dimension {dim} from {-size} to "
                    f"{size - 1}, got {index}")
        return (f"expected component {component} of the indices to mean one of "
                f"the {size} elements of dimension {dim}, got {index}")


def random_shape(rng, least, most=4):
    return [int(d) for d in rng.integers(1, 7, rng.integers(least, most + 1))]


def random_values(rng, shape):
    return rng.integers(-9, 10, shape).astype(np.float32)


def random_indices(rng, shape, sizes):
    """`sizes` is one number, or one for each entry of the last dimension."""
    sizes = np.asarray(sizes)
    return rng.integers(-sizes, sizes, shape).astype(np.int64)


def make_elements(rng, shape):
    """The common part of GatherElements and ScatterElements."""
    axis = int(rng.integers(len(shape)))
    chosen = [int(rng.integers(1, d + 1)) for d in shape]
    # Now and then many more than there are.
    chosen[axis] = int(rng.choice([rng.integers(1, 9), 700]))
    return axis, random_indices(rng, chosen, shape[axis])


def places(indices, axis, size):
    """The index of each element, the other dimensions being those of it."""
    at = list(np.indices(indices.shape))
    at[axis] = indices % size
    return tuple(at)


def make_gather_elements(rng):
    x = random_values(rng, random_shape(rng, 1))
    axis, indices = make_elements(rng, x.shape)
    size = x.shape[axis]
    return Case("GatherElements", [x, indices], 1,
                x[places(indices, axis, size)], [size], axis, axis=axis)


def scatter(x, at, updates, kind):
    expected = x.copy()
    for place, update in zip(at, updates):
        expected[place] = REDUCTIONS[kind](expected[place], update)
    return expected


def make_scatter_elements(rng):
    x = random_values(rng, random_shape(rng, 1, 3))
    axis, indices = make_elements(rng, x.shape)
    kind = str(rng.choice(list(REDUCTIONS)[:5 if indices.size < 100 else 1]))
    updates = random_values(rng, indices.shape)
    if indices.shape == x.shape and rng.integers(2):
        updates = x
    at = np.stack([p.ravel() for p in places(indices, axis, x.shape[axis])], 1)
    return Case("ScatterElements", [x, indices, updates], 1,
                scatter(x, map(tuple, at), updates.ravel(), kind),
                [x.shape[axis]], axis, axis=axis, reduction=kind)


def make_gather_nd(rng):
    x = random_values(rng, random_shape(rng, 1))
    batch = int(rng.integers(min(x.ndim, 3)))
    length = int(rng.integers(1, x.ndim - batch + 1))
    sizes = x.shape[batch:batch + length]
    shape = [*x.shape[:batch], *random_shape(rng, 0, 2), length]
    if rng.integers(4) == 0:
        shape[-1:] = [600, length]
    indices = random_indices(rng, shape, sizes)
    wrapped = indices % sizes
    expected = np.stack([x[(*at[:batch], *wrapped[at])]
                         for at in np.ndindex(*shape[:-1])])
    return Case("GatherND", [x, indices], 1,
                expected.reshape([*shape[:-1], *x.shape[batch + length:]]),
                sizes, batch, batch_dims=batch)


def make_scatter_nd(rng):
    x = random_values(rng, random_shape(rng, 1))
    length = int(rng.integers(1, x.ndim + 1))
    sizes = x.shape[:length]
    shape = [*random_shape(rng, 1, 2), length]
    indices = random_indices(rng, shape, sizes)
    updates = random_values(rng, [*shape[:-1], *x.shape[length:]])
    kind = str(rng.choice(list(REDUCTIONS)))
    flat = (indices % sizes).reshape(-1, length)
    return Case("ScatterND", [x, indices, updates], 1,
                scatter(x, map(tuple, flat),
                        updates.reshape(-1, *x.shape[length:]), kind),
                sizes, 0, reduction=kind)


MAKERS = [make_gather_elements, make_scatter_elements, make_gather_nd,
          make_scatter_nd]


class Model:
    """A graph of cases, each with operands of its own."""

    def __init__(self):
        self.nodes, self.inputs, self.constants, self.results = [], {}, {}, []

    def add(self, case, rng):
        names, known = [], {}
        for array in case.operands:
            # One array in two roles is one value.
            if id(array) not in known:
                known[id(array)] = name = f"v{len(names)}_{len(self.results)}"
                where = self.constants if rng.integers(3) == 0 else self.inputs
                where[name] = array
            names.append(known[id(array)])
        result = f"y{len(self.results)}"
        self.nodes.append(helper.make_node(case.op, names, [result],
                                           **case.attributes))
        self.results.append((result, case.expected))

    def write(self, path):
        def info(name, array):
            return helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype),
                array.shape)

        graph = helper.make_graph(
            self.nodes, "indices",
            [info(*value) for value in self.inputs.items()],
            [info(*value) for value in self.results],
            [numpy_helper.from_array(array, name)
             for name, array in self.constants.items()])
        path.write_bytes(helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 18)],
            ir_version=8).SerializeToString())

    def run(self, folder, device):
        """The results, or the text of the error."""
        self.write(folder / "model.onnx")
        command = ["hamkaas-run", str(folder / "model.onnx"),
                   f"--device={device}", "--threads=2"]
        for name, array in self.inputs.items():
            np.save(folder / f"{name}.npy", array)
            command.append(f"--input={name}={folder}/{name}.npy")
        for name, _ in self.results:
            command.append(f"--output={name}={folder}/{name}.npy")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, f"exit status {done.returncode}\n{done.stderr}"
        return [np.load(folder / f"{name}.npy")
                for name, _ in self.results], ""


def check_good(rng, folder, device):
    model = Model()
    cases = [make(rng) for make in MAKERS for _ in range(3)]
    for case in cases:
        model.add(case, rng)
    results, error = model.run(folder, device)
    if results is None:
        return error
    for case, got in zip(cases, results):
        if not np.array_equal(got, case.expected):
            return (f"{case.op} {case.attributes} of {case.operands}: expected"
                    f"\n{case.expected}\ngot\n{got}")
    return ""


def check_bad(make, rng, folder, device):
    case = make(rng)
    indices = case.operands[case.at] = case.operands[case.at].copy()
    component = int(rng.integers(len(case.sizes)))
    size = case.sizes[component]
    index = int(rng.choice([size, -size - 1, size + 1, 2**31, -2**40,
                            2**63 - 1, -2**63]))
    flat = indices.reshape(-1, len(case.sizes))
    flat[rng.integers(len(flat)), component] = index
    model = Model()
    model.add(case, rng)
    results, error = model.run(folder, device)
    message = case.message(component, index)
    if results is None and error.startswith("exit status 1\n") and (
            re.search(re.escape(message) + "$", error, re.M)):
        return ""
    return (f"{case.op} {case.attributes} of {case.operands}: expected exit "
            f"status 1 and '{message}', got {error or results}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--device", default="cpu,reference,cuda-emulation")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for number in range(options.count):
            for device in options.device.split(","):
                checks = [check_good] + [
                    lambda *given, make=make: check_bad(make, *given)
                    for make in MAKERS for _ in range(2)]
                for i, check in enumerate(checks):
                    rng = np.random.default_rng([options.seed, number, i])
                    error = check(rng, pathlib.Path(name), device)
                    if error:
                        print(f"seed {options.seed}, number {number}, check "
                              f"{i}, {device}: {error}")
                        return 1
    print("no errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
