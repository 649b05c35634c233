# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of given and of random numbers.

Random numbers come from numpy's global generator: ``np.random.seed`` governs
them.
"""

from . import init_basic, init_initializers
from .init_basic import (constant, one_hot, ones, ones_like, rand, randb, randn,
                         zeros, zeros_like)
from .init_initializers import (kaiming_normal, kaiming_uniform, xavier_normal,
                                xavier_uniform)

__all__ = ["constant", "init_basic", "init_initializers", "kaiming_normal",
           "kaiming_uniform", "one_hot", "ones", "ones_like", "rand", "randb",
           "randn", "xavier_normal", "xavier_uniform", "zeros", "zeros_like"]
