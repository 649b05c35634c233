# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of loops, by formulas and against torch."""

import numpy as np
import pytest

import hamkaas as hk

DEVICES = pytest.mark.parametrize("device", ["cpu", "reference"])
ROWS = np.float64([[1, 10], [2, 20], [4, 40]])


def run(results, device="cpu", **inputs):
    return hk.compile(results, device=device).run(inputs)


#===------------------------------------------------------------------------===#
# Recurrent networks
#===------------------------------------------------------------------------===#


def lstm(x, h, c, w, u, b):
    """torch's layer: the gates are input, forget, cell and output."""
    size = h.shape[1]

    def step(carry, row):
        h, c = carry
        gates = row @ w.T + h @ u.T + b
        i, f, g, o = (gates[:, k * size:(k + 1) * size] for k in range(4))
        c = hk.nn.sigmoid(f) * c + hk.nn.sigmoid(i) * hk.tanh(g)
        h = hk.nn.sigmoid(o) * hk.tanh(c)
        return (h, c), h

    (h, c), rows = hk.scan(step, (h, c), x)
    return rows, h, c


def gru(x, h, w, u, b, v):
    """torch's layer: the gates are reset, update and new."""
    size = h.shape[1]

    def step(h, row):
        a, d = row @ w.T + b, h @ u.T + v
        r = hk.nn.sigmoid(a[:, :size] + d[:, :size])
        z = hk.nn.sigmoid(a[:, size:2 * size] + d[:, size:2 * size])
        n = hk.tanh(a[:, 2 * size:] + r * d[:, 2 * size:])
        h = n + z * (h - n)
        return h, h

    h, rows = hk.scan(step, h, x)
    return rows, h


STEPS, BATCH, INPUTS, SIZE = 5, 3, 4, 6
LAYERS = {
    "LSTM": (lstm, 4, ["x", "h", "c", "w", "u", "b"]),
    "GRU": (gru, 3, ["x", "h", "w", "u", "b", "v"]),
}
LAYER = pytest.mark.parametrize("layer", LAYERS)


def make_values(layer, rng):
    _, gates, names = LAYERS[layer]
    shapes = {"x": (STEPS, BATCH, INPUTS), "h": (BATCH, SIZE),
              "c": (BATCH, SIZE), "w": (gates * SIZE, INPUTS),
              "u": (gates * SIZE, SIZE), "b": (gates * SIZE,),
              "v": (gates * SIZE,)}
    return {name: 0.5 * rng.standard_normal(shapes[name]) for name in names}


def build(layer, values):
    """The nodes of the arguments, and a loss of all results."""
    function, _, names = LAYERS[layer]
    nodes = {name: hk.input(name, values[name].shape, "float64")
             for name in names}
    results = function(*nodes.values())
    return nodes, sum(hk.sum(result * result * result) for result in results)


def build_torch(torch, layer, values):
    """The functions behind torch.nn.LSTM and torch.nn.GRU."""
    tensors = {name: torch.tensor(value, requires_grad=True)
               for name, value in values.items()}
    weights = [tensors[name] for name in ("w", "u", "b")]
    weights.append(tensors.get("v", torch.zeros_like(tensors["b"])))
    state = [tensors[name][None] for name in ("h", "c") if name in tensors]
    function = getattr(torch._VF, layer.lower())
    results = function(tensors["x"], state if layer == "LSTM" else state[0],
                       weights, True, 1, 0.0, False, False, False)
    return tensors, sum((result ** 3).sum() for result in results)


