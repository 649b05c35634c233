# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of training steps: its report, and a limit of the workspace."""

import re

import numpy as np
import pytest

import hamkaas as hk


def build_step(layers=8, rows=512, size=32):
    """A deep network with residual sums, and a batch for it."""
    rng = np.random.default_rng(0)
    x, y = hk.input("x", [rows, size]), hk.input("y", [rows, size])
    h = x
    for i in range(layers):
        weights = rng.normal(0, 0.2, [size, size])
        w = hk.state([size, size], f"w{i}", initial=weights)
        b = hk.state([size], f"b{i}")
        h = h + hk.nn.gelu(hk.tanh(h @ w + b) * 1.5)
    loss = hk.nn.mse_loss(h, y)
    step = hk.train_step(loss, hk.optim.Adam(lr=0.01))
    batch = {"x": rng.normal(size=[rows, size]).astype("float32"),
             "y": rng.normal(size=[rows, size]).astype("float32")}
    return step, batch


def train(model, batch, steps=3):
    losses = [model.train_step.run(batch)["loss"] for _ in range(steps)]
    return losses, {name: np.array(model.state[name]) for name in model.state}


def get_workspace(model):
    return model.report.json()["memory"]["workspace"]


def test_half_of_the_workspace_gives_the_same_bits():
    step, batch = build_step()
    free = hk.compile({"train_step": step})
    half = get_workspace(free) // 2
    small = hk.compile({"train_step": step}, max_workspace=half)
    assert get_workspace(small) <= half
    losses, states = train(free, batch)
    small_losses, small_states = train(small, batch)
    np.testing.assert_array_equal(losses, small_losses)
    assert list(states) == list(small_states)
    for name, values in states.items():
        np.testing.assert_array_equal(values, small_states[name])


def test_report_says_what_is_computed_again():
    step, _ = build_step()
    free = hk.compile({"train_step": step})
    assert "recomputed" not in free.report.json()
    half = get_workspace(free) // 2
    small = hk.compile({"train_step": step}, max_workspace=half)
    report = small.report.json()
    again = report["recomputed"]
    calls = len(free.report.json()["calls"])
    assert len(report["calls"]) == calls + again["calls"]
    assert report["flops"] == free.report.json()["flops"] + again["flops"]
    assert again["bytes"] > 0
    assert "computed again in train_step" in str(small.report)


def test_rows_of_a_loop_are_computed_again():
    """The loop reads a copy of its rows, which is computed again with them."""
    rng = np.random.default_rng(2)
    x, y = hk.input("x", [32, 4, 64]), hk.input("y", [32, 4, 64])
    h = x
    for i in range(4):
        w, u = (hk.state([64, 64], f"{name}{i}",
                         initial=rng.normal(0, 0.1, [64, 64]))
                for name in "wu")

        def advance(state, row, u=u):
            state = hk.tanh(row + state @ u)
            return state, state

        h = hk.scan(advance, np.zeros([4, 64], "float32"), h @ w)[1]
    step = hk.train_step(hk.nn.mse_loss(h, y), hk.optim.SGD(0.1))
    batch = {name: rng.normal(size=[32, 4, 64]).astype("float32")
             for name in ["x", "y"]}
    free = hk.compile({"train_step": step})
    limit = int(get_workspace(free) * 0.85)
    small = hk.compile({"train_step": step}, max_workspace=limit)
    assert get_workspace(small) <= limit
    losses, states = train(free, batch)
    small_losses, small_states = train(small, batch)
    np.testing.assert_array_equal(losses, small_losses)
    for name, values in states.items():
        np.testing.assert_array_equal(values, small_states[name])


