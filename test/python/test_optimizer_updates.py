# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that update parameters, over 20 steps, against torch.optim."""

import numpy as np
import pytest

import hamkaas as hk

SHAPE = (3, 5)
STEPS = 20
RATE = 0.02


class Updates:
    """Calls an operation in each step with the results of the last one."""

    def __init__(self, update, moments, with_step=False, dtype="float32"):
        shapes = {name: SHAPE for name in ("p", "g", *moments)}
        nodes = {name: hk.input(name, shape, dtype)
                 for name, shape in shapes.items()}
        rate = hk.input("rate", [], dtype)
        step = [hk.input("t", [], "int64")] if with_step else []
        p, g, *others = nodes.values()
        results = update(p, g, *others, *step, rate)
        self.moments = moments
        self.program = hk.compile(
            list(results) if isinstance(results, tuple) else [results])
        self.values = [np.zeros(SHAPE, dtype) for _ in moments]

    def __call__(self, step, p, g):
        inputs = {"p": p, "g": g, "rate": np.array(RATE, p.dtype),
                  "t": np.int64(step), **dict(zip(self.moments, self.values))}
        known = {tensor.name for tensor in self.program.inputs}
        p, *self.values = self.program.run(
            {name: value for name, value in inputs.items() if name in known})
        return p


def _rmsprop(with_velocity=False, with_mean=False, **options):
    def update(p, g, v, *rest):
        *others, rate = rest
        velocity = others[0] if with_velocity else None
        mean = others[-1] if with_mean else None
        return hk.ops.rmsprop_update(p, g, v, rate, velocity, mean, **options)
    return update


