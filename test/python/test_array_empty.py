# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays without elements, against numpy."""

import pickle
import warnings

import numpy as np
import pytest

import hamkaas as hk
import hamkaas.array as xp

NONE, ROWS, ONES = (0,), (0, 3), (2, 3)

# Expressions on arrays of the shapes, the same in numpy.
SAME = [
    ("sum(x)", ROWS), ("sum(x, axis=0)", ROWS), ("sum(x, axis=1)", ROWS),
    ("prod(x, axis=0, keepdims=True)", ROWS), ("mean(x)", NONE),
    ("var(x, axis=0)", ROWS), ("std(x, axis=1)", ROWS), ("any(x > 0)", ROWS),
    ("all(x > 0)", ROWS), ("all(x > 0, axis=1)", ROWS),
    ("max(x, axis=1)", ROWS), ("argmax(x, axis=1)", ROWS),
    ("count_nonzero(x)", NONE), ("x + 1", ROWS), ("x * x", ROWS),
    ("x == x", NONE), ("exp(-x)", ROWS), ("where(x > 0, x, 2 * x)", ROWS),
    ("x + y[:1]", ROWS, ONES), ("x @ x.T", ROWS), ("x.T @ x", ROWS),
    ("y @ x.T", ROWS, ONES), ("sort(x, axis=0)", ROWS),
    ("argsort(x, axis=1)", ROWS), ("x.T", ROWS), ("x[None, ..., 1]", ROWS),
    ("x[:, ::-1]", ROWS), ("x.reshape((3, 0, 2))", ROWS),
    ("x.reshape((-1, 4))", ROWS), ("flip(x)", ROWS), ("roll(x, 1)", ROWS),
    ("tril(x)", ROWS), ("stack([x, x], axis=1)", ROWS),
    ("repeat(x, 2, axis=0)", ROWS), ("repeat(x, 0)", ONES),
    ("repeat(x, np.array([0, 0]), axis=0)", ONES), ("tile(x, (2, 0))", ONES),
    ("broadcast_to(x, (2, 0, 3))", ROWS), ("diff(x, n=4)", ONES),
    ("split(x, [0, 2])[0]", ONES), ("x[2:]", ONES), ("x[:, 3:0]", ONES),
    ("x[1:1, ::-2]", ONES), ("x[-3::-1]", ONES), ("x[[]]", ONES),
    ("x[:, []]", ONES), ("x[[], []]", ONES), ("x[x > 100]", ONES),
    ("x[x[:, 0] > 100]", ONES), ("x[x > 100]", ROWS),
    ("take(x, np.arange(0), axis=1)", ONES), ("zeros((3, 0, 2))", NONE),
    ("arange(3, 3)", NONE), ("eye(0, 4)", NONE), ("linspace(0, 1, 0)", NONE),
    ("outer(x, x + 1)", NONE), ("tensordot(x, x, axes=([0], [0]))", ROWS),
    ("einsum('ij,ij->j', x, x)", ROWS), ("nonzero(x > 100)[0]", ONES),
    ("isin(y, x)", NONE, ONES), ("searchsorted(x, y)", NONE, NONE),
    ("linalg.det(zeros((0, 0)))", NONE), ("linalg.inv(zeros((0, 2, 2)))", NONE),
    ("unique_values(x)", NONE), ("meshgrid(x, arange(2))[1]", NONE),
    ("linalg.diagonal(x, offset=3)", ONES), ("linalg.trace(x[:, :0])", ONES),
]

NUMPY = {"unique_values": np.unique, "linalg.diagonal": np.diagonal,
         "linalg.trace": np.trace}


def numpy_value(text, names):
    for name in NUMPY:
        if text.startswith(name):
            return eval(text.replace(name, "function"), dict(vars(np)),
                        {**names, "function": NUMPY[name]})
    return eval(text, dict(vars(np)), names)


@pytest.mark.parametrize("given", SAME, ids=lambda given: given[0])
def test_as_numpy(given):
    text, *shapes = given
    arrays = [np.arange(np.prod(shape), dtype="float32").reshape(shape)
              for shape in shapes]
    names = dict(zip("xy", arrays))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(numpy_value(text, {**names, "np": np}))
    result = eval(text, dict(vars(xp)), {
        **{name: xp.asarray(array) for name, array in names.items()},
        "np": np})
    np.testing.assert_array_equal(result.numpy(), expected)
    assert result.shape == expected.shape
    assert result.dtype.kind == expected.dtype.kind


def test_concat_takes_what_is_there(compilations):
    none, y = xp.zeros(ROWS), xp.asarray([[1.0, 2.0, 3.0]])
    alone = xp.concat([none, y, none])
    assert alone.tolist() == y.tolist() and not compilations
    both = xp.concat([y, none, y + 1], axis=0)
    assert both.tolist() == [[1, 2, 3], [2, 3, 4]]
    assert xp.concat([none, none]).shape == ROWS
    assert xp.concat([xp.zeros((2, 0)), xp.ones((2, 1))], axis=1).shape == (2, 1)
    assert xp.cumulative_sum(none, axis=0, include_initial=True).tolist() == [
        [0, 0, 0]]
    with pytest.raises(hk.HamKaasError, match="'concat': expected"):
        xp.concat([none, xp.ones((2, 4))])


