# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of needle's operations against finite differences."""

import numpy as np

import hamkaas.needle as ndl


def count_programs(monkeypatch):
    """A list that grows with each program that is compiled."""
    from hamkaas.array import programs
    made = []
    compile_shared = programs.compile_shared

    def count(nodes, name):
        made.append(len(nodes))
        return compile_shared(nodes, name)

    monkeypatch.setattr(programs, "compile_shared", count)
    return made


def check_gradients(f, *arrays, tolerance=1e-5, step=1e-6):
    """Compares `backward` of the sum of weighted results with differences.

    Elements are written in place, as programs of the course do.
    """
    tensors = [ndl.Tensor(array) for array in arrays]
    result = f(*tensors)
    results = result.tuple() if isinstance(result, ndl.TensorTuple) \
        else (result,)
    weights = [np.random.randn(*one.shape) for one in results]

    def measure():
        made = f(*tensors)
        parts = made.tuple() if isinstance(made, ndl.TensorTuple) else (made,)
        return sum(float((part.numpy() * weight).sum())
                   for part, weight in zip(parts, weights))

    total = None
    for one, weight in zip(results, weights):
        part = (one * ndl.Tensor(weight, requires_grad=False)).sum()
        total = part if total is None else total + part
    total.backward()
    gradients = [tensor.grad.numpy() for tensor in tensors]
    for tensor, gradient in zip(tensors, gradients):
        expected = np.zeros(tensor.shape)
        data = tensor.realize_cached_data()
        for i in range(data.size):
            data.flat[i] += step
            upper = measure()
            data.flat[i] -= 2 * step
            lower = measure()
            data.flat[i] += step
            expected.flat[i] = (upper - lower) / (2 * step)
        np.testing.assert_allclose(gradient, expected, rtol=tolerance,
                                   atol=tolerance)
