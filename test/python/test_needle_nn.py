# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and optimizers of hamkaas.needle, against torch."""

import gc
import math

import numpy as np
import pytest

import hamkaas.needle as ndl
from hamkaas import HamKaasError
from hamkaas.needle import autograd, nn, optim
from needle_checks import count_programs

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(2)


def draw(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def close(ours, theirs, tolerance=1e-4):
    if isinstance(ours, ndl.Tensor):
        ours = ours.numpy()
    if isinstance(theirs, torch.Tensor):
        theirs = theirs.detach().numpy()
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def compare(ours, theirs, x, pairs=()):
    """Results and gradients of two functions of one array, and of pairs of
    parameters; the second may be transposed."""
    a, b = ndl.Tensor(x), torch.tensor(x, requires_grad=True)
    y, z = ours(a), theirs(b)
    close(y, z)
    weight = draw(*z.shape)
    y.backward(ndl.Tensor(weight))
    z.backward(torch.tensor(weight))
    close(a.grad, b.grad)
    for one, other in pairs:
        gradient = other.grad.T if other.ndim == 2 else other.grad
        close(one.grad.numpy().reshape(gradient.shape), gradient)


def set_parameter(target, source):
    array = source.detach().numpy()
    target.data = ndl.Tensor(array.T if array.ndim == 2 else array)


#===------------------------------------------------------------------------===#
# Layers
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 4)])
def test_linear(shape):
    layer, other = nn.Linear(4, 6), torch.nn.Linear(4, 6)
    assert layer.weight.shape == (4, 6) and layer.bias.shape == (1, 6)
    set_parameter(layer.weight, other.weight)
    set_parameter(layer.bias, other.bias)  # Now of one dimension.
    compare(layer, other, draw(*shape), [(layer.weight, other.weight),
                                         (layer.bias, other.bias)])


def test_draws():
    """In the order of parameters, by numpy's generator."""
    np.random.seed(3)
    layer = nn.Linear(4, 6)
    np.random.seed(3)
    bound = math.sqrt(6 / 4)
    close(layer.weight, np.random.rand(4, 6) * 2 * bound - bound)
    bound = math.sqrt(6 / 6)
    close(layer.bias, (np.random.rand(6, 1) * 2 * bound - bound).T)
    np.random.seed(3)
    x = nn.Dropout(0.25)(ndl.Tensor(np.ones((4, 5))))
    np.random.seed(3)
    close(x, (np.random.rand(4, 5) <= 0.75) / 0.75)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("images", [False, True])
def test_batch_norm(training, images):
    layer = nn.BatchNorm2d(3) if images else nn.BatchNorm1d(3)
    other = torch.nn.BatchNorm2d(3) if images else torch.nn.BatchNorm1d(3)
    for name in ("weight", "bias", "running_mean", "running_var"):
        values = abs(draw(3)) + 0.5
        getattr(layer, name).data = ndl.Tensor(values)
        getattr(other, name).data = torch.tensor(values)
    if not training:
        layer.eval()
        other.eval()
    x = draw(6, 3, 4, 4) if images else draw(6, 3)
    before = other.running_var.numpy().copy()
    compare(layer, other, x, [(layer.weight, other.weight),
                              (layer.bias, other.bias)])
    close(layer.running_mean, other.running_mean)
    axes = (0, 2, 3) if images else 0
    close(layer.running_var, 0.9 * before + 0.1 * x.var(axis=axes)
          if training else before)


def test_other_layers():
    compare(nn.LayerNorm1d(8), torch.nn.LayerNorm(8), draw(5, 8))
    compare(nn.Sigmoid(), torch.sigmoid, draw(5, 8) * 40)
    compare(nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Identity()),
            lambda x: torch.relu(torch.flatten(x, 1)), draw(2, 3, 4))
    compare(nn.Residual(nn.ReLU()), lambda x: x + torch.relu(x), draw(3, 4))
    y = RNG.integers(0, 7, 5)
    compare(lambda x: nn.SoftmaxLoss()(x, ndl.Tensor(y)),
            lambda x: torch.nn.functional.cross_entropy(
                x, torch.tensor(y)).reshape(1), draw(5, 7))


