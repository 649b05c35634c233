# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over rows."""

import pickle

import numpy as np
import pytest

import hamkaas as hk

DEVICES = pytest.mark.parametrize("device", ["cpu", "reference"])
ROWS = np.float32([[1, 10], [2, 20], [4, 40]])
X = hk.input("x", [3, 2])
ZERO = np.zeros(2, "float32")


def run(results, device="cpu", **inputs):
    return hk.compile(results, device=device).run(inputs or {"x": ROWS})


def accumulate(total, row):
    total = total + row
    return total, total


#===------------------------------------------------------------------------===#
# Numbers
#===------------------------------------------------------------------------===#


@DEVICES
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sum(device, reverse):
    total, sums = run(hk.scan(accumulate, ZERO, X, reverse=reverse), device)
    np.testing.assert_array_equal(total, ROWS.sum(axis=0))
    order = ROWS[::-1] if reverse else ROWS
    expected = np.cumsum(order, axis=0)
    np.testing.assert_array_equal(sums, expected[::-1] if reverse else expected)


@DEVICES
def test_recurrent_network(device, rng):
    w, u, h = (rng.standard_normal(shape, "float32")
               for shape in ((3, 2), (2, 2), (2,)))
    x = rng.standard_normal((5, 3), "float32")

    def step(state, row):
        state = hk.tanh(row @ w + state @ u)
        return state, state

    last, states = run(hk.scan(step, h, hk.input("x", [5, 3])), device, x=x)
    expected = []
    for row in x:
        h = np.tanh(row @ w + h @ u)
        expected.append(h)
    np.testing.assert_allclose(states, expected, rtol=1e-5)
    np.testing.assert_allclose(last, h, rtol=1e-5)


@DEVICES
def test_structures(device):
    """An LSTM has two states; what it is given and returns has names."""

    def step(carry, x):
        a, b = carry["a"], carry["b"][0]
        return ({"a": b, "b": [a + x[0]]}, {"sum": a + b, "twice": x[1] * 2})

    carry, ys = run(hk.scan(step, {"a": ZERO, "b": [ZERO + X[0]]}, (X, -X)),
                    device)
    a, b = ZERO, ROWS[0]
    for i, row in enumerate(ROWS):
        np.testing.assert_array_equal(ys["sum"][i], a + b)
        np.testing.assert_array_equal(ys["twice"][i], -2 * row)
        a, b = b, a + row
    np.testing.assert_array_equal(carry["a"], a)
    np.testing.assert_array_equal(carry["b"][0], b)


@DEVICES
def test_nested(device):
    """The inner body uses what is outside of both, and the outer one's row."""
    offset = hk.exp(X[0] * 0)

    def outer(total, row):
        def inner(value, _):
            return value * 2 + row + offset, None

        value, none = hk.scan(inner, total, length=2)
        assert none is None
        return value, value + X[2]

    last, rows = run(hk.scan(outer, ZERO, X), device)
    total, expected = ZERO, []
    for row in ROWS:
        for _ in range(2):
            total = total * 2 + row + 1
        expected.append(total + ROWS[2])
    np.testing.assert_array_equal(last, total)
    np.testing.assert_array_equal(rows, expected)


@DEVICES
def test_only_carry_or_rows(device):
    power, none = hk.scan(lambda x, _: (x * 2, None), X, length=3)
    assert none is None
    np.testing.assert_array_equal(run(power, device), 8 * ROWS)
    none, rows = hk.scan(lambda _, row: (None, hk.sum(row)), None, X)
    assert none is None
    np.testing.assert_array_equal(run(rows, device), ROWS.sum(axis=1))


def test_results_that_the_body_does_not_make():
    carry, (same, fixed, argument) = hk.scan(
        lambda c, row: (c, (row, X[1], c)), ZERO, X)
    results = run((carry, same, fixed, argument))
    for result, expected in zip(
            results, (ZERO, ROWS, ROWS[[1, 1, 1]], np.zeros([3, 2]))):
        np.testing.assert_array_equal(result, expected)


def test_replaces_rows_of_the_carry():
    def step(carry, row):
        table, at = carry
        rows = hk.reshape(row, [1, 2])
        return (table.replace(rows, at, at + 1), at + 1), None

    table = np.zeros([4, 2], "float32")
    first = np.int64([1])
    (table, _), _ = hk.scan(step, (table, first), X)
    np.testing.assert_array_equal(run(table), [[0, 0], *ROWS])


def test_reads_states():
    state = hk.state([2], name="total", initial=1)
    total, _ = hk.scan(accumulate, state, X + state)
    model = hk.compile(state.replace(total, 0, 2))
    expected = np.ones(2)
    for _ in range(2):
        expected = expected + (ROWS + expected).sum(axis=0)
        np.testing.assert_array_equal(model.run({"x": ROWS}), expected)


