# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that compute when they are looked at."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import hamkaas as hk
import hamkaas.array as xp
from hamkaas.array.programs import PROGRAMS
from hamkaas.array.sites import RecompilationWarning


def here(offset=0):
    """The position of the caller's line, as messages have it."""
    import sys
    return f"{__file__}:{sys._getframe(1).f_lineno + offset}"


# Looking at values.


def test_ways_to_look():
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert repr(x * 2) == ("Array([[2., 4.],\n       [6., 8.]], "
                           "dtype=float32)")
    assert str(x[0] + 1) == "[2. 3.]"
    total = xp.sum(x)
    assert (float(total), int(total), complex(total), total.item()) == (
        10.0, 10, 10 + 0j, 10.0)
    assert f"{total:.2f} {total}" == "10.00 10.0"
    assert (x + x).tolist() == [[2, 4], [6, 8]]
    assert [1, 2, 3][xp.argmax(x[0])] == 2
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    np.testing.assert_array_equal(np.asarray(x @ x), [[7, 10], [15, 22]])
    if xp.all(x > 0) and not xp.any(x > 5):
        return
    assert False


def test_looks_that_are_errors():
    x = xp.ones((2, 3))
    with pytest.raises(hk.HamKaasError, match=r"expected an array of one "
                       r"element, got \[2, 3\]"):
        bool(x == x)
    with pytest.raises(TypeError, match=r"expected an integer, got float32"):
        [1, 2][x[0, 0]]
    with pytest.raises(TypeError, match="no dimension has no length"):
        iter(x[0, 0])


def test_one_program_for_each_structure(compilations):
    def compute(a, b, factor):
        return (xp.asarray(a) * factor + b).numpy()

    a, b = np.float32([1, 2, 3]), np.float32([[1], [2]])
    for factor in (2, 3, -0.5, 0.0, -0.0):
        np.testing.assert_array_equal(compute(a * factor, b, factor),
                                      a * np.float32(factor)**2 + b)
    assert len(compilations) == 1
    compute(np.float32([1, 2]), b, 2)
    compute(np.float64([1, 2]), np.float64([[1]]), 2)
    assert len(compilations) == 3
    PROGRAMS.clear()
    compute(a, b, 2)
    assert len(compilations) == 4


def test_numbers_that_are_equal_are_told_apart():
    x = xp.ones(2)
    assert xp.copysign(x, 0.0).tolist() == [1, 1]
    assert xp.copysign(x, -0.0).tolist() == [-1, -1]
    y = xp.asarray([[1.0, 2.0], [3.0, 6.0]])
    assert xp.var(y, axis=0, correction=0).tolist() == [1, 4]
    assert xp.var(y, axis=0, correction=1).tolist() == [2, 8]


def test_computed_arrays_keep_their_value(compilations):
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    y = xp.exp(x)
    assert y._record.data is None
    y.numpy()
    assert y._record.data is not None and not y._record.operands
    z = y + 1
    np.testing.assert_allclose(z.numpy(), np.exp(x.numpy()) + 1)
    assert [len(nodes[0]._operands) for nodes in compilations] == [1, 2]


def test_variables_are_computed_with_what_needs_them(compilations):
    """So that a loop which looks at a loss alone does not grow."""
    x = xp.asarray(np.float32([1, 2, 3]))
    losses = []
    for _ in range(5):
        x = x * 0.5
        losses.append(float(xp.sum(x * x)))
        assert x._record.data is not None
    assert losses == [3.5, 0.875, 0.21875, 0.0546875, 0.013671875]
    assert len(compilations) == 1 and len(compilations[0]) == 2


def test_compute_together(compilations):
    x = xp.asarray(np.float32([4, 1, 3]))
    results = xp.compute(xp.sort(x), xp.max(x), x, xp.max(x) * 2)
    assert len(compilations) == 1
    assert [y.tolist() for y in results] == [[1, 3, 4], 4, [4, 1, 3], 8]
    assert xp.compute() == ()
    with pytest.raises(TypeError, match="expected arrays, got ndarray"):
        xp.compute(x, np.zeros(3))


def test_several_results_of_an_operation(compilations):
    x = xp.asarray(np.float32([[3, 1, 2], [4, 6, 5]]))
    values, places = hk.ops.topk(x, k=2)
    assert places.tolist() == [[0, 2], [1, 2]]
    assert values.tolist() == [[3, 2], [6, 5]]
    assert len(compilations) == 1
    assert hk.ops.topk(x, k=1)[0].tolist() == [[3], [6]]
    # The first of equal ones; NaN is larger than all numbers.
    x = xp.asarray(np.float32([[2, 5, 5], [np.inf, np.nan, np.nan]]))
    assert hk.ops.topk(x, k=1)[1].tolist() == [[1], [1]]


