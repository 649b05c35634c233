# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models."""

from __future__ import annotations

import dataclasses
import html
import os
from typing import (Any, Dict, Iterable, List, Mapping, Optional, Sequence,
                    Tuple)

from . import _native
from .arrays import Array
from .describe import Graph, MemoryPlan, Report
from .errors import HamKaasError
from .functions import EntryFunction, Signature
from .options import check_number, check_text, make_write_options
from .state import PathLike, RunLock, State
from .structure import Structure, unflatten
from .tables import TensorInfo, make_html_table, make_tensors


# More of them are hidden at first.
_SHOWN_PARAMETERS = 8


@dataclasses.dataclass(frozen=True)
class Weights:
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

    def __init__(self, native: _native.Model, weights: Weights, device: str,
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
        own = weights if constants_of is None else Weights({})
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
        given = inputs if type(inputs) is dict else make_dict(inputs, "inputs")
        places = out if out is None or type(out) is dict else make_dict(
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
        text = f"'Model' object has no attribute {name!r}"
        names = [signature.name for signature in
                 self.__dict__.get("_signatures", ())]
        if len(names) > 1:
            text += f"; its functions are {', '.join(map(repr, names))}"
        raise AttributeError(text, name=name, obj=self)

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
        weights = self._weights if embed_weights else Weights({})
        if embed_weights:
            self._check_weights("a file with embed_weights")
        self._open_native().write(os.fsencode(path), weights.arrays,
                                  weights.file, make_write_options(given))

    def close(self) -> None:
        """Frees the memory now. Afterwards the model cannot be used."""
        self._instance = self._native = None
        self._weights = Weights({})

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


def make_dict(arrays: Mapping[str, Any], what: str) -> Dict[str, Any]:
    """Arrays by name, as a dictionary."""
    try:
        return dict(arrays)
    except (TypeError, ValueError):
        raise TypeError(f"expected {what} to be a dictionary of arrays by "
                        f"name, got {type(arrays).__name__}") from None
