# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas.needle with its own arrays of float32, against torch."""

import ctypes
import gc

import numpy as np
import pytest

import hamkaas.needle as ndl
from hamkaas import HamKaasError
from hamkaas.needle import autograd
from hamkaas.needle import backend_ndarray as nd
from needle_checks import count_programs

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(1)


def draw(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


OPERATIONS = {
    "arithmetic": (lambda a, b: a * b / (b * b + 2) - a ** 3 + 2 * a,
                   lambda a, b: a * b / (b * b + 2) - a ** 3 + 2 * a,
                   draw(3, 4), draw(3, 4)),
    "power": (lambda a, b: a ** b, lambda a, b: a ** b, draw(3, 4, low=0.2),
              draw(3, 4)),
    "functions": (lambda a: ndl.log(ndl.exp(a) + 1) + ndl.tanh(a) + ndl.relu(a),
                  lambda a: torch.log(torch.exp(a) + 1) + torch.tanh(a) +
                  torch.relu(a), draw(5, 6)),
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b, draw(2, 3, 4),
               draw(4, 5)),
    "transpose": (lambda a: ndl.transpose(a, (0, 1)).reshape((3, 8)),
                  lambda a: a.transpose(0, 1).reshape(3, 8), draw(2, 3, 4)),
    "logsumexp": (lambda a: ndl.logsumexp(a * 60, axes=(1,)),
                  lambda a: torch.logsumexp(a * 60, 1), draw(3, 4)),
    "logsoftmax": (lambda a: ndl.logsoftmax(a * 100),
                   lambda a: torch.log_softmax(a * 100, 1), draw(3, 4)),
    "sum": (lambda a: a.sum(axes=(0, 2)) * a.sum().broadcast_to((3,)),
            lambda a: a.sum((0, 2)) * a.sum(), draw(2, 3, 4)),
    "stack": (lambda a, b: ndl.stack((a, b), axis=2),
              lambda a, b: torch.stack((a, b), 2), draw(2, 3), draw(2, 3)),
    "split": (lambda a: ndl.split(a, 1)[2] * ndl.split(a, 1)[0],
              lambda a: a[:, 2] * a[:, 0], draw(2, 3, 4)),
    "flip": (lambda a: ndl.flip(a, (1,)), lambda a: torch.flip(a, (1,)),
             draw(2, 3, 4)),
    "conv": (lambda a, b: ndl.conv(a, b, stride=2, padding=2),
             lambda a, b: torch.conv2d(
                 a.permute(0, 3, 1, 2), b.permute(3, 2, 0, 1), stride=2,
                 padding=2).permute(0, 2, 3, 1), draw(2, 8, 8, 3),
             draw(3, 3, 3, 4)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_against_torch(name):
    ours, theirs, *arrays = OPERATIONS[name]
    a = [ndl.Tensor(array) for array in arrays]
    b = [torch.tensor(array, requires_grad=True) for array in arrays]
    y, z = ours(*a), theirs(*b)
    np.testing.assert_allclose(y.numpy(), z.detach().numpy(), rtol=2e-5,
                               atol=2e-5)
    weight = draw(*z.shape)
    y.backward(ndl.Tensor(weight))
    z.backward(torch.tensor(weight))
    for one, other in zip(a, b):
        np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(),
                                   rtol=1e-4, atol=1e-4)


def test_full_accuracy():
    x = draw(1000, low=0.01, high=3.0)
    for ours, theirs in [(ndl.exp, np.exp), (ndl.log, np.log),
                         (ndl.tanh, np.tanh)]:
        np.testing.assert_allclose(
            ours(ndl.Tensor(x)).numpy(), theirs(x.astype(np.float64)),
            rtol=5e-7, atol=1e-7)


def test_tensors():
    x = ndl.Tensor([[1, 2], [3, 4]])
    assert x.dtype == "float32" and x.shape == (2, 2) and x.requires_grad
    assert x.sum().shape == (1,) and repr(x).startswith("needle.Tensor(")
    assert x.device == ndl.cpu_numpy() and repr(x.device) == "cpu_numpy()"
    assert ndl.init.ones(2).device == ndl.cpu()
    assert x == x and x != ndl.Tensor(x) and bool(x) and len({x: 1}) == 1
    y = ndl.Tensor(x)
    y.cached_data[0:1, 0:1] = 9
    assert x.numpy()[0, 0] == 9  # Shared.
    with pytest.raises(AssertionError):
        ndl.Tensor([1], dtype="int32")
    with pytest.raises(HamKaasError, match="expected a device"):
        ndl.Tensor([1], device=ndl.cuda())
    assert not ndl.cuda().enabled() and len(ndl.all_devices()) == 3


def test_data_may_change_shape():
    bias = ndl.nn.Parameter(ndl.Tensor([[1, 2]])) if hasattr(ndl, "nn") \
        else ndl.Tensor([[1, 2]])
    same = bias
    bias.data = ndl.Tensor([5, 6, 7])
    assert same.shape == (3,) and bias.requires_grad
    assert not bias.data.requires_grad and bias.data.op is None


def test_gradients_are_replaced():
    x = ndl.Tensor([3.0])
    y = x * x
    for _ in range(2):
        y.backward()
        assert x.grad.numpy() == 6 and y.grad.numpy() == 1
    x.grad.backward()
    assert x.grad.numpy() == 2


def test_values_are_counted():
    gc.collect()
    before = autograd.TENSOR_COUNTER
    x = ndl.Tensor([1.0])
    y = x * x + 1
    assert autograd.TENSOR_COUNTER == before + 3
    del x, y
    gc.collect()
    assert autograd.TENSOR_COUNTER == before


def test_writes_are_seen():
    x = ndl.Tensor([1.0, 2, 3])
    before = x * 2
    x.realize_cached_data().flat[1] += 5
    after = x * 2
    assert before.numpy()[1] == 4 and after.numpy()[1] == 14


def test_own_operation():
    class Square(ndl.TensorOp):
        def compute(self, a):
            assert isinstance(a, ndl.NDArray)
            return a * a

        def gradient(self, out_grad, node):
            return out_grad * 2 * node.inputs[0]

    x = ndl.Tensor([1.0, -2])
    y = Square()(x) + 1
    y.backward()
    np.testing.assert_array_equal(y.numpy(), [2, 5])
    np.testing.assert_array_equal(x.grad.numpy(), [2, -4])


def test_lazy_backward(monkeypatch):
    monkeypatch.setattr(autograd, "LAZY_MODE", True)
    x = ndl.Tensor([1.0, 2])
    y = (x * x + 1).sum()
    assert y.op is not None
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4])