def test_repeated_elements_are_not_stored():
    """A program adds them to what needs them."""
    big = xp.broadcast_to(xp.asarray(np.float32([2, 3])), (1 << 22, 1 << 18, 2))
    assert big[-1, 5].tolist() == [2, 3]
    assert big[::-1, 0].shape == (1 << 22, 2)
    whole = xp.zeros((1 << 30, 1 << 10))
    assert float(whole[7, 8] + 1) == 1


def test_dropped_programs_are_compiled_again(compilations, monkeypatch):
    from hamkaas.array import programs
    monkeypatch.setattr(programs, "_MOST_PROGRAMS", 2)
    for size in (1, 2, 3, 3, 2, 1):
        assert (xp.ones(size) * 3).tolist() == [3] * size
    assert len(compilations) == 4


# Deep and shared recordings.


def test_deep_recording(compilations):
    x = xp.asarray(np.float32([0, 1]))
    for _ in range(100_000):
        x = x + 1
    assert x.tolist() == [100_000, 100_001]
    assert len(compilations) <= 2


def test_deep_recording_is_freed():
    x = xp.asarray(np.float32([0, 1]))
    for _ in range(900):
        x = x + 1
    del x


def test_shared_recording():
    x = xp.asarray(np.float32([1, 3]))
    for _ in range(60):
        x = x + x
    assert x.tolist() == [2.0**60, 3 * 2.0**60]


def test_wide_recording():
    parts = [xp.asarray(np.float32([i])) + 1 for i in range(2000)]
    assert xp.concat(parts).tolist() == list(range(1, 2001))


# Memory.


def test_views_share_memory():
    x = xp.asarray(np.arange(24.0).reshape(2, 3, 4))
    views = [x[1], x[:, ::2, ::-1], x.mT, xp.permute_dims(x, (2, 0, 1)),
             xp.reshape(x, (6, 4)), x[1:].reshape((-1,)), x[..., None, 0],
             xp.flip(x), xp.broadcast_to(x[0], (5, 3, 4)), x.numpy(),
             np.asarray(x), xp.moveaxis(x, 0, 1), copy.copy(x)]
    for i, view in enumerate(views):
        assert np.shares_memory(np.asarray(view), x.numpy()), i
    np.testing.assert_array_equal(views[1].numpy(), x.numpy()[:, ::2, ::-1])
    np.testing.assert_array_equal((views[1] + 1).numpy(),
                                  x.numpy()[:, ::2, ::-1] + 1)


def test_elements_of_others_are_copied():
    a = np.float32([1, 2])
    b, c = np.float32([3, 4]), np.float32([5, 6])
    x = xp.asarray(a)
    shared = xp.asarray(c, copy=False)
    y = x + b
    a[:], b[:], c[:] = 0, 0, 0
    assert y.tolist() == [4, 6]
    assert x.tolist() == [1, 2]
    assert shared.tolist() == [0, 0]


def test_numpy_cannot_write():
    x = xp.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        x.numpy()[0] = 3
    own = np.array(x)
    own[0] = 3
    assert x.tolist() == [1, 2]
    with pytest.raises(ValueError, match="expected the type float32"):
        x.__array__(np.float64, copy=False)
    assert x.__array__(np.float64).dtype == np.float64


# Arrays that change.


def test_in_place_operators():
    x = xp.asarray([4, 7])
    same, view = x, x[:1]
    for change in ("x += 1", "x -= 2", "x *= 6", "x //= 4", "x %= 5", "x <<= 3",
                   "x >>= 1", "x |= 1", "x &= 13", "x ^= 2", "x **= 2"):
        expected = np.array(x)
        names = {"x": x}
        exec(change, names)
        assert names["x"] is x
        expected = eval(change.replace("=", "", 1), {"x": expected})
        np.testing.assert_array_equal(x.numpy(), expected, change)
    assert same is x
    assert view.tolist() == [9]
    y = xp.ones((2, 2))
    y /= 2
    y @= xp.ones((2, 2))
    assert y.tolist() == [[1, 1], [1, 1]]


