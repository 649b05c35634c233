# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models whose weights have few bits.

The package onnx reads and writes them.
"""

from __future__ import annotations

import collections
import dataclasses
import os
from importlib import import_module
from typing import (TYPE_CHECKING, Any, BinaryIO, Callable, Dict, Iterator,
                    List, Optional, Set, Tuple)

import numpy as np
import onnx
import onnx.checker
import onnx.external_data_helper
import onnx.helper
import onnx.numpy_helper

from ..arrays import Array
from ..errors import HamKaasError
from ..state import PathLike
from .files import Outputs, cannot_read
from .report import Layer, Report
from .rounding import Rounding, measure, round_rows

__all__ = ["Choice", "external_files", "narrow_model", "read_model"]

# The package onnx has no name for it, and protobuf has no types.
_DecodeError: Any = import_module("google.protobuf.message").DecodeError

# Contents of at least so many bytes go to the file of external data, as the
# package onnx does it.
_LEAST_EXTERNAL = 1024

# Memory mappings begin at multiples of a page.
_ALIGNMENT = 4096

# A file of protobuf has no more bytes.
_LARGEST_MODEL = (1 << 31) - 1

_FLOATS: Dict[int, int] = {onnx.TensorProto.FLOAT: 4, onnx.TensorProto.FLOAT16: 2}


@dataclasses.dataclass
class Choice:
    """Which weights become narrow, and how."""

    products: Rounding
    embeddings: Optional[Rounding]
    """None leaves embeddings as they are."""
    min_elements: int
    is_kept: Callable[[str, str], Optional[str]]
    """The pattern that keeps a weight of these names of its own and its node."""


@dataclasses.dataclass(eq=False)
class _Constant:
    """A tensor of the file, by an initializer or a node Constant."""

    tensor: onnx.TensorProto
    name: str
    is_default: bool = False
    """Whether callers may give another tensor."""


@dataclasses.dataclass
class _View:
    """A node Transpose or Identity of a constant."""

    name: str
    source: str
    is_transposed: bool


@dataclasses.dataclass
class _Weight:
    constant: _Constant
    is_transposed: bool
    names: List[str]
    """Values that may lose their last use: the constant and its views."""


@dataclasses.dataclass
class _Narrow:
    """A weight in the written model."""

    names: List[str]
    """Those of codes, scales and, if there are any, zero points."""
    rows: int
    columns: int
    rounding: Rounding


if TYPE_CHECKING:
    _Scope = collections.ChainMap[str, Any]


def read_model(path: PathLike) -> onnx.ModelProto:
    """A model without its external data."""
    try:
        model = onnx.load(os.fspath(path), load_external_data=False)
    except OSError as error:
        raise cannot_read(path, error) from None
    except _DecodeError as error:
        raise HamKaasError(f"{os.fspath(path)}: expected an ONNX model, got a "
                           f"file that is none ({error})") from None
    if not model.graph.node:
        raise HamKaasError(f"{os.fspath(path)}: expected an ONNX model, got "
                           "one without nodes")
    for graph in _all_graphs(model.graph):
        for text in _texts(graph):
            # Protobuf gives bytes for what is no UTF-8.
            if not isinstance(text, str):
                raise HamKaasError(f"{os.fspath(path)}: expected names in "
                                   f"UTF-8, got {text!r}")
        for node in graph.node:
            _check_node(node, path)
    return model


def _texts(graph: onnx.GraphProto) -> Iterator[object]:
    for values in (graph.input, graph.output, graph.value_info):
        yield from (value.name for value in values)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain)
        yield from (*node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)
    for tensor in _tensors(graph):
        yield tensor.name
        for entry in tensor.external_data:
            yield from (entry.key, entry.value)


# How many inputs the operators need that the tool looks at.
_INPUTS = {"MatMul": 2, "Gemm": 2, "Gather": 2, "Identity": 1, "Transpose": 1,
           "Constant": 0}


def _check_node(node: onnx.NodeProto, path: PathLike) -> None:
    kind = node.op_type
    if not _is_standard(node, kind) or kind not in _INPUTS:
        return
    if len(node.input) < _INPUTS[kind] or len(node.output) != 1:
        raise HamKaasError(
            f"{os.fspath(path)}: node '{_name_of(node)}' ({kind}): expected "
            f"{_INPUTS[kind]} inputs and 1 output, got {len(node.input)} and "
            f"{len(node.output)}")


def external_files(model: onnx.ModelProto, path: PathLike) -> List[str]:
    """The files beside a model that have its external data."""
    folder = os.path.dirname(os.path.abspath(path))
    names = {entry.value for graph in _all_graphs(model.graph)
             for tensor in _tensors(graph)
             if onnx.external_data_helper.uses_external_data(tensor)
             for entry in tensor.external_data if entry.key == "location"}
    return sorted(os.path.join(folder, name) for name in names)


def narrow_model(model: onnx.ModelProto, path: PathLike, output: PathLike,
                 choice: Choice, external_data: bool, report: Report) -> None:
    """Writes `model`, which was read from ``path``, with narrow weights."""
    with Outputs() as outputs:
        file = outputs.open(output)
        data = os.fspath(output) + ".data"
        store = _Store(os.path.dirname(os.path.abspath(path)),
                       outputs.open(data) if external_data else None,
                       os.path.basename(data))
        narrowing = _Narrowing(model, store, choice, report)
        narrowing.run()
        if not report.layers:
            reasons = [f"'{name}' {reason}" for name, reason in report.left]
            if report.small:
                reasons.append(f"{report.small} have fewer than "
                               f"{choice.min_elements} numbers")
            raise HamKaasError(
                f"{os.fspath(path)}: expected constant weights of products or "
                "embeddings, got none that can be narrow" +
                "".join(f"; {reason}" for reason in reasons[:5]))
        for graph in _all_graphs(model.graph):
            for tensor in _tensors(graph):
                store.keep(tensor)
        narrowing.finish()
        if model.ByteSize() > _LARGEST_MODEL:
            raise HamKaasError(
                f"{os.fspath(output)}: a model of {model.ByteSize()} bytes is "
                "too large for one file, give --external-data")
        try:
            file.write(model.SerializeToString())
            file.flush()
        except OSError as error:
            raise HamKaasError(f"cannot write '{os.fspath(output)}': "
                               f"{error.strerror}") from None


#===-----------------------------------------------------------------------===#
# Contents of tensors
#===-----------------------------------------------------------------------===#

class _Store:
    """Reads the contents of tensors one by one, and puts them where the
    written model has them."""

    def __init__(self, folder: str, data: Optional[BinaryIO],
                 location: str) -> None:
        self._folder = folder
        self._data = data
        self._location = location

    def read(self, tensor: onnx.TensorProto) -> Array:
        if onnx.external_data_helper.uses_external_data(tensor):
            tensor = self._load(tensor)
        try:
            return onnx.numpy_helper.to_array(tensor)
        except (TypeError, ValueError) as error:
            raise HamKaasError(f"tensor '{tensor.name}': {error}") from None

    def _load(self, tensor: onnx.TensorProto) -> onnx.TensorProto:
        loaded = onnx.TensorProto()
        loaded.CopyFrom(tensor)
        try:
            onnx.external_data_helper.load_external_data_for_tensor(
                loaded, self._folder)
        except (OSError, ValueError, onnx.checker.ValidationError) as error:
            raise HamKaasError(f"tensor '{tensor.name}': cannot read its "
                               f"external data: {error}") from None
        loaded.data_location = onnx.TensorProto.DEFAULT
        del loaded.external_data[:]
        return loaded

    def make(self, array: Array, name: str) -> onnx.TensorProto:
        tensor = onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
        self._move(tensor)
        return tensor

    def keep(self, tensor: onnx.TensorProto) -> None:
        """Takes over a tensor of the model that was read."""
        if onnx.external_data_helper.uses_external_data(tensor):
            tensor.CopyFrom(self._load(tensor))
        self._move(tensor)

    def _move(self, tensor: onnx.TensorProto) -> None:
        """Moves contents to the file of external data, if there is one."""
        size = len(tensor.raw_data)
        if self._data is None or size < _LEAST_EXTERNAL:
            return
        offset = -(-self._data.tell() // _ALIGNMENT) * _ALIGNMENT
        try:
            self._data.seek(offset)
            self._data.write(tensor.raw_data)
            self._data.flush()
        except OSError as error:
            raise HamKaasError("cannot write the external data: "
                               f"{error.strerror}") from None
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", self._location), ("offset", offset),
                           ("length", size)):
            tensor.external_data.add(key=key, value=str(value))


#===-----------------------------------------------------------------------===#
# Graphs
#===-----------------------------------------------------------------------===#

def _subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def _all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for inner in _subgraphs(node):
            yield from _all_graphs(inner)


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t


def _attributes(node: onnx.NodeProto) -> Dict[str, Any]:
    return {attribute.name: onnx.helper.get_attribute_value(attribute)
            for attribute in node.attribute}


def _is_standard(node: onnx.NodeProto, kind: str) -> bool:
    return node.op_type == kind and node.domain in ("", "ai.onnx")


def _name_of(node: onnx.NodeProto) -> str:
    return node.name or next(filter(None, node.output), node.op_type)


class _Narrowing:
    """Replaces nodes with wide weights by nodes with narrow ones."""

    def __init__(self, model: onnx.ModelProto, store: _Store, choice: Choice,
                 report: Report) -> None:
        self._model = model
        self._store = store
        self._choice = choice
        self._report = report
        self._added: List[onnx.TensorProto] = []
        self._made: Dict[Tuple[_Constant, bool, Rounding], _Narrow] = {}
        self._spare: List[str] = []
        self._small: Set[_Constant] = set()
        self._names = {name for graph in _all_graphs(model.graph)
                       for name in self._names_in(graph)}

    @staticmethod
    def _names_in(graph: onnx.GraphProto) -> Iterator[str]:
        for values in (graph.input, graph.initializer):
            yield from (value.name for value in values)
        for node in graph.node:
            yield from node.output

    def run(self) -> None:
        self._walk(self._model.graph, collections.ChainMap())
        self._remove_unused()

    def finish(self) -> None:
        """Adds the new weights, after those of before were taken over."""
        self._model.graph.initializer.extend(self._added)
        if not any(opset.domain == "com.microsoft"
                   for opset in self._model.opset_import):
            self._model.opset_import.add(domain="com.microsoft", version=1)

    def _walk(self, graph: onnx.GraphProto, outer: _Scope) -> None:
        scope = outer.new_child({value.name: None for value in graph.input})
        # From version 4 on, an input with an initializer may be given.
        defaults = {value.name for value in graph.input} \
            if self._model.ir_version >= 4 else set()
        for tensor in graph.initializer:
            scope[tensor.name] = _Constant(tensor, tensor.name,
                                           tensor.name in defaults)
        nodes: List[onnx.NodeProto] = []
        for node in graph.node:
            for inner in _subgraphs(node):
                self._walk(inner, scope)
            for name in node.output:
                scope[name] = None
            if _is_standard(node, "Constant"):
                tensors = [attribute.t for attribute in node.attribute
                           if attribute.name == "value"]
                if tensors:
                    scope[node.output[0]] = _Constant(tensors[0],
                                                      node.output[0])
            elif _is_standard(node, "Identity"):
                scope[node.output[0]] = _View(node.output[0], node.input[0],
                                              False)
            elif _is_standard(node, "Transpose") and \
                    _attributes(node).get("perm", [1, 0]) == [1, 0]:
                scope[node.output[0]] = _View(node.output[0], node.input[0],
                                              True)
            nodes += self._narrow(node, scope) or [node]
        if len(nodes) != len(graph.node) or any(
                new is not old for new, old in zip(nodes, graph.node)):
            copies = onnx.GraphProto()
            copies.node.extend(nodes)
            graph.ClearField("node")
            graph.node.extend(copies.node)

    def _find(self, name: str, scope: _Scope) -> Optional[_Weight]:
        """The matrix behind a value."""
        is_transposed = False
        names = [name]
        found = scope.get(name)
        while isinstance(found, _View):
            is_transposed ^= found.is_transposed
            names.append(found.source)
            found = scope.get(found.source)
        if not isinstance(found, _Constant) or len(found.tensor.dims) != 2:
            return None
        return _Weight(found, is_transposed, names)

    def _narrow(self, node: onnx.NodeProto, scope: _Scope) \
            -> Optional[List[onnx.NodeProto]]:
        """The nodes in place of one whose weight becomes narrow."""
        if _is_standard(node, "MatMul"):
            return self._narrow_product(node, node.input[1], scope, False, None)
        if _is_standard(node, "Gemm"):
            values = _attributes(node)
            problem = None
            if values.get("transA", 0):
                problem = "has a transposed left side"
            elif values.get("alpha", 1.0) != 1:
                problem = "is multiplied by 'alpha'"
            elif values.get("beta", 1.0) != 1 and len(node.input) > 2 and \
                    node.input[2]:
                problem = "has a factor 'beta' beside it"
            return self._narrow_product(node, node.input[1], scope,
                                        bool(values.get("transB", 0)), problem)
        if _is_standard(node, "Gather"):
            return self._narrow_embedding(node, scope)
        return None

    def _narrow_product(self, node: onnx.NodeProto, name: str, scope: _Scope,
                        is_transposed: bool, problem: Optional[str]) \
            -> Optional[List[onnx.NodeProto]]:
        weight = self._find(name, scope)
        if weight is None:
            return None
        # Rows of codes are columns of the right side.
        is_transposed ^= weight.is_transposed
        narrow = self._round(node, weight, not is_transposed,
                             self._choice.products, problem)
        if narrow is None:
            return None
        has_bias = node.op_type == "Gemm" and len(node.input) > 2 and \
            bool(node.input[2])
        product = self._unique(f"{node.output[0]}.product") if has_bias else \
            node.output[0]
        result = [onnx.helper.make_node(
            "MatMulNBits", [node.input[0], *narrow.names], [product],
            name=node.name, domain="com.microsoft", K=narrow.columns,
            N=narrow.rows, bits=narrow.rounding.bits,
            block_size=narrow.rounding.block)]
        if has_bias:
            result.append(onnx.helper.make_node(
                "Add", [product, node.input[2]], node.output,
                name=node.name and f"{node.name}.bias"))
        return result

    def _narrow_embedding(self, node: onnx.NodeProto, scope: _Scope) \
            -> Optional[List[onnx.NodeProto]]:
        weight = self._find(node.input[0], scope)
        if weight is None or _attributes(node).get("axis", 0) not in (0, -2):
            return None
        rounding = self._choice.embeddings
        problem = None
        if rounding is None:
            problem = "is an embedding"
        else:
            columns = weight.constant.tensor.dims[not weight.is_transposed]
            if columns % rounding.block:
                problem = (f"has rows of {columns} numbers, no multiple of "
                           f"{rounding.block}")
        narrow = self._round(node, weight, weight.is_transposed,
                             rounding or self._choice.products, problem)
        if narrow is None:
            return None
        names = narrow.names
        # The same codes, for a product they have a dimension of blocks.
        table = self._unique(f"{names[0]}.rows")
        shape = self._add(np.array([narrow.rows, -1], np.int64),
                          f"{names[0]}.shape")
        return [
            onnx.helper.make_node("Reshape", [names[0], shape], [table],
                                  name=node.name and f"{node.name}.rows"),
            onnx.helper.make_node(
                "GatherBlockQuantized", [table, node.input[1], *names[1:]],
                node.output, name=node.name, domain="com.microsoft",
                bits=narrow.rounding.bits, block_size=narrow.rounding.block,
                gather_axis=0, quantize_axis=1)]

    def _round(self, node: onnx.NodeProto, weight: _Weight, by_columns: bool,
               rounding: Rounding, problem: Optional[str]) -> Optional[_Narrow]:
        """A weight by codes, if it is to be narrow."""
        tensor, name = weight.constant.tensor, weight.constant.name
        key = (weight.constant, by_columns, rounding)
        if key in self._made and problem is None:
            self._spare += weight.names
            return self._made[key]
        count = int(np.prod(tensor.dims))
        if count < self._choice.min_elements or count == 0:
            self._small.add(weight.constant)
            self._report.small = len(self._small)
            return None
        pattern = self._choice.is_kept(name, _name_of(node))
        if pattern is not None:
            problem = f"is kept by '{pattern}'"
        elif tensor.data_type not in _FLOATS:
            known = {number: name.lower()
                     for name, number in onnx.TensorProto.DataType.items()}
            kind = known.get(tensor.data_type, f"type {tensor.data_type}")
            problem = f"is of {kind}, not of float or float16"
        elif weight.constant.is_default:
            problem = "is the default of an input"
        if problem is None:
            matrix = self._store.read(tensor)
            with np.errstate(over="ignore", invalid="ignore"):
                span = np.float32(matrix.max()) - np.float32(matrix.min())
            if not np.isfinite(span):
                problem = "has numbers that are not finite"
        if problem is not None:
            if (name, problem) not in self._report.left:
                self._report.left.append((name, problem))
            return None
        if by_columns:
            matrix = matrix.T
        codes = round_rows(matrix, rounding)
        errors = measure(matrix, codes)
        del matrix
        names = [self._add(codes.codes, f"{name}.codes"),
                 self._add(codes.scales, f"{name}.scales")]
        if codes.zeros is not None:
            names.append(self._add(codes.zeros, f"{name}.zeros"))
        self._report.add(Layer(
            name, _name_of(node), tuple(tensor.dims),
            f"{rounding.bits} bits", errors,
            count * _FLOATS[tensor.data_type], codes.bytes))
        self._made[key] = _Narrow(names, len(codes.codes), codes.columns,
                                  rounding)
        self._spare += weight.names
        return self._made[key]

    def _unique(self, name: str) -> str:
        found, number = name, 1
        while found in self._names:
            number += 1
            found = f"{name}.{number}"
        self._names.add(found)
        return found

    def _add(self, array: Array, name: str) -> str:
        name = self._unique(name)
        self._added.append(self._store.make(array, name))
        return name

    def _remove_unused(self) -> None:
        """Removes constants, and views of them, that narrow weights
        replaced."""
        spare = set(self._spare)
        while spare:
            used = {name for graph in _all_graphs(self._model.graph)
                    for node in graph.node for name in node.input}
            used |= {value.name for graph in _all_graphs(self._model.graph)
                     for value in graph.output}
            gone = {name for name in spare if name not in used}
            if not gone:
                return
            for graph in _all_graphs(self._model.graph):
                _remove(graph.node, lambda node: not gone.isdisjoint(node.output[:1]))
                for values in (graph.initializer, graph.input,
                               graph.value_info):
                    _remove(values, lambda value: value.name in gone)
            spare -= gone


def _remove(values: Any, is_gone: Callable[[Any], bool]) -> None:
    for index in reversed(range(len(values))):
        if is_gone(values[index]):
            del values[index]
