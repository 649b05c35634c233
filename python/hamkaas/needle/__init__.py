# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are eager in style: ``loss.backward(); optimizer.step()``.

The surface of needle, the framework that students of the course on deep
learning systems (CMU 10-714) build. Operations are recorded, and a step of
training, forward, backward and update, is computed by one program, which is
compiled once and found again by its structure.

>>> import numpy as np
>>> import hamkaas.needle as ndl
>>> x = ndl.Tensor([[1.0, 2.0]])
>>> w = ndl.Tensor([[3.0], [4.0]])
>>> y = (x @ w).sum()
>>> y.backward()
>>> w.grad.numpy()
array([[1.],
       [2.]], dtype=float32)

Differs from PyTorch: a tensor has a gradient unless ``requires_grad=False``,
`Tensor.backward` replaces gradients, `transpose` exchanges two axes, shapes are
not broadcast but by `broadcast_to` and `matmul`.
"""

from . import autograd, ops
autograd._OPERATIONS = ops
from . import data, init, nn, optim
from .autograd import (Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value)
from .backend_selection import *
from .backend_selection import (BACKEND, Device, NDArray, all_devices,
                                array_api, cpu, default_device)
from .init import ones, ones_like, zeros, zeros_like
from .ops import *