def test_functions():
    """Several functions, of which each has a loop that uses one constant."""
    w = np.float32([[1, 2], [3, 4]])

    def step(total, row):
        return total + row @ w, None

    model = hk.compile({
        name: hk.function(hk.scan(step, ZERO, hk.input("x", [n, 2]))[0])
        for name, n in (("long", 3), ("short", 1))
    })
    np.testing.assert_array_equal(model.long.run({"x": ROWS}),
                                  (ROWS @ w).sum(axis=0))
    np.testing.assert_array_equal(model.short.run({"x": ROWS[:1]}), ROWS[0] @ w)


#===------------------------------------------------------------------------===#
# Other doors
#===------------------------------------------------------------------------===#


def test_script(tmp_path):
    node = hk.scan(accumulate, ZERO, X)[1]
    script = hk.write_script(node)
    assert "scan(steps=3) {" in script.text
    path = tmp_path / "sums.hk"
    path.write_text(script.text)
    np.testing.assert_array_equal(hk.load(path).run({"x": ROWS}),
                                  np.cumsum(ROWS, axis=0))


def test_pickle():
    def outer(total, row):
        return hk.scan(lambda t, _: (t + row * X[0], None), total, length=2)

    node = hk.scan(outer, ZERO, X)[0]
    copy = pickle.loads(pickle.dumps(node))
    np.testing.assert_array_equal(run(copy), run(node))


#===------------------------------------------------------------------------===#
# Mistakes
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("call, message", [
    (lambda: hk.scan(accumulate, ZERO), "a length of at least 1, or xs, got "
     "None"),
    (lambda: hk.scan(accumulate, ZERO, length=0), "of at least 1, or xs, got 0"),
    (lambda: hk.scan(accumulate, ZERO, X, length=2), "expected tensors of 2 "
     r"rows in xs, got float32 \[3, 2\]"),
    (lambda: hk.scan(accumulate, ZERO, X, length=0), "expected tensors of 0 "
     r"rows in xs, got float32 \[3, 2\]"),
    (lambda: hk.scan(accumulate, ZERO, (X, X[0])), "expected tensors of 3 rows "
     r"in xs, got float32 \[2\]"),
    (lambda: hk.scan(accumulate, ZERO, hk.sum(X)), "expected tensors of rows "
     r"in xs, got float32 \[\]"),
    (lambda: hk.scan(lambda c, x: c, ZERO, X), "expected f to return a tuple "
     "of the next carry and rows of results, got Node"),
    (lambda: hk.scan(lambda c, x: ((c, c), x), ZERO, X), "the structure of "
     r"init, float32 \[2\], got \(float32 \[2\], float32 \[2\]\)"),
    (lambda: hk.scan(lambda c, x: (None, x), ZERO, X), "the structure of init, "
     r"float32 \[2\], got None"),
    (lambda: hk.scan(lambda c, x: (c @ X, None), ZERO, X), "'matmul'"),
    (lambda: hk.scan(lambda c, x: (hk.sum(c), None), ZERO, X), "a carry of "
     r"float32 \[2\], as init has it, got float32 \[\]"),
    (lambda: hk.scan(lambda c, x: (None, None), None, X), "expected a carry or "
     "rows of results, got none"),
    (lambda: hk.scan(lambda c, x: (c, hk.reshape(x, [1] * 7 + [2])), ZERO, X),
     "expected a shape of 0 to 8 dimensions, got 9"),
])
def test_mistakes(call, message):
    with pytest.raises(hk.HamKaasError, match=message) as error:
        call()
    assert str(error.value).startswith(f"{__file__}:")


def test_wrong_arguments():
    with pytest.raises(TypeError, match="expected a hamkaas.Node"):
        hk.scan(accumulate, 0, X)
    with pytest.raises(TypeError):
        hk.scan(accumulate, ZERO, X, length=1.5)


def test_nodes_end_with_the_body():
    nodes = []

    def step(total, row):
        nodes.append(row * 2)
        return accumulate(total, row)

    total, _ = hk.scan(step, ZERO, X)
    with pytest.raises(hk.HamKaasError, match="a node of its body, which ends"):
        hk.compile(total + nodes[0])


def test_writes_to_states_within():
    state = hk.state([3, 2], name="table")

    def step(at, row):
        state.replace(hk.reshape(row, [1, 2]), at, at + 1)
        written = state.replace(hk.reshape(row, [1, 2]), at, at + 1)
        return at + 1, hk.sum(written)

    with pytest.raises(hk.HamKaasError, match="expected rows of a value of the "
                       "loop's body to be replaced, got one from outside"):
        hk.scan(step, np.int64([0]), X)
