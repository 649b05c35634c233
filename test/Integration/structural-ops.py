# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random operations that move elements, of all types, against numpy.

usage: structural-ops.py [--seed=S] [--count=N] [--device=D,...]

Each module holds some operations of one element type, whose results must be
those of numpy: bit for bit, but for sums of floats. Every other operation has a
pointwise one behind it, which runs in the same kernel where that can be. Now
and then a value is several operands, of one operation too.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64",
         "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "ui64",
         "uint32": "ui32", "uint16": "ui16", "uint8": "ui8", "bool": "i1"}


def type_text(array):
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + (
        TYPES[array.dtype.name] + ">")


def list_text(numbers):
    return "[" + ", ".join(map(str, numbers)) + "]"


class Module:
    """@main with inputs, statements and the results they should have."""

    def __init__(self, dtype, rng):
        self.dtype, self.rng = np.dtype(dtype), rng
        self.inputs, self.lines, self.results = {}, [], []

    def shape(self, least_rank=0):
        rank = int(self.rng.integers(least_rank, 5))
        # Some are larger than a tile.
        largest = self.rng.choice([3, 7, 20 if rank > 2 else 120])
        return [int(d) for d in self.rng.integers(1, largest + 1, rank)]

    def values(self, shape):
        if self.dtype == bool:
            return self.rng.integers(0, 2, shape).astype(bool)
        if self.dtype.kind == "f":
            array = self.rng.standard_normal(shape).astype(self.dtype)
            return array if self.rng.integers(2) else np.round(array)
        # Small numbers, so that some are equal.
        low = 0 if self.dtype.kind == "u" else -9
        return self.rng.integers(low, 10, shape).astype(self.dtype)

    def add_input(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = array
        return "%" + name

    def take(self, shape):
        """An input of that shape, its name and its elements: one that is there
        if there is one."""
        for name, array in self.inputs.items():
            if array.dtype == self.dtype and array.shape == tuple(shape) \
                    and self.rng.integers(2):
                return "%" + name, array
        array = self.values(shape)
        return self.add_input(array), array

    def add_result(self, statement, expected, exact=True):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {statement}")
        expected = np.asarray(expected)
        if self.rng.integers(2) and expected.dtype == self.dtype != bool:
            other = self.values(expected.shape)
            kind = type_text(expected)
            self.lines.append(f"{name}s = hamkaas.add {name}, "
                              f"{self.add_input(other)} : {kind}, {kind}")
            with np.errstate(all="ignore"):
                name, expected = name + "s", expected + other
        self.results.append((name, expected, exact))

    def text(self):
        arguments = ", ".join(f'%{name}: {type_text(array)} '
                              f'{{hamkaas.name = "{name}"}}'
                              for name, array in self.inputs.items())
        kinds = [type_text(array) for _, array, _ in self.results]
        named = ", ".join(f'{kind} {{hamkaas.name = "y{i}"}}'
                          for i, kind in enumerate(kinds))
        values = ", ".join(name for name, _, _ in self.results)
        return "\n  ".join([
            f"func.func @main({arguments}) -> ({named}) {{", *self.lines,
            f"return {values} : {', '.join(kinds)}"]) + "\n}\n"


def add_strided_slice(module):
    x = module.values(module.shape())
    offsets, sizes, strides, cuts = [], [], [], []
    for d in x.shape:
        size = int(module.rng.integers(1, d + 1))
        stride = int(module.rng.integers(1, (d - 1) // max(size - 1, 1) + 2))
        stride = min(stride, (d - 1) // (size - 1)) if size > 1 else stride
        span = (size - 1) * stride
        first = int(module.rng.integers(0, d - span))
        taken = first + np.arange(size) * stride
        if module.rng.integers(2):
            first, stride, taken = first + span, -stride, taken[::-1]
        offsets.append(first), sizes.append(size), strides.append(stride)
        cuts.append(taken)
    module.add_result(
        f"hamkaas.strided_slice {module.add_input(x)} offsets "
        f"{list_text(offsets)} sizes {list_text(sizes)} strides "
        f"{list_text(strides)} : {type_text(x)}",
        x[np.ix_(*cuts)] if cuts else x)


def add_pad(module):
    x = module.values(module.shape())
    low, high, interior = module.rng.integers(0, 4, [3, x.ndim])
    interior[module.rng.integers(0, 2, x.ndim) == 1] = 0
    low[module.rng.integers(0, 2, x.ndim) == 1] = 0
    value = module.values([])
    shape = [int(lo + n + (n - 1) * i + hi)
             for lo, n, i, hi in zip(low, x.shape, interior, high)]
    expected = np.full(shape, value, x.dtype)
    expected[tuple(slice(lo, lo + (n - 1) * (i + 1) + 1, i + 1)
                   for lo, n, i in zip(low, x.shape, interior))] = x
    text = (str(bool(value)).lower() if module.dtype == bool else
            f"{float(value)!r}" if module.dtype.kind == "f" else str(value))
    kind = "" if module.dtype == bool else f" : {TYPES[module.dtype.name]}"
    module.add_result(
        f"hamkaas.pad {module.add_input(x)} low {list_text(low)} high "
        f"{list_text(high)} interior {list_text(interior)} value {text}{kind} "
        f": {type_text(x)}", expected)


def add_concat(module):
    shape = module.shape(1)
    dim = int(module.rng.integers(len(shape)))
    pieces = []
    for _ in range(module.rng.integers(1, 6)):
        shape[dim] = int(module.rng.integers(1, 9))
        pieces.append(module.take(shape))
    names, pieces = zip(*pieces)
    module.add_result(
        f"hamkaas.concat {', '.join(names)} dim {dim} : "
        f"{', '.join(map(type_text, pieces))}",
        np.concatenate(pieces, axis=dim))


def add_gather(module):
    x = module.values(module.shape(1))
    dim = int(module.rng.integers(x.ndim))
    n = x.shape[dim]
    shape = module.rng.integers(1, 40 if x.ndim < 3 else 5,
                                module.rng.integers(0, 3))
    indices = module.rng.integers(-n, n, shape).astype(
        module.rng.choice(["int32", "int64"]))
    module.add_result(
        f"hamkaas.gather {module.add_input(x)}, {module.add_input(indices)} "
        f"dim {dim} : {type_text(x)}, {type_text(indices)}",
        np.take(x, indices % n, axis=dim))


def add_flatten_indices(module):
    sizes = module.rng.integers(1, 9, module.rng.integers(1, 5))
    shape = module.rng.integers(1, 20, module.rng.integers(0, 3))
    least = 0 if module.rng.integers(2) else -sizes
    indices = module.rng.integers(least, sizes, [*shape, len(sizes)]).astype(
        module.rng.choice(["int32", "int64"]))
    module.add_result(
        f"hamkaas.flatten_indices {module.add_input(indices)} sizes "
        f"{list_text(sizes)} dim 0 {'' if np.any(least) else '{nonnegative}'} "
        f": {type_text(indices)}",
        np.ravel_multi_index(tuple(np.moveaxis(indices % sizes, -1, 0)), sizes))


def add_scatter(module):
    shape = module.shape(1)
    n = shape[0]
    count = module.rng.choice([n, module.rng.integers(1, 12)])
    indices = module.rng.integers(-n, n, count).astype(
        module.rng.choice(["int32", "int64"]))
    index_name = module.add_input(indices)
    target_name, target = module.take(shape)
    update_name, updates = module.take([count, *shape[1:]])
    kind = "none" if module.dtype == bool else module.rng.choice(
        ["none", "add", "mul", "max", "min"])
    combine = {"none": lambda _, u: u, "add": np.add, "mul": np.multiply,
               "max": np.maximum, "min": np.minimum}[kind]
    expected = target.copy()
    with np.errstate(all="ignore"):
        for index, update in zip(indices, updates):
            expected[index] = combine(expected[index], update)
    module.add_result(
        f"hamkaas.scatter {kind} {target_name}, {index_name}, {update_name} : "
        f"{type_text(target)}, {type_text(indices)}, {type_text(updates)}",
        expected)


def add_replace_slice(module):
    shape = module.shape(1)
    n = shape[0]
    rows = int(module.rng.choice([n, module.rng.integers(1, n + 1)]))
    begin = int(module.rng.integers(0, n - rows + 1))
    target_name, target = module.take(shape)
    name, replacement = module.take([rows, *shape[1:]])
    ends = [module.add_input(np.array([at])) for at in (begin, begin + rows)]
    expected = target.copy()
    expected[begin:begin + rows] = replacement
    module.add_result(
        f"hamkaas.replace_slice {target_name}, {name}, {', '.join(ends)} : "
        f"{type_text(target)}, {type_text(replacement)}", expected)


def add_cumsum(module):
    if module.dtype == bool:
        return
    x = module.values(module.shape(1))
    dim = int(module.rng.integers(x.ndim))
    exclusive, reverse = module.rng.integers(0, 2, 2)
    wide = x.astype(np.float64) if module.dtype.kind == "f" else x
    line = np.flip(wide, dim) if reverse else wide
    sums = np.cumsum(line, axis=dim, dtype=wide.dtype)
    if exclusive:
        sums = sums - line
    sums = (np.flip(sums, dim) if reverse else sums).astype(module.dtype)
    attributes = [name for name, given in
                  (("exclusive", exclusive), ("reverse", reverse)) if given]
    module.add_result(
        f"hamkaas.cumsum {module.add_input(x)} dim {dim} "
        f"{{{', '.join(attributes)}}} : {type_text(x)}", sums,
        exact=module.dtype.kind != "f")


def add_argsort(module):
    x = module.values(module.shape(1))
    if module.dtype.kind == "f":
        x[module.rng.random(x.shape) < 0.1] = np.nan
        x[module.rng.random(x.shape) < 0.1] = -0.0
    descending = bool(module.rng.integers(2))
    # The last of the equal comes last also if the order is turned twice.
    expected = (x.shape[-1] - 1 - np.flip(
        np.argsort(np.flip(x, -1), axis=-1, kind="stable"), -1)
        if descending else np.argsort(x, axis=-1, kind="stable"))
    first = ""
    if module.rng.integers(2):
        count = int(module.rng.integers(1, x.shape[-1] + 1))
        expected = expected[..., :count]
        first = f"first {count} "
    module.add_result(
        f"hamkaas.argsort {module.add_input(x)} {first}"
        f"{{{'descending' if descending else ''}}} : {type_text(x)}",
        expected.astype(np.int64))


OPERATIONS = [add_strided_slice, add_pad, add_concat, add_gather, add_scatter,
              add_flatten_indices, add_replace_slice, add_cumsum, add_argsort]


def is_equal(got, expected, exact):
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return False
    if exact:
        return np.array_equal(got, expected,
                              equal_nan=expected.dtype.kind == "f")
    allowed = 4 * np.finfo(expected.dtype).eps * (
        1 + np.max(np.abs(expected.astype(np.float64))))
    difference = np.abs(got.astype(np.float64) - expected)
    return bool(np.all(difference <= allowed * 8))


def run(module, device, folder):
    model = folder / "model.mlir"
    model.write_text(module.text())
    command = ["hamkaas-run", str(model), f"--device={device}"]
    for name, array in module.inputs.items():
        np.save(folder / f"{name}.npy", array)
        command.append(f"--input={name}={folder}/{name}.npy")
    for i in range(len(module.results)):
        command.append(f"--output=y{i}={folder}/y{i}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [f"exit status {done.returncode}\n{done.stderr}"]
    errors = []
    for i, (name, expected, exact) in enumerate(module.results):
        got = np.load(folder / f"y{i}.npy")
        if not is_equal(got, expected, exact):
            errors.append(f"{name}: expected\n{expected}\ngot\n{got}")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--device", default="cpu,reference")
    options = parser.parse_args()
    results = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            for name in TYPES:
                rng = np.random.default_rng([options.seed, number,
                                             list(TYPES).index(name)])
                module = Module(name, rng)
                for add in OPERATIONS:
                    add(module), add(module)
                for device in options.device.split(","):
                    errors = run(module, device, pathlib.Path(folder))
                    if errors:
                        print(f"seed {options.seed}, {name}, module {number}, "
                              f"{device}:", *errors, module.text(), sep="\n")
                        return 1
                results += len(module.results)
    print(f"{results} results, no errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
