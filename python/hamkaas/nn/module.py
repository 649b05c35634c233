# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: layers with parameters, in trees."""

from __future__ import annotations

import copy
import threading
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ..arrays import Array, DTypeLike, as_dense, encode
from ..array_api.promotion import check_dtype
from ..errors import HamKaasError
from ..graph import STATE, Node, check_shape
from ..model import Model
from ..positions import make_error, user_position
from ..random import Generator
from .init import make_generator
from .tensor_files import PathLike, load_arrays


class _Source(threading.local):
    """Where the contents of new parameters come from, and calls in progress."""

    def __init__(self) -> None:
        self.seed = 0
        self.rng = make_generator(0)
        self.root: Optional["Module"] = None


_source = _Source()


def manual_seed(seed: int) -> None:
    """Seeds the contents of the parameters that this thread makes from now on,
    and the generators of dropout of its modules."""
    _source.rng = make_generator(seed)
    _source.seed = seed


def get_rng() -> np.random.Generator:
    """The generator of initial contents."""
    return _source.rng


class Parameter(Node):
    """A state of a module, trained by `hamkaas.train_step`.

    Its name is its place in the tree of the module that is called first.

    >>> import hamkaas as hk, numpy as np
    >>> hk.nn.Parameter(np.ones([2, 3], "float32")).shape
    (2, 3)
    """

    _name_hint = ("; put the layers into one nn.Module or nn.Sequential, or "
                  "call layer.name_states('first.') before it is called")

    def __new__(cls, initial: Any, dtype: DTypeLike = "float32") -> "Parameter":
        name = check_dtype(dtype)
        data = encode(as_dense(np.asarray(initial)), name)
        check_shape(data.shape)
        node = cls._record(STATE, (), (), (name, data.shape), user_position(),
                           None, data)
        assert isinstance(node, Parameter)
        return node

    def __init__(self, initial: Any, dtype: DTypeLike = "float32") -> None:
        pass

    def _duplicate(self) -> "Parameter":
        assert self._data is not None
        node = type(self)._record(STATE, (), (), self._type, user_position(),
                                  None, self._data.copy())
        assert isinstance(node, Parameter)
        return node

    def _fill(self, array: Array) -> None:
        self._data = encode(array, self._type[0])


class Buffer(Parameter):
    """A state of a module that is not trained, such as a running average."""


