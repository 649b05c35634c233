# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models."""

from __future__ import annotations

import dataclasses
import html
import operator
import os
from typing import (Any, Callable, Dict, Iterable, List, Mapping, Optional,
                    Sequence, SupportsIndex, Tuple, Union, cast)

from . import _native
from .arrays import Array, as_dense, element_type_name
from .describe import Graph, MemoryPlan, Report
from .errors import HamKaasError, UnsupportedError
from .functions import EntryFunction, Function, Signature, name_functions
from .graph import Node
from .options import (CompileOptions, check_number, check_text,
                      describe_options, make_write_options)
from .progress import Progress, ProgressLine, make_progress
from .replay import replay, replay_functions
from .state import PathLike, RunLock, State
from .structure import Structure, name_results, skeleton, unflatten
from .tables import TensorInfo, make_html_table, make_tensors


# More of them are hidden at first.
_SHOWN_PARAMETERS = 8


@dataclasses.dataclass(frozen=True)
class _Weights:
    """The contents of a model's parameters."""

    arrays: Dict[str, Array]
    file: Optional[bytes] = None
    unverified: bool = False
    is_dropped: bool = False
    """There were arrays, but ``keep_weights`` is false."""


class Model:
    """A compiled model with its weights and its state. Made by `compile`.

    Any thread may use it. Runs of a model, and of models that share its state,
    wait for each other; other models run concurrently. After a fork, the child
    may use its parent's models, except those that another thread was running:
    they stay busy, with a state that is half written.

    A model with several functions has them as attributes: ``model.decode`` is
    an `EntryFunction`.
    """

    name: str
    """The name in messages, and the prefix of the functions of a library."""
    parameters: Tuple[TensorInfo, ...]
    """The constants, with their names."""
    states: Tuple[TensorInfo, ...]
    """The tensors kept between runs; `state` has their contents."""

    def __init__(self, native: _native.Model, weights: _Weights, device: str,
                 threads: int, constants_of: Optional["Model"] = None,
                 state_of: Optional["Model"] = None,
                 structures: Sequence[Structure] = (),
                 keep_weights: bool = True,
                 share_threads: bool = False) -> None:
        check_text("device", device)
        if not isinstance(keep_weights, bool):
            raise TypeError("expected keep_weights to be True or False, got "
                            f"{keep_weights!r}")
        check_number("threads", threads, 1 << 31)
        if state_of is not None and not isinstance(state_of, Model):
            raise TypeError(
                f"expected state_of to be a hamkaas.Model, got {state_of!r}")
        self._native: Optional[_native.Model] = native
        self._weights = weights if keep_weights else dataclasses.replace(
            weights, arrays={}, is_dropped=bool(weights.arrays))
        self._device = device
        self._threads = threads
        self._signatures = [
            Signature(name, make_tensors(inputs), make_tensors(outputs))
            for name, inputs, outputs in native.functions]
        self._structures = list(structures) or [None] * len(self._signatures)
        self._lock: RunLock = RunLock() if state_of is None else state_of._lock
        # The weights were checked and packed once, for the first instance.
        own = weights if constants_of is None else _Weights({})
        self._instance: Optional[_native.Instance] = native.create_instance(
            device, threads, own.arrays, own.file,
            None if constants_of is None else constants_of._open_instance(),
            None if state_of is None else state_of._open_instance(),
            own.unverified, share_threads)
        self.name = native.name
        self.parameters = make_tensors(native.parameters)
        self.states = make_tensors(native.states)

    def run(self, inputs: Mapping[str, Any],
            out: Optional[Mapping[str, Any]] = None) -> Any:
        """Runs the model once on ``inputs``, arrays by name.

        Takes numpy arrays, torch tensors on the CPU, and everything that offers
        DLPack, with exactly the types and shapes of `inputs`. Dense row-major
        ones are used in place, others copied. Returns a new numpy array, or
        several in the structure that was compiled. A model with several
        functions runs one of them: ``model.decode.run(...)``.

        ``out`` gives arrays to write outputs to, by name, which are returned
        then: dense, row-major, writable, and apart from the inputs.

        A model on a GPU also takes arrays in its memory and uses them in place:
        tensors of torch on the same GPU, and what offers DLPack or
        ``__cuda_array_interface__``.

        Raises HamKaasError that lists all errors in the arguments, or says
        which check failed in the run and where. Releases the GIL.

        >>> import hamkaas as hk, numpy as np
        >>> model = hk.compile(hk.input("x", [2]).relu())
        >>> model.run({"x": np.float32([-1, 2])})
        array([0., 2.], dtype=float32)
        """
        if len(self._signatures) != 1:
            self._sole("run")  # Says what to run instead.
        return self._run(0, inputs, out)

    def _run(self, number: int, inputs: Mapping[str, Any],
             out: Optional[Mapping[str, Any]]) -> Any:
        given = inputs if type(inputs) is dict else _make_dict(inputs, "inputs")
        places = out if out is None or type(out) is dict else _make_dict(
            out, "out")
        results = self._run_all(number, given, places)
        structure = self._structures[number]
        if structure is not None:
            return unflatten(structure, results)
        return results[0] if len(results) == 1 else results

    def _run_all(self, number: int, inputs: Dict[str, Any],
                 out: Optional[Dict[str, Any]]) -> Tuple[Any, ...]:
        with self._lock.mutex:
            return self._open_instance().run(number, inputs, out)

    # Functions.

    @property
    def functions(self) -> Dict[str, EntryFunction]:
        """The functions by their names; "main" if there is only one."""
        return {signature.name: EntryFunction(self, number, signature)
                for number, signature in enumerate(self._signatures)}

    def __getattr__(self, name: str) -> EntryFunction:
        # NOTE: whoever copies objects asks for attributes before there are any.
        for number, signature in enumerate(
                self.__dict__.get("_signatures", ())):
            if signature.name == name:
                return EntryFunction(self, number, signature)
        raise AttributeError(
            f"'Model' object has no attribute {name!r}", name=name, obj=self)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.functions]

    @property
    def inputs(self) -> Tuple[TensorInfo, ...]:
        """The arrays that a run takes, if the model has one function."""
        return self._sole("inputs").inputs

    @property
    def outputs(self) -> Tuple[TensorInfo, ...]:
        """The arrays that a run returns, if the model has one function."""
        return self._sole("outputs").outputs

    def _sole(self, what: str) -> Signature:
        """The only function; an error if ``what`` is not known for several."""
        if len(self._signatures) == 1:
            return self._signatures[0]
        names = [signature.name for signature in self._signatures]
        raise HamKaasError(
            f"model '{self.name}': expected one of its functions, as in "
            f"model.{names[0]}.{what}, got none; it has "
            f"{', '.join(map(repr, names))}")

    @property
    def device(self) -> str:
        """The device that the model runs on: "cpu", "cuda:0" or "reference"."""
        return self._open_instance().device

    @property
    def state(self) -> State:
        """The states of the model, kept between runs, by name."""
        return State(self.states, self._lock, self._open_instance)

    # Copies and files.

    def new_instance(self, threads: Optional[int] = None,
                     share_state: bool = False,
                     device: Optional[str] = None) -> "Model":
        """Another instance of the program, which shares the weights.

        It has its own state, zero at first, or with ``share_state`` this
        model's. ``threads`` and ``device`` are as for `compile`, this model's
        where None. On another device the weights are prepared once more, and
        the state cannot be shared. HamKaasError for another device if the model
        was made with ``keep_weights=False``.

        >>> import hamkaas as hk, numpy as np
        >>> model = hk.compile(hk.input("x", [2]).silu())
        >>> x = np.float32([-1, 2])
        >>> expected = model.new_instance(device="reference").run({"x": x})
        >>> bool(np.allclose(model.run({"x": x}), expected))
        True
        """
        is_same = device in (None, self._device, self.device)
        if not is_same:
            self._check_weights(f"a new instance on {device!r}")
        return Model(self._open_native(), self._weights,
                     self._device if device is None else device,
                     self._threads if threads is None else threads,
                     constants_of=self if is_same else None,
                     state_of=self if share_state else None,
                     structures=self._structures)

    def save(
        self, path: PathLike, embed_weights: bool = True,
        # hamkaas-tblgen begin: python-write-parameters
        target_cpu: str = "host",
        target: Optional[str] = None,
        gpu_arch: Optional[str] = None,
        engine: Optional[str] = None,
        precision: Optional[str] = None,
        # hamkaas-tblgen end
    ) -> None:
        """Writes the model as a library, with its C header beside it.

        ``path`` ends in .so, .o or .a. The library needs nothing but libc.
        Without ``embed_weights``, the weights are provided at load. Other
        arguments are as for `compile`, and this model's where None. Compiles
        the model again.

        HamKaasError for a model that was loaded from a library, and for weights
        of one that was made with ``keep_weights=False``.
        """
        given = {
            # hamkaas-tblgen begin: python-write-native
            "targetCpu": target_cpu,
            "target": target,
            "gpuArch": gpu_arch,
            "engine": engine,
            "precision": precision,
            # hamkaas-tblgen end
        }
        weights = self._weights if embed_weights else _Weights({})
        if embed_weights:
            self._check_weights("a file with embed_weights")
        self._open_native().write(os.fsencode(path), weights.arrays,
                                  weights.file, make_write_options(given))

    def close(self) -> None:
        """Frees the memory now. Afterwards the model cannot be used."""
        self._instance = self._native = None
        self._weights = _Weights({})

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_instance(self) -> _native.Instance:
        instance = self._instance
        if instance is None:
            raise HamKaasError(f"model '{self.name}' is closed")
        return instance

    def _check_weights(self, what: str) -> None:
        if self._weights.is_dropped:
            raise HamKaasError(
                f"model '{self.name}': expected its weights for {what}, got "
                "none: it was made with keep_weights=False")

    def _open_native(self) -> _native.Model:
        native = self._native
        if native is None:
            raise HamKaasError(f"model '{self.name}' is closed")
        return native

    # Descriptions.

    @property
    def report(self) -> Report:
        """Tensors, memory, work and kernels."""
        return Report(self._open_native().describe)

    @property
    def memory_plan(self) -> MemoryPlan:
        """The place and lifetime of each buffer of the workspace."""
        return MemoryPlan(self._open_native().describe)

    @property
    def graph(self) -> Graph:
        """The graph, before optimization."""
        return Graph(self._open_native().describe)

    def __repr__(self) -> str:
        memory = ", closed"
        if self._native is not None:
            memory = f", memory: {self.report.memory}"
        texts = [signature.describe() for signature in self._signatures]
        if len(texts) > 1:
            texts = [f"{signature.name} {text}" for signature, text in
                     zip(self._signatures, texts)]
        return f"<hamkaas.Model {self.name} {', '.join(texts)}{memory}>"

    def _repr_html_(self) -> str:
        name = html.escape(self.name)
        if self._instance is None or self._native is None:
            return f"<b>{name}</b>, closed"
        report, plan = self.report, self.memory_plan._repr_svg_()
        tables = [make_html_table(title, tensors) for title, tensors in
                  (*self._name_tables(), ("state", self.states),
                   ("parameter", self.parameters))]
        if len(self.parameters) > _SHOWN_PARAMETERS:
            tables[-1] = (f"<details><summary>{len(self.parameters)} parameters"
                          f"</summary>{tables[-1]}</details>")
        drawing = "" if plan is None else (
            f'<div style="overflow-x: auto">{plan}</div>')
        return (f"<b>{name}</b> on {html.escape(self.device)}, memory: "
                f"{report.memory}{''.join(tables)}{drawing}")

    def _name_tables(self) -> List[Tuple[str, Tuple[TensorInfo, ...]]]:
        tables = []
        for name, inputs, outputs in self._signatures:
            of = f" of {name}" if len(self._signatures) > 1 else ""
            tables += [(f"input{of}", inputs), (f"output{of}", outputs)]
        return tables