@pytest.mark.parametrize("k, stride", [(3, 1), (3, 2), (7, 4), (1, 1)])
def test_conv(k, stride):
    layer = nn.Conv(3, 4, k, stride=stride)
    other = torch.nn.Conv2d(3, 4, k, stride=stride, padding=k // 2)
    other.weight.data = torch.tensor(
        layer.weight.numpy().transpose(3, 2, 0, 1).copy())
    other.bias.data = torch.tensor(layer.bias.numpy())
    compare(layer, other, draw(2, 3, 9, 9), [(layer.bias, other.bias)])
    close(layer.weight.grad.numpy().transpose(3, 2, 0, 1), other.weight.grad)


def copy_cells(cells, other):
    for i, cell in enumerate(cells):
        for ours, theirs in (("W_ih", "weight_ih"), ("W_hh", "weight_hh"),
                             ("bias_ih", "bias_ih"), ("bias_hh", "bias_hh")):
            set_parameter(getattr(cell, ours), getattr(other, f"{theirs}_l{i}"))
        yield cell.W_ih, getattr(other, f"weight_ih_l{i}")
        yield cell.W_hh, getattr(other, f"weight_hh_l{i}")
        yield cell.bias_hh, getattr(other, f"bias_hh_l{i}")


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_rnn(nonlinearity):
    layer = nn.RNN(4, 5, 2, nonlinearity=nonlinearity)
    other = torch.nn.RNN(4, 5, 2, nonlinearity=nonlinearity)
    pairs = list(copy_cells(layer.rnn_cells, other))
    h0 = draw(2, 3, 5)
    compare(lambda x: layer(x, ndl.Tensor(h0))[0],
            lambda x: other(x, torch.tensor(h0))[0], draw(6, 3, 4), pairs)
    x = draw(6, 3, 4)
    close(layer(ndl.Tensor(x))[1], other(torch.tensor(x))[1])


def test_lstm():
    layer, other = nn.LSTM(4, 5, 2), torch.nn.LSTM(4, 5, 2)
    pairs = list(copy_cells(layer.lstm_cells, other))
    h0, c0 = draw(2, 3, 5), draw(2, 3, 5)
    compare(lambda x: layer(x, (ndl.Tensor(h0), ndl.Tensor(c0)))[0],
            lambda x: other(x, (torch.tensor(h0), torch.tensor(c0)))[0],
            draw(6, 3, 4), pairs)
    x = draw(6, 3, 4)
    ours, theirs = layer(ndl.Tensor(x))[1], other(torch.tensor(x))[1]
    close(ours[0], theirs[0])
    close(ours[1], theirs[1])


def test_embedding():
    layer = nn.Embedding(7, 3)
    x = RNG.integers(0, 7, (4, 2))
    y = layer(ndl.Tensor(x))
    close(y, layer.weight.numpy()[x])
    y.sum().backward()
    close(layer.weight.grad, np.bincount(x.reshape(-1), minlength=7)[:, None] *
          np.ones((1, 3)))


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal):
    q, k, v = draw(2, 3, 4, 5), draw(2, 3, 4, 5), draw(2, 3, 4, 5)
    mask = torch.full((4, 4), -torch.inf).triu(1) if causal else 0
    layer = nn.MultiHeadAttention(causal=causal)

    def attend(x):
        scores = x @ torch.tensor(k).transpose(2, 3) / math.sqrt(5) + mask
        return torch.softmax(scores, -1) @ torch.tensor(v)

    compare(lambda x: layer(x, ndl.Tensor(k), ndl.Tensor(v))[0], attend, q)
    probs = layer(*map(ndl.Tensor, (q, k, v)))[1].numpy()
    close(probs.sum(axis=-1), np.ones((2, 3, 4)))
    assert layer.create_causal_mask(2, 3, ndl.cpu()).shape == (1, 1, 2, 3)


def test_transformer():
    """Causal: later places do not change earlier results."""
    np.random.seed(0)
    model = nn.Transformer(6, 12, 2, num_head=2, dim_head=4, sequence_len=8)
    x = draw(5, 2, 6)
    y, state = model(ndl.Tensor(x))
    assert y.shape == state.shape == (5, 2, 6) and not state.numpy().any()
    x[3:] += 1
    close(model(ndl.Tensor(x))[0].numpy()[:3], y.numpy()[:3])
    y.sum().backward()
    assert all(one.grad is not None for one in model.parameters())
    # Places, and of each layer three norms, four products, and the mlp.
    assert len(model.parameters()) == 1 + 2 * (6 + 4 + 2 + 4)
    with pytest.raises(HamKaasError, match="at most 8 places"):
        model(ndl.Tensor(draw(9, 2, 6)))


