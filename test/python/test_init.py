# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initial contents of parameters, by the formulas of torch.nn.init."""

import math

import numpy as np
import pytest

import hamkaas as hk
from hamkaas.nn import init

SHAPE = [120, 30, 3, 3]


def deviation_of(name, shape, *arguments, **options):
    """The standard deviation of what torch draws."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x = torch.empty(*shape, dtype=torch.float64)
    return float(getattr(torch.nn.init, f"{name}_")(x, *arguments,
                                                    **options).std())


@pytest.mark.parametrize("name, arguments, options", [
    ("uniform", (-1, 3), {}), ("normal", (0.5, 2), {}),
    ("trunc_normal", (0, 1, -1.5, 1), {}),
    ("xavier_uniform", (), {}), ("xavier_uniform", (2,), {}),
    ("xavier_normal", (), {}), ("xavier_normal", (0.5,), {}),
    ("kaiming_uniform", (), {}), ("kaiming_uniform", (math.sqrt(5),), {}),
    ("kaiming_normal", (), {"nonlinearity": "relu"}),
    ("kaiming_normal", (), {"mode": "fan_out", "nonlinearity": "tanh"}),
    ("kaiming_uniform", (), {"mode": "fan_out"}),
])
def test_deviations_are_those_of_torch(name, arguments, options):
    x = getattr(init, name)(SHAPE, *arguments, **options, rng=1)
    assert x.dtype == np.float32 and list(x.shape) == SHAPE
    expected = deviation_of(name, SHAPE, *arguments, **options)
    assert abs(x.std() / expected - 1) < 0.03
    mean = {"uniform": 1, "normal": 0.5}.get(name)
    if mean is not None:
        assert abs(x.mean() - mean) < 4 * expected / math.sqrt(x.size)


def test_limits():
    x = init.xavier_uniform([300, 200], 2, rng=0)
    assert 0.999 < np.abs(x).max() / (2 * math.sqrt(6 / 500)) <= 1 + 1e-7
    x = init.kaiming_uniform([300, 200], rng=0, nonlinearity="relu")
    assert 0.999 < np.abs(x).max() / math.sqrt(6 / 200) <= 1 + 1e-7
    x = init.trunc_normal([1000], 0, 1, -0.5, 3, rng=0)
    assert x.min() >= -0.5 and 2 < x.max() <= 3


def test_gains_are_those_of_torch():
    torch = pytest.importorskip("torch")
    for name in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
                 "conv_transpose2d", "conv_transpose3d", "sigmoid", "tanh",
                 "relu", "leaky_relu", "selu"):
        assert init.calculate_gain(name) == pytest.approx(
            torch.nn.init.calculate_gain(name))
    assert init.calculate_gain("leaky_relu", 0.3) == pytest.approx(
        torch.nn.init.calculate_gain("leaky_relu", 0.3))


@pytest.mark.parametrize("shape", [[5, 5], [7, 3], [4, 2, 3, 3]])
def test_orthogonal(shape):
    x = init.orthogonal(shape, 2, rng=3, dtype="float64").reshape(shape[0], -1)
    product = x @ x.T if x.shape[0] <= x.shape[1] else x.T @ x
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)


def test_seeds():
    x = init.normal([100], rng=5)
    np.testing.assert_array_equal(x, init.normal([100], rng=5))
    assert not np.array_equal(x, init.normal([100], rng=6))
    expected = np.random.Generator(np.random.Philox(5)).normal(0, 1, 100)
    np.testing.assert_array_equal(x, expected.astype("float32"))
    rng = init.make_generator(5)
    first, second = init.normal([100], rng=rng), init.normal([100], rng=rng)
    np.testing.assert_array_equal(x, first)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("call, message", [
    (lambda: init.xavier_normal([3], rng=0), "at least two dimensions"),
    (lambda: init.orthogonal([3, 0], rng=0), "at least two dimensions"),
    (lambda: init.calculate_gain("softmax"), "got 'softmax'"),
    (lambda: init.kaiming_normal([2, 2], mode="fan", rng=0), "got 'fan'"),
    (lambda: init.normal([2], 0, -1, rng=0), "std of at least 0, got -1"),
    (lambda: init.uniform([2], 1, 0, rng=0), "a <= b, got 1 and 0"),
    (lambda: init.trunc_normal([2], 0, 1, 8, 9, rng=0), "one of 1000"),
])
def test_errors(call, message):
    with pytest.raises(hk.HamKaasError, match=message):
        call()
