# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of hamkaas.nn against their formulas in numpy."""

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import nn

D = {"dtype": "float64"}


def close(value, expected):
    assert value.shape == expected.shape
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step_rnn(x, h, _, function=np.tanh):
    return (function(x + h),)


def step_lstm(x, h, carry):
    i, f, g, o = np.split(x + h, 4, axis=-1)
    c = sigmoid(f) * carry[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def step_gru(x, h, carry):
    (xr, xz, xn), (hr, hz, hn) = (np.split(one, 3, axis=-1) for one in (x, h))
    r, z = sigmoid(xr + hr), sigmoid(xz + hz)
    return ((1 - z) * np.tanh(xn + r * hn) + z * carry[0],)


CELLS = {
    "RNNCell": (lambda *args: nn.RNNCell(*args, **D), step_rnn),
    "RNNCell-relu": (
        lambda *args: nn.RNNCell(*args, nonlinearity="relu", **D),
        lambda *args: step_rnn(*args, lambda x: np.maximum(x, 0))),
    "LSTMCell": (lambda *args: nn.LSTMCell(*args, **D), step_lstm),
    "GRUCell": (lambda *args: nn.GRUCell(*args, **D), step_gru),
}


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("batch", [(3,), ()])
@pytest.mark.parametrize("name", CELLS)
def test_cells_are_their_formulas(name, batch, bias, device, rng):
    make, formula = CELLS[name]
    cell = make(5, 4, bias)
    gates = {"L": 4, "G": 3, "R": 1}[name[0]]
    state = cell.state_dict()
    assert {key: value.shape for key, value in state.items()} == {
        "weight_ih": (4 * gates, 5), "weight_hh": (4 * gates, 4),
        **({"bias_ih": (4 * gates,), "bias_hh": (4 * gates,)} if bias else {})}
    count = 2 if name[0] == "L" else 1
    x = rng.standard_normal((*batch, 5))
    carry = [rng.standard_normal((*batch, 4)) for _ in range(count)]
    node = hk.input("x", x.shape, "float64")
    states = tuple(hk.input(f"h{i}", one.shape, "float64")
                   for i, one in enumerate(carry))
    model = hk.compile({"given": cell(node, states if count == 2
                                      else states[0]),
                        "zero": cell(node)}, device=device)
    got = model.run({"x": x, **{f"h{i}": h for i, h in enumerate(carry)}})
    for key, before in (("given", carry),
                        ("zero", [np.zeros_like(h) for h in carry])):
        expected = formula(
            x @ state["weight_ih"].T + state.get("bias_ih", 0),
            before[0] @ state["weight_hh"].T + state.get("bias_hh", 0), before)
        values = got[key] if count == 2 else (got[key],)
        assert isinstance(got[key], tuple) == (count == 2)
        for value, other in zip(values, expected):
            close(value, other)


def test_cells_are_steps_of_layers(rng):
    layer, cell = nn.GRU(5, 4, **D), nn.GRUCell(5, 4, **D)
    cell.load_state_dict({name: layer.state_dict()[f"{name}_l0"]
                          for name in cell.state_dict()})
    x = rng.standard_normal((6, 3, 5))
    node, h = hk.input("x", x.shape, "float64"), None
    steps = []
    for i in range(6):
        h = cell(node[i], h)
        steps.append(h)
    model = hk.compile((hk.stack(steps), layer(node)[0]))
    close(*model.run({"x": x}))


@pytest.mark.parametrize("make,text", [
    (lambda: nn.LSTMCell(0, 4), "'LSTMCell': expected 'input_size' to be at "
     "least 1, got 0"),
    (lambda: nn.RNNCell(5, 4, True, "gelu"), "expected a nonlinearity of"),
    (lambda: nn.GRUCell(5, 4)(hk.input("x", [2, 3, 5])), "an input of 1 or 2 "
     "dimensions"),
    (lambda: nn.GRUCell(5, 4)(hk.input("x", [3, 6])), "expected 5 features, "
     "got [3, 6]"),
    (lambda: nn.LSTMCell(5, 4)(hk.input("x", [3, 5]), np.zeros([3, 4])),
     "expected 2 hidden states of [3, 4], got [[3, 4]]"),
    (lambda: nn.Embedding(4, 2, 4), "expected 'padding_idx' from -4 to 3, "
     "got 4"),
    (lambda: nn.TransformerDecoderLayer(8, 2, activation="tanh"),
     "an activation of 'relu' and 'gelu', got 'tanh'"),
    (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2), 0),
     "'TransformerDecoder': expected 'num_layers' to be at least 1, got 0"),
])
def test_mistakes(make, text):
    with pytest.raises(hk.HamKaasError) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_padding_gets_no_gradient(dtype, device, rng):
    layer = nn.Embedding(7, 4, padding_idx=-2, **D)
    assert layer.padding_idx == 5
    weight = layer.state_dict()["weight"]
    assert (weight != 0).any(1).tolist() == [True] * 5 + [False, True]
    weight[5] = 3  # Set later, it is a row like others but for the gradient.
    layer.load_state_dict({"weight": weight})
    # Negative numbers count from the end.
    x = np.array([[5, 1, -2], [6, 5, 1]], dtype)
    seed = rng.standard_normal((2, 3, 4))
    y = layer(hk.input("x", x.shape, dtype))
    slope = hk.gradient(y, layer.weight, seed=seed)
    got, got_slope = hk.compile((y, slope), device=device).run({"x": x})
    close(got, weight[x])
    expected = np.zeros((7, 4))
    np.add.at(expected, x, seed)
    expected[5] = 0
    close(got_slope, expected)


