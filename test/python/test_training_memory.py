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