def test_rows_of_a_loop_share_a_place():
    """Computing again is not enough: the rows of the backward loop of an LSTM
    lie where the gradients of its gates come to lie."""
    rng = np.random.default_rng(3)
    steps, batch, width, words = 16, 16, 128, 64
    x, y = hk.input("x", [steps, batch], "int64"), hk.input(
        "y", [steps * batch], "int64")

    def make(name, *shape):
        return hk.state(shape, name,
                        initial=rng.normal(0, shape[0]**-0.5, shape))

    h = hk.nn.embedding(x, make("words", words, width))
    for i in range(2):
        w, u = (make(f"{name}{i}", width, 4 * width) for name in "wu")

        def advance(carry, row, u=u):
            h, c = carry
            i, f, g, o = hk.unstack(
                hk.reshape(row + h @ u, (batch, 4, width)), axis=1)
            c = hk.nn.sigmoid(f) * c + hk.nn.sigmoid(i) * hk.tanh(g)
            h = hk.nn.sigmoid(o) * hk.tanh(c)
            return (h, c), h

        zeros = np.zeros((batch, width), "float32")
        h = hk.scan(advance, (zeros, zeros), h @ w)[1]
    scores = hk.reshape(h, (steps * batch, width)) @ make("out", width, words)
    step = hk.train_step(hk.nn.cross_entropy(scores, y), hk.optim.Adam(0.01))
    batch = {"x": rng.integers(0, words, [steps, batch]),
             "y": rng.integers(0, words, steps * batch)}
    free = hk.compile({"train_step": step})
    limit = int(get_workspace(free) * 0.55)
    small = hk.compile({"train_step": step}, max_workspace=limit)
    assert get_workspace(small) <= limit
    losses, states = train(free, batch)
    small_losses, small_states = train(small, batch)
    np.testing.assert_array_equal(losses, small_losses)
    for name, values in states.items():
        np.testing.assert_array_equal(values, small_states[name])


def test_too_small_a_limit_names_the_line_and_the_least():
    step, _ = build_step()
    with pytest.raises(hk.HamKaasError) as info:
        hk.compile({"train_step": step}, max_workspace=4096)
    text = str(info.value)
    assert "test_training_memory.py:" in text
    found = re.search("expected a workspace of at most 4096 bytes, got ([0-9]+)"
                      ", the least with results computed again", text)
    free = get_workspace(hk.compile({"train_step": step}))
    assert 4096 < int(found[1]) < free / 2


def test_report_of_training_memory():
    step, _ = build_step(layers=3, rows=64, size=8)
    model = hk.compile({"train_step": step})
    report = model.report.json()
    memory = report["training"]
    parameters = 3 * (8 * 8 + 8) * 4
    assert memory["parameters"] == parameters
    assert memory["moments"] == 2 * parameters
    assert memory["otherStates"] == 8  # adam.step
    workspace = report["memory"]["workspace"]
    assert 64 * 8 * 4 < memory["activations"] < workspace
    assert memory["activations"] + memory["otherWorkspace"] == workspace
    roles = {state["name"]: state.get("role") for state in report["states"]}
    assert roles["w1"] == "parameter"
    assert roles["adam.mean.w1"] == "moment"
    assert roles["adam.step"] is None


def test_no_training_no_report_of_it():
    x = hk.input("x", [4])
    assert "training" not in hk.compile(x + 1.0).report.json()


#===------------------------------------------------------------------------===#
# States updated in place
#===------------------------------------------------------------------------===#


OPTIMIZERS = [hk.optim.SGD(0.1), hk.optim.SGD(0.1, momentum=0.9),
              hk.optim.Adam(0.01), hk.optim.AdamW(0.01), hk.optim.Lion(0.01),
              hk.optim.RMSprop(0.01, momentum=0.5, centered=True)]


LAYERS, SIZE, ROWS = 8, 128, 32
ONE = SIZE * SIZE * 4
"""The bytes of the weights of a layer."""