def normalize(x, state, name):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * \
        state[f"{name}.weight"] + state[f"{name}.bias"]


def attend(x, y, state, name, mask):
    """Two heads, ``length x n x width``; True in ``mask`` is not seen."""
    weights = np.split(state[f"{name}.in_proj_weight"], 3)
    biases = np.split(state[f"{name}.in_proj_bias"], 3)
    q, k, v = ((z @ w.T + b).reshape(*z.shape[:2], 2, -1).transpose(1, 2, 0, 3)
               for z, w, b in zip((x, y, y), weights, biases))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    scores = np.where(mask, -np.inf, scores)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    z = (scores / scores.sum(-1, keepdims=True)) @ v
    z = z.transpose(2, 0, 1, 3).reshape(x.shape)
    return z @ state[f"{name}.out_proj.weight"].T + \
        state[f"{name}.out_proj.bias"]


def feed(x, state):
    hidden = x @ state["linear1.weight"].T + state["linear1.bias"]
    return np.maximum(hidden, 0) @ state["linear2.weight"].T + \
        state["linear2.bias"]


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_decoder_layers_are_their_formulas(batch_first, norm_first, device,
                                           rng):
    layer = nn.TransformerDecoderLayer(8, 2, 12, batch_first=batch_first,
                                       norm_first=norm_first, **D).eval()
    layer.load_state_dict({name: rng.standard_normal(value.shape)
                           for name, value in layer.state_dict().items()})
    state = layer.state_dict()
    assert [name for name in state if name.endswith("bias")] == [
        "self_attn.in_proj_bias", "self_attn.out_proj.bias",
        "multihead_attn.in_proj_bias", "multihead_attn.out_proj.bias",
        "linear1.bias", "linear2.bias", "norm1.bias", "norm2.bias",
        "norm3.bias"]
    x, memory = rng.standard_normal((4, 3, 8)), rng.standard_normal((6, 3, 8))
    later = np.triu(np.ones((4, 4), bool), 1)
    hidden = rng.random((3, 6)) < 0.4
    hidden[:, 0] = False

    def look(z, y, name):
        return attend(z, y, state, name, later if y is z else
                      hidden[:, None, None])
    z = x
    for i, part in enumerate((
            lambda z: look(z, z, "self_attn"),
            lambda z: look(z, memory, "multihead_attn"),
            lambda z: feed(z, state)), 1):
        z = z + part(normalize(z, state, f"norm{i}")) if norm_first else \
            normalize(z + part(z), state, f"norm{i}")

    def order(value):
        return value.transpose(1, 0, 2) if batch_first else value
    inputs = {"x": order(x), "memory": order(memory)}
    nodes = [hk.input(name, value.shape, "float64")
             for name, value in inputs.items()]
    results = (layer(*nodes, tgt_mask=later, memory_key_padding_mask=hidden),
               layer(*nodes, tgt_is_causal=True,
                     memory_key_padding_mask=hidden))
    for value in hk.compile(results, device=device).run(inputs):
        close(order(value), z)