# A name in torch.optim and its options, our operation and its moments.
CASES = {
    "sgd": ("SGD", {}, hk.ops.sgd_update, []),
    "sgd-decay": (
        "SGD", {"weight_decay": 0.1},
        lambda *xs: hk.ops.sgd_update(*xs, weight_decay=0.1), []),
    "momentum": (
        "SGD", {"momentum": 0.8, "weight_decay": 0.1},
        lambda *xs: hk.ops.momentum_update(*xs, momentum=0.8,
                                           weight_decay=0.1), ["u"]),
    "nesterov": (
        "SGD", {"momentum": 0.9, "nesterov": True},
        lambda *xs: hk.ops.momentum_update(*xs, nesterov=True), ["u"]),
    "adam": ("Adam", {}, hk.ops.adam_update, ["m", "v"]),
    "adam-options": (
        "Adam", {"betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.1},
        lambda *xs: hk.ops.adam_update(*xs, beta1=0.8, beta2=0.95,
                                       epsilon=1e-3, weight_decay=0.1),
        ["m", "v"]),
    "adamw": (
        "AdamW", {"weight_decay": 0.1},
        lambda *xs: hk.ops.adam_update(*xs, weight_decay=0.1, decoupled=True),
        ["m", "v"]),
    "rmsprop": ("RMSprop", {}, _rmsprop(), ["v"]),
    "rmsprop-momentum": (
        "RMSprop", {"momentum": 0.7, "alpha": 0.9, "weight_decay": 0.1},
        _rmsprop(True, momentum=0.7, alpha=0.9, weight_decay=0.1), ["v", "u"]),
    "rmsprop-centered": ("RMSprop", {"centered": True},
                         _rmsprop(False, True), ["v", "m"]),
    "rmsprop-both": (
        "RMSprop", {"centered": True, "momentum": 0.5, "eps": 1e-4},
        _rmsprop(True, True, momentum=0.5, epsilon=1e-4), ["v", "u", "m"]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype,tolerance", [("float32", 2e-6),
                                             ("float64", 1e-12)])
def test_updates_are_those_of_torch(name, dtype, tolerance, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    optimizer, options, update, moments = CASES[name]
    updates = Updates(update, moments, "adam" in name, dtype)
    p = rng.standard_normal(SHAPE).astype(dtype)
    parameter = torch.nn.Parameter(torch.tensor(p))
    reference = getattr(torch.optim, optimizer)([parameter], lr=RATE, **options)
    for step in range(1, STEPS + 1):
        g = rng.standard_normal(SHAPE).astype(dtype)
        parameter.grad = torch.tensor(g)
        reference.step()
        p = updates(step, p, g)
        np.testing.assert_allclose(p, parameter.detach().numpy(),
                                   rtol=20 * tolerance, atol=tolerance * step)


def test_momentum_as_a_moving_average(rng):
    """By the formula; PyTorch has it with other first steps alone."""
    updates = Updates(
        lambda *xs: hk.ops.momentum_update(*xs, momentum=0.9, rule="average",
                                           weight_decay=0.1), ["u"])
    p = rng.standard_normal(SHAPE, "float32")
    expected, u = p.astype(np.float64), 0
    for step in range(1, STEPS + 1):
        g = rng.standard_normal(SHAPE, "float32")
        u = 0.9 * u + 0.1 * (g + 0.1 * expected)
        expected = expected - RATE * u
        p = updates(step, p, g)
    np.testing.assert_allclose(p, expected, rtol=1e-5, atol=1e-6)


def test_lion_is_that_of_the_paper(rng):
    """Torch 2 has none; algorithm 2 of the paper."""
    updates = Updates(
        lambda *xs: hk.ops.lion_update(*xs, weight_decay=0.1), ["m"])
    p = rng.standard_normal(SHAPE, "float32")
    expected, m = p.astype(np.float64), 0
    for step in range(1, STEPS + 1):
        g = rng.standard_normal(SHAPE, "float32")
        c = 0.9 * m + 0.1 * g
        expected = expected - RATE * (np.sign(c) + 0.1 * expected)
        m = 0.99 * m + 0.01 * g
        p = updates(step, p, g)
    np.testing.assert_allclose(p, expected, rtol=1e-5, atol=1e-6)


def test_16_bits_have_moments_in_32():
    p = hk.input("p", [4], "float16")
    g, m = hk.input("g", [4], "float16"), hk.input("m", [4])
    rate = hk.input("rate", [])
    updated, mean = hk.ops.lion_update(p, g, m, rate)
    assert (updated.dtype, mean.dtype) == (np.float16, np.float32)


@pytest.mark.parametrize("bound", [0.5, 1000.0])
def test_clipping_by_the_norm_is_that_of_torch(bound, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    values = [rng.standard_normal(shape, "float32")
              for shape in [(3, 4), (), (7,)]]
    values = [np.asarray(value, "float32") for value in values]
    parameters = [torch.nn.Parameter(torch.tensor(value)) for value in values]
    for parameter, value in zip(parameters, values):
        parameter.grad = torch.tensor(value)
    expected = torch.nn.utils.clip_grad_norm_(parameters, bound)
    nodes = [hk.input(f"x{i}", value.shape) for i, value in enumerate(values)]
    norm, *clipped = hk.compile(
        list(hk.ops.clip_by_norm(nodes, max_norm=bound))).run(
            {f"x{i}": value for i, value in enumerate(values)})
    np.testing.assert_allclose(norm, expected.numpy(), rtol=1e-6)
    for got, parameter in zip(clipped, parameters):
        np.testing.assert_allclose(got, parameter.grad.numpy(), rtol=1e-5)


@pytest.mark.parametrize("call,text", [
    (lambda p, r: hk.ops.sgd_update(p, hk.input("g", [3]), r),
     "expected 'gradient' to have the shape [4], got [3]"),
    (lambda p, r: hk.ops.sgd_update(p, p, p),
     "expected 'learning_rate' to have the shape [], got [4]"),
    (lambda p, r: hk.ops.sgd_update(p, p, r, weight_decay=-1),
     "expected 'weight_decay' of at least 0, got -1"),
    (lambda p, r: hk.ops.lion_update(p, p, p, r, beta1=1),
     "expected 'beta1' of at least 0 and less than 1, got 1"),
    (lambda p, r: hk.ops.adam_update(p, p, p, p, p, r),
     "expected 'step' to have the shape [], got [4]"),
    (lambda p, r: hk.ops.momentum_update(p, p, p, r, momentum=float("nan")),
     "expected 'momentum' of at least 0 and less than 1, got nan"),
    (lambda p, r: hk.ops.momentum_update(p, p, p, r, rule="both"),
     "expected the attribute 'rule' to be one of sum, average, got 'both'"),
    (lambda p, r: hk.ops.clip_by_norm([p], max_norm=0),
     "expected 'max_norm' above 0, got 0"),
])
def test_what_does_not_fit_is_an_error(call, text):
    with pytest.raises(hk.HamKaasError) as caught:
        call(hk.input("p", [4]), hk.input("r", []))
    assert text in str(caught.value)
    assert "test_optimizer_updates.py:" in str(caught.value)