def test_in_place_operators_keep_type_and_shape():
    x = xp.ones(3)
    with pytest.raises(hk.HamKaasError) as info:
        x += xp.ones((2, 3))
    line = here(-1)
    assert str(info.value) == (
        f"{line}: error: expected a result of the type of the array, float32 "
        "[3], got float32 [2, 3]")
    with pytest.raises(hk.HamKaasError, match=r"float32 \[3\], got float64"):
        x *= np.ones(3)
    with pytest.raises(TypeError):
        x += "text"
    assert x.tolist() == [1, 1, 1]


def test_assignment():
    a = np.arange(12.0, dtype="float32").reshape(3, 4)
    x = xp.asarray(a)
    for key, value in [((1, 2), 5), (0, [1, 2, 3, 4]), (slice(None), 7.5),
                       ((Ellipsis, -1), np.float32([1, 2, 3])),
                       (([0, 2], [1, 1]), -1), (a > 6, 0),
                       (np.array([True, False, True]), 3)]:
        a[key], x[key] = value, value
        np.testing.assert_array_equal(x.numpy(), a, str(key))
    x[1] = x[0]
    x[x < 3] = 9
    a[1] = a[0]
    a[a < 3] = 9
    x[xp.asarray([0, 1])] = xp.asarray([[1.0]]) * 4
    a[[0, 1]] = 4
    np.testing.assert_array_equal(x.numpy(), a)


def test_assignment_leaves_other_arrays():
    x = xp.asarray([1.0, 2.0, 3.0])
    chosen, twice, same, elements = x[[1]], x * 2, copy.copy(x), x.numpy()
    x[:] = 0
    x[0] = 1
    assert x.tolist() == [1, 0, 0]
    assert chosen.tolist() == [2] and twice.tolist() == [2, 4, 6]
    assert same.tolist() == list(elements) == [1, 2, 3]


def test_assignment_is_in_place_where_nobody_sees():
    x = xp.asarray(np.zeros(5, "float32"))
    x[0] = 1
    address = x._record.data.ctypes.data
    for i in range(5):
        x[i] = i
    assert x._record.data.ctypes.data == address
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_assignment_of_masks_is_recorded():
    x = xp.asarray([1.0, -2.0, 3.0])
    y = x * 2
    y[y < 0] = 0
    assert y._record.data is None
    assert y.tolist() == [2, 0, 6]
    rows = xp.ones((3, 2))
    rows[x < 0] = 5
    assert rows.tolist() == [[1, 1], [5, 5], [1, 1]]


@pytest.mark.parametrize("key, value, message", [
    (0, 1.5, "expected a whole number beside int64"),
    (0, xp.ones(()), "expected types that have a common one"),
    (3, 1, "index 3 is out of bounds"),
    (slice(None), [1, 2, 3], "could not broadcast"),
    (xp.asarray([True]), 1, r"expected a mask of the shape of what it chooses "
     r"from, \[2\], got \[1\]"),
])
def test_wrong_assignments(key, value, message):
    x = xp.asarray([1, 2])
    with pytest.raises(hk.HamKaasError, match=message) as info:
        x[key] = value
    assert str(info.value).startswith(f"{here(-1)}: error: ")
    assert x.tolist() == [1, 2]


# Shapes that depend on values.


def test_masks():
    a = np.arange(12.0).reshape(3, 4)
    x = xp.asarray(a)
    np.testing.assert_array_equal(x[x > 4].numpy(), a[a > 4])
    np.testing.assert_array_equal(x[a[:, 0] > 2, 1].numpy(), a[a[:, 0] > 2, 1])
    np.testing.assert_array_equal(x[[True, False, True]].numpy(), a[[0, 2]])
    assert x[x > 100].shape == (0,)


def test_masks_compile_nothing(compilations):
    x = xp.asarray(np.arange(8.0))
    for i in range(1, 8):
        x[np.arange(8) < i].numpy()
    assert not compilations


def test_nonzero_and_unique():
    a = np.array([[3, 0, 1], [1, 3, 3]])
    x = xp.asarray(a)
    for mine, expected in zip(xp.nonzero(x), np.nonzero(a)):
        np.testing.assert_array_equal(mine.numpy(), expected)
    found = xp.unique_all(x)
    assert found.values.tolist() == [0, 1, 3]
    assert found.indices.tolist() == [1, 2, 0]
    assert found.inverse_indices.tolist() == [[2, 0, 1], [1, 2, 2]]
    assert found.counts.tolist() == [1, 2, 3]
    assert xp.unique_counts(x).counts.tolist() == [1, 2, 3]
    assert xp.unique_inverse(x).inverse_indices.shape == (2, 3)
    assert xp.unique_values(xp.asarray([np.nan, 1.0, np.nan])).shape == (3,)
    with pytest.raises(hk.HamKaasError, match="got a scalar"):
        xp.nonzero(x[0, 0])
    with pytest.raises(TypeError, match="expected an array, got ndarray"):
        xp.unique_all(a)


