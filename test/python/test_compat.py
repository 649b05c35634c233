# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of the first HamKaas, in the manner of its own tests."""

import pathlib
import pickle
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from hamkaas import (BufferTensor, ComplexHadamardProductNode, ConstantTensor,
                     HadamardProductNode, HamKaasPlugin, InputTensor,
                     MatMulNode, PermuteNode, ReLUNode, ReplaceSliceNode,
                     ReshapeNode, RMSNormNode, SiLUNode, SlicedSoftmaxNode,
                     SliceNode, SumNode, traverse_node)

plugin = HamKaasPlugin("../cpp/libhamkaas.so")


def evaluate(node, inputs=None):
    return plugin.compile_model(node).evaluate(inputs or {})


def check(node, inputs, expected, **tolerance):
    result = evaluate(node, inputs)
    assert result.dtype == expected.dtype == node.get_type()
    assert list(result.shape) == list(expected.shape) == node.get_shape()
    assert torch.allclose(result, expected, **tolerance)


def test_input():
    node = InputTensor(name="x", type=torch.int64, shape=[2, 2])
    assert node.get_name() == "x"
    x = torch.tensor([[1, 2], [3, 4]])
    check(node, {"x": x}, x)


def test_constant():
    x = torch.randn(4, 6).t()
    node = ConstantTensor(x)
    assert node.get_tensor().is_contiguous()
    assert torch.equal(node.get_tensor(), x)
    check(node, {}, x.contiguous())
    assert node.get_name() is None
    node.set_name("weights")
    assert node.get_name() == "weights"
    assert list(traverse_node(node).constants) == ["weights"]
    with pytest.raises(ValueError):
        node.set_name("a, b")


def test_names_that_clash():
    first, second = (ConstantTensor(torch.ones(2)) for _ in range(2))
    first.set_name("w")
    second.set_name("w")
    with pytest.raises(ValueError, match="expected constants of different "
                       "names, got two called 'w'"):
        evaluate(first + second)


@pytest.mark.parametrize("left, right", [
    ([100000], [100000]), ([5, 7], [1, 7]), ([5, 7], [5, 1]), ([5, 7], [1, 1]),
    ([2, 3, 4], [1, 3, 1]), ([3], [1]),
])
def test_elementwise(left, right):
    x, r = torch.randn(left), torch.randn(right)
    lhs, rhs = InputTensor("x", torch.float32, left), ConstantTensor(r)
    inputs = {"x": x}
    check(SumNode(lhs, rhs), inputs, x + r)
    check(lhs + r, inputs, x + r)
    check(HadamardProductNode(lhs, rhs), inputs, x * r)
    check(lhs * r, inputs, x * r)


@pytest.mark.parametrize("left, right", [
    ([3, 4], [4, 5]), ([4], [4, 5]), ([2, 3, 4], [2, 4, 5]), ([1, 1], [1, 1]),
])
def test_matmul(left, right):
    x, r = torch.randn(left), torch.randn(right)
    lhs = InputTensor("x", torch.float32, left)
    for node in (lhs @ r, MatMulNode(lhs, ConstantTensor(r))):
        check(node, {"x": x}, x @ r, rtol=1e-3, atol=1e-6)


def test_activations():
    x = torch.randn(3, 50)
    node = InputTensor("x", torch.float32, [3, 50])
    check(node.relu(), {"x": x}, torch.relu(x))
    check(ReLUNode(node), {"x": x}, torch.relu(x))
    check(node.silu(), {"x": x}, torch.nn.functional.silu(x))
    check(SiLUNode(node), {"x": x}, torch.nn.functional.silu(x))


def test_views():
    x = torch.arange(24, dtype=torch.float32).reshape(4, 3, 2)
    node = InputTensor("x", torch.float32, [4, 3, 2])
    check(node[1:3], {"x": x}, x[1:3])
    check(node[2:], {"x": x}, x[2:])
    check(node[:2], {"x": x}, x[:2])
    check(node[2], {"x": x}, x[2:3])
    check(SliceNode(node), {"x": x}, x)
    check(SliceNode(node, start=1, end=2), {"x": x}, x[1:2])
    check(node.reshape([8, 3]), {"x": x}, x.reshape(8, 3))
    check(ReshapeNode(node, [24]), {"x": x}, x.reshape(24))
    check(node.permute([2, 0, 1]), {"x": x}, x.permute(2, 0, 1))
    check(PermuteNode(node, [1, 0, 2]), {"x": x}, x.permute(1, 0, 2))


