# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in and out: never misread, never written to by mistake."""

import array
import ctypes

import numpy as np
import pytest

import hamkaas as hk

CONTENTS = np.arange(12, dtype="float32").reshape(3, 4)


@pytest.fixture(scope="module")
def model():
    """Copies its input."""
    return hk.compile(hk.input("x", [3, 4]) * 1.0)


@pytest.fixture(scope="module")
def integers():
    return hk.compile(hk.input("x", [3, 4], "int64").permute([1, 0]))


def field_of_record():
    records = np.zeros([3, 4], [("key", "i2"), ("value", "f4")])
    records["value"] = CONTENTS
    return records["value"]


def unaligned():
    memory = bytearray(1 + CONTENTS.nbytes)
    memory[1:] = CONTENTS.tobytes()
    return np.frombuffer(memory, "float32", offset=1).reshape(3, 4)


def mapped(tmp_path):
    np.save(tmp_path / "x.npy", CONTENTS)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


def read_only():
    contents = CONTENTS.copy()
    contents.flags.writeable = False
    return contents


VIEWS = {
    "contiguous": lambda: CONTENTS,
    "Fortran": lambda: np.asfortranarray(CONTENTS),
    "transposed": lambda: CONTENTS.T.copy().T,
    "negative strides": lambda: CONTENTS[::-1, ::-1].copy()[::-1, ::-1],
    "negative stride": lambda: CONTENTS[:, ::-1].copy()[:, ::-1],
    "every second": lambda: np.repeat(CONTENTS, 2, axis=1)[:, ::2],
    "part of a larger": lambda: np.pad(CONTENTS, 2)[2:-2, 2:-2],
    "field of a record": field_of_record,
    "unaligned": unaligned,
    "read-only": read_only,
    "subclass": lambda: CONTENTS.view(np.matrix),
    "memoryview": lambda: memoryview(CONTENTS),
    "of ctypes": lambda: np.ctypeslib.as_ctypes(CONTENTS.copy()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_view(model, name):
    np.testing.assert_array_equal(model.run({"x": VIEWS[name]()}), CONTENTS)


def test_mapped_file(model, tmp_path):
    np.testing.assert_array_equal(model.run({"x": mapped(tmp_path)}), CONTENTS)


@pytest.mark.parametrize("axes", [(0, ), (1, ), (0, 1)])
def test_repeated_by_strides_of_0(model, axes):
    size = [1 if axis in axes else CONTENTS.shape[axis] for axis in (0, 1)]
    view = np.broadcast_to(CONTENTS[:size[0], :size[1]], [3, 4])
    assert 0 in view.strides
    np.testing.assert_array_equal(model.run({"x": view}), view)


def test_other_names_of_int64(integers):
    for dtype in ("int64", "longlong", "<i8", "q", "l"):
        x = np.arange(12).reshape(3, 4).astype(dtype)
        np.testing.assert_array_equal(integers.run({"x": x}), x.T)


class WithDlpack:
    """An array that only DLPack can read."""

    def __init__(self, contents):
        self._contents = contents

    def __dlpack__(self, **arguments):
        return self._contents.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._contents.__dlpack_device__()


def test_dlpack(model):
    for view in (CONTENTS, CONTENTS.T.copy().T, CONTENTS[::-1].copy()[::-1]):
        np.testing.assert_array_equal(model.run({"x": WithDlpack(view)}),
                                      CONTENTS)
    with pytest.raises(hk.HamKaasError, match="got float64 "):
        model.run({"x": WithDlpack(CONTENTS.astype(float))})
    node = hk.input("x", [3, 4]) + WithDlpack(CONTENTS)
    np.testing.assert_array_equal(hk.compile(node).run({"x": CONTENTS}),
                                  2 * CONTENTS)


class OnAnotherDevice(WithDlpack):

    def __dlpack_device__(self):
        return (2, 0)  # CUDA


def test_dlpack_of_another_device(model):
    with pytest.raises(hk.HamKaasError, match=r"on device \(2, 0\)"):
        model.run({"x": OnAnotherDevice(CONTENTS)})


def test_inputs_are_used_in_place(model):
    """A dense input is read where it is: no copy of it shows in memory."""
    big = hk.compile(hk.input("x", [1, 1 << 22])[0:1].reshape([1 << 22])
                     .reshape([1 << 11, 1 << 11]) @ np.ones([1 << 11, 1],
                                                            "float32"))
    import tracemalloc
    x = np.ones([1, 1 << 22], "float32")
    tracemalloc.start()
    try:
        big.run({"x": x})
        assert tracemalloc.get_traced_memory()[1] < x.nbytes / 100
        big.run({"x": np.ones([1, 1 << 23], "float32")[:, ::2]})
        assert tracemalloc.get_traced_memory()[1] >= x.nbytes
    finally:
        tracemalloc.stop()


# Arrays that do not fit.


@pytest.mark.parametrize("value, found", [
    (CONTENTS.astype("float64"), "float64 [3, 4]"),
    (CONTENTS.astype("float16"), "float16 [3, 4]"),
    (CONTENTS.astype("int64"), "int64 [3, 4]"),
    (CONTENTS.astype("int32"), "int32 [3, 4]"),
    (CONTENTS.astype("uint32"), "uint32 [3, 4]"),
    (CONTENTS.astype("bool"), "bool [3, 4]"),
    (CONTENTS.astype("complex64"), "complex64 [3, 4]"),
    (CONTENTS.astype(">f4"), ">f4 [3, 4]"),
    (CONTENTS.astype("object"), "object [3, 4]"),
    (CONTENTS.astype("U4"), "<U4 [3, 4]"),
    (CONTENTS.astype("int64").astype("M8[s]"), "datetime64[s] [3, 4]"),
    (CONTENTS.T, "float32 [4, 3]"),
    (CONTENTS[0], "float32 [4]"),
    (CONTENTS[None], "float32 [1, 3, 4]"),
    (CONTENTS[:0], "float32 [0, 4]"),
    (np.zeros([3, 0], "float32"), "float32 [3, 0]"),
    (np.float32(1), "float32 []"),
    (np.ma.masked_array(CONTENTS), "a masked array"),
    (CONTENTS.tolist(), "list, not an array; numpy.asarray makes an array of it"),
    (None, "NoneType, not an array"),
    (1.0, "float, not an array; numpy.asarray makes an array of it"),
    ("text", "str, not an array"),
    (array.array("f", range(12)), "float32 [12]"),
    (b"text", "uint8 [4]"),
    (np.zeros([3, 4], [("a", "f4")]), "[('a', '<f4')] [3, 4]"),
])
def test_wrong_array(model, value, found):
    with pytest.raises(hk.HamKaasError) as info:
        model.run({"x": value})
    assert str(info.value) == (
        f"expected input 'x' to be float32 [3, 4], got {found}")


def test_all_problems_are_told():
    model = hk.compile(hk.input("a", [2]) + hk.input("b", [1]) +
                       hk.input("c", [2]), name="sums")
    with pytest.raises(hk.HamKaasError) as info:
        model.run({"a": np.zeros(3, "float32"), "b": np.zeros(1), "d": 1, 5: 6})
    assert str(info.value).splitlines() == [
        "expected input 'a' to be float32 [2], got float32 [3]",
        "expected input 'b' to be float32 [1], got float64 [1]",
        "expected input 'c' (float32 [2]), it is missing",
        "unknown input 'd', model 'sums' has 'a', 'b', 'c'",
        "unknown input 5, model 'sums' has 'a', 'b', 'c'",
    ]


@pytest.mark.parametrize("inputs", [None, 3, [1], "x", CONTENTS])
def test_inputs_are_a_dictionary(model, inputs):
    with pytest.raises(TypeError, match="a dictionary of arrays by name"):
        model.run(inputs)


def test_any_mapping(model):
    import types
    inputs = types.MappingProxyType({"x": CONTENTS})
    np.testing.assert_array_equal(model.run(inputs), CONTENTS)


def test_array_that_raises(model):

    class Broken:

        def __array__(self, *arguments):
            raise RuntimeError("broken")

    class Interrupted:

        def __array__(self, *arguments):
            raise KeyboardInterrupt

    class Surrogate:

        def __array__(self, *arguments):
            raise RuntimeError("\ud800")

    with pytest.raises(hk.HamKaasError, match="float32 .3, 4., got broken"):
        model.run({"x": Broken()})
    with pytest.raises(hk.HamKaasError, match=r"got \\ud800"):
        model.run({"x": Surrogate()})
    with pytest.raises(KeyboardInterrupt):
        model.run({"x": Interrupted()})


def test_array_that_empties_the_dictionary(model):
    """Python code runs in the midst; what is used stays alive."""

    class Clears:

        def __array__(self, *arguments):
            inputs.clear()
            return CONTENTS.copy()

    inputs = {"x": Clears()}
    try:
        model.run(inputs)
    except hk.HamKaasError:
        pass  # The dictionary was found to have another size.


# Outputs.


def test_outputs_are_new(model):
    first = model.run({"x": CONTENTS})
    second = model.run({"x": CONTENTS + 1})
    np.testing.assert_array_equal(first, CONTENTS)
    assert first.flags.writeable and first.flags.owndata
    assert not np.shares_memory(first, second)


def test_out(model):
    place = np.full([3, 4], np.nan, "float32")
    assert model.run({"x": CONTENTS}, out={"result": place}) is place
    np.testing.assert_array_equal(place, CONTENTS)
    part = np.zeros([5, 4], "float32")
    model.run({"x": CONTENTS}, {"result": part[1:4]})
    np.testing.assert_array_equal(part, np.pad(CONTENTS, [(1, 1), (0, 0)]))


@pytest.mark.parametrize("place, found", [
    (np.zeros([3, 4]), "float64 [3, 4]"),
    (np.zeros([4, 3], "float32"), "float32 [4, 3]"),
    (np.zeros([4, 3], "float32").T, "an array that is not contiguous"),
    (np.zeros([3, 8], "float32")[:, ::2], "an array that is not contiguous"),
    (np.zeros([3, 4], "float32")[::-1], "an array that is not contiguous"),
    (unaligned(), "an array that is not contiguous"),
    (read_only(), "an array that is read-only"),
    (np.broadcast_to(np.float32(0), [3, 4]), "an array that is read-only"),
    (np.zeros([3, 4], ">f4"), ">f4 [3, 4]"),
    ([0.0], "list, expected an array of numpy or a tensor of torch"),
    (None, "NoneType, expected an array of numpy or a tensor of torch"),
    (WithDlpack(CONTENTS),
     "WithDlpack, expected an array of numpy or a tensor of torch"),
])
def test_wrong_out(model, place, found):
    with pytest.raises(hk.HamKaasError) as info:
        model.run({"x": CONTENTS}, out={"result": place})
    assert str(info.value) == (
        f"expected output 'result' to be float32 [3, 4], got {found}")


def test_out_overlaps(model):
    memory = np.zeros([4, 4], "float32")
    with pytest.raises(hk.HamKaasError, match="overlaps input 'x'"):
        model.run({"x": memory[:3]}, out={"result": memory[1:]})
    # A copy of the input is apart from it.
    place = np.zeros([3, 4], "float32")
    model.run({"x": np.asfortranarray(CONTENTS)}, out={"result": place})
    np.testing.assert_array_equal(place, CONTENTS)


def test_unknown_out(model):
    with pytest.raises(hk.HamKaasError, match="unknown output 'y'"):
        model.run({"x": CONTENTS}, out={"y": CONTENTS})
    with pytest.raises(TypeError):
        model.run({"x": CONTENTS}, out=CONTENTS)


# torch.


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="needs torch")


def test_torch(model, torch):
    tensor = torch.from_numpy(CONTENTS.copy())
    for view in (tensor, tensor.t().contiguous().t(), tensor.flip(0).flip(0),
                 torch.nn.Parameter(tensor), tensor.expand(2, 3, 4)[1]):
        np.testing.assert_array_equal(model.run({"x": view}), CONTENTS)


def test_lazily_changed_torch_tensor(model, torch):
    """Its memory holds something else than its elements."""
    numbers = torch.from_numpy(CONTENTS + 1j).conj()
    imaginary = numbers.imag
    assert imaginary.is_neg()
    np.testing.assert_array_equal(model.run({"x": imaginary}), -np.ones([3, 4]))
    with pytest.raises(hk.HamKaasError, match="lazily negated"):
        model.run({"x": CONTENTS}, out={"result": imaginary})


@pytest.mark.parametrize("change, found", [
    (lambda t: t.double(), "float64 [3, 4]"),
    (lambda t: t.bfloat16(), "bfloat16 [3, 4]"),
    (lambda t: t.t(), "float32 [4, 3]"),
    (lambda t: t.to("meta"), "a torch tensor on meta"),
    (lambda t: t.to_sparse(), "of layout torch.sparse_coo"),
])
def test_wrong_torch_tensor(model, torch, change, found):
    with pytest.raises(hk.HamKaasError) as info:
        model.run({"x": change(torch.from_numpy(CONTENTS.copy()))})
    assert found in str(info.value)


def test_torch_out(model, torch):
    place = torch.zeros(3, 4)
    assert model.run({"x": CONTENTS}, out={"result": place}) is place
    np.testing.assert_array_equal(place.numpy(), CONTENTS)


def test_torch_dtypes_and_constants(torch):
    x = hk.input("x", torch.Size([2, 2]), dtype=torch.float32)
    node = x @ torch.eye(2) + torch.ones(2, 4)[:, ::2]
    np.testing.assert_array_equal(
        hk.compile(node).run({"x": np.zeros([2, 2], "float32")}),
        np.ones([2, 2]))
    assert str(hk.input("x", [2], dtype=torch.bfloat16).dtype) == "bfloat16"
    with pytest.raises(hk.HamKaasError, match="got 'complex64'"):
        hk.input("x", [2], dtype=torch.complex64)


def test_pointer_types():
    """Arrays of ctypes are read by their own format."""
    floats = (ctypes.c_float * 12)(*range(12))
    model = hk.compile(hk.input("x", [12]) * 1.0)
    np.testing.assert_array_equal(model.run({"x": floats}), CONTENTS.ravel())


def test_digest_of_what_is_no_array():
    with pytest.raises(TypeError, match="expected value to be an array, got "
                       "str, not an array"):
        hk.digest("abc")


def test_digest():
    # Of no bytes, from BLAKE3's specification.
    nothing = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    assert hk.digest(np.zeros([0], "float32")) == nothing
    x = np.arange(12, dtype="float32").reshape(3, 4)
    digest = hk.digest(x)
    assert len(digest) == 64 and int(digest, 16)
    # The order of the elements counts, not how they lie in memory.
    assert hk.digest(np.asfortranarray(x)) == digest
    assert hk.digest(x[::-1][::-1]) == digest
    assert hk.digest(x.T) != digest
    assert hk.digest(np.float32(7)) == hk.digest(np.float32([7]))
    assert hk.digest(np.float32([0.0])) != hk.digest(np.float32([-0.0]))
    # Bits, whatever they stand for.
    assert hk.digest(x.view("int32")) == digest
    for other in (np.array(["text"]), x.astype(">f4")):
        with pytest.raises(hk.HamKaasError, match="expected an array of "
                                                  "numbers"):
            hk.digest(other)


def test_digest_of_a_run_does_not_depend_on_threads():
    x = np.random.default_rng(1).standard_normal([64, 512], "float32")
    weights = np.random.default_rng(2).standard_normal([512, 300], "float32")
    graph = (hk.input("x", [64, 512]) @ weights).silu()
    digests = {hk.digest(hk.compile(graph, threads=threads).run({"x": x}))
               for threads in (1, 2, 3)}
    assert len(digests) == 1
