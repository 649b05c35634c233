# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas.needle with arrays of numpy: NEEDLE_BACKEND=np."""

import numpy as np
import pytest

import hamkaas.needle as ndl
from hamkaas.needle import autograd
from needle_checks import check_gradients, count_programs

assert ndl.BACKEND == "np"

pytestmark = pytest.mark.filterwarnings(
    "ignore::hamkaas.array.RecompilationWarning")

RNG = np.random.default_rng(0)


def draw(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape)


OPERATIONS = {
    "add": (lambda a, b: a + b, draw(3, 4), draw(3, 4)),
    "subtract": (lambda a, b: a - b, draw(3, 4), draw(3, 4)),
    "add_scalar": (lambda a: 2.5 + a - 1, draw(3, 4)),
    "multiply": (lambda a, b: a * b, draw(3, 4), draw(3, 4)),
    "mul_scalar": (lambda a: 3 * a * 0.25, draw(3, 4)),
    "power": (lambda a, b: a ** b, draw(2, 3, low=0.5), draw(2, 3)),
    "power_scalar": (lambda a: a ** 3 + a ** 0 + a ** 1, draw(2, 3)),
    "power_fraction": (lambda a: a ** 0.5 + a ** -1.5 + a ** -0.5 + a ** -1,
                       draw(2, 3, low=0.5)),
    "divide": (lambda a, b: a / b, draw(3, 4), draw(3, 4, low=0.5)),
    "divide_scalar": (lambda a: a / 3 + 2 / (a * a + 1), draw(3, 4)),
    "reflected": (lambda a: 2 - a, draw(3)),
    "negate": (lambda a: -a, draw(3, 4)),
    "log": (ndl.log, draw(3, 4, low=0.5)),
    "exp": (ndl.exp, draw(3, 4)),
    "tanh": (ndl.tanh, draw(3, 4)),
    "relu": (ndl.relu, draw(5, 4)),
    "transpose": (ndl.transpose, draw(2, 3, 4)),
    "transpose_axes": (lambda a: ndl.transpose(a, axes=(0, -1)),
                       draw(2, 3, 4)),
    "reshape": (lambda a: a.reshape((-1, 6)), draw(2, 3, 4)),
    "broadcast_to": (lambda a: a.broadcast_to((5, 2, 3)), draw(2, 1)),
    "broadcast_scalar": (lambda a: a.broadcast_to((2, 3)), draw()),
    "broadcast_equal": (lambda a: a.broadcast_to((2, 3)), draw(2, 3)),
    "summation": (lambda a: a.sum() + a.sum(axes=(0, 2)).sum(), draw(2, 3, 4)),
    "sum_axis": (lambda a: a.sum(axes=-2), draw(2, 3, 4)),
    "sum_axes": (lambda a: ndl.summation(a, axes=(0, -1)), draw(2, 3, 4)),
    "matmul": (lambda a, b: a @ b, draw(3, 4), draw(4, 2)),
    "matmul_left": (lambda a, b: a @ b, draw(2, 5, 3, 4), draw(4, 2)),
    "matmul_right": (lambda a, b: a @ b, draw(3, 4), draw(2, 5, 4, 2)),
    "matmul_broadcast": (lambda a, b: a.matmul(b), draw(2, 1, 3, 4),
                         draw(5, 4, 2)),
    "logsumexp": (ndl.logsumexp, draw(3, 4)),
    "logsumexp_axes": (lambda a: ndl.logsumexp(a, axes=(0, -1)),
                       draw(2, 3, 4)),
    "logsoftmax": (ndl.logsoftmax, draw(3, 4)),
    "stack": (lambda a, b: ndl.stack([a, b, a], axis=1), draw(2, 3),
              draw(2, 3)),
    "split": (lambda a: ndl.split(a, axis=1), draw(2, 3, 2)),
    "split_one": (lambda a: ndl.split(a, axis=0)[1] * 2, draw(3, 2)),
    "flip": (lambda a: ndl.flip(a, axes=(0, 2)), draw(2, 3, 4)),
    "dilate": (lambda a: ndl.dilate(a, axes=(0, 1), dilation=2), draw(2, 3)),
    "undilate": (lambda a: ndl.undilate(a, axes=(1,), dilation=1), draw(2, 5)),
    "tuple": (lambda a, b: ndl.make_tuple(a * b, a) + ndl.make_tuple(b, b),
              draw(2), draw(2)),
    "fused": (lambda a: ndl.fused_add_scalars(a * a, 1.0, 2.0), draw(3)),
    "conv": (lambda a, b: ndl.conv(a, b, padding=1), draw(2, 5, 5, 2),
             draw(3, 3, 2, 3)),
    "conv_stride": (lambda a, b: ndl.conv(a, b, stride=2, padding=0),
                    draw(1, 6, 6, 2), draw(3, 3, 2, 2)),
    "conv_rest": (lambda a, b: ndl.conv(a, b, stride=3, padding=2),
                  draw(1, 7, 5, 1), draw(2, 2, 1, 2)),
    "conv_point": (lambda a, b: ndl.conv(a, b, stride=2, padding=1),
                   draw(1, 4, 4, 2), draw(1, 1, 2, 2)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients(name):
    np.random.seed(0)
    f, *arrays = OPERATIONS[name]
    check_gradients(f, *arrays)


@pytest.mark.parametrize("name", ["power_scalar", "tanh", "exp", "divide",
                                  "logsumexp", "logsoftmax", "matmul", "conv",
                                  "conv_stride", "split_one", "relu"])
def test_second_derivatives(name):
    np.random.seed(0)
    f, *arrays = OPERATIONS[name]

    def slope(*tensors):
        y = f(*tensors)
        (y * y).sum().backward()
        return tensors[0].grad

    check_gradients(slope, *arrays, tolerance=2e-5)


def test_types():
    assert ndl.Tensor([1.0, 2]).dtype == np.float64
    assert ndl.Tensor([1, 2]).dtype == np.int64
    x = ndl.Tensor(np.float32([1, 2]))
    assert x.dtype == "float32"
    for y in (x / 2, x ** 2, x + 1.5, x * np.float64(2), ndl.exp(x),
              x / np.float32(3)):
        assert y.dtype == np.float32 and y.numpy().dtype == np.float32
    whole = ndl.Tensor([2, 3])
    assert (whole * 2).dtype == np.int64 and (whole / 2).dtype == np.float64
    np.testing.assert_array_equal((whole ** 2).numpy(), [4, 9])
    (whole * whole).sum().backward()
    np.testing.assert_array_equal(whole.grad.numpy(), [4, 6])
    assert ndl.Tensor(x, dtype="float64").dtype == np.float64


def test_full_reduction_and_data():
    x = ndl.Tensor([[1.0, 2], [3, 4]])
    assert x.sum().shape == () and float(x.sum().cached_data) == 10
    assert isinstance(x.cached_data, np.ndarray)
    assert repr(ndl.cpu()) == "needle.cpu()" and x.device == ndl.cpu()
    assert ndl.all_devices() == [ndl.cpu()] and ndl.cpu().enabled()


def test_writes_are_seen():
    """Those before an operation, and none after it."""
    x = ndl.Tensor([1.0, 2, 3])
    data = x.realize_cached_data()
    before = x * 2
    data[0] = 10
    after = x * 2
    data.flat[1] += 5
    view = data[2:]
    view[0] = -1
    del data
    last = x * 2
    np.testing.assert_array_equal(before.numpy(), [2, 4, 6])
    np.testing.assert_array_equal(after.numpy(), [20, 4, 6])
    np.testing.assert_array_equal(last.numpy(), [20, 14, -2])
    view[0] = 7
    np.testing.assert_array_equal(x.numpy(), [10, 7, 7])
    np.testing.assert_array_equal((x * 2).numpy(), [20, 14, 14])


class Cube(ndl.TensorOp):
    def compute(self, a):
        assert isinstance(a, np.ndarray)
        return a ** 3

    def gradient(self, out_grad, node):
        return out_grad * 3 * node.inputs[0] ** 2


class Twice(ndl.TensorTupleOp):
    def compute(self, a):
        return a * 2, a * 3

    def gradient(self, out_grad, node):
        return out_grad[0] * 2 + out_grad[1] * 3


class Total(ndl.TensorOp):
    def compute(self, parts):
        assert isinstance(parts, tuple)
        return parts[0] + parts[1]

    def gradient(self, out_grad, node):
        return ndl.make_tuple(out_grad, out_grad)


def test_own_operations():
    np.random.seed(0)
    check_gradients(lambda a: Cube()(a) * a, draw(3))
    check_gradients(lambda a: Total()(Twice()(a * a)), draw(3))


def test_own_compute_of_ours():
    class Wrong(ndl.ops.EWiseAdd):
        def compute(self, a, b):
            return a - b
    x = ndl.Tensor([1.0])
    assert Wrong()(x, x).numpy() == 0


def test_raw_compute():
    """`compute` takes and returns raw arrays."""
    a, b = draw(2, 3), draw(3, 2)
    np.testing.assert_allclose(ndl.ops.MatMul().compute(a, b), a @ b)
    np.testing.assert_allclose(ndl.ops.Stack(0).compute((a, a)),
                               np.stack([a, a]))
    first, second = ndl.ops.Split(0).compute(a)
    np.testing.assert_allclose(second, a[1])


def test_direct_gradients():
    """`gradient_as_tuple` without `backward`."""
    a, b = ndl.Tensor([2.0, 3]), ndl.Tensor([5.0, 7])
    y = a * b
    left, right = y.op.gradient_as_tuple(ndl.Tensor([1.0, 10]), y)
    np.testing.assert_array_equal(left.numpy(), [5, 70])
    np.testing.assert_array_equal(right.numpy(), [2, 30])
    part = ndl.split(a * b, 0)[1]
    gradient, = part.op.gradient_as_tuple(ndl.Tensor(4.0), part)
    assert len(gradient) == 2
    assert [float(one.numpy()) for one in gradient] == [0, 4]
    with pytest.raises(NotImplementedError, match="define gradient"):
        ndl.TensorOp().gradient(None, None)


def test_lazy_mode(monkeypatch):
    monkeypatch.setattr(autograd, "LAZY_MODE", True)
    calls = []

    class Seen(Cube):
        def compute(self, a):
            calls.append(1)
            return super().compute(a)

    x = ndl.Tensor([2.0], requires_grad=False)
    y = Seen()(x) + 1
    assert y.op is not None and y.inputs and not calls
    assert y.numpy() == 9 and y.numpy() == 9 and len(calls) == 1


def test_order_and_graph():
    a, b = ndl.Tensor([1.0]), ndl.Tensor([2.0])
    c = a - b
    order = autograd.find_topo_sort([c])
    assert [type(one.op).__name__ for one in order] == [
        "NoneType", "NoneType", "Negate", "EWiseAdd"]
    assert order[0] is a and order[1] is b
    assert type((a - 3).op).__name__ == "AddScalar" and (a - 3).op.scalar == -3
    assert (ndl.Tensor([1.0], requires_grad=False) + 1).op is None


def test_deep_graphs():
    x = ndl.Tensor([1.0])
    y = x
    for _ in range(3000):
        y = y * 1.0001 + 0.0
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.0001 ** 3000, rtol=1e-9)


def test_programs_of_loops(monkeypatch):
    """The second iteration of a loop compiles nothing."""
    made = count_programs(monkeypatch)
    data = draw(8, 4), draw(8, 1)
    w = ndl.Tensor(draw(4, 1))
    for i in range(5):
        x, y = (ndl.Tensor(one + i, requires_grad=False) for one in data)
        loss = ((x @ w - y) ** 2).sum() / (8 + i)
        loss.backward()
        w = ndl.Tensor(w.realize_cached_data() -
                       0.01 * w.grad.realize_cached_data())
        loss.numpy()
        if i == 0:
            first = len(made)
            assert first == 1  # Loss and gradient by one.
    assert len(made) == first


@pytest.mark.parametrize("make, message", [
    (lambda x: x + ndl.Tensor([[1.0]]), "operands of one shape"),
    (lambda x: x.reshape((4,)), "reshape"),
    (lambda x: x.broadcast_to((2,)), r"got \[3\] and \[2\]"),
    (lambda x: x.transpose(), "at least 2 dimensions"),
    (lambda x: x.sum(axes=3), "expected an axis from -1 to 0, got 3"),
    (lambda x: ndl.logsoftmax(x), "expected a matrix"),
    (lambda x: ndl.conv(x, x), "expected images"),
    (lambda x: x.backward(ndl.Tensor([1.0])), "expected a gradient of"),
    (lambda x: ndl.stack([x, ndl.Tensor([1.0])], 0), "tensors of one shape"),
    (lambda x: ndl.Tensor([2]) ** -1, "power of integers"),
])
def test_errors(make, message):
    from hamkaas import HamKaasError
    with pytest.raises(HamKaasError, match=message):
        make(ndl.Tensor([1.0, 2, 3]))


def test_type_errors():
    with pytest.raises(TypeError, match="a tensor or a number"):
        ndl.Tensor([1.0]) * "2"
    with pytest.raises(AssertionError, match="elements of float64"):
        ndl.Tensor([1.0]).data = ndl.Tensor([1])
    with pytest.raises(IndexError, match="places below 2"):
        ndl.init.one_hot(2, ndl.Tensor([2]))
