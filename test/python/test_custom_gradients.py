# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions with gradients of their own."""

import pickle

import numpy as np
import pytest

import hamkaas as hk

DEVICES = pytest.mark.parametrize("device", ["cpu", "reference"])


def run(results, device="cpu", **inputs):
    return hk.compile(results, device=device).run(inputs)


@hk.custom_gradient
def round_through(x):
    """Rounds, with the gradient of the identity."""
    return hk.round(x), lambda g: g


@hk.custom_gradient
def log1pexp(x):
    """The example of jax.custom_jvp: exact for large x, too."""
    e = hk.exp(x)
    return hk.log(1 + e), lambda g: g * (1 - 1 / (1 + e))


@hk.custom_gradient
def scaled_product(x, factor, y):
    """Three times the true gradient of x, and twice that of y."""
    return x * y * factor, lambda g: (3 * g * y * factor, None,
                                      2 * g * x * factor)


@DEVICES
def test_a_rule_takes_the_place_of_the_gradient(device):
    x = hk.input("x", [3])
    y = round_through(x * 2)
    result, slope = run([y, hk.gradient(hk.sum(y * y), x)], device,
                        x=np.float32([0.2, 0.9, -1.4]))
    np.testing.assert_array_equal(result, [0, 2, -3])
    np.testing.assert_array_equal(slope, [0, 8, -12])


@DEVICES
def test_a_rule_need_not_be_linear(device):
    @hk.custom_gradient
    def clip(x):
        return x, lambda g: hk.clip(g, -1.0, 1.0)

    x = hk.input("x", [3])
    slope = hk.gradient(hk.sum(clip(clip(x) * x)), x)
    # The inner one clips x * 1; the other path has x.
    np.testing.assert_array_equal(
        run(slope, device, x=np.float32([0.25, 1, -5])), [0.5, 2, -6])


@DEVICES
def test_a_stable_formula(device):
    x = hk.input("x", [2])
    y = log1pexp(x)
    slope, plain = run([hk.gradient(hk.sum(y), x),
                        hk.gradient(hk.sum(hk.log(1 + hk.exp(x))), x)],
                       device, x=np.float32([0, 100]))
    np.testing.assert_array_equal(slope, [0.5, 1])
    assert np.isnan(plain[1])


def test_rules_have_gradients():
    """Second order, through what the function computed for the rule."""
    x = hk.input("x", [3], "float64")
    slope = hk.gradient(hk.sum(log1pexp(x)), x)
    values = np.float64([-1, 0.5, 2])
    got = run(hk.gradient(hk.sum(slope * slope), x), x=values)
    s = 1 / (1 + np.exp(-values))
    np.testing.assert_allclose(got, 2 * s * s * (1 - s), rtol=1e-12)


def test_several_arguments():
    x, y = hk.input("x", [2]), hk.input("y", [2])
    z = scaled_product(x, 10.0, y)
    got = run([z, *hk.gradient(hk.sum(z), [x, y])], x=np.float32([1, 2]),
              y=np.float32([3, 4]))
    np.testing.assert_array_equal(got, [[30, 80], [90, 120], [20, 40]])
    # The same node twice: both gradients.
    got = run(hk.gradient(hk.sum(scaled_product(x, 1.0, x)), x),
              x=np.float32([1, 2]))
    np.testing.assert_array_equal(got, [5, 10])


def test_rules_within_rules():
    @hk.custom_gradient
    def outer(x):
        return x * x, lambda g: round_through(g * x) * 10

    x = hk.input("x", [2])
    slope = hk.gradient(hk.sum(outer(x)), x)
    got = run([slope, hk.gradient(hk.sum(slope), x)],
              x=np.float32([1.4, 2.6]))
    np.testing.assert_array_equal(got, [[10, 30], [10, 10]])