def test_leaves():
    """Of arrays, taken over and not copied."""
    array = ndl.NDArray([1, 2, 3])
    x = ndl.Tensor.make_const(array)
    assert not x.requires_grad and x.is_leaf()
    array[1] = 7
    np.testing.assert_array_equal((x + 0).numpy(), [1, 7, 3])
    x.cached_data = ndl.NDArray([5])
    assert x.shape == (1,) and x.numpy() == 5
    parameter = ndl.nn.Parameter(x)
    assert parameter.requires_grad and type(parameter.data) is ndl.Tensor
    pair = ndl.make_tuple(parameter, parameter * 2).detach()
    assert [one.numpy().tolist() for one in pair] == [[5], [10]]
    assert pair.op is None and not pair.requires_grad


def test_long_chains_without_gradients():
    x = ndl.init.zeros(4)
    for _ in range(2000):
        x = x * 0.5 + 1
    assert x.op is None
    np.testing.assert_array_equal(x.numpy(), np.full(4, 2))


def test_empty_tensors():
    x = ndl.Tensor(np.zeros((0, 3)))
    assert (x * 2).shape == (0, 3) and x.sum().numpy().tolist() == [0]


def test_addresses():
    """Writes through an address are seen, too."""
    array = ndl.NDArray([1, 2])
    numbers = (ctypes.c_float * 2).from_address(array._handle.ptr())
    numbers[1] = 9
    np.testing.assert_array_equal((array + 1).numpy(), [2, 10])
    array[0] = 4
    assert numbers[0] == 4


#===------------------------------------------------------------------------===#
# Arrays
#===------------------------------------------------------------------------===#


