# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models of the user as workloads.

`onnx_models.py FOLDER F.onnx...` writes the files of a workload F, as
workloads.py does. Its inputs are the arrays of `F.in.npz` where that lies beside
it, and fix the sizes that the model leaves open. Otherwise they are random:
normal, or 0 and 1 for integers and booleans.

The reference is computed by ONNX Runtime without its optimizations where that
is installed, and by the reference implementation of ONNX where not.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any, Optional, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper
from workloads import write_description

# A message of protobuf has less than 2 GiB.
MOST_BYTES_INSIDE = 2**30


def compute(path: str, inputs: dict[str, Any]) -> list[Any]:
    """The results of a model file, in the order of its graph."""
    try:
        import onnxruntime as ort
    except ImportError:
        from onnx.reference import ReferenceEvaluator
        return list(ReferenceEvaluator(path).run(None, inputs))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options,
                                   providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def sizes_of(value: Any) -> list[Optional[int]]:
    """None where the size is open. Some exporters write -1 there."""
    return [
        size.dim_value
        if size.HasField("dim_value") and size.dim_value >= 0 else None
        for size in value.type.tensor_type.shape.dim
    ]


def type_of(value: Any) -> Any:
    return helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)


def describe(dtype: Any, sizes: Sequence[Optional[int]]) -> str:
    shape = "x".join("?" if size is None else str(size) for size in sizes)
    return f"{dtype} {shape or 'scalar'}"


def random_input(value: Any, random: np.random.Generator) -> Any:
    sizes, dtype = sizes_of(value), type_of(value)
    shape = [size for size in sizes if size is not None]
    if len(shape) < len(sizes):
        sys.exit(f"onnx_models.py: error: input '{value.name}' is "
                 f"{describe(dtype, sizes)}; expected an array '{value.name}' "
                 "in F.in.npz, whose sizes count")
    if np.issubdtype(dtype, np.floating):
        return random.standard_normal(shape).astype(dtype)
    return random.integers(0, 2, shape).astype(dtype)


def read_inputs(path: pathlib.Path, values: list[Any]) -> dict[str, Any]:
    arrays = path.with_suffix(".in.npz")
    if not arrays.exists():
        random = np.random.default_rng(0)
        return {value.name: random_input(value, random) for value in values}
    with np.load(arrays) as found:
        missing = [value.name for value in values if value.name not in found]
        if missing:
            sys.exit(f"onnx_models.py: error: {arrays} has no array "
                     f"'{missing[0]}'")
        return {value.name: found[value.name] for value in values}


def check_input(value: Any, array: Any) -> None:
    dtype, sizes = type_of(value), sizes_of(value)
    fits = len(array.shape) == len(sizes) and all(
        size in (None, given) for size, given in zip(sizes, array.shape))
    if array.dtype != dtype or not fits:
        sys.exit(f"onnx_models.py: error: expected {describe(dtype, sizes)} "
                 f"for input '{value.name}', found "
                 f"{describe(array.dtype, array.shape)}")


def fix_sizes(model: Any, values: list[Any], inputs: dict[str, Any]) -> None:
    """Gives open sizes those of the arrays, so that all peers may know them."""
    for value in values:
        check_input(value, inputs[value.name])
        shape = value.type.tensor_type.shape
        del shape.dim[:]
        for size in inputs[value.name].shape:
            shape.dim.add().dim_value = size
    # Shapes that depended on open sizes.
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")


def export(path: pathlib.Path, folder: pathlib.Path) -> None:
    model = onnx.load(path)
    initialized = {weight.name for weight in model.graph.initializer}
    values = [
        value for value in model.graph.input if value.name not in initialized
    ]
    inputs = read_inputs(path, values)
    if path.with_suffix(".in.npz").exists():
        fix_sizes(model, values, inputs)
    stem = str(folder / path.stem)
    onnx.save(model, stem + ".onnx", location=path.stem + ".data",
              save_as_external_data=model.ByteSize() > MOST_BYTES_INSIDE)
    results = compute(stem + ".onnx", inputs)
    names = [output.name for output in model.graph.output]
    np.savez(stem + ".in.npz", **inputs)
    np.savez(stem + ".ref.npz", **dict(zip(names, results)))
    weights = [numpy_helper.to_array(x) for x in model.graph.initializer]
    moved = sum(array.nbytes for array in [*weights, *inputs.values(), *results])
    write_description(folder, path.stem, list(inputs), names, None, moved)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path in sys.argv[2:]:
        export(pathlib.Path(path), folder)


if __name__ == "__main__":
    main()
