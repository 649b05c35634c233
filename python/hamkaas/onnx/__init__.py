# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX files: prepared once, run on lists of arrays.

`hamkaas.load` reads an ONNX file, too, as a `hamkaas.Model` whose shapes are
all known. The package onnx is needed for `hamkaas.onnx.backend` alone.
"""

from __future__ import annotations

import collections
import os
import threading
from typing import (Any, Dict, List, Mapping, Optional, Protocol, Sequence,
                    Sized, Tuple, Union)

from ..arrays import (Array, as_dense, check_array, describe,
                      element_type_name, is_array)
from ..errors import HamKaasError, UnsupportedError
from ..model import Model, make_dict
from ..options import (CompileOptions, check_number, check_text,
                       describe_options)
from ..state import PathLike
from .formats import has_format, to_bytes
from .programs import Program, Source, TensorInfo

__all__ = ["ModelProto", "ModelSource", "PreparedModel", "TensorInfo",
           "UnsupportedError", "prepare"]

# How many programs a model keeps, those that were run last.
_MOST_PROGRAMS = 16

_Key = Tuple[Tuple[Tuple[str, int], ...], Tuple[Tuple[str, bytes], ...]]
"""The sizes and the values that a program was compiled for."""


class ModelProto(Protocol):
    """A model of the package onnx."""

    def SerializeToString(self) -> bytes:
        """The contents of a file with the model."""


ModelSource = Union[bytes, bytearray, memoryview, PathLike, ModelProto]
"""The contents of an ONNX file, the path of one, or an ``onnx.ModelProto``."""


@describe_options
def prepare(
        model: ModelSource, device: str = "cpu", *,
        dims: Optional[Mapping[str, int]] = None,
        const_inputs: Optional[Mapping[str, Any]] = None,
        threads: int = 0,
        # hamkaas-tblgen begin: python-parameters
        target_cpu: str = "host",
        max_workspace: Union[int, str] = 0,
        unchecked: bool = False,
        cache: bool = True,
        compile_threads: int = 0,
        target: Optional[str] = None,
        gpu_arch: str = "compute_80",
        engine: Optional[str] = None,
        precision: str = "exact",
        external_data_root: Optional[PathLike] = None,
        no_optimize: Optional[str] = None,
        winograd_error: float = 1e-5,
        graph_passes: Optional[str] = None,
        check_each_pass: bool = False,
        debug_info: bool = False,
        train: bool = False,
        loss: Optional[str] = None,
        optimizer: str = "adam",
        freeze: Optional[str] = None,
        train_output: Optional[str] = None,
        check_nan: bool = False,
        engine_path: Optional[str] = None,
        choose: Optional[str] = None,
        choices: Optional[PathLike] = None,
        verify_engines: bool = False,
        context: int = 0,
        chunk: int = 0,
        quantized_products: str = "exact",
        cache_type: str = "f32",
        # hamkaas-tblgen end
) -> "PreparedModel":
    """Compiles an ONNX model to a function of a list of arrays.

    ``dims`` are the sizes of named dimensions. ``const_inputs`` are values of
    inputs, by name, which become constants of the program. ``device`` and
    ``threads`` are as for `hamkaas.compile`. External data must lie below the
    folder of a model that is a path.

    A program has fixed sizes, and fixed values of inputs that decide sizes,
    such as the shape of a Reshape. Open ones are taken from the arrays of a
    call, which compiles the model once for each combination.

    Raises `hamkaas.UnsupportedError` for a model that needs what HamKaas does
    not have, and HamKaasError for one that is not valid.

    The other arguments are as for `hamkaas.compile`:

    {options}

    >>> import hamkaas.onnx, numpy as np
    >>> relu = hamkaas.onnx.prepare(bytes.fromhex(
    ...     "08083a350a0c0a017812017922045265"
    ...     "6c751201675a100a0178120b0a090801"
    ...     "12050a0312016e62100a0179120b0a09"
    ...     "080112050a0312016e42040a00100e"))
    >>> relu.inputs
    (TensorInfo(name='x', dtype=dtype('float32'), shape=('n',)),)
    >>> relu([np.float32([-1, 2, -3])])
    [array([0., 2., 0.], dtype=float32)]
    """
    check_text("device", device)
    check_number("threads", threads, 1 << 31)
    options = CompileOptions(
        # hamkaas-tblgen begin: python-arguments
        target_cpu=target_cpu,
        max_workspace=max_workspace,
        unchecked=unchecked,
        cache=cache,
        compile_threads=compile_threads,
        target=target,
        gpu_arch=gpu_arch,
        engine=engine,
        precision=precision,
        external_data_root=external_data_root,
        no_optimize=no_optimize,
        winograd_error=winograd_error,
        graph_passes=graph_passes,
        check_each_pass=check_each_pass,
        debug_info=debug_info,
        train=train,
        loss=loss,
        optimizer=optimizer,
        freeze=freeze,
        train_output=train_output,
        check_nan=check_nan,
        engine_path=engine_path,
        choose=choose,
        choices=choices,
        verify_engines=verify_engines,
        context=context,
        chunk=chunk,
        quantized_products=quantized_products,
        cache_type=cache_type,
        # hamkaas-tblgen end
    )
    return PreparedModel(
        Source(_read_source(model), device, threads, options),
        dict(dims or {}),
        {name: check_array(f"const_inputs[{name!r}]", value)
         for name, value in make_dict(const_inputs or {},
                                      "const_inputs").items()})


def _read_source(model: ModelSource) -> Union[bytes, PathLike]:
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    if isinstance(model, (str, os.PathLike)):
        return model
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    raise TypeError("expected an ONNX model as bytes, a path or an "
                    f"onnx.ModelProto, got {type(model).__name__}")


class PreparedModel:
    """An ONNX model, ready to be called. Made by `prepare`.

    Any thread may call it.
    """

    def __init__(self, source: Source, dims: Dict[str, int],
                 const_inputs: Dict[str, Array]) -> None:
        self._source = source
        self._dims = dims
        self._const_inputs = const_inputs
        self._lock = threading.Lock()
        self._programs: "collections.OrderedDict[_Key, Program]" = \
            collections.OrderedDict()
        self._first = source.compile(dims, const_inputs)
        # The inputs whose values programs are made for. A program with one
        # value may need more than one with another.
        self._needed = list(self._first.signature.missing)

    @property
    def inputs(self) -> Tuple[TensorInfo, ...]:
        """The inputs in their order."""
        return tuple(info for info in self._first.signature.inputs
                     if info.name not in self._const_inputs)

    @property
    def outputs(self) -> Tuple[TensorInfo, ...]:
        """The outputs in their order."""
        return self._first.signature.outputs

    @property
    def model(self) -> Optional[Model]:
        """The program that was called last; None if none was compiled yet."""
        programs = list(self._programs.values())
        return programs[-1].model if programs else self._first.model

    def __call__(self, inputs: Sequence[Any]) -> List[Array]:
        """Runs the model on arrays in the order of `inputs`.

        Takes arrays as `Model.run` does. Gives new arrays in the order of
        `outputs`. Raises HamKaasError for arrays that do not fit, and the
        errors of `prepare` where it compiles.
        """
        arrays = _take_arrays(inputs, self.inputs)
        dims = _bind_dims(arrays, self.inputs)
        program = self._first
        if program.model is None:
            with self._lock:
                program = self._find_program(arrays, {**self._dims, **dims})
        return list(program.run(arrays).values())

    def _find_program(self, arrays: Dict[str, Array],
                      dims: Dict[str, int]) -> Program:
        while True:
            values = {name: arrays[name] for name in self._needed}
            key = _make_key(dims, values)
            program = self._programs.pop(key, None) or self._source.compile(
                dims, {**self._const_inputs, **values})
            if program.model is not None:
                break
            missing = [name for name in program.signature.missing
                       if name not in self._needed]
            if not missing:
                raise HamKaasError(program.problem)
            self._needed += missing
        self._programs[key] = program
        if len(self._programs) > _MOST_PROGRAMS:
            self._programs.popitem(last=False)
        return program


def _take_arrays(inputs: Sequence[Any], infos: Sequence[TensorInfo]) \
        -> Dict[str, Array]:
    """The inputs by name. HamKaasError for one of another type or rank."""
    if is_array(inputs) or not isinstance(inputs, Sized) or isinstance(
            inputs, (Mapping, str, bytes)):
        raise TypeError("expected a list of arrays in the order of the inputs, "
                        f"got {describe(inputs)}")
    if len(inputs) != len(infos):
        plural = "" if len(infos) == 1 else "s"
        raise HamKaasError(f"expected {len(infos)} input{plural}, got "
                           f"{len(inputs)}")
    arrays = {}
    for info, value in zip(infos, inputs):
        try:
            arrays[info.name] = array = as_dense(value)
        except TypeError as error:
            raise HamKaasError(_expected(info, info.shape, str(error))) \
                from None
        has_rank = info.shape is None or len(info.shape) == array.ndim
        if has_rank and has_format(info.dtype) and array.dtype == info.dtype:
            arrays[info.name] = to_bytes(array)
        elif not has_rank or element_type_name(array.dtype) != str(info.dtype):
            raise HamKaasError(_expected(info, info.shape, describe(array)))
    return arrays


def _bind_dims(arrays: Mapping[str, Array], infos: Sequence[TensorInfo]) \
        -> Dict[str, int]:
    """The sizes of dimensions that have names. HamKaasError for one of another
    size than the model or another input says."""
    dims: Dict[str, int] = {}
    for info in infos:
        array = arrays[info.name]
        for wanted, size in zip(info.shape or (), array.shape):
            if isinstance(wanted, str):
                wanted = dims.setdefault(wanted, size)
            if wanted != size:
                shape = [dims.get(str(size), size) for size in info.shape or ()]
                raise HamKaasError(_expected(info, shape, describe(array)))
    return dims


def _expected(info: TensorInfo, shape: Optional[Sequence[object]],
              found: str) -> str:
    sizes = "of any shape" if shape is None else \
        f"[{', '.join(map(str, shape))}]"
    return (f"expected input '{info.name}' to be {info.dtype} {sizes}, got "
            f"{found}")


def _make_key(dims: Mapping[str, int], values: Mapping[str, Array]) -> _Key:
    # The shapes follow from the sizes, the types from the model.
    return (tuple(sorted(dims.items())),
            tuple((name, value.tobytes()) for name, value in values.items()))
