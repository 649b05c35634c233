# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package under the name that programs of the course import."""

from __future__ import annotations

import importlib
import pkgutil
import sys


def install(name: str = "needle") -> None:
    """Makes ``import needle`` mean `hamkaas.needle`, and so for all modules.

    They are the same objects, as programs read and set globals of modules.

    >>> import hamkaas.needle.alias
    >>> hamkaas.needle.alias.install()
    >>> import needle as ndl, needle.nn.nn_basic
    >>> ndl is hamkaas.needle
    True
    """
    package = sys.modules[__name__.rpartition(".")[0]]
    sys.modules[name] = package
    for found in pkgutil.walk_packages(package.__path__,
                                       package.__name__ + "."):
        module = importlib.import_module(found.name)
        sys.modules[name + found.name[len(package.__name__):]] = module
