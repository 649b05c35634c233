# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of the onnx package's backend test, all of them of one kind here."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import warnings
from typing import Any, Callable, Iterator, List, Sequence, Tuple

import numpy as np
import onnx
import onnx.backend.test.loader as loader
from onnx import numpy_helper

DataSet = Tuple[List[Any], List[Any]]
"""Inputs and expected outputs, in the order of the graph."""

DEFAULT_DOMAINS = ("", "ai.onnx")

# The types that most real models use. A case of the domain ai.onnx is a core
# case if its inputs and outputs have no others.
CORE_TYPES = {
    onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.INT32,
    onnx.TensorProto.BOOL
}


# Cases whose expected outputs were drawn by numpy. ONNX names no generator, so
# no other one gives the same numbers.
RANDOM_CASES = re.compile(
    "test_(bernoulli|training_dropout(_default)?(_mask)?$)")


@dataclasses.dataclass
class Case:
    """A model, and what it computes."""

    name: str
    op: str
    """The operator it tests, or its kind in parentheses."""
    is_core: bool
    relative_tolerance: float
    absolute_tolerance: float
    model: Callable[[], bytes]
    data_sets: Callable[[], Sequence[DataSet]]


def load_cases() -> List[Case]:
    """All cases of the domain ai.onnx, sorted by name."""
    with warnings.catch_warnings():
        # The package computes expected values that are infinite.
        warnings.simplefilter("ignore")
        tests = {kind: loader.load_model_tests(kind=kind)
                 for kind in ("node", "simple", "pytorch-converted",
                              "pytorch-operator", "real")}
    operators = {test.name: test.model.graph.node[0].op_type
                 for test in tests["node"] if len(test.model.graph.node) == 1}
    cases = []
    for kind, group in tests.items():
        for test in group:
            model = _load_model(test)
            if not _is_default_domain(model.graph):
                continue
            cases.append(
                Case(test.name, _find_operator(kind, test.name, model, operators),
                     _is_core(model), test.rtol, test.atol,
                     model.SerializeToString, _find_data(test, model)))
    return sorted(cases, key=lambda case: case.name)


def take_subset(cases: Sequence[Case], every: int) -> List[Case]:
    """The first case of each operator, and then each ``every``-th of it.

    >>> def make(name, op):
    ...     return Case(name, op, True, 0, 0, bytes, list)
    >>> cases = [make(f"add_{i}", "Add") for i in range(7)] + [make("c", "Cos")]
    >>> [case.name for case in take_subset(cases, 3)]
    ['add_0', 'add_3', 'add_6', 'c']
    """
    seen: dict[str, int] = {}
    subset = []
    for case in cases:
        place = seen.setdefault(case.op, 0)
        seen[case.op] += 1
        if place % every == 0:
            subset.append(case)
    return subset


#===------------------------------------------------------------------------===#
# Models
#===------------------------------------------------------------------------===#


def _package_file(path: str) -> pathlib.Path:
    """A file that the package names with its own folder's name before it."""
    return pathlib.Path(onnx.__file__).parents[1] / path


def _load_model(test: Any) -> onnx.ModelProto:
    if test.model is not None:
        return test.model
    if test.model_dir is not None:
        return onnx.load(pathlib.Path(test.model_dir) / "model.onnx")
    return onnx.load(_package_file(test.url))


def _is_default_domain(graph: onnx.GraphProto) -> bool:
    return all(node.domain in DEFAULT_DOMAINS for node in graph.node)


def _is_core(model: onnx.ModelProto) -> bool:
    values = [*model.graph.input, *model.graph.output]
    return all(value.type.WhichOneof("value") == "tensor_type" and
               value.type.tensor_type.elem_type in CORE_TYPES
               for value in values)


def _find_operator(kind: str, name: str, model: onnx.ModelProto,
                   operators: dict[str, str]) -> str:
    """The operator that a case counts for, also one of an expanded body."""
    if kind != "node":
        return f"({kind})"
    names = [name, re.sub("_expanded.*", "", name)]
    for operator in filter(None, map(operators.get, names)):
        return operator
    return model.graph.node[-1].op_type


#===------------------------------------------------------------------------===#
# Data
#===------------------------------------------------------------------------===#


def _find_data(test: Any, model: onnx.ModelProto) \
        -> Callable[[], Sequence[DataSet]]:
    if test.data_sets is not None:
        return lambda: [([_to_array(value) for value in inputs],
                         [_to_array(value) for value in outputs])
                        for inputs, outputs in test.data_sets]
    if test.model_dir is not None:
        folder = pathlib.Path(test.model_dir)
        return lambda: list(_read_folders(folder, model))
    return lambda: [_make_light_data(_package_file(test.url), model)]


def _to_array(value: Any) -> Any:
    """A tensor as an array; some are messages or numpy's scalars."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, np.generic):
        return np.asarray(value)
    return value


def _read_folders(folder: pathlib.Path, model: onnx.ModelProto) \
        -> Iterator[DataSet]:
    for data in sorted(folder.glob("test_data_set_*")):
        yield (_read_values(data, "input", model.graph.input),
               _read_values(data, "output", model.graph.output))


def _read_values(folder: pathlib.Path, prefix: str,
                 infos: Sequence[onnx.ValueInfoProto]) -> List[Any]:
    count = len(list(folder.glob(f"{prefix}_*.pb")))
    return [_read_value(folder / f"{prefix}_{i}.pb", infos[i].type)
            for i in range(count)]


def _read_value(path: pathlib.Path, type_: onnx.TypeProto) -> Any:
    kind = type_.WhichOneof("value")
    if kind == "sequence_type":
        sequence = onnx.SequenceProto.FromString(path.read_bytes())
        return numpy_helper.to_list(sequence)
    if kind == "optional_type":
        optional = onnx.OptionalProto.FromString(path.read_bytes())
        return numpy_helper.to_optional(optional)
    return numpy_helper.to_array(
        onnx.TensorProto.FromString(path.read_bytes()))


def _make_light_data(path: pathlib.Path, model: onnx.ModelProto) -> DataSet:
    """The inputs of the package's runner for networks with made-up weights."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs: List[Any] = []
    for info in model.graph.input:
        if info.name in weights:
            continue
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        count = int(np.prod(shape))
        inputs.append((np.arange(count).reshape(shape) / count)
                      .astype(np.float32))
    outputs = [
        _read_value(path.with_name(f"{path.stem}_output_{i}.pb"), info.type)
        for i, info in enumerate(model.graph.output)
    ]
    return inputs, outputs
