# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outputs of models with narrow weights beside those of before."""

from __future__ import annotations

import dataclasses
import os
import zlib
from typing import Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from ..arrays import Array
from ..compilation import load
from ..errors import HamKaasError
from ..onnx import PreparedModel, TensorInfo, prepare
from ..state import PathLike
from .report import OutputErrors
from .rounding import Errors

__all__ = ["Runs", "compare_models"]

_ARITHMETICS = ("exact", "int8")


@dataclasses.dataclass
class Runs:
    """How models are run to compare them."""

    inputs: Mapping[str, Optional[Array]]
    """None for zeros; an input that is not here is random."""
    dims: Mapping[str, int]
    seed: int
    threads: int


@dataclasses.dataclass
class ModelFile:
    """An ONNX model, or a script with its weights."""

    path: PathLike
    weights: Optional[PathLike] = None


def compare_models(source: ModelFile, narrow: ModelFile, runs: Runs) \
        -> List[OutputErrors]:
    """Runs both models on the same inputs, the narrow one in each arithmetic.

    One model at a time is in memory.
    """
    model = _load(source, runs, "exact")
    arrays = _make_inputs(model.inputs, runs)
    expected = model(arrays)
    names = [output.name for output in model.outputs]
    del model
    found = []
    for arithmetic in _ARITHMETICS:
        results = _load(narrow, runs, arithmetic)(arrays)
        for name, exact, result in zip(names, expected, results):
            errors = Errors()
            errors.add(exact, result)
            found.append(OutputErrors(name, arithmetic, errors))
    return found


def _load(file: ModelFile, runs: Runs, arithmetic: str) \
        -> "Union[PreparedModel, _ScriptModel]":
    if file.weights is not None:
        return _ScriptModel(file, runs, arithmetic)
    return prepare(os.fspath(file.path), dims=dict(runs.dims),
                   threads=runs.threads, quantized_products=arithmetic)


class _ScriptModel:
    """A script, called as a prepared ONNX model is."""

    def __init__(self, file: ModelFile, runs: Runs, arithmetic: str) -> None:
        model = load(file.path, weights=file.weights, threads=runs.threads,
                     quantized_products=arithmetic)
        self._model = model
        self.inputs = [TensorInfo(*info) for info in model.inputs]
        self.outputs = [TensorInfo(*info) for info in model.outputs]

    def __call__(self, arrays: Sequence[Array]) -> List[Array]:
        results = self._model.run({info.name: array for info, array in
                                   zip(self.inputs, arrays)})
        return list(results) if len(self.outputs) > 1 else [results]


def _make_inputs(infos: Sequence[TensorInfo], runs: Runs) -> List[Array]:
    known = {info.name for info in infos}
    for name in runs.inputs:
        if name not in known:
            raise HamKaasError(f"unknown input '{name}', the model has " +
                               ", ".join(f"'{info.name}'" for info in infos))
    dims: Dict[str, int] = dict(runs.dims)
    for info in infos:
        given = runs.inputs.get(info.name)
        if given is not None and info.shape is not None:
            for size, actual in zip(info.shape, given.shape):
                if isinstance(size, str):
                    dims.setdefault(size, actual)
    return [_make_input(info, dims, runs) for info in infos]


def _make_input(info: TensorInfo, dims: Mapping[str, int],
                runs: Runs) -> Array:
    given = runs.inputs.get(info.name)
    if given is not None:
        return given
    if info.shape is None:
        raise HamKaasError(f"input '{info.name}' has no shape: give "
                           f"--input {info.name}=FILE.npy")
    shape = []
    for size in info.shape:
        if isinstance(size, str):
            if size not in dims:
                raise HamKaasError(
                    f"the dimension '{size}' of input '{info.name}' has no "
                    f"size: give --dim {size}=N")
            size = dims[size]
        shape.append(size)
    dtype = np.dtype(info.dtype)
    if info.name in runs.inputs:
        return np.zeros(shape, dtype)
    # The numbers of an input do not depend on the other inputs.
    rng = np.random.default_rng([runs.seed, zlib.crc32(info.name.encode())])
    if dtype.kind in "iub":
        return rng.integers(0, 2, shape).astype(dtype)
    return rng.uniform(-1, 1, shape).astype(dtype)