def test_views():
    data = draw(4, 6, 3)
    a = nd.NDArray(data)
    bytes_of = [s * 4 for s in a.strides]
    assert tuple(bytes_of) == data.strides and a.is_compact()
    for ours, theirs in [
            (a.permute((2, 0, 1)), data.transpose(2, 0, 1)),
            (a.reshape((8, 9)), data.reshape(8, 9)),
            (a[1:3, 0:6:2, 1], data[1:3, 0:6:2, 1:2]),
            (a[2, 0:4, 0:3].broadcast_to((5, 4, 3)),
             np.broadcast_to(data[2:3, 0:4], (5, 4, 3))),
            (a.flat, data.reshape(-1))]:
        np.testing.assert_array_equal(ours.numpy(), theirs)
        assert ours._handle is a._handle
        assert ours.strides == tuple(s // 4 for s in theirs.strides)
    part = a[0:2, 0:2, 0:2]
    part[0, 0:2, 1] = 7
    a.permute((1, 0, 2))[5, 3, 0] = nd.NDArray([[[8]]])
    data[0, 0:2, 1], data[3, 5, 0] = 7, 8
    np.testing.assert_array_equal(a.numpy(), data)
    assert not part.is_compact() and part.compact().is_compact()
    assert a._handle.ptr() == part._handle.ptr() and a._handle.size == 72


def test_array_arithmetic():
    x, y = draw(3, 4), draw(3, 4)
    a, b = nd.NDArray(x), nd.NDArray(y)
    for ours, theirs in [
            (a + b, x + y), (1 + a, 1 + x), (2 - a, 2 - x), (a * 2, x * 2),
            (a / b, x / y), (a ** 2, x ** 2), (-a, -x), (a > b, x > y),
            (a >= 0, x >= 0), (a < b, x < y), (a <= b, x <= y),
            (a == a, x == x), (a != b, x != y),
            (a.maximum(0), np.maximum(x, 0)), (nd.exp(a), np.exp(x)),
            (nd.tanh(a), np.tanh(x)), (nd.log(a.maximum(1)),
                                       np.log(np.maximum(x, 1))),
            (a @ b.permute((1, 0)), x @ y.T), (a.sum(), [x.sum()]),
            (a.sum(axis=1), x.sum(1)),
            (a.max(axis=(0,), keepdims=True), x.max(0, keepdims=True)),
            (a.flip((0,)), x[::-1]), (nd.flip(a, 1), x[:, ::-1]),
            (a.pad(((0, 1), (2, 0))), np.pad(x, ((0, 1), (2, 0)))),
            (nd.sum(a, axis=0, keepdims=True), x.sum(0, keepdims=True))]:
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5, atol=1e-6)
        assert ours.dtype == "float32"


def test_array_errors():
    a = nd.NDArray(draw(3, 4))
    for wrong in (lambda: a[0], lambda: a[::-1, 0:2], lambda: a[2:2, 0:1],
                  lambda: a + nd.NDArray([1]), lambda: a @ a,
                  lambda: a.broadcast_to((5, 4)), lambda: hash(a)):
        with pytest.raises((AssertionError, TypeError)):
            wrong()
    for wrong in (lambda: a.reshape((5,)), lambda: a.sum(axis=()),
                  lambda: a.permute((0,)), lambda: a.pad(((0, 1),))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(IndexError):
        a[3, 0]


def test_device_functions():
    cpu = ndl.cpu()
    assert cpu.__tile_size__ == 8
    x, y = draw(16, 24), draw(24, 8)
    tiled = [nd.NDArray(z.reshape(z.shape[0] // 8, 8, z.shape[1] // 8, 8)
                        .transpose(0, 2, 1, 3), device=cpu) for z in (x, y)]
    out = nd.NDArray.make((2, 1, 8, 8), device=cpu)
    cpu.matmul_tiled(tiled[0]._handle, tiled[1]._handle, out._handle, 16, 24, 8)
    np.testing.assert_allclose(
        out.numpy().transpose(0, 2, 1, 3).reshape(16, 8), x @ y, rtol=1e-4,
        atol=1e-5)
    a, b, c = cpu.Array(4), cpu.Array(4), cpu.Array(2)
    cpu.from_numpy(np.float32([1, 2, 3, 4]), a)
    cpu.scalar_mul(a, 2.0, b)
    cpu.reduce_sum(b, c, 2)
    np.testing.assert_array_equal(cpu.to_numpy(c, (2,), (1,), 0), [6, 14])
    cpu.ewise_ge(a, b, b)
    cpu.ewise_exp(b, b)
    cpu.scalar_setitem(2, 5.0, b, (2,), (2,), 1)
    np.testing.assert_array_equal(cpu.to_numpy(b, (4,), (1,), 0), [1, 5, 1, 5])
    cpu.matmul(a, a, a, 2, 2, 2)
    np.testing.assert_array_equal(cpu.to_numpy(a, (4,), (1,), 0),
                                  [7, 10, 15, 22])


def test_subclass_of_arrays():
    class Counted(nd.NDArray):
        def __getitem__(self, idxs):
            return super().__getitem__(tuple(self.process_slice(
                slice(None), i) for i in range(self.ndim)))

    a = Counted([[1, 2], [3, 4]])
    assert isinstance(a, Counted) and a[0, 0].shape == (2, 2)


def test_one_program_a_look(monkeypatch):
    """Heavy results that a look passes by are not computed again."""
    made = count_programs(monkeypatch)
    x, w = ndl.Tensor(draw(7, 9)), ndl.Tensor(draw(9, 5))
    y = ndl.relu(x @ w)
    y.numpy()
    hidden = y.inputs[0]
    assert hidden._data.memory.is_known
    assert len(made) == 1
