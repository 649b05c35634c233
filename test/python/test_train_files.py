# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training of ONNX models and scripts from their files, against torch."""

import pathlib
import sys

import numpy as np
import pytest

import hamkaas as hk

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Integration/Inputs"))
from philox import random_bits  # noqa: E402

onnx = pytest.importorskip("onnx")
torch = pytest.importorskip("torch")

STEPS = 20


def write_model(path, nodes, inputs, outputs, values, opset=17):
    """An ONNX file with the initializers `values`."""
    make = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(*node, **attributes)
         for node, attributes in nodes], "model",
        [make(name, onnx.TensorProto.FLOAT, shape)
         for name, shape in inputs.items()],
        [make(name, onnx.TensorProto.FLOAT, shape)
         for name, shape in outputs.items()],
        [onnx.numpy_helper.from_array(value, name)
         for name, value in values.items()])
    onnx.save(onnx.helper.make_model(
        graph, ir_version=8,
        opset_imports=[onnx.helper.make_opsetid("", opset)]), path)
    return path


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def network(tmp_path, rng):
    """Two layers: its file and the values of its parameters."""
    values = {"w1": rng.standard_normal((6, 8)), "b1": rng.standard_normal(8),
              "w2": rng.standard_normal((8, 3)), "b2": rng.standard_normal(3)}
    values = {name: (value / 2).astype(np.float32)
              for name, value in values.items()}
    path = write_model(
        tmp_path / "network.onnx",
        [(("Gemm", ["x", "w1", "b1"], ["a"]), {}),
         (("Tanh", ["a"], ["h"]), {}),
         (("Gemm", ["h", "w2", "b2"], ["scores"]), {})],
        {"x": [5, 6]}, {"scores": [5, 3]}, values)
    return path, values


def make_batches(rng):
    return [{"x": rng.standard_normal((5, 6)).astype(np.float32),
             "labels": rng.integers(0, 3, 5)} for _ in range(STEPS)]


def train(model, batches):
    return [float(model.train_step.run(batch)) for batch in batches]