# The 65th program.


def test_changing_shapes_are_told_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(1, 70):
            x = xp.asarray(np.ones(i, "float32"))
            (x * 2).numpy()
    line = test_changing_shapes_are_told_once.__code__.co_firstlineno
    text, = [str(one.message) for one in caught]
    assert caught[0].category is RecompilationWarning
    assert (caught[0].filename, caught[0].lineno) == (__file__, line + 5)
    assert text.startswith(
        "compiled 64 programs for this line, and now another: the array made "
        f"at {__file__}:{line + 4} was float32 [64] and is now float32 [65]")


def test_changing_attributes_are_told():
    x = xp.asarray(np.arange(100.0)) + 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(65):
            hk.ops.slice(x * 2, begin=i, end=i + 2).numpy()
    text, = [str(one.message) for one in caught]
    assert f"'slice' at {here(-2)} had begin = 63 and has now 64" in text


# Errors.


def test_errors_have_positions():
    x = xp.ones((2, 3))
    with pytest.raises(hk.HamKaasError) as info:
        x @ xp.ones((2, 3))
    assert str(info.value).startswith(f"{here(-1)}: error: 'matmul': ")
    assert f"{here(-4)}: note: defined here: float32 [2, 3]" in str(info.value)


def test_errors_of_runs_have_positions():
    """Also if the program was compiled for another line."""
    x = xp.asarray([1.0, 2.0, 3.0])
    assert xp.take(x, xp.asarray([2])).tolist() == [3]
    y = xp.take(x, xp.asarray([5]))
    z = y + 1
    line = here(-2)
    with pytest.raises(hk.HamKaasError) as info:
        print(z)
    assert str(info.value) == (f"{line}: error: expected indices from -3 to 2, "
                               "got 5")


def test_wrong_operands():
    x = xp.ones(2)
    with pytest.raises(TypeError, match="expected an array, got <hamkaas.Node"):
        x + hk.input("x", [2])
    with pytest.raises(TypeError, match="expected a node, got an array"):
        hk.input("x", [2]) + x
    with pytest.raises(TypeError, match="expected an array, got <hamkaas.Node"):
        xp.asarray(hk.input("x", [2]))
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError, match="made by hamkaas.array.asarray"):
        xp.Array([1])
    with pytest.raises(hk.HamKaasError, match="expected one of the types"):
        xp.asarray(np.array([1j]))
    with pytest.raises(hk.HamKaasError, match="0 to 8 dimensions, got 9"):
        xp.ones((1,) * 9)


# Other things that Python does with objects.


def test_pickle_and_copies():
    x = xp.asarray([[1, 2]], dtype="int8") * 2
    again = pickle.loads(pickle.dumps(x))
    assert again.tolist() == [[2, 4]] and again.dtype == np.int8
    for one in (copy.copy(x), copy.deepcopy(x)):
        one += 1
        assert x.tolist() == [[2, 4]] and one.tolist() == [[3, 5]]


def test_arrays_in_models():
    """An array is an array of numpy to the rest of the package."""
    x = hk.input("x", [2])
    model = hk.compile(x * hk.constant(xp.asarray([2.0, 3.0])))
    assert list(model.run({"x": xp.ones(2)})) == [2, 3]


def test_threads():
    x = xp.asarray(np.arange(100.0))
    shared = xp.exp(x * 0.001)
    expected = np.exp(np.arange(100.0) * 0.001)
    errors = []

    def work(seed):
        try:
            for i in range(20):
                y = shared * seed + i
                np.testing.assert_allclose(y.numpy(), expected * seed + i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "bool",
                                  "int8", "int16", "int32", "int64", "uint8",
                                  "uint16", "uint32", "uint64", "bfloat16"])
def test_types(name):
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes")
    x = xp.asarray([[0, 1], [1, 1]], dtype=name)
    assert x.dtype == getattr(xp, name)
    y = xp.where(x == x, x, x)
    assert y.dtype == x.dtype and y.numpy().dtype == x.dtype
    np.testing.assert_array_equal(y.numpy().astype("float32"), [[0, 1], [1, 1]])
    np.testing.assert_array_equal(
        xp.ones((2, 2), dtype=name)[0].numpy().astype("float32"), [1, 1])
