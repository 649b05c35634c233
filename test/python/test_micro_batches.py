# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps that compute the batch in parts."""

import numpy as np
import pytest

import hamkaas as hk


class Network:
    """Layers with residual sums and a loss of a batch of any size."""

    def __init__(self, layers=3, rows=24, size=8, dtype="float32"):
        rng = np.random.default_rng(1)
        self.layers = [
            (hk.state([size, size], f"w{i}", dtype,
                      initial=rng.normal(0, 0.3, [size, size])),
             hk.state([size], f"b{i}", dtype)) for i in range(layers)]
        self.inputs = (hk.input("x", [rows, size], dtype),
                       hk.input("labels", [rows], "int64"))
        self.batches = [
            {"x": rng.normal(size=[rows, size]).astype(dtype),
             "labels": rng.integers(0, size, rows)} for _ in range(5)]

    def loss(self, x, labels):
        for w, b in self.layers:
            x = x + hk.nn.gelu(hk.tanh(x @ w + b))
        return hk.nn.cross_entropy(x, labels)

    def compile(self, parts, optimizer=None, **options):
        step = hk.train_step(self.loss, optimizer or hk.optim.Adam(lr=0.01),
                             batch=self.inputs, micro_batches=parts, **options)
        return hk.compile({"step": step})

    def train(self, model):
        losses = [float(model.step.run(batch)["loss"])
                  for batch in self.batches]
        return losses, {name: np.array(model.state[name])
                        for name in model.state}


@pytest.mark.parametrize("parts", [2, 3, 24])
@pytest.mark.parametrize("options", [
    {}, {"optimizer": hk.optim.SGD(lr=0.1, momentum=0.9)},
    {"clip_norm": 0.1}, {"clip_value": 0.01}, {"frozen": "w0"}])
def test_parts_train_as_the_whole_batch_does(parts, options):
    network = Network(dtype="float64")
    losses, states = network.train(network.compile(1, **options))
    part_losses, part_states = network.train(network.compile(parts, **options))
    np.testing.assert_allclose(part_losses, losses, rtol=1e-12)
    assert sorted(part_states) == sorted(states)
    for name, values in states.items():
        np.testing.assert_allclose(part_states[name], values, atol=1e-9)
    assert losses[0] != losses[-1]


def test_a_loss_of_a_batch_is_the_loss_of_its_node():
    network = Network()
    node = hk.train_step(network.loss(*network.inputs), hk.optim.Adam(lr=0.01))
    losses, states = network.train(hk.compile({"step": node}))
    same_losses, same_states = network.train(network.compile(1))
    assert losses == same_losses
    for name, values in states.items():
        np.testing.assert_array_equal(values, same_states[name])


def test_memory_falls_to_that_of_a_part():
    network = Network(layers=6, rows=1024, size=32)
    sizes = [network.compile(parts).report.json()["memory"]["workspace"]
             for parts in (1, 4, 16)]
    assert sizes[1] < 0.4 * sizes[0]
    assert sizes[2] < 0.2 * sizes[0]


def test_given_states_and_names_of_the_batch():
    network = Network()
    w = network.layers[1][0]
    step = hk.train_step(lambda images, classes: network.loss(images, classes),
                         hk.optim.SGD(lr=0.1), states=[w], micro_batches=2,
                         batch=dict(zip(("images", "classes"),
                                        network.inputs)))
    model = hk.compile({"step": step})
    _, states = network.train(model)
    initial = Network()
    for (name, changed) in (("w0", False), ("w1", True), ("b2", False)):
        first = hk.compile({"step": hk.train_step(
            initial.loss(*initial.inputs), hk.optim.SGD())}).state[name]
        assert (states[name] != first).any() == changed


def test_parameters_of_16_bits_add_up_in_float32():
    x, w = hk.input("x", [64], "float16"), hk.state([1], "w", "float16")
    step = hk.train_step(lambda x: hk.mean((w - x) ** 2),
                         hk.optim.SGD(lr=0.5), batch=x, micro_batches=64)
    model = hk.compile({"step": step})
    model.step.run({"x": np.full(64, 3, "float16")})
    np.testing.assert_allclose(model.state["w"], [3], atol=1e-3)


@pytest.mark.parametrize("shape, parts, found", [
    ([6], 4, r"rows that 4 micro-batches divide, got float32 \[6\]"),
    ([], 2, r"micro-batches divide, got float32 \[\] without rows"),
    ([6], 0, "at least one micro-batch, got 0")])
def test_batch_that_cannot_be_cut(shape, parts, found):
    x, w = hk.input("x", shape), hk.state([], "w")
    with pytest.raises(hk.HamKaasError, match=f"test_micro.*{found}"):
        hk.train_step(lambda x: hk.mean((w - x) ** 2), hk.optim.SGD(),
                      batch=x, micro_batches=parts)


def test_losses_that_are_none():
    x, w = hk.input("x", [4]), hk.state([], "w")

    def step(loss, **options):
        return hk.train_step(loss, hk.optim.SGD(), **options)

    with pytest.raises(TypeError, match="a function of the batch.*got Node"):
        step(hk.mean((w - x) ** 2), micro_batches=2)
    with pytest.raises(TypeError, match="the batch that the loss is"):
        step(lambda x: hk.mean(x), micro_batches=2)
    with pytest.raises(TypeError, match="to be a node, got float"):
        step(lambda x: 1.0, batch=x, micro_batches=2)
    with pytest.raises(hk.HamKaasError, match=r"one float, got float32 \[2\]"):
        step(lambda x: x * w, batch=x, micro_batches=2)
    with pytest.raises(hk.HamKaasError, match="depends on none"):
        step(lambda x: hk.mean(hk.stop_gradient(w) * x), batch=x,
             micro_batches=2)


def test_draws_in_parts_are_an_error():
    x, w = hk.input("x", [4]), hk.state([], "w")
    generator = hk.random.Generator(seed=1)
    with pytest.raises(hk.HamKaasError):
        hk.train_step(
            lambda x: hk.mean(hk.nn.dropout(x * w, generator=generator)),
            hk.optim.SGD(), batch=x, micro_batches=2)
