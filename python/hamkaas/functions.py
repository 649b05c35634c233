# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with several functions, before and after compilation."""

from __future__ import annotations

import dataclasses
import keyword
import re
from typing import (TYPE_CHECKING, Any, Container, Dict, Mapping, NamedTuple,
                    Optional, Tuple)

from .errors import HamKaasError
from .graph import TRAINING, Node
from .positions import Position, format_position, user_position
from .structure import Structure, name_results, skeleton
from .tables import TensorInfo, describe_tensors

if TYPE_CHECKING:
    from .model import Model

#===------------------------------------------------------------------------===#
# Before compilation
#===------------------------------------------------------------------------===#


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Function:
    """The results of one of several functions of a program.

    Made by `function`. Immutable.
    """

    results: Tuple[Tuple[str, Node], ...]
    """The nodes, with the names of the outputs."""
    structure: Structure
    """The tuples, lists and dictionaries that a run returns; None for none."""
    position: Position
    """File and line of the call of `function`."""

    def __repr__(self) -> str:
        texts = [f"{name}: {node.dtype} {list(node.shape)}"
                 for name, node in self.results]
        return (f"<hamkaas.Function -> ({', '.join(texts)}) at "
                f"{format_position(self.position)}>")


def function(results: Structure) -> Function:
    """One of several functions that `compile` makes one program of.

    ``results`` is a node, or a tuple, list or dictionary of nodes, nested: what
    a run of the function returns. Its inputs are those that the results need.

    >>> import hamkaas as hk, numpy as np
    >>> total, x = hk.state([2], name="total"), hk.input("x", [2])
    >>> model = hk.compile({
    ...     "add": hk.function(total.replace(total + x, 0, 2)),
    ...     "mean": hk.function(hk.mean(total))
    ... })
    >>> model.add.run({"x": np.float32([1, 3])})
    array([1., 3.], dtype=float32)
    >>> model.mean.run({})
    array(2., dtype=float32)
    """
    return Function(tuple(name_results(results)), skeleton(results),
                    user_position())


def name_functions(given: Structure,
                   taken: Container[str]) -> Optional[Dict[str, Function]]:
    """``given`` if it is a dictionary of functions, None if it has none.

    Raises an error for one that has both functions and others, and for names
    that are in ``taken`` or that C and Python could not say.
    """
    if isinstance(given, Function):
        is_training = any(node._row == TRAINING for _, node in given.results)
        example = ("'train_step': hamkaas.train_step(...)" if is_training else
                   "'predict': hamkaas.function(...)")
        raise TypeError("expected functions by their names, as in "
                        f"{{{example}}}, got one function")
    if not isinstance(given, dict) or not any(
            isinstance(value, Function) for value in given.values()):
        return None
    for name, value in given.items():
        if not isinstance(value, Function):
            raise TypeError(
                "expected a hamkaas.function(...) for each name, as others "
                f"have one, got {type(value).__name__} for {name!r}")
        _check_name(name, value.position, taken)
    return dict(given)


def _check_name(name: object, position: Position,
                taken: Container[str]) -> None:
    if not isinstance(name, str):
        raise TypeError(f"expected names as keys of functions, got {name!r}")
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(
            name):
        expected = "the name of a function to be an identifier"
    elif name in taken:
        expected = "a name that hamkaas.Model does not have itself"
    else:
        return
    raise HamKaasError(f"{format_position(position)}: error: expected "
                       f"{expected}, got {name!r}")


#===------------------------------------------------------------------------===#
# After compilation
#===------------------------------------------------------------------------===#


class Signature(NamedTuple):
    """Name and tensors of a function of a program."""

    name: str
    inputs: Tuple[TensorInfo, ...]
    outputs: Tuple[TensorInfo, ...]

    def describe(self) -> str:
        """E.g. ``(x: float32 [1, 3]) -> (result: float32 [1])``."""
        return (f"({describe_tensors(self.inputs)}) -> "
                f"({describe_tensors(self.outputs)})")


class EntryFunction:
    """A function of a compiled `Model`: ``model.decode``.

    All functions of a model have its weights and its state.
    """

    __slots__ = ("model", "_number", "_signature")

    def __init__(self, model: "Model", number: int,
                 signature: Signature) -> None:
        self.model = model
        self._number = number
        self._signature = signature

    @property
    def name(self) -> str:
        """The name that it has in the program."""
        return self._signature.name

    @property
    def inputs(self) -> Tuple[TensorInfo, ...]:
        """The arrays that a run takes."""
        return self._signature.inputs

    @property
    def outputs(self) -> Tuple[TensorInfo, ...]:
        """The arrays that a run returns."""
        return self._signature.outputs

    @property
    def _has_structure(self) -> bool:
        """True if it returns a tuple, list or dictionary that was compiled."""
        return self.model._structures[self._number] is not None

    def run(self, inputs: Mapping[str, Any],
            out: Optional[Mapping[str, Any]] = None) -> Any:
        """Runs the function once; arguments and results are as for
        `Model.run`."""
        return self.model._run(self._number, inputs, out)

    def __repr__(self) -> str:
        return (f"<hamkaas.EntryFunction {self.name} of {self.model.name} "
                f"{self._signature.describe()}>")
