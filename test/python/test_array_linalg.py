# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension linalg of hamkaas.array, against numpy."""

import numpy as np
import pytest

import hamkaas as hk
import hamkaas.array as xp

RNG = np.random.default_rng(5)
A = RNG.standard_normal((2, 4, 3))
SQUARE = RNG.standard_normal((2, 3, 3))
SYMMETRIC = SQUARE @ np.swapaxes(SQUARE, -1, -2) + np.eye(3)


def agree(result, expected):
    assert isinstance(result, xp.Array)
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6,
                               atol=1e-9)


@pytest.mark.parametrize("name", ["cholesky", "det", "eigvalsh", "inv"])
@pytest.mark.parametrize("count", [(), (2,)])
def test_of_square_matrices(name, count):
    x = SYMMETRIC if count else SYMMETRIC[0]
    agree(getattr(xp.linalg, name)(xp.asarray(x)), getattr(np.linalg, name)(x))


def test_cholesky_above():
    upper = xp.linalg.cholesky(xp.asarray(SYMMETRIC), upper=True)
    agree(upper.mT @ upper, SYMMETRIC)


def test_factors_give_the_matrix():
    x = xp.asarray(A)
    values, vectors = xp.linalg.eigh(xp.asarray(SYMMETRIC))
    agree((vectors * values[:, None, :]) @ vectors.mT, SYMMETRIC)
    q, r = xp.linalg.qr(x)
    agree(q @ r, A)
    assert xp.linalg.qr(x, mode="complete").Q.shape == (2, 4, 4)
    u, s, v = xp.linalg.svd(x, full_matrices=False)
    agree((u * s[:, None, :]) @ v, A)
    agree(xp.linalg.svdvals(x), np.linalg.svd(A, compute_uv=False))
    sign, logarithm = xp.linalg.slogdet(xp.asarray(SQUARE))
    agree(sign * xp.exp(logarithm), np.linalg.det(SQUARE))


def test_solutions():
    x = xp.asarray(SQUARE)
    agree(xp.linalg.solve(x, xp.asarray(np.swapaxes(A, -1, -2))),
          np.linalg.solve(SQUARE, np.swapaxes(A, -1, -2)))
    agree(xp.linalg.solve(x[0], xp.asarray(A[0, 0])),
          np.linalg.solve(SQUARE[0], A[0, 0]))
    agree(xp.linalg.pinv(xp.asarray(A)), np.linalg.pinv(A))
    flat = np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])
    assert int(xp.linalg.matrix_rank(xp.asarray(flat))) == 2


def test_diagonals():
    x = xp.asarray(A)
    for offset in (-3, -1, 0, 2):
        agree(xp.linalg.diagonal(x, offset=offset),
              np.diagonal(A, offset, -2, -1))
        agree(xp.linalg.trace(x, offset=offset),
              np.trace(A, offset, -2, -1))


def test_products():
    x, y = A[:, 0], A[:, 1]
    agree(xp.linalg.cross(xp.asarray(x), xp.asarray(y)), np.cross(x, y))
    agree(xp.linalg.cross(xp.asarray(x.T), xp.asarray(y.T), axis=0),
          np.cross(x, y).T)
    for power in (-2, 0, 1, 5):
        agree(xp.linalg.matrix_power(xp.asarray(SQUARE), power),
              np.linalg.matrix_power(SQUARE, power))


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms(order, keepdims):
    agree(xp.linalg.matrix_norm(xp.asarray(A), ord=order, keepdims=keepdims),
          np.linalg.norm(A, order, axis=(-2, -1), keepdims=keepdims))


@pytest.mark.parametrize("order", [0, 1, 2, 3.5, np.inf, -np.inf])
def test_vector_norms(order):
    agree(xp.linalg.vector_norm(xp.asarray(A), ord=order, axis=1),
          np.linalg.norm(A, order, axis=1))
    agree(xp.linalg.vector_norm(xp.asarray(A), ord=order, keepdims=True),
          np.linalg.norm(A.reshape(-1), order).reshape(1, 1, 1))


@pytest.mark.parametrize("make, message", [
    (lambda x: xp.linalg.inv(x * 0), "Singular matrix"),
    (lambda x: xp.linalg.cholesky(-x @ x.mT), "not positive definite"),
    (lambda x: xp.linalg.det(x[0]), r"expected matrices of float32 or float64, "
     r"got float64 \[3\]"),
    (lambda x: xp.linalg.svd(xp.astype(x, "int64")), "got int64"),
    (lambda x: xp.linalg.qr(x, mode="raw"), "got 'raw'"),
    (lambda x: xp.linalg.cross(x[:, :2], x[:, :2]), "vectors of 3 elements"),
    (lambda x: xp.linalg.matrix_power(x[:2], 2), "expected square matrices"),
    (lambda x: xp.linalg.matrix_norm(x, ord=3), "got 3"),
    (lambda x: xp.linalg.matrix_norm(x[0]), r"expected matrices, got \[3\]"),
])
def test_errors(make, message):
    with pytest.raises(hk.HamKaasError, match=message) as info:
        make(xp.asarray(SQUARE[0]))
    assert str(info.value).startswith(f"{__file__}:")
