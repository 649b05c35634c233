# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model of each element type on every path.

usage: element-types.py

The model's results are its input, what the input was in the run before, and
where the type has sums, the sum of two inputs. Each device, and the compiled
library, must give numpy's results, bit for bit.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"float32": "f32", "float64": "f64", "float16": "f16",
         "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
         "uint64": "ui64", "uint32": "ui32", "uint16": "ui16", "uint8": "ui8",
         "bool": "i1", "bfloat16": "bf16"}
# A vector of bytes has the type of a region of memory.
SHAPES = [[3, 37], [5]]


def make_model(name, shape):
    kind = f"tensor<{'x'.join(map(str, shape))}x{TYPES[name]}>"
    zero = ("false" if name == "bool" else
            "0.0" if "float" in name else "0")
    has_sums = name != "bool"
    add = f"%s = hamkaas.add %x, %b : {kind}, {kind}\n" if has_sums else ""
    results = [f'{kind} {{hamkaas.name = "{n}"}}' for n in "yzs"]
    values = ["%x", "%last", "%s"]
    count = len(values) if has_sums else 2
    return f"""
ml_program.global private mutable @last(dense<{zero}> : {kind}) : {kind}
func.func @main(%x: {kind} {{hamkaas.name = "x"}},
                %b: {kind} {{hamkaas.name = "b"}})
    -> ({", ".join(results[:count])}) {{
  %last = ml_program.global_load @last : {kind}
  {add}
  ml_program.global_store @last = %b : {kind}
  return {", ".join(values[:count])} : {", ".join([kind] * count)}
}}
""", has_sums


def make_values(name, shape, rng):
    """Numbers of all sizes, those at the ends of the type among them."""
    dtype = np.dtype(name)
    if name == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        values = (rng.standard_normal(shape) * 100).astype(dtype)
        info = np.finfo(dtype)
        special = [info.max, info.tiny, -0.0, np.inf]
    else:
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        special = [info.max, info.min, 0, 1]
    values.flat[:4] = special
    return values


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of {' '.join(done.args)}\n"
                 f"{done.stderr}")
    return done.stdout


def check_files(name, model, inputs, expected, options):
    folder = model.parent
    for key, array in inputs.items():
        np.save(folder / f"{key}.npy", array)
    run("hamkaas-run", model, *options,
        *(f"--input={key}={folder}/{key}.npy" for key in inputs),
        *(f"--output={key}={folder}/{key}-out.npy" for key in expected))
    for key, array in expected.items():
        got = np.load(folder / f"{key}-out.npy")
        if got.dtype != array.dtype or got.tobytes() != array.tobytes():
            sys.exit(f"{name} {options} {key}: expected {array}, got {got}")


def check(name, shape, folder):
    model = folder / "model.mlir"
    text, has_sums = make_model(name, shape)
    model.write_text(text)
    printed = run("hamkaas-run", model, "--input=x=random", "--input=b=random",
                  "--repeat=2", "--check-against=reference")
    if f"y: {name} {shape} = " not in printed:
        sys.exit(f"{name}: expected the type with the first values, got\n"
                 f"{printed}")
    library = folder / "model.so"
    run("hamkaas-compile", model, "-o", library)
    if name == "bfloat16":
        return  # The format npy lacks it.
    rng = np.random.default_rng(1)
    inputs = {key: make_values(name, shape, rng) for key in "xb"}
    expected = {"y": inputs["x"], "z": inputs["b"]}
    if has_sums:
        with np.errstate(all="ignore"):
            expected["s"] = inputs["x"] + inputs["b"]
    for path, options in ((model, ["--device=cpu"]), (library, []),
                          (model, ["--device=reference"])):
        check_files(name, path, inputs, expected, [*options, "--repeat=2"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in TYPES:
            for shape in SHAPES:
                check(name, shape, pathlib.Path(folder))
    print(f"{len(TYPES)} types, no errors")


if __name__ == "__main__":
    main()