def test_modules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = {"a": [nn.Linear(2, 3)], "b": nn.Dropout()}
            self.shared = nn.Linear(3, 1, bias=False)
            self.again = self.shared
            self.mask = ndl.Tensor([1])

    net = Net()
    assert [one.shape for one in net.parameters()] == [
        (2, 3), (1, 3), (3, 1), (3, 1)]
    net.eval()
    assert not net.first["b"].training and not net.shared.training
    net.train()
    assert net.first["b"].training


#===------------------------------------------------------------------------===#
# Optimizers
#===------------------------------------------------------------------------===#


def train(make, steps=4, shape=(3, 2)):
    """The parameter after some steps, its losses aside."""
    w = nn.Parameter(ndl.Tensor(np.linspace(-1, 1, 6).reshape(shape)))
    optimizer = make([w])
    for i in range(steps):
        optimizer.reset_grad()
        ((w * w * w).sum() + (w * float(i)).sum()).backward()
        optimizer.step()
    return w.numpy()


def expect(rule, steps=4):
    w = np.linspace(-1, 1, 6).reshape(3, 2)
    state = {}
    for i in range(steps):
        w = rule(w, 3 * w * w + i, state, i + 1)
    return w


def test_sgd():
    def rule(w, g, state, _):
        u = state["u"] = 0.9 * state.get("u", 0) + 0.1 * (g + 0.01 * w)
        return w - 0.05 * u
    close(train(lambda params: optim.SGD(params, 0.05, 0.9, 0.01)),
          expect(rule), 1e-5)
    close(train(lambda params: optim.SGD(params, lr=0.1)),
          expect(lambda w, g, *_: w - 0.1 * g), 1e-5)


def test_adam():
    def rule(w, g, state, t):
        g = g + 0.01 * w
        m = state["m"] = 0.9 * state.get("m", 0) + 0.1 * g
        v = state["v"] = 0.999 * state.get("v", 0) + 0.001 * g * g
        return w - 0.05 * (m / (1 - 0.9 ** t)) / (
            np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    close(train(lambda params: optim.Adam(params, 0.05, weight_decay=0.01)),
          expect(rule), 1e-5)


def test_clipping():
    a, b = nn.Parameter(ndl.Tensor([3.0])), nn.Parameter(ndl.Tensor([[4.0]]))
    unused = nn.Parameter(ndl.Tensor([1.0]))
    optimizer = optim.SGD([a, b, unused, a], lr=1.0)
    ((a * a).sum() + (b * b).sum()).backward()
    optimizer.clip_grad_norm(0.5)
    close(a.grad, [0.3])
    close(b.grad, [[0.4]])
    optimizer.clip_grad_norm(5)
    close(b.grad, [[0.4]])
    optimizer.step()
    close(a, [3 - 2 * 0.3])  # There twice.
    close(b, [[3.6]])
    close(unused, [1.0])
    close(a.grad, [0.3])
    optimizer.reset_grad()
    assert a.grad is None


#===------------------------------------------------------------------------===#
# Steps as programs
#===------------------------------------------------------------------------===#


def make_network():
    return nn.Sequential(
        nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2),
        nn.Residual(nn.Sequential(nn.Linear(8, 8), nn.LayerNorm1d(8))),
        nn.Linear(8, 3))


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("make", [
    lambda params: optim.Adam(params, weight_decay=0.01),
    lambda params: optim.SGD(params, momentum=0.9)])
def test_steps_compile_once(monkeypatch, looks, make):
    """Also with other data, masks, rates and numbers of steps."""
    made = count_programs(monkeypatch)
    np.random.seed(0)
    model, loss_function = make_network(), nn.SoftmaxLoss()
    optimizer = make(model.parameters())
    counts, values, losses = [], [], []
    for i in range(6):
        x = ndl.Tensor(draw(4, 6), requires_grad=False)
        y = ndl.Tensor(RNG.integers(0, 3, 4), requires_grad=False)
        optimizer.lr = 0.01 / (i + 1)
        optimizer.reset_grad()
        logits = model(x)
        loss = loss_function(logits, y)
        if looks:
            logits.numpy()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.numpy()))
        counts.append(len(made))
        values.append(autograd.TENSOR_COUNTER)
    # One for all, or one to look and one for the rest, or that of before.
    assert counts[0] <= 1 + looks and counts == counts[:1] * 6
    gc.collect()
    assert values[2:] == values[2:3] * 4