def test_rms_norm():
    x, w = torch.randn(300), torch.randn(300)
    expected = w * x * torch.rsqrt(x.pow(2).mean() + 1e-5)
    node = InputTensor("x", torch.float32, [300])
    check(node.rms_norm(ConstantTensor(w)), {"x": x}, expected)
    check(RMSNormNode(node, ConstantTensor(w)), {"x": x}, expected)


def test_complex_hadamard_product():
    x, r = torch.randn(4, 3, 2), torch.randn(1, 3, 2)
    expected = torch.view_as_real(torch.view_as_complex(x) *
                                  torch.view_as_complex(r))
    node = InputTensor("x", torch.float32, [4, 3, 2])
    check(node.complex_hadamard_product(ConstantTensor(r)), {"x": x}, expected,
          atol=1e-6)
    check(ComplexHadamardProductNode(node, ConstantTensor(r)), {"x": x},
          expected, atol=1e-6)


@pytest.mark.parametrize("shape", [[8], [3, 8], [2, 3, 8]])
@pytest.mark.parametrize("n", [0, 1, 5, 8])
def test_sliced_softmax(shape, n):
    x = torch.randn(shape)
    expected = x.clone()
    expected[..., :n] = torch.softmax(x[..., :n], dim=-1)
    node = InputTensor("x", torch.float32, shape)
    length = InputTensor("n", torch.int64, [1])
    check(node.sliced_softmax(n), {"x": x}, expected)
    check(SlicedSoftmaxNode(node, length), {"x": x, "n": torch.tensor([n])},
          expected)


def test_replace():
    x, r = torch.randn(10), torch.randn(3)
    expected = x.clone()
    expected[4:7] = r
    node = InputTensor("x", torch.float32, [10])
    start, end = (InputTensor(name, torch.int64, [1]) for name in ("s", "e"))
    check(node.replace(ConstantTensor(r), 4, 7), {"x": x}, expected)
    check(ReplaceSliceNode(node, ConstantTensor(r), start, end),
          {"x": x, "s": torch.tensor([4]), "e": torch.tensor([7])}, expected)
    assert not torch.equal(x, expected)


def test_buffer_keeps_what_was_written():
    buffer = BufferTensor(torch.float32, [6])
    value = InputTensor("value", torch.float32, [2])
    start = InputTensor("start", torch.int64, [1])
    end = InputTensor("end", torch.int64, [1])
    written = buffer.replace(value, start, end)

    def inputs(number, position):
        return {"value": torch.full([2], float(number)),
                "start": torch.tensor([position]),
                "end": torch.tensor([position + 2])}

    # The buffer is the result, and then only what the result reads.
    model = plugin.compile_model(written)
    model.evaluate(inputs(1, 0))
    result = model.evaluate(inputs=inputs(2, 3))
    assert result.tolist() == [1, 1, 0, 2, 2, 0]
    model = plugin.compile_model(written[0:1] + written[5:6])
    model.evaluate(inputs(3, 0))
    assert model.evaluate(inputs(4, 4)).tolist() == [7]
    # Two writes in a row.
    twice = written.replace(ConstantTensor(torch.tensor([9.0])), 1, 2)
    assert evaluate(twice, inputs(5, 0)).tolist() == [5, 9, 0, 0, 0, 0]


def test_result_is_new():
    model = plugin.compile_model(InputTensor("x", torch.float32, [2]).relu())
    first = model.evaluate({"x": torch.ones(2)})
    second = model.evaluate({"x": torch.zeros(2)})
    assert first.tolist() == [1, 1] and second.tolist() == [0, 0]
    first += 1
    assert first.tolist() == [2, 2]


def test_chain_of_100_sums():
    node = ConstantTensor(torch.randn(10))
    expected = node.get_tensor().clone()
    for _ in range(100):
        node, expected = node + node, expected + expected
    check(node, {}, expected)