# Functions that `compile` makes have other names.
_ATTRIBUTES = {*dir(Model), *Model.__annotations__}


def _make_dict(arrays: Mapping[str, Any], what: str) -> Dict[str, Any]:
    try:
        return dict(arrays)
    except (TypeError, ValueError):
        raise TypeError(f"expected {what} to be a dictionary of arrays by "
                        f"name, got {type(arrays).__name__}") from None


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
    return Model(native, _Weights(built.constants), "cpu", 0,
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
    return Model(native, _Weights({}), device, threads)


def make_arguments(dims: Optional[Mapping[str, int]],
                   const_inputs: Optional[Mapping[str, Any]],
                   options: CompileOptions, *, name: str = "",
                   tell: Optional[Callable[[str, int, int], object]] = None) \
        -> _native.CompileArguments:
    """The options for compiling a file. The first two are for an ONNX model."""
    check_text("name", name)
    sizes = [(key, _as_size(key, size)) for key, size in (dims or {}).items()]
    inputs = []
    for key, value in _make_dict(const_inputs or {}, "const_inputs").items():
        array = as_dense(value)
        inputs.append((key, element_type_name(array.dtype), array.shape,
                       array.tobytes()))
    return _native.CompileArguments(name, [], tell, sizes, inputs,
                                    options.as_native())


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
        max_workspace: int = 0,
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
    return Model(native, _Weights(built.constants), device, threads,
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
        max_workspace: int = 0,
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
        # hamkaas-tblgen end
) -> Model:
    """Compiles a script, MLIR or ONNX file, or loads a saved library.

    The contents decide the file type. ``parameters`` are arrays by name,
    ``weights`` is a safetensors file with them. Other arguments are as for
    `compile`; those that affect code are not for a library.

    For ONNX, ``dims`` are the sizes of named dimensions, and ``const_inputs``
    are values of inputs, which become constants. External data lies below the
    folder of the model.

    A library that names a weights file takes it from its own folder, or from
    the path at compile time, and checks its size and digest. With ``verify``,
    the library is checked by its own digest before it is loaded; if that is
    false, no digest is computed.

    Raises UnsupportedError for an ONNX model that needs what HamKaas does not
    have, and HamKaasError for whatever else is wrong.

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
        # hamkaas-tblgen end
    )
    file = os.fsencode(path)
    tell = make_progress(progress, os.path.basename(os.fsdecode(path)))
    if not _is_library(file):
        options = add_target(options, device)
    arguments = make_arguments(dims, const_inputs, options, name=name or "",
                               tell=tell)
    try:
        native = compile_source(path, arguments, bool(verify))
    finally:
        if isinstance(tell, ProgressLine):
            tell.close()
    given = _make_dict(parameters or {}, "parameters")
    return Model(
        native,
        _Weights({key: as_dense(array) for key, array in given.items()},
                 None if weights is None else os.fsencode(weights),
                 unverified=verify is False), device,
        threads, state_of=state_of, keep_weights=keep_weights)


def _is_library(path: bytes) -> bool:
    if not os.path.isfile(path):
        return False  # What is read of a pipe is gone.
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except (OSError, ValueError):
        return False  # The library tells what is wrong with the file.
