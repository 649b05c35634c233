# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The class of operations on tensors, also of the user's own."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Optional, Tuple

from .backend_selection import default_device
from .elements import Data, take_over


class Op:
    """An operation. Subclasses define `compute` and `gradient`."""

    _forward: ClassVar[Optional[Callable[..., Any]]] = None
    """Records the operation on arrays, in place of `compute`."""

    _take: ClassVar[Optional[Callable[..., Any]]] = None
    """Makes the result of elements of the operands, without a computation."""

    _row: ClassVar[Optional[str]] = None
    """The operation of the table that it is for floats."""

    _is_heavy: ClassVar[bool] = False
    """Not worth computing twice."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "compute" in cls.__dict__ and "_forward" not in cls.__dict__:
            cls._forward = cls._take = cls._row = None

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError

    def compute(self, *args: Any) -> Any:
        """The result, an array or a tuple, of arrays of the backend."""
        forward = self._forward
        if forward is None:
            raise NotImplementedError(f"expected {type(self).__name__} to "
                                      "define compute, which it does not")
        given = [tuple([take_over(one).array() for one in arg])
                 if isinstance(arg, (tuple, list)) else take_over(arg).array()
                 for arg in args]
        made = forward(*given)
        if isinstance(made, tuple):
            return tuple([Data.of(one, default_device()).show()
                          for one in made])
        return Data.of(made, default_device()).show()

    def gradient(self, out_grad: Any, node: Any) -> Any:
        """The gradients of ``node.inputs`` by that of ``node``."""
        raise NotImplementedError(f"expected {type(self).__name__} to define "
                                  "gradient, which it does not")

    def gradient_as_tuple(self, out_grad: Any, node: Any) -> Tuple[Any, ...]:
        """`gradient` as a tuple, also where there is one input."""
        made = self.gradient(out_grad, node)
        if isinstance(made, tuple):
            return made
        return tuple(made) if isinstance(made, list) else (made,)
