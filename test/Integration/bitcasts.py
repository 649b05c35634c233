# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the bits of elements as those of every other type of their width.

usage: bitcasts.py

A value is cast as it is, and as what a kernel computes before and after: in
float32, for floats of 16 bits. Each device must give numpy's bits.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

WIDTHS = [{"int8": "i8", "uint8": "ui8"},
          {"int16": "i16", "uint16": "ui16", "float16": "f16"},
          {"int32": "i32", "uint32": "ui32", "float32": "f32"},
          {"int64": "i64", "uint64": "ui64", "float64": "f64"}]
SHAPE = [5, 37]
DEVICES = ["cpu", "reference", "cuda-emulation"]


def make_model(pairs):
    """For each pair of types the bits of x, and of x + x, plus themselves."""
    arguments, lines, values, results = {}, [], [], []
    for i, ((name, kind), (_, other)) in enumerate(pairs):
        source, target = (f"tensor<{'x'.join(map(str, SHAPE))}x{k}>"
                          for k in (kind, other))
        arguments[name] = f'%{name}: {source} {{hamkaas.name = "{name}"}}'
        lines += [
            f"%y{i} = hamkaas.bitcast %{name} : {source} -> {target}",
            f"%d{i} = hamkaas.add %{name}, %{name} : {source}, {source}",
            f"%b{i} = hamkaas.bitcast %d{i} : {source} -> {target}",
            f"%z{i} = hamkaas.add %b{i}, %b{i} : {target}, {target}",
        ]
        values += [(f"%{v}{i}", target) for v in "yz"]
        results += [f'{target} {{hamkaas.name = "{v}{i}"}}' for v in "yz"]
    names, types = zip(*values)
    body = "\n  ".join(lines)
    return f"""func.func @main({", ".join(arguments.values())})
    -> ({", ".join(results)}) {{
  {body}
  return {", ".join(names)} : {", ".join(types)}
}}
"""


def make_values(name, rng):
    """All bits but those of a NaN, which may change when it is computed with."""
    dtype = np.dtype(name)
    bits = rng.integers(0, 256, [*SHAPE, dtype.itemsize], "uint8")
    values = bits.view(dtype).reshape(SHAPE)
    return np.where(np.isnan(values), 1, values).astype(dtype)


def find_bits(pair, x):
    other = np.dtype(pair[1][0])
    with np.errstate(all="ignore"):
        doubled = (x + x).view(other)
        return x.view(other), doubled + doubled


def is_same(expected, got):
    """Equal bits; a NaN is any NaN."""
    if expected.dtype != got.dtype or expected.shape != got.shape:
        return False
    bits = np.dtype(f"u{expected.itemsize}")
    return np.all((expected.view(bits) == got.view(bits)) |
                  ((expected != expected) & (got != got)))


def main():
    rng = np.random.default_rng(1)
    pairs = [pair for width in WIDTHS
             for pair in itertools.permutations(width.items(), 2)]
    inputs = {name: make_values(name, rng) for width in WIDTHS
              for name in width}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.mlir"
        model.write_text(make_model(pairs))
        outputs = [f"{v}{i}" for i in range(len(pairs)) for v in "yz"]
        for name, array in inputs.items():
            np.save(folder / f"{name}.npy", array)
        for device in DEVICES:
            subprocess.run(
                ["hamkaas-run", model, f"--device={device}",
                 *(f"--input={name}={folder}/{name}.npy" for name in inputs),
                 *(f"--output={name}={folder}/{name}.npy"
                   for name in outputs)],
                check=True, stdout=subprocess.DEVNULL)
            for i, pair in enumerate(pairs):
                for v, expected in zip("yz", find_bits(pair,
                                                       inputs[pair[0][0]])):
                    got = np.load(folder / f"{v}{i}.npy")
                    if not is_same(expected, got):
                        sys.exit(f"{device} {pair} {v}: expected {expected}, "
                                 f"got {got}")
    print(f"{len(pairs)} pairs of types, no errors")


if __name__ == "__main__":
    main()
