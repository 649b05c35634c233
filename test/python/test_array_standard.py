# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The array API standard's demands on a namespace and its arrays."""

import math

import numpy as np
import pytest

import hamkaas as hk
import hamkaas.array as xp

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))

# Everything of the standard but complex types and extensions.
NAMES = """
    Array __array_api_version__ __array_namespace_info__ abs acos acosh add all
    any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh
    bitwise_and bitwise_invert bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor bool broadcast_arrays broadcast_to can_cast
    ceil clip concat conj copysign cos cosh count_nonzero cumulative_prod
    cumulative_sum diff divide e empty empty_like equal exp expand_dims expm1
    eye finfo flip float32 float64 floor floor_divide from_dlpack full
    full_like greater greater_equal hypot iinfo imag inf int16 int32 int64 int8
    isdtype isfinite isinf isnan less less_equal linspace log log10 log1p log2
    logaddexp logical_and logical_not logical_or logical_xor matmul
    matrix_transpose max maximum mean meshgrid min minimum moveaxis multiply
    nan negative newaxis nextafter nonzero not_equal ones ones_like outer
    permute_dims pi positive pow prod real reciprocal remainder repeat reshape
    result_type roll round searchsorted sign signbit sin sinh sort sqrt square
    squeeze stack std subtract sum take take_along_axis tan tanh tensordot tile
    tril triu trunc uint16 uint32 uint64 uint8 unique_all unique_counts
    unique_inverse unique_values unstack var vecdot where zeros zeros_like
""".split()

METHODS = """
    T __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__
    __dlpack__ __dlpack_device__ __eq__ __float__ __floordiv__ __ge__
    __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__
    __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__
    __setitem__ __sub__ __truediv__ __xor__ device dtype mT ndim shape size
    to_device
""".split()


def test_namespace_is_complete():
    missing = [name for name in NAMES if not hasattr(xp, name)]
    assert not missing
    public = [name for name in NAMES if not name.startswith("__")]
    assert not set(public) - set(xp.__all__)
    assert not [name for name in xp.__all__ if not hasattr(xp, name)]
    x = xp.ones((2, 2))
    assert not [name for name in METHODS if not hasattr(x, name)]
    for name in METHODS:
        if name[2:-2] in ("add sub mul truediv floordiv mod pow matmul and or "
                          "xor lshift rshift").split():
            assert hasattr(x, f"__r{name[2:]}")
            assert hasattr(x, f"__i{name[2:]}")


def test_namespace_of_arrays():
    x = xp.ones(2)
    assert xp.__array_api_version__ == "2024.12"
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="up to 2024.12, got '2077.12'"):
        x.__array_namespace__(api_version="2077.12")


def test_all_is_documented():
    for name in xp.__all__:
        part = getattr(xp, name)
        if not isinstance(part, (np.dtype, float, str, type(None))):
            assert part.__doc__, name


def test_inspection():
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True,
                                   "data-dependent shapes": True,
                                   "max dimensions": 8}
    assert info.devices() == [info.default_device()] == ["cpu"]
    defaults = info.default_dtypes(device="cpu")
    for name, value in (("real floating", 1.0), ("integral", 1)):
        assert xp.asarray(value).dtype == defaults[name]
    assert xp.argmax(xp.ones(2)).dtype == defaults["indexing"]
    assert len(info.dtypes()) == 11
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert set(info.dtypes(kind=("bool", "unsigned integer"))) == {
        "bool", "uint8", "uint16", "uint32", "uint64"}
    with pytest.raises(hk.HamKaasError, match="expected the device 'cpu'"):
        info.dtypes(device="tpu")


# Devices.


def test_devices():
    x = xp.ones(2, device="cpu")
    assert x.device == "cpu" and x.to_device("cpu") is x
    for make in (lambda: x.to_device("cuda"), lambda: xp.zeros(2, device="gpu"),
                 lambda: xp.asarray([1], device="gpu"),
                 lambda: xp.from_dlpack(np.ones(2), device="gpu")):
        with pytest.raises(hk.HamKaasError,
                           match="expected the device 'cpu', got '") as info:
            make()
        assert str(info.value).startswith(f"{__file__}:")


# DLPack.


def test_dlpack_from_us():
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert x.__dlpack_device__() == (1, 0)
    shared = np.from_dlpack(x)
    assert np.shares_memory(shared, x.numpy())
    np.testing.assert_array_equal(np.from_dlpack((x + 1).mT),
                                  [[2, 4], [3, 5]])
    given = np.float32([5, 6])
    given.flags.writeable = False
    read_only = xp.asarray(given)
    np.testing.assert_array_equal(np.from_dlpack(read_only), given)
    with pytest.raises(BufferError, match="no stream on the CPU"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"the device \(1, 0\), got \(2, 0\)"):
        x.__dlpack__(dl_device=(2, 0))


def test_dlpack_to_us():
    a = np.arange(6.0).reshape(2, 3)
    x = xp.from_dlpack(a)
    assert np.shares_memory(x.numpy(), a)
    assert not np.shares_memory(xp.from_dlpack(a, copy=True).numpy(), a)
    assert xp.from_dlpack(xp.ones(2)).tolist() == [1, 1]
    with pytest.raises(TypeError, match="offers DLPack, got list"):
        xp.from_dlpack([1, 2])


