# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make models: of graphs, and of files."""

from __future__ import annotations

import dataclasses
import operator
import os
from typing import (Any, Callable, Dict, List, Mapping, Optional, Sequence,
                    SupportsIndex, Tuple, Union, cast)

from . import _native
from .arrays import check_array, element_type_name
from .errors import HamKaasError, UnsupportedError
from .functions import Function, name_functions
from .graph import Node
from .model import Model, Weights, make_dict
from .options import (CompileOptions, check_number, check_text,
                      describe_options)
from .progress import Progress, ProgressLine, make_progress
from .replay import replay, replay_functions
from .state import PathLike
from .structure import Structure, is_part, name_results, skeleton

# Functions that `compile` makes have other names.
_ATTRIBUTES = {*dir(Model), *Model.__annotations__}


def _compile(graph: _native.Graph, name: str, progress: Progress,
             options: CompileOptions) -> _native.Model:
    check_text("name", name)
    tell = make_progress(progress, name)
    try:
        return graph.compile(
            _native.CompileArguments(name, [], tell, [], [],
                                     options.as_native()))
    finally:
        if isinstance(tell, ProgressLine):
            tell.close()


def add_target(options: CompileOptions, device: str) -> CompileOptions:
    """The options with the target that ``device`` needs, if they have none."""
    check_text("device", device)
    if options.target is not None:
        return options
    # Who makes an instance says that there is no such device.
    target = _native.device_target(device, options.gpu_arch)
    return dataclasses.replace(options, target=target)


def compile_shared(nodes: Sequence[Node], name: str) -> Model:
    """A small model, one of many, with threads that all such have in common."""
    built = replay([(f"result.{i}", node) for i, node in enumerate(nodes)])
    native = _compile(built.graph, name, None, CompileOptions())
    return Model(native, Weights(built.constants), "cpu", 0,
                 share_threads=True)


# Values of HamKaasCompileFailure in hamkaas-c/Compiler.h.
_UNSUPPORTED = 2
INCOMPLETE = 3


def compile_source(source: Union[bytes, PathLike],
                   arguments: _native.CompileArguments,
                   verify: bool = False) -> _native.Model:
    """Compiles the contents of a file, or the file at a path."""
    try:
        if isinstance(source, bytes):
            return _native.Model.compile(source, arguments)
        return _native.Model.load(os.fsencode(source), arguments, verify)
    except HamKaasError as error:
        if arguments.failure == _UNSUPPORTED:
            raise UnsupportedError(str(error)) from None
        raise


def make_model(native: _native.Model, device: str, threads: int) -> Model:
    """The model of a program that has its weights."""
    return Model(native, Weights({}), device, threads)


def make_arguments(dims: Optional[Mapping[str, int]],
                   const_inputs: Optional[Mapping[str, Any]],
                   options: CompileOptions, *, name: str = "",
                   tell: Optional[Callable[[str, int, int], object]] = None) \
        -> _native.CompileArguments:
    """The options for compiling a file. The first two are for an ONNX model."""
    check_text("name", name)
    inputs = []
    for key, value in make_dict(const_inputs or {}, "const_inputs").items():
        array = check_array(f"const_inputs[{key!r}]", value)
        inputs.append((key, element_type_name(array.dtype), array.shape,
                       array.tobytes()))
    return _native.CompileArguments(name, [], tell, make_sizes(dims), inputs,
                                    options.as_native())


def make_sizes(dims: Optional[Mapping[str, int]]) -> List[Tuple[str, int]]:
    """The sizes of dimensions with their names."""
    if dims is not None and not isinstance(dims, Mapping):
        raise TypeError("expected dims to be a dictionary of sizes by name, "
                        f"got {type(dims).__name__}")
    return [(key, _as_size(key, size)) for key, size in (dims or {}).items()]


def _as_size(name: str, size: object) -> int:
    check_text("the name of a dimension", name)
    check_number(f"the size of dimension '{name}'", size, 1 << 63)
    return operator.index(cast(SupportsIndex, size))