@LAYER
@DEVICES
def test_recurrent_networks_agree_with_torch(layer, device, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    values = make_values(layer, rng)
    nodes, loss = build(layer, values)
    got_loss, gradients = run([loss, hk.gradient(loss, nodes)], device,
                              **values)
    tensors, expected = build_torch(torch, layer, values)
    expected.backward()
    np.testing.assert_allclose(got_loss, expected.item(), rtol=1e-12)
    for name, tensor in tensors.items():
        np.testing.assert_allclose(gradients[name], tensor.grad.numpy(),
                                   rtol=1e-9, atol=1e-9)


@LAYER
def test_their_hessians_agree_with_torch(layer, rng):
    """Products with a vector, by the gradient of a gradient."""
    torch = pytest.importorskip("torch", reason="needs torch")
    values = make_values(layer, rng)
    directions = {name: rng.standard_normal(value.shape)
                  for name, value in values.items()}
    nodes, loss = build(layer, values)
    slopes = hk.gradient(loss, nodes)
    along = sum(hk.sum(slopes[name] * directions[name]) for name in nodes)
    products = run(hk.gradient(along, nodes), **values)
    tensors, loss = build_torch(torch, layer, values)
    slopes = torch.autograd.grad(loss, list(tensors.values()),
                                 create_graph=True)
    along = sum((slope * torch.from_numpy(directions[name])).sum()
                for name, slope in zip(tensors, slopes))
    along.backward()
    for name, tensor in tensors.items():
        np.testing.assert_allclose(products[name], tensor.grad.numpy(),
                                   rtol=1e-9, atol=1e-9)


def test_a_recurrent_network_is_trained(rng):
    """The sum of a sequence, which a linear cell learns."""
    x = hk.input("x", [6, 8, 1])
    w = hk.state([1, 1], "w", initial=np.float32([[0.5]]))
    u = hk.state([1, 1], "u", initial=np.float32([[0.9]]))
    total, _ = hk.scan(lambda h, row: (row @ w + h @ u, None),
                       np.zeros((8, 1), "float32"), x)
    loss = hk.nn.mse_loss(total, hk.sum(x, axis=0))
    model = hk.compile({"train_step": hk.train_step(loss, hk.optim.Adam(0.02))})
    for _ in range(300):
        batch = {"x": rng.standard_normal((6, 8, 1), "float32")}
        model.train_step.run(batch)
    np.testing.assert_allclose(model.state["w"][:], [[1]], atol=1e-2)
    np.testing.assert_allclose(model.state["u"][:], [[1]], atol=1e-2)


def test_the_loss_may_be_the_result_of_a_loop(rng):
    """The training step stands directly behind the loop, which is replaced."""
    x = hk.input("x", [5])
    w = hk.state([], "w", initial=np.float32(2))
    loss, _ = hk.scan(lambda total, row: (total + (w * row - row) ** 2, None),
                      np.zeros([], "float32"), x)
    model = hk.compile({"train_step": hk.train_step(loss, hk.optim.SGD(0.02))})
    values = np.float32([1, 2, 1, 0, 1])
    for _ in range(100):
        model.train_step.run({"x": values})
    np.testing.assert_allclose(model.state["w"][()], 1, atol=1e-5)


#===------------------------------------------------------------------------===#
# Other loops
#===------------------------------------------------------------------------===#


@DEVICES
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_product_of_rows(device, steps, reverse):
    x = hk.input("x", [steps, 2], "float64")
    product, _ = hk.scan(lambda p, row: (p * row, None), np.ones(2), x,
                         reverse=reverse)
    values = ROWS[:steps]
    got = run(hk.gradient(product, x, seed=np.ones(2)), device, x=values)
    np.testing.assert_allclose(got, values.prod(axis=0) / values)


@DEVICES
def test_results_stay_usable(device):
    """The loop is replaced by one with more results; its own are the same
    values as before, before and behind the gradient."""
    x = hk.input("x", [3, 2], "float64")
    total, sums = hk.scan(lambda s, row: (s + row * row, s), np.zeros(2), x)
    slope = hk.gradient(hk.sum(total * total), x)
    again = hk.gradient(hk.sum(slope * slope), x)
    got = run([total, sums, slope, total + 1, again], device, x=ROWS)
    square = (ROWS * ROWS).sum(axis=0)
    np.testing.assert_allclose(got[0], square)
    np.testing.assert_allclose(got[1], np.cumsum(
        np.concatenate([np.zeros((1, 2)), ROWS * ROWS]), axis=0)[:3])
    np.testing.assert_allclose(got[2], 4 * square * ROWS)
    np.testing.assert_allclose(got[3], square + 1)
    # |slope|^2 = 16 s^3
    np.testing.assert_allclose(got[4], 96 * square ** 2 * ROWS)


@DEVICES
def test_an_integer_in_the_carry(device):
    """It counts, and chooses rows."""
    table = hk.input("table", [3, 2], "float64")

    def step(carry, _):
        i, total = carry
        return (i + 1, total * table[i % 3] + 1), i

    (last, total), counts = hk.scan(
        step, (np.int64(0), np.ones(2)), length=4)
    got = run([last, counts, hk.gradient(hk.sum(total), table)], device,
              table=ROWS)
    assert got[0] == 4
    np.testing.assert_array_equal(got[1], [0, 1, 2, 3])
    a, b, c = ROWS
    # ((((a + 1) b + 1) c + 1) a + 1
    expected = [2 * a * b * c + b * c + c + 1, (a + 1) * c * a,
                ((a + 1) * b + 1) * a]
    np.testing.assert_allclose(got[2], expected)


@DEVICES
def test_nested_loops(device, rng):
    """The inner loop reads what is outside of both, twice."""
    x = hk.input("x", [3, 2], "float64")
    w = hk.input("w", [2], "float64")

    def outer(total, row):
        def inner(value, _):
            return value * w + row * w, value

        value, before = hk.scan(inner, total, length=2)
        return value, before[1]

    total, rows = hk.scan(outer, np.zeros(2), x)
    loss = hk.sum(total) + hk.sum(rows)
    values = {"x": rng.standard_normal((3, 2)), "w": rng.standard_normal(2)}
    got = run(hk.gradient(loss, [x, w]), device, **values)

    def evaluate(values):
        total = np.zeros(2)
        result = 0
        for row in values["x"]:
            for k in range(2):
                result += total.sum() if k == 1 else 0
                total = total * values["w"] + row * values["w"]
        return result + total.sum()

    for gradient, (name, value) in zip(got, values.items()):
        for place in np.ndindex(value.shape):
            step = np.zeros_like(value)
            step[place] = 1e-6
            expected = (evaluate({**values, name: value + step}) -
                        evaluate({**values, name: value - step})) / 2e-6
            assert gradient[place] == pytest.approx(expected, abs=1e-7)


def test_a_body_takes_the_gradient_of_a_loop():
    """Newton's method for the root of a polynomial that a loop evaluates."""
    coefficients = np.float32([1, 0, -2])  # x^2 - 2

    def evaluate(x):
        value, _ = hk.scan(lambda sum, row: (sum * x + row, None),
                           hk.constant(np.float32(0)) * x,
                           hk.constant(coefficients))
        return value

    def step(x, _):
        value = evaluate(x)
        return x - value / hk.gradient(value, x), None

    x = hk.input("x", [])
    root, _ = hk.scan(step, x, length=6)
    np.testing.assert_allclose(run(root, x=np.float32(1)), np.sqrt(2),
                               rtol=1e-6)


#===------------------------------------------------------------------------===#
# Errors
#===------------------------------------------------------------------------===#


def check_error(text, call):
    with pytest.raises(hk.HamKaasError) as caught:
        call()
    assert text in str(caught.value)
    assert "test_loop_gradients.py:" in str(caught.value)


def test_an_iter_arg_of_integers_has_no_gradient():
    x = hk.input("x", [3])
    (count, _), _ = hk.scan(
        lambda carry, row: ((carry[0] + 1, carry[1] + row), None),
        (np.int64(0), np.float32(0)), x)
    check_error("expected y to be of floats, got int64 [], which has no "
                "gradient", lambda: hk.gradient(count, x))


def test_iter_args_depend_on_their_own_operands_only():
    """Beside another one, which depends on x, the count does not."""
    x, z = hk.input("x", [3]), hk.input("z", [])
    (count, total), _ = hk.scan(
        lambda carry, row: ((carry[0] + 1, carry[1] + row), None),
        (z, np.float32(0)), x)
    check_error("x 0: expected a value that y depends on by operations on "
                "floats", lambda: hk.compile(hk.gradient(count, x)))
    check_error("x 1: expected a value that y depends on by operations on "
                "floats", lambda: hk.compile(hk.gradient(total, [x, z])))


def test_an_operation_of_the_body_without_a_rule_is_named():
    x = hk.input("x", [4, 2], "float16")

    def step(total, row):
        bits = hk.ops.bitcast(row, type="bfloat16")
        return total + bits.astype("float32"), None

    total, _ = hk.scan(step, np.zeros(2, "float32"), x)
    check_error("'scan' at ", lambda: hk.compile(
        hk.gradient(hk.sum(total), x)))
    check_error("has no gradient: 'bitcast' at ", lambda: hk.compile(
        hk.gradient(hk.sum(total), x)))
