# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model compiled for certain sizes and values."""

from __future__ import annotations

import dataclasses
import json
from typing import (Any, Dict, Mapping, NamedTuple, Optional, Tuple, Union,
                    cast)

import numpy as np

from ..arrays import Array, dtype_of
from ..compilation import (INCOMPLETE, add_target, compile_source,
                           make_arguments, make_model)
from ..errors import HamKaasError
from ..model import Model
from ..options import CompileOptions
from ..state import PathLike
from .formats import dtype_of_format, from_bytes, has_format

Size = Union[int, str]
"""A size, or the name of a dimension that has none yet."""


class TensorInfo(NamedTuple):
    """An input or output of an ONNX model."""

    name: str
    dtype: Union["np.dtype[Any]", str, None]
    """None of an output of which the model says none, as long as sizes miss."""
    shape: Optional[Tuple[Size, ...]]
    """A dimension is a size, or a name where the model leaves it open. None
    where it leaves open how many there are."""


@dataclasses.dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a model, as the compiler reports them."""

    inputs: Tuple[TensorInfo, ...]
    outputs: Tuple[TensorInfo, ...]
    missing: Tuple[str, ...]
    """Inputs of which a program needs the values or sizes."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A model compiled for certain sizes and values."""

    signature: Signature
    model: Optional[Model]
    """None if sizes or values are missing."""
    problem: str = ""
    """The reason why there is no program, in words."""

    def run(self, arrays: Mapping[str, Array]) -> Dict[str, Array]:
        """The outputs by name, of arrays by name."""
        assert self.model is not None
        names = [info.name for info in self.model.inputs]
        results = self.model.run({name: arrays[name] for name in names})
        if not isinstance(results, tuple):
            results = (results,)
        outputs = {info.name: result
                   for info, result in zip(self.model.outputs, results)}
        return {info.name: _finish(info, outputs.get(info.name))
                for info in self.signature.outputs}


def _finish(info: TensorInfo, output: Optional[Array]) -> Array:
    """An output as the model has it, of that of the program."""
    if output is None:
        # The program has no outputs without elements.
        return np.empty(info.shape, info.dtype)  # type: ignore[arg-type]
    if has_format(info.dtype):
        return from_bytes(output, cast("np.dtype[Any]", info.dtype))
    return output


@dataclasses.dataclass(frozen=True)
class Source:
    """An ONNX model and how to run it."""

    model: Union[bytes, PathLike]
    device: str
    threads: int
    options: CompileOptions = CompileOptions()

    def compile(self, dims: Mapping[str, int],
                const_inputs: Mapping[str, Array]) -> Program:
        """The program for these sizes, with these inputs built in.

        One without a model if more of them are needed. Raises UnsupportedError
        and HamKaasError.
        """
        arguments = make_arguments(dims, const_inputs,
                                   add_target(self.options, self.device))
        try:
            native = compile_source(self.model, arguments)
        except HamKaasError as error:
            if arguments.failure != INCOMPLETE:
                raise
            return Program(_read_signature(arguments.summary), None,
                           str(error))
        if not arguments.summary:
            raise HamKaasError("expected an ONNX model, got another one")
        return Program(_read_signature(arguments.summary),
                       make_model(native, self.device, self.threads))


def _read_signature(text: str) -> Signature:
    summary = json.loads(text)
    return Signature(_read_tensors(summary["inputs"]),
                     _read_tensors(summary["outputs"]),
                     tuple(summary["missing"]))


def _read_tensors(tensors: Any) -> Tuple[TensorInfo, ...]:
    return tuple(TensorInfo(
        tensor["name"], _read_dtype(tensor),
        tuple(tensor["shape"]) if "shape" in tensor else None)
        for tensor in tensors)


def _read_dtype(tensor: Mapping[str, Any]) \
        -> Union["np.dtype[Any]", str, None]:
    if "type" not in tensor:
        return None
    dtype = dtype_of(tensor["type"])
    return dtype_of_format(tensor["format"], dtype) if "format" in tensor \
        else dtype