def test_steps_see_changes(monkeypatch):
    """Weights written in place, replaced by `data`, and as attributes."""
    cell = nn.RNNCell(2, 3)
    x, h = ndl.Tensor(draw(4, 2)), ndl.Tensor(draw(4, 3))

    def expected():
        return np.tanh(x.numpy() @ cell.W_ih.numpy() + cell.bias_ih.numpy() +
                       h.numpy() @ cell.W_hh.numpy() + cell.bias_hh.numpy())

    def check():
        y = cell(x, h)
        close(y, expected())
        y.sum().backward()
        close(cell.W_ih.grad, x.numpy().T @ (1 - expected() ** 2))

    check()
    cell.W_ih.realize_cached_data().flat[2] += 1.0  # A program adds.
    made = count_programs(monkeypatch)
    cell.W_ih.realize_cached_data().flat[1] += 1.0
    check()
    cell.W_hh.data = ndl.Tensor(draw(3, 3))
    check()
    cell.W_ih = ndl.Tensor(draw(2, 3))
    check()
    assert not made


def test_loops_without_gradients_do_not_grow():
    """A state that is carried on detached is known after each step."""
    layer = nn.RNN(2, 3)
    optimizer = optim.SGD(layer.parameters(), lr=0.1)
    h = None
    for _ in range(5):
        optimizer.reset_grad()
        y, h = layer(ndl.Tensor(draw(6, 4, 2)), h)
        y.sum().backward()
        optimizer.step()
        h = h.detach()
        assert h._data.memory.is_known


def test_long_sequences(monkeypatch):
    """Several programs a step, the same in each."""
    made = count_programs(monkeypatch)
    layer = nn.RNN(2, 3)
    other = torch.nn.RNN(2, 3)
    pairs = list(copy_cells(layer.rnn_cells, other))
    optimizer = optim.SGD(layer.parameters(), lr=0.0)
    x = draw(110, 2, 2)
    counts = []
    for _ in range(3):
        optimizer.reset_grad()
        y, h = layer(ndl.Tensor(x))
        (y * y).sum().backward()
        optimizer.step()
        counts.append(len(made))
    assert counts[0] > 1 and counts == counts[:1] * 3
    (other(torch.tensor(x))[0] ** 2).sum().backward()
    for one, parameter in pairs:
        gradient = parameter.grad.T if parameter.ndim == 2 else parameter.grad
        close(one.grad, gradient, 1e-3)


@pytest.mark.parametrize("make, message", [
    (lambda: nn.BatchNorm1d(3)(ndl.Tensor(draw(2, 4))), "expected batch x 3"),
    (lambda: nn.LayerNorm1d(3)(ndl.Tensor(draw(2, 4))), "expected batch x 3"),
    (lambda: nn.SoftmaxLoss()(ndl.Tensor(draw(2, 4)), ndl.Tensor([1.0])),
     "expected 2 classes"),
    (lambda: nn.RNNCell(2, 3, nonlinearity="x"), "'tanh' or 'relu'"),
    (lambda: nn.Linear(2, 3)(ndl.Tensor(draw(2, 4))), "matmul"),
    (lambda: ndl.init.kaiming_normal(2, 3, nonlinearity="x"), "'relu'"),
])
def test_errors(make, message):
    with pytest.raises(HamKaasError, match=message):
        make()


def test_initializers():
    np.random.seed(0)
    for make, deviation in [
            (ndl.init.xavier_uniform, math.sqrt(2 / 300)),
            (ndl.init.xavier_normal, math.sqrt(2 / 300)),
            (ndl.init.kaiming_uniform, math.sqrt(2 / 100)),
            (ndl.init.kaiming_normal, math.sqrt(2 / 100))]:
        x = make(100, 200)
        assert x.shape == (100, 200) and not x.requires_grad
        assert abs(x.numpy().std() / deviation - 1) < 0.02
    close(ndl.init.one_hot(3, ndl.Tensor([[0, 2]])), [[[1, 0, 0], [0, 0, 1]]])
    close(ndl.init.randb(3, p=1, dtype="float32"), [1, 1, 1])
    close(ndl.zeros_like(ndl.ones(2, 3)), np.zeros((2, 3)))
    assert ndl.cpu().one_hot(3, [1]).numpy().tolist() == [[0, 1, 0]]


def test_places_of_errors():
    """Errors name the line of the user's layer, also behind other layers."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(2, 3), nn.Linear(4, 2)

        def forward(self, x):
            y = self.first(x)
            return self.second(y)

    with pytest.raises(HamKaasError) as error:
        nn.Sequential(Net())(ndl.Tensor(draw(1, 2)))
    line = Net.forward.__code__.co_firstlineno + 2
    assert f"test_needle_nn.py:{line}: error: " in str(error.value)