def build_deep(optimizer, before=False, fails=False, **options):
    """A step whose states are most of its memory. `before` returns what they
    were; a run that `fails` may do so behind the updates of most of them."""
    rng = np.random.default_rng(1)
    x, y = hk.input("x", [ROWS, SIZE]), hk.input("y", [ROWS, SIZE])
    h, outputs, states = x, {}, []
    for i in range(LAYERS):
        weights = rng.normal(0, SIZE**-0.5, [SIZE, SIZE])
        states.append(hk.state([SIZE, SIZE], f"w{i}", initial=weights))
        h = hk.tanh(h @ states[-1])
    loss = hk.nn.mse_loss(h, y)
    if before:
        outputs = {f"before{i}": w * 1.0 for i, w in enumerate(states)}
    if fails:
        slope = hk.sum(abs(hk.gradient(loss, states[0])))
        outputs["row"] = hk.take(hk.constant(np.zeros([2, 3], "float32")),
                                 hk.floor(slope).astype("int64").reshape([1]),
                                 axis=0)
    step = hk.train_step(loss, optimizer, outputs=outputs, **options)
    batch = {name: rng.normal(size=[ROWS, SIZE]).astype("float32")
             for name in ["x", "y"]}
    return step, batch


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
def test_new_contents_lie_in_their_states(optimizer):
    step, _ = build_deep(optimizer)
    # A gradient, transposed weights, and two more are activations.
    assert get_workspace(hk.compile({"train_step": step})) < 4.5 * ONE


def test_clipping_by_the_norm_keeps_the_gradients_only():
    step, _ = build_deep(hk.optim.Adam(0.01), clip_norm=1.0)
    workspace = get_workspace(hk.compile({"train_step": step}))
    assert LAYERS * ONE < workspace < (LAYERS + 2.5) * ONE


def compare(model, other, batch):
    """Expects a step of both to give the same bits."""
    result, expected = (m.train_step.run(batch) for m in (model, other))
    assert model.state.keys() == other.state.keys()
    for name in model.state:
        np.testing.assert_array_equal(model.state[name], other.state[name], name)
    for name in result.keys() & expected.keys():
        np.testing.assert_array_equal(result[name], expected[name], name)
    return result


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
def test_bits_are_those_of_updates_in_another_place(optimizer, threads):
    """A check behind most updates, of what the run computes, forbids to write
    to states before; so do results that are old contents."""
    step, batch = build_deep(optimizer)
    model = hk.compile({"train_step": step}, threads=threads)
    step, _ = build_deep(optimizer, fails=True)
    failing = hk.compile({"train_step": step}, threads=threads)
    step, _ = build_deep(optimizer, before=True)
    old = hk.compile({"train_step": step}, threads=threads)
    for other in failing, old:
        assert get_workspace(other) > get_workspace(model) + 4 * ONE
    good = {name: value / 1000 for name, value in batch.items()}
    for _ in range(2):
        weights = [np.array(model.state[f"w{i}"]) for i in range(LAYERS)]
        compare(model, failing, good)
        result = old.train_step.run(good)
        for i, value in enumerate(weights):
            np.testing.assert_array_equal(result[f"before{i}"], value)
            np.testing.assert_array_equal(old.state[f"w{i}"],
                                          model.state[f"w{i}"])
            assert (model.state[f"w{i}"] != value).any()


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
def test_a_step_that_fails_behind_updates_changes_nothing(optimizer):
    step, batch = build_deep(optimizer, fails=True)
    model = hk.compile({"train_step": step})
    model.train_step.run({name: value / 1000 for name, value in batch.items()})
    before = {name: np.array(model.state[name]) for name in model.state}
    with pytest.raises(hk.HamKaasError, match="expected indices from -2 to 1"):
        model.train_step.run(batch)
    for name, value in before.items():
        np.testing.assert_array_equal(model.state[name], value, name)


@pytest.mark.parametrize("threads", [1, 2])
def test_states_that_take_each_others_contents(threads):
    size = 5000
    rng = np.random.default_rng(0)
    x = hk.input("x", [size])
    values = rng.normal(size=[3, size]).astype("float32")
    a, b, c = (hk.state([size], name, initial=value)
               for name, value in zip("abc", values))
    first, second, third = b * 2.0, c * x, a + x
    model = hk.compile({"turn": hk.function({
        "sums": hk.stack([hk.sum(part) for part in (first, second, third)]),
        "old": a - b, "a": hk.sum(a.replace(first, 0, size)),
        "b": hk.sum(b.replace(second, 0, size)),
        "c": hk.sum(c.replace(third, 0, size))})}, threads=threads)
    for _ in range(4):
        given = rng.normal(size=size).astype("float32")
        result = model.turn.run({"x": given})
        np.testing.assert_array_equal(result["old"], values[0] - values[1])
        values = values[1] * 2, values[2] * given, values[0] + given
        for name, value in zip("abc", values):
            np.testing.assert_array_equal(model.state[name], value, name)