@DEVICES
@pytest.mark.parametrize("steps", [1, 3])
def test_in_loops(device, steps):
    x = hk.input("x", [steps, 2])
    w = hk.input("w", [2])

    def step(total, row):
        return scaled_product(total + row, 1.0, w), None

    total, _ = hk.scan(step, np.zeros(2, "float32"), x)
    by_x, by_w = hk.gradient(hk.sum(total), [x, w])
    rows = np.float32([[1, 2], [3, 4], [5, 6]])[:steps]
    weight = np.float32([2, -1])
    got_x, got_w = run([by_x, by_w], device, x=rows, w=weight)
    g, states = np.ones(2), []
    state = np.zeros(2)
    for row in rows:
        states.append(state + row)
        state = states[-1] * weight
    expected_w = np.zeros(2)
    expected_x = []
    for inner in reversed(states):
        expected_w += 2 * g * inner
        g = 3 * g * weight
        expected_x.insert(0, g)
    np.testing.assert_array_equal(got_x, expected_x)
    np.testing.assert_array_equal(got_w, expected_w)


def test_a_step_of_training():
    """A weight that is rounded in use is trained by the straight-through
    gradient."""
    w = hk.state([1], "w", initial=np.float32([0.3]))
    loss = hk.sum((round_through(w) - 2) ** 2)
    model = hk.compile({"train_step": hk.train_step(loss, hk.optim.SGD(0.1))})
    for _ in range(8):
        model.train_step.run({})
    assert round(float(model.state["w"][0])) == 2


def test_without_gradients_nothing_is_left():
    """The rule is no part of the program."""
    x = hk.input("x", [3])
    calls = [str(hk.compile(y).report).count("elementwise")
             for y in (log1pexp(x), hk.log(1 + hk.exp(x)))]
    assert calls[0] == calls[1] > 0


def test_scripts_and_pickles_keep_rules():
    x = hk.input("x", [2])
    y = pickle.loads(pickle.dumps(hk.gradient(hk.sum(round_through(x)), x)))
    np.testing.assert_array_equal(run(y, x=np.float32([0.2, 0.9])), [1, 1])


#===------------------------------------------------------------------------===#
# Errors
#===------------------------------------------------------------------------===#


def check_error(text, call):
    with pytest.raises(hk.HamKaasError) as caught:
        call()
    assert text in str(caught.value)
    assert "test_custom_gradients.py:" in str(caught.value)


def make(function):
    return hk.custom_gradient(function)


def test_a_function_returns_a_node_and_a_rule():
    x = hk.input("x", [2])

    def square(x):
        return x * x

    check_error("expected square to return a node and a function that makes "
                "its gradients, got Node", lambda: make(square)(x))

    def pair(x):
        return x, x

    check_error("got (Node, Node)", lambda: make(pair)(x))


@pytest.mark.parametrize("rule, text", [
    (lambda g: (g, g), "expected 1 gradients for the arguments of f, got 2"),
    (lambda g: hk.sum(g), "expected the gradient of argument 0 of f to be "
                          "float32 [2], got float32 []"),
    (lambda g: 1.0, "to be float32 [2], got float"),
])
def test_a_rule_returns_gradients_of_the_types_of_arguments(rule, text):
    def f(x):
        return x * 2, rule

    check_error(text, lambda: make(f)(hk.input("x", [2])))


def test_integers_get_none():
    def f(x, i):
        return x * i.astype("float32"), lambda g: (g, g)

    x, i = hk.input("x", [2]), hk.input("i", [2], "int64")
    check_error("expected the gradient of argument 1 of f to be None, got "
                "float32 [2]", lambda: make(f)(x, i))


def test_nodes_that_are_no_arguments_get_no_gradient():
    x, w = hk.input("x", [2]), hk.input("w", [2])

    def f(x):
        return x * w, lambda g: g * w

    y = hk.sum(make(f)(x))
    check_error("x 0: expected a value that y depends on by operations on "
                "floats", lambda: hk.compile(hk.gradient(y, w)))