def test_dlpack_with_torch():
    torch = pytest.importorskip("torch", reason="needs torch")
    x = xp.asarray(np.arange(6, dtype="float32").reshape(2, 3))
    tensor = torch.from_dlpack(x)
    assert torch.equal(tensor, torch.arange(6.0).reshape(2, 3))
    assert xp.from_dlpack(tensor * 2).tolist() == [[0, 2, 4], [6, 8, 10]]
    assert (x + torch.ones(3)).tolist() == [[1, 2, 3], [4, 5, 6]]


# Making arrays.


def test_asarray():
    a = np.float64([1, 2])
    assert xp.asarray(a).dtype == xp.float64
    assert xp.asarray(a, dtype=xp.int8).dtype == xp.int8
    assert xp.asarray(3).shape == () and xp.asarray(True).dtype == xp.bool
    assert xp.asarray([[1, 2], [3, 4]], dtype="float64").dtype == xp.float64
    assert xp.asarray(memoryview(a)).tolist() == [1, 2]
    x = xp.asarray([1, 2])
    same = xp.asarray(x, copy=False)
    assert np.shares_memory(same.numpy(), x.numpy())
    other = xp.asarray(x, copy=True)
    other += 1
    assert x.tolist() == [1, 2]
    for make in (lambda: xp.asarray([1], copy=False),
                 lambda: xp.asarray(a, dtype="float32", copy=False)):
        with pytest.raises(ValueError, match="expected an array"):
            make()
    with pytest.raises(hk.HamKaasError, match="inhomogeneous"):
        xp.asarray([[1], [2, 3]])
    with pytest.raises(TypeError, match="expected numbers or an array"):
        xp.asarray("text")
    with pytest.raises(hk.HamKaasError, match="from -128 to 127 for int8"):
        xp.asarray([128], dtype="int8")


def test_creation():
    assert xp.arange(2, 8, 2).tolist() == [2, 4, 6]
    assert xp.linspace(0, 1, 3, endpoint=False).tolist() == pytest.approx(
        [0, 1 / 3, 2 / 3])
    assert xp.eye(2, 3, k=1).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert xp.full((2,), True).dtype == xp.bool
    assert xp.full(2, 7).dtype == xp.int64
    x = xp.ones((2, 3), dtype="int8")
    assert xp.zeros_like(x).tolist() == [[0] * 3] * 2
    assert xp.full_like(x, 2.5, dtype="float64").dtype == xp.float64
    assert [y.shape for y in xp.meshgrid(xp.arange(2), xp.arange(3))] == [
        (3, 2), (3, 2)]


# Functions that only arrays, or few programs, have.


def test_result_type():
    x = xp.ones(2, dtype="int8")
    assert xp.result_type(x, 1) == xp.int8
    assert xp.result_type(xp.float32, 1.0, 2) == xp.float32
    assert xp.result_type(xp.bool, 1) == xp.int64
    assert xp.result_type(xp.bool, 1.0) == xp.float32
    for values in ((x, 1.0), (xp.float32, xp.int8)):
        # Libraries expect a TypeError here.
        with pytest.raises(TypeError) as info:
            xp.result_type(*values)
        assert isinstance(info.value, hk.HamKaasError)
    with pytest.raises(hk.HamKaasError, match="at least one tensor or type"):
        xp.result_type(1, 2.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nextafter(dtype):
    values = np.array([0.0, -0.0, 1.0, -1.0, 1e-45, 3e38, np.inf, -np.inf,
                       np.nan, 5e-324], dtype)
    x = xp.asarray(values)
    result = xp.nextafter(x[:, None], x).numpy()
    expected = np.nextafter(values[:, None], values)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result)[:8, :8],
                                  np.signbit(expected)[:8, :8])


def test_cumulative_prod():
    a = np.arange(1, 11).reshape(2, 5)
    for dtype in ("int8", "uint8", "float32", "float64"):
        x = xp.asarray(a, dtype=dtype)
        result = xp.cumulative_prod(x, axis=1)
        kind = {"i": "int64", "u": "uint64"}.get(x.dtype.kind, dtype)
        assert result.dtype == kind
        np.testing.assert_array_equal(result.numpy(), np.cumprod(a, axis=1))
    first = xp.cumulative_prod(xp.asarray(a), axis=0, include_initial=True)
    assert first.tolist() == [[1] * 5, a[0].tolist(), (a[0] * a[1]).tolist()]
    assert xp.cumulative_prod(xp.asarray([True, False])).tolist() == [1, 0]


def test_complex_parts():
    x = xp.asarray([1.0, -2.0])
    assert xp.conj(x).tolist() == xp.real(x).tolist() == [1, -2]
    assert xp.imag(x).tolist() == [0, 0]


def test_isin():
    x = xp.asarray([[1, 2], [3, 4]])
    assert xp.isin(x, xp.asarray([4, 1])).tolist() == [[True, False],
                                                       [False, True]]
    assert xp.isin(x, xp.asarray([[4]]), invert=True).tolist() == [
        [True, True], [True, False]]


def test_constants():
    assert (xp.pi, xp.e, xp.inf, xp.newaxis) == (math.pi, math.e, math.inf,
                                                 None)
    assert math.isnan(xp.nan)