def test_nothing_is_compiled(compilations):
    x = xp.zeros(ROWS)
    y = xp.exp(x) @ xp.ones((3, 2)) + 1
    assert y.shape == (0, 2) and y.numpy().size == 0
    assert float(xp.sum(y)) == 0
    assert (x + 1)[xp.ones(0, dtype="bool")].shape == ROWS
    assert len(compilations) <= 1  # The number of the sum.


@pytest.mark.parametrize("make, message", [
    (lambda x: xp.max(x), r"'max': expected operands with elements, got "
     r"float32 \[0, 3\]"),
    (lambda x: xp.min(x, axis=0), "'min': expected operands with elements"),
    (lambda x: xp.argmax(x), "'argmax': expected operands with elements"),
    (lambda x: xp.take(x, xp.asarray([0]), axis=0),
     r"got float32 \[0, 3\] and int64 \[1\]"),
    (lambda x: x + xp.ones(2), r"got \[0, 3\] and \[2\]"),
    (lambda x: x @ xp.ones((4, 2)), r"dimension of lhs \(3\) to match .* "
     r"rhs \(4\)"),
    (lambda x: x.T @ xp.ones((4, 2)), r"dimension of lhs \(0\) to match .* "
     r"rhs \(4\)"),
    (lambda x: xp.reshape(x, (2, 3)), r"as many elements as \[0, 3\], got "
     r"\[2, 3\]"),
    (lambda x: xp.reshape(x, (0, -1)), r"got \[0, -1\]"),
    (lambda x: xp.reshape(xp.ones(3), (0,)), r"as x \(3\), got 0"),
    (lambda x: x[0], "from 0 to -1, got 0"),
    (lambda x: hk.ops.slice(x, begin=0, end=1),
     r"rows of \[0, 3\], got begin 0 and end 1"),
    (lambda x: hk.ops.slice(x.T, begin=4, end=4), "got begin 4 and end 4"),
    (lambda x: hk.ops.strided_slice(x, offsets=[0, 0], sizes=[0, 4],
                                    strides=[1, 1]), r"a part of \[0, 3\]"),
    (lambda x: xp.sqrt(xp.zeros(0, dtype="int64") // xp.zeros(2)),
     "expected types that have a common one"),
    (lambda x: hk.nn.avg_pool2d(xp.zeros((1, 1, 0, 4)), 2), "avg_pool2d"),
    (lambda x: x.item(), r"an array of one element, got \[0, 3\]"),
    (lambda x: xp.zeros((1, 1, 1, 1, 1, 1, 1, 1, 0)), "dimensions, got 9"),
])
def test_errors(make, message):
    with pytest.raises(hk.HamKaasError, match=message) as info:
        make(xp.zeros(ROWS))
    assert str(info.value).startswith(f"{__file__}:")


def test_looking():
    x = xp.zeros(ROWS)
    assert repr(x) == "Array([], shape=(0, 3), dtype=float32)"
    assert repr(xp.asarray([])) == "Array([], dtype=float32)"
    assert str(x) == "[]" and x.tolist() == [] and x.size == len(x) == 0
    assert x.mT.tolist() == [[], [], []] and list(x) == []
    assert x.numpy().shape == np.asarray(x).shape == ROWS
    assert np.from_dlpack(x).shape == ROWS
    assert xp.from_dlpack(np.zeros((2, 0))).shape == (2, 0)
    assert pickle.loads(pickle.dumps(x)).shape == ROWS
    assert xp.unstack(x, axis=1)[0].shape == NONE and not xp.unstack(x)


def test_changing():
    x = xp.zeros(ROWS)
    x += 1
    x[...] = 2
    x[x > 1] = 3
    assert x.shape == ROWS
    y = xp.arange(3)
    y[3:] = 7
    y[y > 5] = 7
    y[[]] = 7
    assert y.tolist() == [0, 1, 2]


def test_types_without_elements():
    for name in ("int8", "uint64", "bool", "float64", "float16"):
        x = xp.zeros(NONE, dtype=name)
        assert x.dtype == xp.astype(xp.ones(ROWS), name).dtype == name
        assert xp.concat([x, xp.ones(1, dtype=name)]).dtype == name
    assert xp.sum(xp.zeros(NONE, dtype="int8")).dtype == xp.int64
    assert xp.mean(xp.zeros(NONE, dtype="int8")).dtype == xp.float32


def test_nodes_are_never_empty():
    x = hk.input("x", [2, 3])
    for make in (lambda: x[2:], lambda: x[:, []], lambda: hk.repeat(x, 0),
                 lambda: hk.zeros((0, 2)), lambda: hk.asarray([]),
                 lambda: hk.arange(0), lambda: hk.diff(x, n=3)):
        with pytest.raises(hk.HamKaasError, match="got") as info:
            make()
        assert str(info.value).startswith(f"{__file__}:")