@describe_options
def compile(
        node: Union[Structure, Dict[str, Function]], *, name: str = "model",
        device: str = "cpu", threads: int = 0,
        state_of: Optional[Model] = None, keep_weights: bool = True,
        progress: Progress = None,
        # hamkaas-tblgen begin: python-graph-parameters
        target_cpu: str = "host",
        max_workspace: Union[int, str] = 0,
        unchecked: bool = False,
        cache: bool = True,
        compile_threads: int = 0,
        target: Optional[str] = None,
        gpu_arch: str = "compute_80",
        engine: Optional[str] = None,
        precision: str = "exact",
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
        quantized_products: str = "exact",
        # hamkaas-tblgen end
) -> Model:
    """Compiles the graph that ends in ``node``.

    ``node`` may also be a tuple, a list or a dictionary of nodes, or of such: a
    run returns its results in the same. Outputs have the names of the keys and
    places, ``"logits"``, ``"state.0"``.

    A dictionary of `hamkaas.function` makes one program of several functions,
    ``model.decode.run(...)``, which share weights and state. They have a
    constant or a state in common if they have its node or name, or the array of
    a constant without a name.

    ``name`` is the model's name in messages and the prefix of a saved
    library's functions. ``threads`` work on a run, 0 for one per core.

    ``device`` is "cpu"; "cuda" or "cuda:N", an NVIDIA GPU; "best", the first
    GPU if there is one and else the CPU; or "reference": the interpreter, slow
    but simple, to compare with.

    ``state_of`` is a model to share state with: both graphs have the same
    states, by name, type, shape and order.

    ``progress`` is a function that is called with the step that begins, the
    number of steps done and of all; an exception in it ends the compilation.
    True shows a line on standard error. None, the default, does so after a
    second, on a terminal. Releases the GIL.

    Other arguments say how to compile. Where ``target`` is None, it is what
    ``device`` needs.

    {options}

    Weights are packed for the device. The model keeps the arrays of the
    constants too, for `Model.save` and for `Model.new_instance` on another
    device. With ``keep_weights=False`` it does not: where nobody else keeps
    them, weights are in memory once.

    Raises HamKaasError, with the lines of your program at fault.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [1, 4])
    >>> model = hk.compile(x @ np.ones([4, 2], "float32") + 0.5)
    >>> model.run({"x": np.float32([[1, 2, 3, 4]])})
    array([[10.5, 10.5]], dtype=float32)
    """
    options = CompileOptions(
        # hamkaas-tblgen begin: python-graph-arguments
        target_cpu=target_cpu,
        max_workspace=max_workspace,
        unchecked=unchecked,
        cache=cache,
        compile_threads=compile_threads,
        target=target,
        gpu_arch=gpu_arch,
        engine=engine,
        precision=precision,
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
        quantized_products=quantized_products,
        # hamkaas-tblgen end
    )
    functions = name_functions(node, _ATTRIBUTES)
    if functions is None:
        built = replay(name_results(node))
        structures = [skeleton(node)]
    else:
        built = replay_functions(functions)
        structures = [function.structure for function in functions.values()]
    native = _compile(built.graph, name, progress, add_target(options, device))
    return Model(native, Weights(built.constants), device, threads,
                 state_of=state_of, structures=structures,
                 keep_weights=keep_weights)


@describe_options
def load(
        path: PathLike, *, parameters: Optional[Mapping[str, Any]] = None,
        weights: Optional[PathLike] = None, device: str = "cpu",
        threads: int = 0, state_of: Optional[Model] = None,
        keep_weights: bool = True, name: Optional[str] = None,
        progress: Progress = None,
        dims: Optional[Mapping[str, int]] = None,
        const_inputs: Optional[Mapping[str, Any]] = None,
        verify: Optional[bool] = None,
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
) -> Model:
    """Compiles a script, MLIR, ONNX or GGUF file, or loads a saved library.

    The contents decide the file type. ``parameters`` are arrays by name,
    ``weights`` is a safetensors or GGUF file with them. Other arguments are as for
    `compile`; those that affect code are not for a library.

    For ONNX, ``dims`` are the sizes of named dimensions, and ``const_inputs``
    are values of inputs, which become constants. External data lies below the
    folder of the model.

    For GGUF, ``context`` and ``chunk`` are the sizes of the two functions,
    ``prefill`` and ``decode``.

    A library that names a weights file takes it from its own folder, or from
    the path at compile time, and checks its size and digest. With ``verify``,
    the library is checked by its own digest before it is loaded; if that is
    false, no digest is computed.

    Raises UnsupportedError for an ONNX model that needs what HamKaas does not
    have, and HamKaasError for whatever else is wrong.

    A file has names of results, but no lists and dictionaries: a run returns
    an array for one result and a tuple for several, in the order of
    `Model.outputs`, and a tuple for the single one of a tuple or list that was
    saved.

    A library is code that runs: load only what you would run.

    {options}
    """
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
    if not isinstance(path, (str, bytes, os.PathLike)):
        hint = ("; hamkaas.onnx.prepare takes models of onnx" if
                hasattr(path, "SerializeToString") else "")
        raise TypeError("expected the path of a file, got "
                        f"{type(path).__name__}{hint}")
    for key, size in make_sizes(dims):
        if size < 1:
            raise HamKaasError("dims: expected a size of at least 1 for "
                               f"{key!r}, got {size}")
    file = os.fsencode(path)
    tell = make_progress(progress, os.path.basename(os.fsdecode(path)))
    is_library = _is_library(file)
    if not is_library:
        options = add_target(options, device)
    arguments = make_arguments(dims, const_inputs, options, name=name or "",
                               tell=tell)
    try:
        native = compile_source(path, arguments, bool(verify))
    finally:
        if isinstance(tell, ProgressLine):
            tell.close()
    given = make_dict(parameters or {}, "parameters")
    structures = [(None,) if is_library and is_part(outputs) else None
                  for _, _, outputs in native.functions]
    return Model(
        native,
        Weights({key: check_array(f"parameters[{key!r}]", array)
                 for key, array in given.items()},
                 None if weights is None else os.fsencode(weights),
                 unverified=verify is False), device,
        threads, state_of=state_of, structures=structures,
        keep_weights=keep_weights)


def _is_library(path: bytes) -> bool:
    if not os.path.isfile(path):
        return False  # What is read of a pipe is gone.
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except (OSError, ValueError):
        return False  # The library tells what is wrong with the file.