def test_inverse_elements():
    for shape in ([7], [2, 3], [], [0], [3, 0, 2], [2, 2, 2, 2]):
        x = torch.rand(shape) + 1
        result = plugin.inverse_elements(x)
        assert torch.allclose(result, 1 / x) and result.shape == x.shape
    x = torch.rand(4, 6).t() + 1
    assert torch.allclose(plugin.inverse_elements(x), 1 / x)
    for wrong in (torch.tensor([1.0, 0.0]), torch.tensor([-0.0]),
                  torch.tensor([1, 2]), torch.tensor([1.0]).double()):
        with pytest.raises(ValueError):
            plugin.inverse_elements(wrong)
    with pytest.raises(TypeError):
        plugin.inverse_elements([1.0])


def make(*shape, type=torch.float32, name="x"):
    return InputTensor(name, type, list(shape))


REFUSED = [
    lambda: make(), lambda: make(1, 1, 1, 1), lambda: make(0), lambda: make(-1),
    lambda: make(2, 0), lambda: make(2, type=torch.int32),
    lambda: make(2, type=torch.float64), lambda: make(2, type=torch.bool),
    lambda: ConstantTensor(torch.tensor(1.0)),
    lambda: ConstantTensor(torch.zeros(1, 1, 1, 1)),
    lambda: ConstantTensor(torch.zeros(0)),
    lambda: ConstantTensor(torch.zeros(2).double()),
    lambda: ConstantTensor(torch.zeros(2).int()),
    lambda: BufferTensor(torch.float32, []),
    lambda: BufferTensor(torch.float32, [0]),
    lambda: BufferTensor(torch.float64, [1]),
    lambda: make(2, 3) + torch.zeros(3), lambda: make(2, 3) + torch.zeros(2, 2),
    lambda: make(1, 3) + torch.zeros(2, 3), lambda: make(3) * torch.zeros(4),
    lambda: make(3) + torch.zeros(3).long(),
    lambda: make(3, type=torch.int64) + torch.zeros(3).long(),
    lambda: make(3, type=torch.int64).relu(),
    lambda: make(3, type=torch.int64).silu(),
    lambda: make(2, 3) @ torch.zeros(2, 3), lambda: make(3) @ torch.zeros(3),
    lambda: make(2, 3) @ torch.zeros(3), lambda: make(2, 2, 3) @ torch.zeros(3, 2),
    lambda: make(2, 2, 3) @ torch.zeros(3, 3, 2),
    lambda: make(2, 3).permute([0]), lambda: make(2, 3).permute([0, 0]),
    lambda: make(2, 3).permute([0, 2]), lambda: make(2, 3).permute([0, 1, 2]),
    lambda: make(2, 3).permute([-1, 0]),
    lambda: make(2, 3).reshape([7]), lambda: make(2, 3).reshape([-1]),
    lambda: make(2, 3).reshape([2, 3, 1, 1]), lambda: make(2, 3).reshape([]),
    lambda: make(4)[2:2], lambda: make(4)[3:2], lambda: make(4)[0:5],
    lambda: make(4)[-1], lambda: make(4)[4], lambda: make(4)[0:4:2],
    lambda: make(2, 3).replace(torch.zeros(1, 3), 0, 1),
    lambda: make(3).replace(torch.zeros(1).long(), 0, 1),
    lambda: make(3).replace(torch.zeros(4), 0, 4),
    lambda: make(3).replace(torch.zeros(1), torch.zeros(1), 1),
    lambda: make(3).rms_norm(torch.zeros(4)),
    lambda: make(2, 3).rms_norm(torch.zeros(3)),
    lambda: make(2, 3).complex_hadamard_product(torch.zeros(2, 3)),
    lambda: make(3, 2).complex_hadamard_product(torch.zeros(2, 2)),
    lambda: make(4).sliced_softmax(5), lambda: make(4).sliced_softmax(-1),
    lambda: make(4).sliced_softmax(make(2, type=torch.int64, name="n")),
    lambda: make(4).sliced_softmax(make(1, name="n")),
    lambda: make(4, type=torch.int64).sliced_softmax(1),
    lambda: SumNode(torch.zeros(3), make(3)), lambda: ReLUNode(None),
    lambda: make(3) + "text",
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused_when_made(case):
    with pytest.raises((ValueError, TypeError)):
        REFUSED[case]()


@pytest.mark.parametrize("node", [
    lambda: make(3) + make(3),
    lambda: make(3) + make(4)[:3],
    lambda: make(3).replace(torch.zeros(2), 0, 1),
    lambda: make(3).replace(torch.zeros(2), 2, 4),
    lambda: make(3).replace(torch.zeros(2), -1, 1),
])
def test_refused_when_evaluated(node):
    with pytest.raises(ValueError):
        evaluate(node(), {"x": torch.zeros(3)})


@pytest.mark.parametrize("inputs", [
    {}, {"y": torch.zeros(3)}, {"x": torch.zeros(3), "y": torch.zeros(3)},
    {"x": torch.zeros(4)}, {"x": torch.zeros(1, 3)}, {"x": torch.zeros(3).long()},
    {"x": torch.zeros(3).double()}, {"x": [0.0, 0.0, 0.0]},
])
def test_wrong_inputs(inputs):
    with pytest.raises(ValueError):
        evaluate(make(3).relu(), inputs)


def test_devices():
    fresh = HamKaasPlugin(pathlib.Path("missing.so"))
    with pytest.raises(ValueError, match="use_cudnn only with use_gpu"):
        fresh.compile_model(make(3), use_cudnn=True)
    with pytest.warns(RuntimeWarning, match="found no NVIDIA GPU"):
        fresh.compile_model(make(3), use_gpu=True, use_cudnn=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fresh.compile_model(make(3), use_gpu=True)
    assert model.evaluate({"x": torch.ones(3)}).tolist() == [1, 1, 1]


def test_classes():
    node = (make(2, 3) @ torch.zeros(3, 3)).relu()[0].reshape([3])
    assert [type(n).__name__ for n in (node, make(2).silu(), make(2) + 1.0)] == [
        "ReshapeNode", "SiLUNode", "SumNode"]
    again = pickle.loads(pickle.dumps(node))
    assert type(again) is ReshapeNode
    assert traverse_node(again).script == traverse_node(node).script


def test_mnist_script():
    """The graph of the first HamKaas' text, and the script that it prints."""
    x = InputTensor("input", torch.float32, [128, 28, 28])
    tensors = [torch.randn(784, 1000), torch.randn(1, 1000),
               torch.randn(1000, 10), torch.randn(1, 10)]
    hidden = (x.reshape([128, 784]) @ tensors[0] + tensors[1]).relu()
    graph = traverse_node(hidden @ tensors[2] + tensors[3])
    assert graph.script == """\
$1 = InputTensor(input, float32, [128, 28, 28]);
$2 = ReshapeNode($1, [128, 784]);
$3 = ConstantTensor(constant_0, float32, [784, 1000]);
$4 = MatMulNode($2, $3);
$5 = ConstantTensor(constant_1, float32, [1, 1000]);
$6 = SumNode($4, $5);
$7 = ReLUNode($6);
$8 = ConstantTensor(constant_2, float32, [1000, 10]);
$9 = MatMulNode($7, $8);
$10 = ConstantTensor(constant_3, float32, [1, 10]);
$11 = SumNode($9, $10);
result = $11;
"""
    assert graph.inputs == {"input": (torch.float32, [128, 28, 28])}
    assert isinstance(graph.output, SumNode)
    for number, tensor in enumerate(tensors):
        assert torch.equal(graph.constants[f"constant_{number}"], tensor)


def test_script_refers_to_nodes():
    buffer = BufferTensor(torch.float32, [8])
    start, end = (InputTensor(name, torch.int64, [1]) for name in ("s", "e"))
    written = buffer.replace(torch.zeros(2), start, end)
    node = written.reshape([2, 4]).sliced_softmax(start)
    assert traverse_node(node).script == """\
$1 = BufferTensor(float32, [8]);
$2 = ConstantTensor(constant_0, float32, [2]);
$3 = InputTensor(s, int64, [1]);
$4 = InputTensor(e, int64, [1]);
$5 = ReplaceSliceNode($1, $2, $3, $4);
$6 = ReshapeNode($5, [2, 4]);
$7 = SlicedSoftmaxNode($6, $3);
result = $7;
"""


def test_numpy_is_taken_too():
    node = ConstantTensor(np.float32([1, 2])) + np.float32([3, 4])
    assert evaluate(node).tolist() == [4, 6]