def test_a_limit_keeps_old_contents_that_are_read_again():
    """Each layer multiplies with a function of its weights, which is cheap to
    compute again until they are updated."""
    rng = np.random.default_rng(2)
    x = h = hk.input("x", [256, 64])
    for i in range(6):
        w = hk.state([64, 64], f"w{i}", initial=rng.normal(0, 0.2, [64, 64]))
        h = hk.tanh(h @ hk.tanh(w * 1.5))
    step = hk.train_step(hk.mean(h * h), hk.optim.Adam(0.01))
    batch = {"x": rng.normal(size=[256, 64]).astype("float32")}
    free = hk.compile({"train_step": step})
    losses, states = train(free, batch)
    for share in (0.9, 0.8, 0.7):
        limit = int(get_workspace(free) * share)
        small = hk.compile({"train_step": step}, max_workspace=limit)
        assert get_workspace(small) <= limit
        assert small.report.json()["recomputed"]["calls"] > 0
        small_losses, small_states = train(small, batch)
        np.testing.assert_array_equal(losses, small_losses)
        for name, values in states.items():
            np.testing.assert_array_equal(values, small_states[name])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("optimizer", OPTIMIZERS[2:],
                         ids=lambda o: type(o).__name__)
def test_a_limit_below_a_gradient_gives_the_same_bits(optimizer, threads):
    """Rows of the gradient and of the states are computed one slice after the
    other. (SGD never has a gradient in memory.)"""
    rng = np.random.default_rng(4)
    inputs, width, rows = 320, 256, 32
    x, y = hk.input("x", [rows, inputs]), hk.input("y", [rows, 8])
    w = hk.state([inputs, width], "w",
                 initial=rng.normal(0, inputs**-0.5, [inputs, width]))
    v = hk.state([width, 8], "v", initial=rng.normal(0, 0.1, [width, 8]))
    loss = hk.nn.mse_loss(hk.nn.relu(x @ w) @ v, y)
    step = hk.train_step(loss, optimizer)
    batch = {"x": rng.normal(size=[rows, inputs]).astype("float32"),
             "y": rng.normal(size=[rows, 8]).astype("float32")}
    gradient = inputs * width * 4
    free = hk.compile({"train_step": step}, threads=threads)
    assert get_workspace(free) > gradient
    small = hk.compile({"train_step": step}, threads=threads,
                       max_workspace=gradient * 3 // 4)
    assert get_workspace(small) <= gradient * 3 // 4
    assert "recomputed" not in small.report.json()
    for _ in range(3):
        compare(small, free, batch)


def test_a_limit_that_thrift_meets_without_computing_again():
    """The gradient of the last weights stands beside all activations. To compute
    these again would fit, but slices of the gradient are cheaper."""
    rng = np.random.default_rng(5)
    rows, size, width, layers = 64, 256, 2048, 12
    x, y = hk.input("x", [rows, size]), hk.input("y", [rows, width])
    h = x
    for i in range(layers):
        weights = rng.normal(0, size**-0.5, [size, size])
        h = hk.tanh(h @ hk.state([size, size], f"w{i}", initial=weights))
    w = hk.state([size, width], "last",
                 initial=rng.normal(0, size**-0.5, [size, width]))
    step = hk.train_step(hk.nn.mse_loss(h @ w, y), hk.optim.Adam(0.01))
    batch = {"x": rng.normal(size=[rows, size]).astype("float32"),
             "y": rng.normal(size=[rows, width]).astype("float32")}
    free = hk.compile({"train_step": step})
    limit = get_workspace(free) - 10 * rows * size * 4
    small = hk.compile({"train_step": step}, max_workspace=limit)
    report = small.report.json()
    assert report["memory"]["workspace"] <= limit
    again = report.get("recomputed", {"flops": 0})["flops"]
    assert again < report["flops"] / 16
    for _ in range(2):
        compare(small, free, batch)
