# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps, against torch, and the states and functions around them."""

import inspect
import pickle
import re

import numpy as np
import pytest

import hamkaas as hk

STEPS = 20


class Network:
    """Two layers with their parameters as states, and batches for them."""

    def __init__(self, rng, dtype="float32"):
        self.values = {
            "w1": rng.standard_normal((6, 8)).astype(dtype) / 2,
            "b1": rng.standard_normal(8).astype(dtype) / 2,
            "w2": rng.standard_normal((8, 3)).astype(dtype) / 2,
            "scale": np.array(1.5, dtype)}
        self.x = hk.input("x", [5, 6], dtype)
        self.labels = hk.input("labels", [5], "int64")
        self.states = {name: hk.state(value.shape, name, dtype, initial=value)
                       for name, value in self.values.items()}
        states = self.states
        hidden = hk.tanh(self.x @ states["w1"] + states["b1"])
        self.scores = (hidden @ states["w2"]) * states["scale"]
        self.loss = hk.nn.cross_entropy(self.scores, self.labels)
        self.batches = [{"x": rng.standard_normal((5, 6)).astype(dtype),
                         "labels": rng.integers(0, 3, 5)}
                        for _ in range(STEPS)]

    def train(self, optimizer, device="cpu", **options):
        """The losses of all steps, and the model."""
        model = hk.compile(
            {"step": hk.train_step(self.loss, optimizer, **options)},
            device=device)
        return [float(model.step.run(batch)["loss"])
                for batch in self.batches], model


class TorchNetwork:
    """The same in torch."""

    def __init__(self, torch, network):
        self.torch, self.batches = torch, network.batches
        self.parameters = {name: torch.nn.Parameter(torch.tensor(value))
                           for name, value in network.values.items()}

    def train(self, optimizer, before_step=lambda parameters, step: None):
        losses = []
        for step, batch in enumerate(self.batches):
            values = self.parameters
            hidden = self.torch.tanh(
                self.torch.tensor(batch["x"]) @ values["w1"] + values["b1"])
            loss = self.torch.nn.functional.cross_entropy(
                (hidden @ values["w2"]) * values["scale"],
                self.torch.tensor(batch["labels"]))
            optimizer.zero_grad()
            loss.backward()
            before_step(list(values.values()), step)
            optimizer.step()
            losses.append(float(loss))
        return losses


# Names in both packages, and options in both.
OPTIMIZERS = {
    "sgd": ("SGD", {"lr": 0.1, "weight_decay": 0.01}),
    "momentum": ("SGD", {"lr": 0.05, "momentum": 0.9}),
    "nesterov": ("SGD", {"lr": 0.05, "momentum": 0.8, "nesterov": True,
                         "weight_decay": 0.01}),
    "adam": ("Adam", {"lr": 0.01}),
    "adam-options": ("Adam", {"lr": 0.02, "betas": (0.8, 0.9), "eps": 1e-4,
                              "weight_decay": 0.1}),
    "adamw": ("AdamW", {"lr": 0.01}),
    "rmsprop": ("RMSprop", {"lr": 0.01}),
    "rmsprop-options": ("RMSprop", {"lr": 0.01, "momentum": 0.5, "alpha": 0.9,
                                    "centered": True, "weight_decay": 0.01}),
}


def check_parameters(model, reference, tolerance=1e-4):
    for name, parameter in reference.parameters.items():
        np.testing.assert_allclose(model.state[name],
                                   parameter.detach().numpy(),
                                   rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dtype,tolerance", [("float32", 1e-4),
                                             ("float64", 1e-9)])
