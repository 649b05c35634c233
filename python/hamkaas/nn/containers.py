# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of modules."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple

from .module import Module


class _Numbered(Module):
    """Modules with numbers as names."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._items = list(modules)

    def _entries(self) -> Iterator[Tuple[str, Any]]:
        return ((str(i), module) for i, module in enumerate(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Module:
        return self._items[index]

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items)

    def append(self, module: Module) -> "Module":
        """Adds a module at the end."""
        self._items.append(module)
        return self


class Sequential(_Numbered):
    """Modules, each of which takes the result of the one before."""

    def __init__(self, *modules: Module) -> None:
        for module in modules:
            if not callable(module):
                raise TypeError("'Sequential': expected modules or functions "
                                f"as arguments, got {type(module).__name__}")
        super().__init__(modules)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__(modules)


class ModuleDict(Module):
    """A dictionary of modules."""

    def __init__(self, modules: Mapping[str, Module] = {}) -> None:
        self._items: Dict[str, Module] = dict(modules)

    def _entries(self) -> Iterator[Tuple[str, Any]]:
        return iter(self._items.items())

    def __getitem__(self, key: str) -> Module:
        return self._items[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self._items[key] = module

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)


class Residual(Module):
    """``x + module(x)``."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def forward(self, input: Any) -> Any:
        return input + self.module(input)