def test_network_against_torch(network, rng):
    path, values = network
    batches = make_batches(rng)
    model = hk.load(path, train=True, loss="cross_entropy",
                    optimizer="adam:lr=0.05")
    losses = train(model, batches)
    weights = {name: torch.nn.Parameter(torch.tensor(value))
               for name, value in values.items()}
    optimizer = torch.optim.Adam(weights.values(), lr=0.05)

    def compute(x):
        hidden = torch.tanh(torch.tensor(x) @ weights["w1"] + weights["b1"])
        return hidden @ weights["w2"] + weights["b2"]

    expected = []
    for batch in batches:
        loss = torch.nn.functional.cross_entropy(
            compute(batch["x"]), torch.tensor(batch["labels"]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected.append(float(loss))
    np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-5)
    for name, value in weights.items():
        np.testing.assert_allclose(model.state[name], value.detach().numpy(),
                                   rtol=1e-4, atol=1e-4)
    batch = batches[0]
    scores = compute(batch["x"]).detach().numpy()
    np.testing.assert_allclose(model.predict.run({"x": batch["x"]}),
                               scores, rtol=1e-3, atol=1e-4)
    _, correct = model.evaluate.run(batch)
    assert correct == (scores.argmax(1) == batch["labels"]).sum()


def test_frozen_parameters_keep_their_values(network, rng):
    path, values = network
    model = hk.load(path, train=True, loss="cross_entropy", freeze="?1",
                    optimizer="sgd:lr=0.5")
    losses = train(model, [make_batches(rng)[0]] * STEPS)
    assert losses[-1] < 0.5 * losses[0]
    assert sorted(model.state) == ["b2", "sgd.step", "w2"]
    assert not np.array_equal(model.state["w2"], values["w2"])


def test_batch_normalization_against_torch(tmp_path, rng):
    values = {"w": rng.standard_normal((4, 2, 3, 3)) / 4,
              "gamma": 1 + rng.standard_normal(4) / 4,
              "beta": rng.standard_normal(4) / 4,
              "mean": rng.standard_normal(4) / 4,
              "variance": 1 + rng.random(4)}
    values = {name: value.astype(np.float32) for name, value in values.items()}
    path = write_model(
        tmp_path / "bn.onnx",
        [(("Conv", ["x", "w"], ["a"]), {"pads": [1, 1, 1, 1]}),
         (("BatchNormalization", ["a", "gamma", "beta", "mean", "variance"],
           ["y"]), {"momentum": 0.8}),
         (("Relu", ["y"], ["r"]), {}),
         (("ReduceMean", ["r"], ["scores"]), {"axes": [2, 3], "keepdims": 0})],
        {"x": [3, 2, 6, 6]}, {"scores": [3, 4]}, values)
    batches = [{"x": rng.standard_normal((3, 2, 6, 6)).astype(np.float32),
                "labels": rng.integers(0, 4, 3)} for _ in range(STEPS)]
    model = hk.load(path, train=True, loss="cross_entropy",
                    optimizer="sgd:lr=0.1")
    losses = train(model, batches)
    tensors = {name: torch.tensor(value) for name, value in values.items()}
    trained = [tensors[name].requires_grad_() for name in ("w", "gamma", "beta")]
    optimizer = torch.optim.SGD(trained, lr=0.1)
    expected = []
    for batch in batches:
        a = torch.nn.functional.conv2d(torch.tensor(batch["x"]), tensors["w"],
                                       padding=1)
        # The running variance of ONNX is that of the population.
        for name, value in (("mean", a.mean((0, 2, 3))),
                            ("variance", a.var((0, 2, 3), unbiased=False))):
            tensors[name] = 0.8 * tensors[name] + 0.2 * value.detach()
        y = torch.nn.functional.batch_norm(a, None, None, tensors["gamma"],
                                           tensors["beta"], training=True)
        loss = torch.nn.functional.cross_entropy(
            torch.relu(y).mean((2, 3)), torch.tensor(batch["labels"]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected.append(float(loss))
    np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-5)
    for name, value in tensors.items():
        np.testing.assert_allclose(model.state[name], value.detach().numpy(),
                                   rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("label", [3, -1])
def test_bad_label_changes_no_state(network, rng, label):
    model = hk.load(network[0], train=True, loss="cross_entropy")
    batches = make_batches(rng)
    train(model, batches[:3])
    before = {name: np.array(model.state[name]) for name in model.state}
    bad = dict(batches[3], labels=np.array([0, 1, 2, 0, label]))
    with pytest.raises(hk.HamKaasError, match=f"scores: error: .* from 0 to 2, got {label}$"):
        model.train_step.run(bad)
    for name, value in before.items():
        assert np.array_equal(model.state[name], value), name
    train(model, batches[3:])
    assert model.state["adam.step"] == STEPS


def test_resumed_training_has_equal_bits(network, rng, tmp_path):
    batches = make_batches(rng)
    options = dict(train=True, loss="cross_entropy", optimizer="adam:lr=0.05")
    model = hk.load(network[0], **options)
    train(model, batches[:7])
    model.state.save(tmp_path / "snapshot.safetensors")
    expected = train(model, batches[7:])
    resumed = hk.load(network[0], **options)
    resumed.state.load(tmp_path / "snapshot.safetensors")
    assert train(resumed, batches[7:]) == expected


def test_library_trains_like_the_model(network, rng, tmp_path):
    batches = make_batches(rng)
    model = hk.load(network[0], train=True, loss="cross_entropy")
    model.save(tmp_path / "train.so")
    expected = train(hk.load(network[0], train=True, loss="cross_entropy"),
                     batches)
    assert train(hk.load(tmp_path / "train.so"), batches) == expected


def test_softmax_before_cross_entropy_is_an_error(tmp_path):
    path = write_model(tmp_path / "softmax.onnx",
                       [(("MatMul", ["x", "w"], ["s"]), {}),
                        (("Softmax", ["s"], ["y"]), {"axis": 1})],
                       {"x": [4, 2]}, {"y": [4, 3]},
                       {"w": np.ones((2, 3), np.float32)})
    with pytest.raises(hk.HamKaasError, match="ends in a softmax"):
        hk.load(path, train=True, loss="cross_entropy")


def write_dropout(path, values, opset=17, inputs=("h", "ratio"), **attributes):
    """A layer between whose product and sum elements are dropped."""
    return write_model(
        path, [(("MatMul", ["x", "w1"], ["h"]), {}),
               (("Dropout", list(inputs), ["d"]), attributes),
               (("MatMul", ["d", "w2"], ["scores"]), {})],
        {"x": [5, 6]}, {"scores": [5, 3]}, values, opset)


@pytest.fixture
def dropped_values(network):
    values = {name: network[1][name] for name in ("w1", "w2")}
    return {**values, "ratio": np.float32(0.25), "no": np.array(False)}


@pytest.mark.parametrize("opset, inputs, attributes", [
    (17, ["h", "ratio"], {}), (7, ["h"], {"ratio": 0.25})])
def test_dropout_against_torch(tmp_path, dropped_values, rng, opset, inputs,
                               attributes):
    values = dropped_values
    path = write_dropout(tmp_path / "dropout.onnx", values, opset, inputs,
                         **attributes)
    model = hk.load(path, train=True, loss="cross_entropy",
                    optimizer="sgd:lr=0.1")
    batches = make_batches(rng)
    losses = train(model, batches)
    weights = [torch.nn.Parameter(torch.tensor(values[name]))
               for name in ("w1", "w2")]
    optimizer = torch.optim.SGD(weights, lr=0.1)
    expected = []
    for step, batch in enumerate(batches):
        # A step takes the blocks of 5 x 8 words.
        words = random_bits([0, 10 * step, 0], [5, 8])
        kept = torch.tensor((words >= 2**30) / np.float32(0.75))
        scores = (torch.tensor(batch["x"]) @ weights[0] * kept) @ weights[1]
        loss = torch.nn.functional.cross_entropy(
            scores, torch.tensor(batch["labels"]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected.append(float(loss))
    np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-5)
    assert model.state["generator"].tolist() == [0, 10 * STEPS, 0]
    x = batches[0]["x"]
    for _ in range(2):
        np.testing.assert_allclose(
            model.predict.run({"x": x}),
            (torch.tensor(x) @ weights[0] @ weights[1]).detach().numpy(),
            rtol=1e-3, atol=1e-4)
    assert model.state["generator"].tolist() == [0, 10 * STEPS, 0]


def test_dropout_that_a_node_forbids(tmp_path, dropped_values):
    path = write_dropout(tmp_path / "dropout.onnx", dropped_values,
                         inputs=["h", "ratio", "no"])
    model = hk.load(path, train=True, loss="cross_entropy")
    assert "generator" not in model.state


def test_parameter_with_the_name_of_the_generator(tmp_path, dropped_values):
    values = {"generator": dropped_values["w1"], "w2": dropped_values["w2"],
              "ratio": dropped_values["ratio"]}
    path = write_model(
        tmp_path / "named.onnx", [(("MatMul", ["x", "generator"], ["h"]), {}),
                                  (("Dropout", ["h", "ratio"], ["d"]), {}),
                                  (("MatMul", ["d", "w2"], ["scores"]), {})],
        {"x": [5, 6]}, {"scores": [5, 3]}, values)
    with pytest.raises(hk.HamKaasError, match="train: expected no parameter "
                       "'generator' beside random numbers"):
        hk.load(path, train=True, loss="cross_entropy")


def test_model_with_a_generator(tmp_path):
    path = tmp_path / "noise.mlir"
    path.write_text("""
ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @generator(dense<0> : tensor<3xui64>) : tensor<3xui64>
func.func @main() -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<4xf32>
  %g = ml_program.global_load @generator : tensor<3xui64>
  %bits = hamkaas.random_bits %g [4] : tensor<3xui64>
  %noise = hamkaas.cast %bits : tensor<4xui32> -> tensor<4xf32>
  %y = hamkaas.mul %w, %noise : tensor<4xf32>, tensor<4xf32>
  %one = hamkaas.constant dense<[0, 1, 0]> : tensor<3xui64>
  %next = hamkaas.add %g, %one : tensor<3xui64>, tensor<3xui64>
  ml_program.global_store @generator = %next : tensor<3xui64>
  return %y : tensor<4xf32>
}
""")
    model = hk.load(path, train=True, loss="mse", optimizer="sgd:lr=0",
                    parameters={"w": np.ones(4, "float32")})
    labels = {"labels": np.zeros(4, "float32")}
    drawn = [(random_bits([0, step, 0], [4]).astype("float32")**2).mean()
             for step in range(3)]
    assert model.train_step.run(labels) == pytest.approx(drawn[0])
    assert model.evaluate.run(labels) == pytest.approx(drawn[1])
    assert model.train_step.run(labels) == pytest.approx(drawn[2])


def test_options_without_train_are_errors(network):
    for option, value in (("loss", "mse"), ("optimizer", "sgd"),
                          ("freeze", "w*"), ("train_output", "scores")):
        with pytest.raises(hk.HamKaasError, match=f"{option}: expected train"):
            hk.load(network[0], **{option: value})
