# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of nodes, by hand, by finite differences and against torch."""

import importlib
import pickle

import numpy as np
import pytest

import hamkaas as hk

DEVICES = pytest.mark.parametrize("device", ["cpu", "reference"])


def run(results, device="cpu", **inputs):
    return hk.compile(results, device=device).run(inputs)


#===------------------------------------------------------------------------===#
# Numbers
#===------------------------------------------------------------------------===#


@DEVICES
def test_a_network_agrees_with_finite_differences(device, rng):
    shapes = {"x": (4, 6), "w": (6, 5), "b": (5,), "v": (5, 3)}
    values = {name: rng.standard_normal(shape)
              for name, shape in shapes.items()}
    nodes = {name: hk.input(name, shape, "float64")
             for name, shape in shapes.items()}
    network = hk.nn.cross_entropy(
        hk.nn.softplus(nodes["x"] @ nodes["w"] + nodes["b"]) @ nodes["v"],
        np.int64([0, 1, 2, 1]))
    loss = hk.compile(network, device=device)
    gradients = hk.compile(hk.gradient(network, nodes),
                           device=device).run(values)
    step = 1e-6
    for name, value in values.items():
        for place in np.ndindex(value.shape):
            moved = [{**values, name: value + sign * step * (
                np.arange(value.size) == np.ravel_multi_index(
                    place, value.shape)).reshape(value.shape)}
                     for sign in (1, -1)]
            expected = (loss.run(moved[0]) - loss.run(moved[1])) / (2 * step)
            assert gradients[name][place] == pytest.approx(expected, abs=1e-6)


@DEVICES
def test_parameters_and_states_have_gradients(device):
    w = hk.constant(np.float32([[1, 2], [3, 4]]))
    s = hk.state([2], initial=np.float32([5, 6]))
    x = hk.input("x", [2])
    y = hk.sum((x @ w) * s)
    model = hk.compile(hk.gradient(y, [w, s]), device=device)
    by_w, by_s = model.run({"x": np.float32([1, 10])})
    np.testing.assert_array_equal(by_w, [[5, 6], [50, 60]])
    np.testing.assert_array_equal(by_s, [31, 42])


def test_a_step_of_training_writes_the_state(rng):
    """Gradient descent on a state reaches the solution."""
    x = rng.standard_normal((16, 3), "float32")
    expected = np.float32([1, -2, 3])
    w = hk.state([3], name="w")
    error = hk.constant(x) @ w - x @ expected
    loss = hk.mean(error * error)
    step = hk.compile({
        "loss": loss,
        "w": w.replace(w - 0.1 * hk.gradient(loss, w), 0, 3)})
    losses = [float(step.run({})["loss"]) for _ in range(200)]
    assert losses[-1] < 1e-6 < losses[0]
    np.testing.assert_allclose(step.state["w"][:], expected, atol=1e-3)


@DEVICES
def test_second_derivatives(device):
    x = hk.input("x", [3])
    direction = hk.input("v", [3])
    slope = hk.gradient(hk.sum(hk.exp(x)), x)
    product = hk.gradient(slope, x, seed=direction)
    same = hk.gradient(hk.sum(slope * direction), x)
    values = {"x": np.float32([0, 1, 2]), "v": np.float32([1, 10, 100])}
    for got in hk.compile([product, same], device=device).run(values):
        np.testing.assert_allclose(got, np.exp(values["x"]) * values["v"],
                                   rtol=1e-6)


def test_gradients_have_the_structure_of_xs():
    x, z = hk.input("x", [2]), hk.input("z", [2])
    gradients = hk.gradient(hk.sum(x * z), {"a": x, "b": (z, x)})
    assert gradients["a"].shape == (2,)
    result = run([gradients["a"], *gradients["b"]], x=np.float32([1, 2]),
                 z=np.float32([3, 4]))
    np.testing.assert_array_equal(result, [[3, 4], [1, 2], [3, 4]])


def test_the_body_of_a_loop_may_take_gradients():
    """Newton's method for the root of 2, each step by a gradient."""
    def step(root, _):
        value = root * root - 2
        return root - value / hk.gradient(value, root), None

    x = hk.input("x", [1])
    root, _ = hk.scan(step, x, length=6)
    np.testing.assert_allclose(run(root, x=np.float32([1])), [np.sqrt(2)],
                               rtol=1e-6)