class Module:
    """A layer, or a network of layers: attributes that are parameters and
    modules, also in lists, tuples and dictionaries.

    Subclasses define `forward`, which makes nodes of nodes. Names are torch's:
    ``layers.0.weight``. After `train`, which is how a module begins, a call
    makes the graph of training; after `eval` that of use.

    >>> import hamkaas as hk
    >>> model = hk.nn.Sequential(hk.nn.Linear(3, 8), hk.nn.ReLU(),
    ...                          hk.nn.Linear(8, 2))
    >>> [name for name, _ in model.named_parameters()]
    ['0.weight', '0.bias', '2.weight', '2.bias']
    >>> model(hk.input("x", [5, 3])).shape
    (5, 2)
    """

    training = True

    def forward(self, *args: Any, **named: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} does not define forward")

    def __call__(self, *args: Any, training: Optional[bool] = None,
                 **named: Any) -> Any:
        if training is not None and training != self.training:
            modules = [module for _, module in self.named_modules()]
            modes = [module.training for module in modules]
            self.train(training)
            try:
                return self(*args, **named)
            finally:
                for module, mode in zip(modules, modes):
                    module.training = mode
        if _source.root is not None:
            return self.forward(*args, **named)
        self.name_states()
        _source.root = self
        try:
            return self.forward(*args, **named)
        finally:
            _source.root = None

    def name_states(self, prefix: str = "") -> "Module":
        """Gives states without a name theirs, behind ``prefix``.

        The first call of a module does it without a prefix. Two modules of one
        program that have equal names need it: ``encoder.name_states("encoder.")``.
        """
        self.__dict__.setdefault("_prefix", prefix)
        for name, node in self._named_states():
            if node._name is None:
                node._name = prefix + name
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Module":
        """A module with parameters of its own, without names, which have the
        contents of these."""
        for _, node in self._named_states():
            memo.setdefault(id(node), node._duplicate())
        result = object.__new__(type(self))
        memo[id(self)] = result
        for name, value in vars(self).items():
            if name not in ("_prefix", "_generator"):
                vars(result)[name] = copy.deepcopy(value, memo)
        return result

    def _entries(self) -> Iterator[Tuple[str, Any]]:
        yield from vars(self).items()

    def _walk(self, prefix: str = "") -> Iterator[Tuple[str, Any]]:
        """Modules and states, each once, those of a module behind it."""
        found = set()
        for name, value in _walk(self, prefix):
            if id(value) not in found:
                found.add(id(value))
                yield name, value

    def _all_states(self) -> Iterator[Tuple[str, Parameter]]:
        """The states by all of their names: a shared one has several."""
        return ((name, value) for name, value in _walk(self, "")
                if isinstance(value, Parameter))

    def _named_states(self) -> Iterator[Tuple[str, Parameter]]:
        return ((name, value) for name, value in self._walk()
                if isinstance(value, Parameter))

    def named_modules(self) -> Iterator[Tuple[str, "Module"]]:
        """This module and those in it, with their names."""
        return ((name, value) for name, value in self._walk()
                if isinstance(value, Module))

    def named_parameters(self) -> Iterator[Tuple[str, Parameter]]:
        """The parameters with their names, without buffers."""
        return ((name, node) for name, node in self._named_states()
                if not isinstance(node, Buffer))

    def parameters(self) -> List[Parameter]:
        """The parameters, such as for ``states=`` of `hamkaas.train_step`."""
        return [node for _, node in self.named_parameters()]

    def train(self, mode: bool = True) -> "Module":
        """Makes calls from now on make the graph of training."""
        for _, module in self.named_modules():
            module.training = bool(mode)
        return self

    def eval(self) -> "Module":
        """Makes calls from now on make the graph of use."""
        return self.train(False)

    def state_dict(self, model: Optional[Model] = None) -> Dict[str, Array]:
        """Arrays by torch's names: those of a compiled ``model``, or those that
        one would have at first. A shared parameter has all of its names."""
        if model is None:
            return {name: np.array(node._data)
                    for name, node in self._all_states()}
        self._check_model(model)
        return {name: model.state[str(node._name)]
                for name, node in self._all_states()
                if node._name in model.state}

    def _check_model(self, model: Model) -> None:
        states = [node._name for _, node in self._named_states()]
        if states and not any(name in model.state for name in states):
            raise HamKaasError(
                "expected a model with states of this module, which it has "
                f"where its graph comes of a call of the module, got {model!r}")

    def load_state_dict(self, arrays: Union[PathLike, Mapping[str, Any]],
                        strict: bool = True,
                        model: Optional[Model] = None) -> None:
        """Sets the contents, also those of a compiled ``model``.

        ``arrays`` is a dictionary, or a safetensors file, such as one of torch.
        Names that are missing or unknown are errors, unless not ``strict``;
        other shapes always are, and nothing is changed then. A shared parameter
        needs one of its names, and equal arrays for several.
        """
        given = arrays if isinstance(arrays, Mapping) else load_arrays(arrays)
        if model is not None:
            self._check_model(model)
        states = dict(self._all_states())
        values = {name: np.asarray(value) for name, value in given.items()
                  if name in states}
        _check(states, given, values, strict)
        for name, value in values.items():
            states[name]._fill(value)
            if model is not None and states[name]._name in model.state:
                model.state[str(states[name]._name)] = states[name]._data


def _check(states: Dict[str, Parameter], given: Mapping[str, Any],
           values: Dict[str, Array], strict: bool) -> None:
    errors = []
    first: Dict[int, str] = {}
    for name in values:
        other = first.setdefault(id(states[name]), name)
        if not np.array_equal(values[name], values[other], equal_nan=True):
            errors.append(f"{name}: expected the array of {other}, of which it "
                          "is another name, got a different one")
    if strict:
        errors += [f"missing: {name}" for name in states
                   if id(states[name]) not in first]
        errors += [f"unexpected: {name}" for name in given
                   if name not in states]
    for name, value in values.items():
        shape = list(states[name].shape)
        if list(value.shape) != shape:
            errors.append(f"{name}: expected {shape}, got {list(value.shape)}")
    if errors:
        raise HamKaasError("expected the states of this module, got\n  " +
                           "\n  ".join(errors))


def _walk(value: Any, name: str,
          around: Tuple[int, ...] = ()) -> Iterator[Tuple[str, Any]]:
    """The parts of a value, but not again those that it is in itself."""
    if id(value) in around:
        return
    if isinstance(value, (Parameter, Module)):
        yield name, value
    if isinstance(value, Module):
        entries = list(value._entries())
    elif isinstance(value, (list, tuple)):
        entries = [(str(i), part) for i, part in enumerate(value)]
    elif isinstance(value, dict):
        entries = [(str(key), part) for key, part in value.items()]
    else:
        return
    for key, part in entries:
        yield from _walk(part, f"{name}.{key}" if name else key,
                         (*around, id(value)))


def find_generator(given: Optional[Generator]) -> Generator:
    """That of a layer, or the one of the module that was called."""
    if given is not None:
        return given
    root = _source.root
    if root is None:
        raise make_error("expected a call of a module, which has a generator")
    if "_generator" not in vars(root):
        prefix = vars(root).get("_prefix", "")
        vars(root)["_generator"] = Generator(_source.seed,
                                             f"{prefix}generator")
    found: Generator = vars(root)["_generator"]
    return found