def test_training_is_that_of_torch(name, dtype, tolerance, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    optimizer, options = OPTIMIZERS[name]
    network = Network(rng, dtype)
    losses, model = network.train(getattr(hk.optim, optimizer)(**options))
    reference = TorchNetwork(torch, network)
    expected = reference.train(getattr(torch.optim, optimizer)(
        reference.parameters.values(), **options))
    np.testing.assert_allclose(losses, expected, rtol=tolerance)
    check_parameters(model, reference, tolerance)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("optimizer", [
    hk.optim.SGD(0.05, momentum=0.9, average=True), hk.optim.Lion(0.01)])
def test_the_loss_falls(optimizer, device, rng):
    network = Network(rng)
    network.batches = network.batches[:1] * 30
    losses, _ = network.train(optimizer, device)
    assert losses[-1] < 0.75 * losses[0]


def test_defaults_are_those_of_torch(rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    for name in ("Adam", "AdamW", "RMSprop"):
        expected = getattr(torch.optim, name)([torch.nn.Parameter()]).defaults
        text = getattr(hk.optim, name)().format()
        given = {key: float(value) for key, value in (
            option.split("=") for option in text.split(":")[1].split(","))}
        if "betas" in expected:
            expected["beta1"], expected["beta2"] = expected["betas"]
        for ours, theirs in (("epsilon", "eps"), *[(key, key) for key in (
                "lr", "alpha", "beta1", "beta2", "weight_decay")]):
            assert given.get(ours) == expected.get(theirs), (name, ours)


#===------------------------------------------------------------------------===#
# Learning rates and clipping
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("kind,bound", [("clip_norm", 0.1), ("clip_norm", 100),
                                        ("clip_value", 0.02)])
def test_clipping_is_that_of_torch(kind, bound, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    network = Network(rng)
    losses, model = network.train(hk.optim.SGD(0.5), **{kind: bound})
    reference = TorchNetwork(torch, network)
    clip = getattr(torch.nn.utils, {"clip_norm": "clip_grad_norm_",
                                    "clip_value": "clip_grad_value_"}[kind])
    expected = reference.train(
        torch.optim.SGD(reference.parameters.values(), 0.5),
        lambda parameters, _: clip(parameters, bound))
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    check_parameters(model, reference)


def test_the_rate_is_a_schedule_of_the_step(rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    network = Network(rng)
    losses, model = network.train(
        hk.optim.Adam(lr=lambda step: 0.02 / hk.sqrt(step)))
    reference = TorchNetwork(torch, network)
    adam = torch.optim.Adam(reference.parameters.values())

    def set_rate(_, step):
        adam.param_groups[0]["lr"] = 0.02 / np.sqrt(step + 1)

    np.testing.assert_allclose(losses, reference.train(adam, set_rate),
                               rtol=1e-4)
    assert model.state["adam.step"] == STEPS


def test_the_rate_is_an_input(rng):
    network = Network(rng)
    model = hk.compile({"step": hk.train_step(
        network.loss, hk.optim.SGD(lr=hk.input("lr", [])))})
    before = model.state["w1"]
    model.step.run({**network.batches[0], "lr": np.float32(0)})
    np.testing.assert_array_equal(model.state["w1"], before)
    model.step.run({**network.batches[0], "lr": np.float32(1)})
    assert np.abs(model.state["w1"] - before).max() > 0


#===------------------------------------------------------------------------===#
# States and functions
#===------------------------------------------------------------------------===#


def test_moments_have_names_of_their_parameters(rng):
    _, model = Network(rng).train(hk.optim.Adam())
    assert set(model.state) == {"w1", "b1", "w2", "scale", "adam.step"} | {
        f"adam.{moment}.{name}" for moment in ("mean", "variance")
        for name in ("w1", "b1", "w2", "scale")}


def test_functions_share_the_states(rng):
    network = Network(rng)
    accuracy = hk.mean((hk.argmax(network.scores, axis=1) ==
                        network.labels).astype("float32"))
    model = hk.compile({
        "train_step": hk.train_step(network.loss, hk.optim.Adam(0.05),
                                    outputs={"accuracy": accuracy}),
        "evaluate": hk.function({"loss": network.loss, "accuracy": accuracy}),
        "predict": hk.function(hk.argmax(network.scores, axis=1)),
    })
    batch = network.batches[0]
    for _ in range(60):
        before = model.evaluate.run(batch)
        trained = model.train_step.run(batch)
        assert trained["loss"] == before["loss"]
        assert trained["accuracy"] == before["accuracy"]
    np.testing.assert_array_equal(model.predict.run({"x": batch["x"]}),
                                  batch["labels"])


def test_two_steps_of_one_program_share_moments(rng):
    network = Network(rng)
    optimizer = hk.optim.SGD(0.05, momentum=0.9)
    model = hk.compile({
        "all": hk.train_step(network.loss, optimizer),
        "last": hk.train_step(network.loss, optimizer, frozen="{w1,b1}")})
    batch = network.batches[0]
    model.all.run(batch)
    model.last.run(batch)
    assert len(model.state) == 4 + 1 + 4


def test_two_steps_of_the_same_states_count_together(rng):
    network = Network(rng)
    optimizer = hk.optim.Adam(0.05)
    model = hk.compile({
        "one": hk.train_step(network.loss, optimizer),
        "clipped": hk.train_step(network.loss, optimizer, clip_norm=1.0)})
    batch = network.batches[0]
    model.one.run(batch)
    model.clipped.run(batch)
    assert model.state["adam.step"] == 2
    assert len(model.state) == 4 + 1 + 2 * 4


@pytest.mark.parametrize("given,trained", [
    ({"frozen": "{w1,b*}"}, {"w2", "scale"}),
    ({"frozen": "w?"}, {"b1", "scale"}),
    ({"states": ["w2", "b1"]}, {"w2", "b1"}),
    ({"states": ["w2", "b1"], "frozen": "b1"}, {"w2"}),
])
def test_frozen_states_stay(given, trained, rng):
    network = Network(rng)
    if "states" in given:
        given = {**given, "states": [network.states[name]
                                     for name in given["states"]]}
    _, model = network.train(hk.optim.SGD(0.5, momentum=0.5), **given)
    changed = {name for name, value in network.values.items()
               if (model.state[name] != value).any()}
    assert changed == trained
    assert {name.split(".")[2] for name in model.state
            if name.startswith("sgd.velocity")} == trained


def test_states_without_a_gradient_are_not_trained():
    w, frozen = hk.state([2], "w"), hk.state([2], "frozen", initial=2.0)
    count = hk.state([2], "count", "int64")
    loss = hk.sum(w * hk.stop_gradient(frozen) + count.astype("float32"))
    model = hk.compile({"step": hk.train_step(loss, hk.optim.SGD(1.0))})
    model.step.run({})
    assert set(model.state) == {"w", "frozen", "count", "sgd.step"}
    np.testing.assert_array_equal(model.state["w"], [-2, -2])


UPDATES = {
    "adam": hk.optim.Adam(lr=0.01),
    "adamw": hk.optim.AdamW(lr=0.01, weight_decay=0.1),
    "momentum": hk.optim.SGD(lr=0.01, momentum=0.9, nesterov=True),
    "rmsprop": hk.optim.RMSprop(lr=0.01, momentum=0.5, centered=True),
    "lion": hk.optim.Lion(lr=0.01),
}


# Rows with a rest, and a state whose stores would bypass the caches.
@pytest.mark.parametrize("shape", [(300, 100), (3072, 768)])
@pytest.mark.parametrize("optimizer", UPDATES.values(), ids=UPDATES)
def test_updates_tile_by_tile_change_no_bit(optimizer, shape, rng):
    w = hk.state(shape, "w",
                 initial=rng.standard_normal(shape).astype("float32"))
    # The step counter is not between the calls of the second update.
    v = hk.state([shape[1], 1], "v",
                 initial=rng.standard_normal([shape[1], 1]).astype("float32"))
    x = hk.input("x", [2, shape[0]])
    step = {"step": hk.train_step(hk.mean(hk.tanh(x @ w) @ v), optimizer)}
    batch = {"x": rng.standard_normal((2, shape[0])).astype("float32")}

    def train(**options):
        model = hk.compile(step, **options)
        for _ in range(3):
            model.step.run(batch)
        return model, {name: model.state[name] for name in model.state}

    plain, expected = train(no_optimize="fuse-calls", threads=1)
    assert " | " not in str(plain.report)
    for threads in (1, 2):
        model, states = train(threads=threads)
        assert " | " in str(model.report)
        for name, value in expected.items():
            np.testing.assert_array_equal(states[name], value, name)


def test_16_bits_have_moments_of_32():
    w = hk.state([3], "w", "float16", initial=1.0)
    loss = hk.sum((w * w).astype("float32"))
    model = hk.compile({"step": hk.train_step(loss, hk.optim.Adam(0.25))})
    model.step.run({})
    assert model.state["w"].dtype == np.float16
    assert model.state["adam.mean.w"].dtype == np.float32
    np.testing.assert_allclose(model.state["w"], [0.75] * 3, rtol=1e-3)


def test_training_goes_on_from_a_file(rng, tmp_path):
    network = Network(rng)
    expected, _ = network.train(hk.optim.Adam(0.02))
    batches = network.batches
    network.batches = batches[:7]
    losses, model = network.train(hk.optim.Adam(0.02))
    model.state.save(tmp_path / "state.safetensors")
    network.batches = batches[7:]
    other = hk.compile({"step": hk.train_step(network.loss,
                                              hk.optim.Adam(0.02))})
    other.state.load(tmp_path / "state.safetensors")
    losses += [float(other.step.run(batch)["loss"]) for batch in batches[7:]]
    assert losses == expected


def test_steps_are_pickled():
    w = hk.state([2], "w")
    step = hk.train_step(hk.sum(w), hk.optim.SGD(1.0))
    model = hk.compile({"step": pickle.loads(pickle.dumps(step))})
    model.step.run({})
    np.testing.assert_array_equal(model.state["w"], [-1, -1])


#===------------------------------------------------------------------------===#
# Errors
#===------------------------------------------------------------------------===#


def check_error(text, call):
    with pytest.raises(hk.HamKaasError) as caught:
        call()
    assert text in str(caught.value)
    assert "test_training.py:" in str(caught.value)


def compile_step(loss, optimizer=hk.optim.SGD(), **options):
    return hk.compile({"step": hk.train_step(loss, optimizer, **options)})


@pytest.mark.parametrize("make,text", [
    (lambda w: compile_step(hk.sum(hk.input("x", [2]))),
     "expected a loss that depends on a state of floats"),
    (lambda w: compile_step(w * 2), "expected one element or a seed"),
    (lambda w: compile_step(hk.sum(w), frozen="v"),
     "expected a pattern that matches the name of a state that would be "
     "trained, got 'v'"),
    (lambda w: compile_step(hk.sum(w), frozen="w*"), "not frozen"),
    (lambda w: compile_step(hk.sum(w), frozen="[w"),
     "expected a glob pattern of frozen states, got '[w'"),
    (lambda w: compile_step(hk.sum(w), states=[w, hk.state([3], "other")]),
     "state 1: expected one that the loss depends on by operations on floats, "
     "got 'other'"),
    (lambda w: compile_step(hk.sum(w), states=[hk.input("x", [2])]),
     "expected states to train, got <hamkaas.Node InputTensor 'x'"),
    (lambda w: compile_step(hk.sum(w), states=[]),
     "expected at least one state to train, got none"),
    (lambda w: hk.optim.SGD(lr=-1),
     "expected lr to be a number of at least 0, got -1"),
    (lambda w: hk.optim.Adam(float("nan")),
     "expected lr to be a number of at least 0, got nan"),
    (lambda w: compile_step(hk.sum(w), clip_norm=0),
     "expected 'clip_norm' to be a number above 0, got '0.0'"),
    (lambda w: compile_step(hk.sum(w), hk.optim.Adam(betas=(1, 0.9))),
     "'adam_update': expected 'beta1' of at least 0 and less than 1, got 1"),
    (lambda w: compile_step(hk.sum(w), hk.optim.Adam(lr=hk.input("r", [1]))),
     "expected a learning rate of one float, float32 [], got float32 [1]"),
    (lambda w: compile_step(hk.sum(w), outputs={"loss": w}),
     "expected outputs of other names than 'loss'"),
    (lambda w: compile_step(hk.sum(w), outputs={
        "w": w.replace(np.zeros(2, "float32"), 0, 2)}),
     "a state that gets its value once, this one has it already"),
    (lambda w: compile_step(
        hk.sum(w) + hk.sum(hk.state([1], "sgd.step")), frozen="sgd*"),
     "expected the state 'sgd.step' to be int64 [], got float32 [1]"),
])
def test_what_cannot_be_trained_is_an_error(make, text):
    check_error(text, lambda: make(hk.state([2], "w")))


def make_steps(names, make):
    """A step for each name, which trains the state of that name alone."""
    x = hk.input("x", [3])
    return {f"step_{name}": hk.train_step(
        hk.sum((hk.state([3], name, initial=[1.0, 2.0, 3.0]) * x - 1.0) ** 2),
        make(name)) for name in names}


@pytest.mark.parametrize("make", [
    lambda name: hk.optim.Adam(lr=0.1, name=f"opt_{name}"),
    lambda name: hk.optim.AdamW(lr=lambda t: 0.1 / t, name=f"opt_{name}"),
    lambda name: hk.optim.SGD(lr=lambda t: 0.1 / t, momentum=0.5,
                              name=f"opt_{name}"),
])
def test_named_optimizers_count_their_own_steps(make):
    both = hk.compile(make_steps("vw", make))
    alone = {name: hk.compile(make_steps(name, make)) for name in "vw"}
    x = {"x": np.float32([1, -2, 0.5])}
    for name in "vwwvww":
        loss = both.functions[f"step_{name}"].run(x)["loss"]
        expected = alone[name].functions[f"step_{name}"].run(x)["loss"]
        assert loss == expected
    assert both.state["opt_v.step"] == 2 and both.state["opt_w.step"] == 4
    assert "adam.step" not in both.state


def test_one_count_of_steps_of_other_states_is_an_error():
    def compile_both(make):
        hk.compile(make_steps("vw", make))

    text = ("expected a step of exactly the states that the function 'step_v' "
            "trains, whose steps '{}.step' counts, or an optimizer of another "
            "name, such as 'name=second'")
    check_error(text.format("adam"),
                lambda: compile_both(lambda name: hk.optim.Adam()))
    check_error(text.format("lion"), lambda: compile_both(
        lambda name: hk.optim.Lion(lr=lambda t: 0.1 / t)))
    # Nothing depends on the number of the step.
    compile_both(lambda name: hk.optim.SGD(momentum=0.9))
    compile_both(lambda name: hk.optim.RMSprop(lr=hk.input("lr", [])))


@pytest.mark.parametrize("first,second", [("uv", "vw"), ("uv", "v"),
                                          ("v", "uv")])
def test_one_count_of_steps_of_overlapping_states_is_an_error(first, second):
    states = {name: hk.state([2], name) for name in "uvw"}

    def compile_both(make):
        hk.compile({f"step_{names}": hk.train_step(
            sum(hk.sum(states[name] ** 2) for name in names), make(names))
            for names in (first, second)})

    check_error(f"exactly the states that the function 'step_{first}' trains",
                lambda: compile_both(lambda names: hk.optim.Adam()))
    compile_both(lambda names: hk.optim.Adam(name=names))
    compile_both(lambda names: hk.optim.RMSprop())


@pytest.mark.parametrize("optimizer", [hk.optim.AdamW, hk.optim.SGD])
def test_no_decay_names_states_that_do_not_decay(optimizer):
    x = hk.input("x", [3])

    def train(**options):
        w, b = (hk.state([3], name, initial=[1.0, 2.0, 3.0])
                for name in ("w", "norm.bias"))
        model = hk.compile({"step": hk.train_step(
            hk.sum((w * x + b) ** 2), optimizer(lr=0.1, **options))})
        model.step.run({"x": np.float32([1, -2, 0.5])})
        return model.state["w"].tolist(), model.state["norm.bias"].tolist()

    decayed = train(weight_decay=0.5)
    plain = train(weight_decay=0.0)
    assert decayed[1] != plain[1]
    assert train(weight_decay=0.5, no_decay="{*bias,v}") == (decayed[0],
                                                             plain[1])


def train_groups(optimizer, device="cpu", **options):
    """Three steps of v, w and norm.bias; what they are then."""
    x = hk.input("x", [3])
    states = {name: hk.state([3], name, initial=[1.0, 2.0, 3.0])
              for name in ("v", "w", "norm.bias")}
    v, w, b = states.values()
    step = hk.train_step(hk.sum((v * w * x + b) ** 2),
                         optimizer(**{key: value(states) if callable(value)
                                      and key == "groups" else value
                                      for key, value in options.items()}))
    model = hk.compile({"step": step}, device=device)
    for _ in range(3):
        inputs = {"x": np.float32([1, -2, 0.5]), "lr": np.float32(0.01)}
        model.step.run({info.name: inputs[info.name]
                        for info in model.step.inputs})
    return {name: model.state[name] for name in states}


def sgd_by_hand(rates, decays):
    """The same by numpy."""
    values = {name: np.float64([1, 2, 3]) for name in rates}
    x = np.float64([1, -2, 0.5])
    for _ in range(3):
        v, w, b = values.values()
        inner = 2 * (v * w * x + b)
        slopes = {"v": inner * w * x, "w": inner * v * x, "norm.bias": inner}
        values = {name: p - rates[name] * (slopes[name] + decays[name] * p)
                  for name, p in values.items()}
    return values


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("groups", [
    [{"params": "v", "lr": 0.001}, {"params": "{*bias,w}",
                                    "weight_decay": 0.0}],
    lambda states: [{"params": [states["v"]], "lr_scale": 0.1},
                    {"params": [states["w"], states["norm.bias"]],
                     "weight_decay": 0}],
    # The first group counts.
    [{"params": "v", "lr": 0.001}, {"params": "w", "weight_decay": 0.0},
     {"params": "{v,norm*}", "weight_decay": 0.0, "lr": 0.01}],
])
def test_groups_have_options_of_their_own(device, groups):
    got = train_groups(hk.optim.SGD, device, lr=0.01, weight_decay=0.5,
                       groups=groups)
    expected = sgd_by_hand({"v": 0.001, "w": 0.01, "norm.bias": 0.01},
                           {"v": 0.5, "w": 0.0, "norm.bias": 0.0})
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-5)


@pytest.mark.parametrize("lr", [
    lambda: hk.input("lr", []), lambda: lambda t: 0.01 * t / t])
def test_groups_scale_rates_of_runs(lr):
    got = train_groups(hk.optim.SGD, lr=lr(), groups=[
        {"params": "w", "lr_scale": 0.25}])
    expected = sgd_by_hand({"v": 0.01, "w": 0.0025, "norm.bias": 0.01},
                           dict.fromkeys(("v", "w", "norm.bias"), 0.0))
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-5)


def test_groups_have_all_options_of_the_update():
    """Those of a group are those that an optimizer of it alone would have."""
    own = {"betas": (0.5, 0.9), "eps": 1e-3, "weight_decay": 0.1}
    got = train_groups(hk.optim.AdamW, lr=0.1, groups=[
        {"params": "*", "lr": 0.02, **own}])
    expected = train_groups(hk.optim.AdamW, lr=0.02, **own)
    for name, value in expected.items():
        np.testing.assert_array_equal(got[name], value)


def test_groups_take_parameters_of_modules():
    net = hk.nn.Sequential(hk.nn.Linear(3, 4), hk.nn.Linear(4, 2))
    before = {name: value.copy() for name, value in net.state_dict().items()}
    optimizer = hk.optim.SGD(lr=0.1, groups=[
        {"params": net[0].parameters(), "lr": 0.0}])
    assert repr(optimizer) == "<hamkaas.optim.SGD sgd>"
    loss = hk.sum(net(hk.input("x", [5, 3])) ** 2)
    model = hk.compile({"step": hk.train_step(loss, optimizer)})
    model.step.run({"x": np.ones([5, 3], "float32")})
    after = net.state_dict(model)
    assert [name for name, value in after.items()
            if (value != before[name]).any()] == ["1.weight", "1.bias"]
    assert repr(optimizer) == (
        "<hamkaas.optim.SGD sgd:lr=0.1,weight_decay=0.0,"
        "group={{0.weight,0.bias}:lr=0.0}>")


@pytest.mark.parametrize("options,text", [
    ({"groups": [{"params": "b*", "lr": 0.1}]}, "group 'b*': expected a "
     "pattern that matches the name of a state that is trained"),
    ({"groups": [{"params": "[", "lr": 0.1}]}, "expected 'group' to be a glob "
     "pattern of names, got '['"),
    ({"groups": [{"params": "w", "lr": -1}]}, "group 'w': expected 'lr' to be "
     "a number of at least 0, got '-1.0'"),
    ({"groups": [{"params": "w", "momentum": 0.5}]}, "group 'w': unknown "
     "option 'momentum', known are: lr, lr_scale, "),
    ({"groups": [{"params": "w", "beta1": 2}]}, "'adam_update': expected "
     "'beta1' of at least 0 and less than 1"),
    ({"lr": lambda t: 0.1 / t, "groups": [{"params": "w", "lr": 1}]},
     "group 'w': expected 'lr_scale', a factor of the learning rate of each "
     "run, got 'lr'"),
    ({"groups": [{"params": [hk.input("x", [2])], "lr": 1}]},
     "expected states with names as params of a group"),
    ({"no_decay": "bias*"}, "expected 'no_decay' to match the name of a state "
     "that is trained, got 'bias*'"),
    ({"no_decay": "["}, "expected 'no_decay' to be a glob pattern of names, "
     "got '['"),
    ({"no_decay": "{w,b"}, "incomplete brace expansion"),
    ({"name": ""}, "expected 'name' to be UTF-8 text without control "
     "characters, and not empty, got ''"),
    ({"name": "a\n"}, "expected 'name' to be UTF-8 text"),
])
def test_wrong_texts_of_an_optimizer(options, text):
    w = hk.state([2], "w")
    check_error(text, lambda: compile_step(
        hk.sum(w), hk.optim.AdamW(weight_decay=0.1, **options)))


def test_learning_rates_that_are_none():
    net = hk.nn.Linear(3, 2)
    for lr, found in ((net.parameters(), "list"), (net, "Linear"),
                      (net.named_parameters(), "generator"),
                      (net.state_dict(), "dict")):
        for more in ({}, {"lr": 0.1}):
            with pytest.raises(TypeError, match=(
                    "expected lr to be a number of at least 0, a node or a "
                    f"function, got {found}; optimizers take no parameters "
                    "here: hamkaas.train_step finds them$")):
                hk.optim.Adam(lr, **more)
    for lr, found in (("0.1", "'0.1'"), (np.ones(3), r"float64 \[3\]"),
                      (None, "NoneType"), (hk.optim.Adam, "<class ")):
        with pytest.raises(TypeError, match=f"or a function, got {found}"):
            hk.optim.SGD(lr=lr)
    for lr in (0, np.float32(0.5), hk.input("lr", []), lambda t: 0.1 / t):
        assert hk.optim.SGD(lr).lr is lr
    signature = inspect.signature(hk.optim.Adam)
    assert list(signature.parameters)[:2] == ["lr", "betas"]


def test_optimizers_that_are_none():
    loss = hk.sum(hk.state([2], "w"))
    for optimizer, found in (("adam", "str"), (hk.optim.Adam, "Adam")):
        with pytest.raises(TypeError, match=(
                "expected an optimizer of hamkaas.optim, such as "
                fr"hamkaas.optim.Adam\(\), got {found}$")):
            hk.train_step(loss, optimizer)


def test_wrong_arguments_of_an_optimizer():
    for make, text in (
            (lambda: hk.optim.SGD(momentum="a"), "momentum to be a number, got "
             "'a'"),
            (lambda: hk.optim.RMSprop(momentum=[1]), "momentum to be a number"),
            (lambda: hk.optim.SGD(weight_decay="a"), "weight_decay to be a "),
            (lambda: hk.optim.Adam(eps="1e-8"), "eps to be a number, got '1e"),
            (lambda: hk.optim.Adam(betas=(0.9, "a")), "each of betas to be a"),
            (lambda: hk.optim.RMSprop(alpha=None), "alpha to be a number"),
            (lambda: hk.optim.RMSprop(centered="a"), "centered to be True or"),
            (lambda: hk.optim.SGD(momentum=1, nesterov="a"), "nesterov to be")):
        with pytest.raises(TypeError, match="expected " + text):
            make()
    with pytest.raises(TypeError, match="betas to be two numbers, got 0.9"):
        hk.optim.Adam(betas=0.9)
    with pytest.raises(TypeError, match="no_decay to be a text, got list"):
        hk.optim.Adam(no_decay=["bias"])
    with pytest.raises(ValueError, match="expected a name without the"):
        hk.optim.Adam(name="a,lr=5")
    for groups, text in (
            (["w"], "expected a group to be a dictionary with 'params'"),
            ([{"lr": 1}], "expected a group to be a dictionary with 'params'"),
            ([{"params": 1, "lr": 1}], "a pattern of names or a list of"),
            ([{"params": hk.state([1]), "lr": 1}], "or a list of states")):
        with pytest.raises(TypeError, match=text):
            hk.optim.Adam(groups=groups)
    with pytest.raises(ValueError, match="with options of its own"):
        hk.optim.Adam(groups=[{"params": "w"}])
    with pytest.raises(TypeError, match="'lr' of a group to be a number"):
        hk.optim.Adam(groups=[{"params": "w", "lr": hk.input("lr", [])}]
                      ).format()


def make_classifier():
    x, labels = hk.input("x", [4, 2]), hk.input("labels", [4], "int64")
    scores = x @ hk.state([2, 3], "w", initial=0.5)
    return compile_step(hk.nn.cross_entropy(scores, labels), hk.optim.Adam(0.1))


@pytest.mark.parametrize("shape,dtype,text", [
    ([3], "int64", "'cross_entropy': expected 'target' to have the shape [4], "
     "got [3]"),
    ([4, 1], "int64", "expected 'target' to have the shape [4], got [4, 1]"),
    ([4], "float32", "expected a target float32 [4, 3] as the input, got "
     "float32 [4]"),
])
def test_labels_have_a_shape(shape, dtype, text):
    scores = hk.input("x", [4, 2]) @ hk.state([2, 3], "w")
    labels = hk.input("labels", shape, dtype)
    check_error(text, lambda: hk.nn.cross_entropy(scores, labels))


def test_a_run_checks_the_shape_of_labels(rng):
    model = make_classifier()
    x = rng.normal(size=[4, 2]).astype("float32")
    with pytest.raises(hk.HamKaasError, match=re.escape(
            "expected input 'labels' to be int64 [4], got int64 [3]")):
        model.step.run({"x": x, "labels": np.array([0, 1, 2])})


@pytest.mark.parametrize("label", [3, -1])
def test_labels_out_of_range_change_nothing(label, rng):
    model = make_classifier()
    x = rng.normal(size=[4, 2]).astype("float32")
    good, bad = (np.array([0, 1, 2, last]) for last in (1, label))
    model.step.run({"x": x, "labels": good})
    before = {name: np.array(model.state[name]) for name in model.state}
    assert before["adam.step"] == 1
    check_error(f"expected indices of dimension 1 from 0 to 2, got {label}",
                lambda: model.step.run({"x": x, "labels": bad}))
    for name, value in before.items():
        np.testing.assert_array_equal(model.state[name], value)


def test_a_snapshot_of_another_model_changes_nothing(rng, tmp_path):
    path = tmp_path / "snapshot"
    make_classifier().state.save(path)
    model = compile_step(hk.sum(hk.state([2, 4], "w", initial=0.5)),
                         hk.optim.SGD(0.1, momentum=0.9))
    with pytest.raises(hk.HamKaasError) as caught:
        model.state.load(path)
    for text in ("has no states named 'adam.step', 'adam.mean.w'",
                 "tensor 'w': expected float32 [2, 4], got float32 [2, 3]",
                 "missing states 'sgd.step' (int64 [])"):
        assert text in str(caught.value)
    np.testing.assert_array_equal(model.state["w"], np.full([2, 4], 0.5))


def test_a_missing_rule_is_named():
    w = hk.state([4], "w", "float16")
    bits = hk.ops.bitcast(w, type="bfloat16").astype("float32")
    check_error("'bitcast' at ", lambda: compile_step(hk.sum(bits)))


def test_arguments_have_types():
    w = hk.state([2], "w")
    with pytest.raises(TypeError, match="expected the loss to be a node, got "
                       "float"):
        hk.train_step(1.0, hk.optim.SGD())
    with pytest.raises(TypeError, match="expected an optimizer of "
                       "hamkaas.optim"):
        hk.train_step(hk.sum(w), "sgd")
    for message, options in {
            "expected frozen to be a pattern": {"frozen": 3},
            "expected clip_norm to be a number, got 'a'": {"clip_norm": "a"},
            "expected a sequence of states": {"states": w},
            "expected outputs to be a dictionary": {"outputs": [w]}}.items():
        with pytest.raises(TypeError, match=message):
            hk.train_step(hk.sum(w), hk.optim.SGD(), **options)
    with pytest.raises(TypeError, match="expected the learning rate to be a "
                       "number, a node, or a function that returns a node, got "
                       "float"):
        hk.train_step(hk.sum(w), hk.optim.SGD(lr=lambda step: 0.5))
    with pytest.raises(ValueError, match="expected a momentum for nesterov"):
        hk.optim.SGD(nesterov=True)