def test_a_stopped_gradient_keeps_the_bits():
    x = hk.input("x", [4])
    value = np.float32([np.nan, -0.0, np.inf, 1e-42])
    got = run(hk.stop_gradient(x), x=value)
    np.testing.assert_array_equal(got.view(np.int32), value.view(np.int32))


def test_gradients_are_pickled():
    x = hk.input("x", [2])
    gradient = pickle.loads(pickle.dumps(hk.gradient(hk.sum(x * x), x)))
    np.testing.assert_array_equal(run(gradient, x=np.float32([1, 2])), [2, 4])


#===------------------------------------------------------------------------===#
# torch
#===------------------------------------------------------------------------===#

# Functions of both packages, and the shapes of their arguments.
CALLS = {
    "gelu": (lambda f, x: f.gelu(x), [(3, 4)]),
    "relu": (lambda f, x: f.relu(x), [(3, 4)]),
    "hardswish": (lambda f, x: f.hardswish(4 * x), [(3, 4)]),
    "softmax": (lambda f, x: f.softmax(x, dim=1), [(2, 3, 4)]),
    "log_softmax": (lambda f, x: f.log_softmax(x, dim=-1), [(3, 4)]),
    "layer_norm": (lambda f, x, w, b: f.layer_norm(x, (4,), w, b),
                   [(3, 4), (4,), (4,)]),
    "group_norm": (lambda f, x: f.group_norm(x, 2), [(2, 4, 3, 3)]),
    "linear": (lambda f, x, w, b: f.linear(x, w, b), [(3, 4), (2, 4), (2,)]),
    "conv1d": (lambda f, x, w: f.conv1d(x, w, padding=2, dilation=2),
               [(2, 3, 7), (4, 3, 3)]),
    "conv2d": (lambda f, x, w: f.conv2d(x, w, stride=2, padding=1, groups=2),
               [(2, 4, 6, 5), (6, 2, 3, 3)]),
    "conv_transpose2d": (lambda f, x, w: f.conv_transpose2d(x, w, stride=2),
                         [(2, 4, 3, 3), (4, 2, 3, 3)]),
    "max_pool2d": (lambda f, x: f.max_pool2d(x, 3, stride=2, padding=1),
                   [(2, 3, 6, 5)]),
    "avg_pool2d": (lambda f, x: f.avg_pool2d(x, 2, stride=1), [(2, 3, 6, 5)]),
    "attention": (lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v),
                  [(2, 3, 4), (2, 5, 4), (2, 5, 4)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_are_those_of_torch(name, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    functions = importlib.import_module("torch.nn.functional")
    call, shapes = CALLS[name]
    if name == "attention" and not hasattr(functions,
                                           "scaled_dot_product_attention"):
        pytest.skip("needs torch 2")
    values = [rng.standard_normal(shape, "float32") for shape in shapes]
    tensors = [torch.tensor(value, requires_grad=True) for value in values]
    result = call(functions, *tensors)
    seed = rng.standard_normal(result.shape, "float32")
    result.backward(torch.from_numpy(seed))
    nodes = [hk.input(f"x{i}", shape) for i, shape in enumerate(shapes)]
    gradients = run(hk.gradient(call(hk.nn, *nodes), nodes, seed=seed),
                    **{f"x{i}": value for i, value in enumerate(values)})
    for got, tensor in zip(gradients, tensors):
        np.testing.assert_allclose(got, tensor.grad.numpy(), rtol=2e-4,
                                   atol=2e-5)


# Of these the formulas have parts that overflow or divide 0 by 0.
LARGE = np.float32([0, 1e-30, -1e-8, 1e-3, 20, 88, 100, 1000, -20, -88, -1000])


@pytest.mark.parametrize("name", ["softplus", "logsigmoid", "mish", "elu",
                                  "celu", "silu", "sigmoid", "tanh", "gelu",
                                  "softsign", "tanhshrink"])
def test_large_arguments_have_finite_gradients(name):
    torch = pytest.importorskip("torch", reason="needs torch")
    functions = importlib.import_module("torch.nn.functional")
    tensor = torch.tensor(LARGE, requires_grad=True)
    getattr(functions, name)(tensor).sum().backward()
    x = hk.input("x", LARGE.shape)
    got = run(hk.gradient(hk.sum(getattr(hk.nn, name)(x)), x), x=LARGE)
    np.testing.assert_allclose(got, tensor.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_losses_of_sure_answers_have_finite_gradients():
    torch = pytest.importorskip("torch", reason="needs torch")
    functions = importlib.import_module("torch.nn.functional")
    labels = np.float32(np.arange(len(LARGE)) % 2)
    tensor = torch.tensor(LARGE, requires_grad=True)
    functions.binary_cross_entropy_with_logits(
        tensor, torch.from_numpy(labels)).backward()
    x = hk.input("x", LARGE.shape)
    loss = hk.nn.binary_cross_entropy_with_logits(x, hk.constant(labels))
    np.testing.assert_allclose(run(hk.gradient(loss, x), x=LARGE),
                               tensor.grad.numpy(), rtol=1e-4, atol=1e-7)


def get_gradient(function, *values):
    nodes = [hk.input(f"x{i}", value.shape) for i, value in enumerate(values)]
    return run(hk.gradient(hk.sum(function(*nodes)), nodes),
               **{f"x{i}": value for i, value in enumerate(values)})


# Where two lines meet: the points, and the gradients of torch.
KINKS = {
    "relu6": ([0, 6], [0, 0]), "hardtanh": ([-1, 1], [0, 0]),
    "hardsigmoid": ([-3, 3], [0, 0]), "hardswish": ([-3, 3], [0, 1]),
    "leaky_relu": ([0], [0.01]), "elu": ([0], [1]), "celu": ([0], [1]),
    "selu": ([0], [1.7580993]), "softshrink": ([-0.5, 0.5], [0, 0]),
}


@pytest.mark.parametrize("name", KINKS)
def test_gradients_at_kinks_are_those_of_torch(name):
    points, expected = (np.float32(part) for part in KINKS[name])
    gradient, = get_gradient(getattr(hk.nn, name), points)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 13, 64])
def test_the_gradient_of_hardswish_at_nan(length, dtype, device):
    """PyTorch has NaN where it computes vectors, and 1 for the rest."""
    x = hk.input("x", [length], dtype)
    model = hk.compile(hk.gradient(hk.sum(hk.nn.hardswish(x)), x),
                       device=device)
    assert np.isnan(model.run({"x": np.full(length, np.nan, dtype)})).all()


def test_the_gradient_of_a_parametric_elu_at_0():
    gradient, = get_gradient(lambda x: hk.nn.elu(x, alpha=0.5), np.float32([0]))
    assert gradient == 0.5


@pytest.mark.parametrize("function", [
    lambda x: hk.std(x, axis=0), lambda x: hk.nn.normalize(x, dim=0),
    lambda x: hk.nn.pairwise_distance(x, x, eps=0.0),
    lambda x: hk.nn.cosine_similarity(x, x, dim=0)])
def test_lengths_of_0_have_finite_gradients(function):
    gradient, = get_gradient(function, np.zeros(3, np.float32))
    assert np.isfinite(gradient).all()


def test_sure_probabilities_have_the_gradients_of_torch():
    x = np.float32([0, 1, 0, 1, 0.25])
    labels = np.float32([0, 1, 1, 0, 1])
    gradient, = get_gradient(
        lambda x: hk.nn.binary_cross_entropy(x, hk.constant(labels),
                                             reduction="sum"), x)
    np.testing.assert_allclose(gradient, [0, 0, -1e12, 1e12, -4], rtol=1e-6)


def test_angles_have_gradients_on_the_axes():
    y, x = np.float32([0, 0, 1, -2, 3, -3, 0]), np.float32([1, -3, 0, 0, 4, -4, 0])
    to_y, to_x = get_gradient(hk.atan2, y, x)
    square = np.maximum(x * x + y * y, 1)
    np.testing.assert_allclose(to_y, x / square, rtol=1e-6)
    np.testing.assert_allclose(to_x, -y / square, rtol=1e-6)


def test_the_logarithm_of_one_and_little():
    x = hk.input("x", [5], "float64")
    values = np.float64([0, -0.0, 1e-30, 1e-9, 0.5])
    np.testing.assert_allclose(
        run(hk.gradient(hk.sum(hk.log1p(x)), x), x=values), 1 / (1 + values))


SCATTERED = {  # reduction: that of torch, target, updates, both with ties
    "max": ("amax", [3, 5, 1], [5, 5, 0, 1]),
    "min": ("amin", [3, 5, 1], [3, 6, 5, 1]),
    "mul": ("prod", [0, 2, 3], [0, 2, 0, 4]),
}


@DEVICES
@pytest.mark.parametrize("reduction", SCATTERED)
def test_scattered_rows_have_the_gradients_of_torch(reduction, device):
    torch = pytest.importorskip("torch", reason="needs torch")
    name, target, updates = SCATTERED[reduction]
    indices = np.int64([0, 1, 1, 2])
    tensors = [torch.tensor(values, dtype=torch.float32, requires_grad=True)
               for values in (target, updates)]
    seed = np.float32([2, 3, 5])
    tensors[0].scatter_reduce(0, torch.from_numpy(indices), tensors[1],
                              name).backward(torch.from_numpy(seed))
    x, u = hk.input("x", [3]), hk.input("u", [4])
    result = hk.ops.scatter(x, hk.constant(indices), u, reduction=reduction)
    got = run(hk.gradient(result, [x, u], seed=seed), device=device,
              x=np.float32(target), u=np.float32(updates))
    for each, tensor in zip(got, tensors):
        np.testing.assert_array_equal(each, tensor.grad.numpy())


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("call", [
    lambda f, x: f.gelu(x), lambda f, x: f.softmax(x, dim=-1),
    lambda f, x: f.layer_norm(x, (64,)), lambda f, x: f.linear(x, x),
    lambda f, x: f.silu(x).sum(1)])
def test_narrow_gradients_are_those_of_float32(name, call, rng):
    """To the rounding of the result: kernels compute in float32."""
    torch = pytest.importorskip("torch", reason="needs torch")
    functions = importlib.import_module("torch.nn.functional")
    narrow = torch.tensor(rng.standard_normal((8, 64), "float32")).to(
        getattr(torch, name))
    wide = narrow.float().requires_grad_()
    result = call(functions, wide)
    seed = torch.tensor(rng.standard_normal(result.shape, "float32")).to(
        narrow.dtype)
    result.backward(seed.float())
    nodes = [hk.input(each, shape) for each, shape in
             (("x", narrow.shape), ("g", result.shape))]
    x, g = (node.astype(name) for node in nodes)
    gradient = hk.gradient(call(hk.nn, x), x, seed=g).astype("float32")
    got = run(gradient, x=narrow.float().numpy(), g=seed.float().numpy())
    error = np.abs(got - wide.grad.numpy()).max() / np.abs(got).max()
    assert error < 4 * {"float16": 2**-11, "bfloat16": 2**-8}[name]


#===------------------------------------------------------------------------===#
# Errors
#===------------------------------------------------------------------------===#


def check_error(text, call):
    with pytest.raises(hk.HamKaasError) as caught:
        call()
    assert text in str(caught.value)
    assert "test_gradients.py:" in str(caught.value)


def test_integers_have_no_gradient():
    x, i = hk.input("x", [2]), hk.input("i", [2], "int64")
    check_error("expected x to be of floats, got int64 [2], which has no "
                "gradient", lambda: hk.gradient(hk.sum(x), [x, i]))
    check_error("expected y to be of floats, got int64 [], which has no "
                "gradient", lambda: hk.gradient(hk.sum(i), x))


def test_y_depends_on_each_x():
    x, z = hk.input("x", [2]), hk.input("z", [2])
    gradients = hk.gradient(hk.sum(x * hk.stop_gradient(z)), [x, z])
    check_error("'gradient': x 1: expected a value that y depends on by "
                "operations on floats", lambda: hk.compile(gradients))


def test_several_elements_need_a_seed_of_their_type():
    x = hk.input("x", [2])
    check_error("expected y to have one element, or a seed, got float32 [2] "
                "and no seed", lambda: hk.gradient(x * 2, x))
    check_error("expected a seed of the type of y, float32 [2], got float32 "
                "[3]", lambda: hk.gradient(x, x, np.ones(3, "float32")))


def test_an_operation_without_a_rule_is_named():
    x = hk.input("x", [4], "float16")
    bits = hk.ops.bitcast(x, type="bfloat16")
    check_error("has no gradient: the bits of a float have no derivative",
                lambda: hk.compile(hk.gradient(hk.sum(bits), x)))


def test_arguments_are_nodes():
    x = hk.input("x", [])
    with pytest.raises(TypeError, match="expected y to be a node, got float"):
        hk.gradient(1.0, x)
    with pytest.raises(TypeError, match="expected the seed to be a node or an "
                       "array, got str"):
        hk.gradient(x, x, "1")
