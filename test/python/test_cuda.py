# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models on a GPU, and arrays in its memory.

Run by cuda.test, with a driver that has no GPU but copies, and a model that does
nothing else.
"""

import ctypes
import os
import sys

import numpy as np
import pytest

import hamkaas as hk

MODEL = os.environ.get("HAMKAAS_TEST_MODEL")
pytestmark = pytest.mark.skipif(not MODEL, reason="run by cuda.test")

X = np.float32([1, 2, 3, 4])


class Driver:
    """The functions of the fake driver for tests."""

    def __init__(self):
        library = ctypes.CDLL("libcuda.so.1")
        self.allocate = library.hamkaasFakeCudaAllocate
        self.allocate.restype = ctypes.c_void_p
        self.allocate.argtypes = [ctypes.c_size_t, ctypes.c_int]
        self.copy = library.hamkaasFakeCudaCopy
        self.copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p,
                              ctypes.c_size_t]
        self.release = library.hamkaasFakeCudaRelease
        self.release.argtypes = [ctypes.c_void_p]
        self.copies = library.hamkaasFakeCudaCopies
        self.copies.restype = ctypes.c_int64
        self.violations = library.hamkaasFakeCudaViolations
        self.violations.restype = ctypes.c_size_t


@pytest.fixture(scope="module")
def driver():
    return Driver()


@pytest.fixture
def model(driver):
    with hk.load(MODEL, device="cuda") as loaded:
        yield loaded
    assert driver.violations() == 0


class Memory:
    """A copy of an array in the memory of a GPU."""

    def __init__(self, driver, array, device=0):
        self.driver, self.array, self.device = driver, array.copy(), device
        self.address = driver.allocate(max(array.nbytes, 1), device)
        driver.copy(self.address, self.array.ctypes.data, array.nbytes)

    def __del__(self):
        self.driver.release(self.address)

    def read(self):
        result = np.empty_like(self.array)
        self.driver.copy(result.ctypes.data, self.address, result.nbytes)
        return result.tolist()


class Interface(Memory):
    """Shows itself as numba and cupy do."""

    changes = {}

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.array.shape, "typestr": self.array.dtype.str,
                "data": (self.address, False), "version": 3, **self.changes}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64),
                ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class DLPack(Memory):
    """Shows itself as jax does."""

    device_type = 2
    strides = None
    streams = []

    def capsule(self):
        array = self.array
        numbers = ctypes.c_int64 * array.ndim
        code = {"f": 2, "i": 0, "u": 1}[array.dtype.kind]
        strides = None if self.strides is None else numbers(*self.strides)
        self.tensor = DLTensor(self.address, self.device_type, self.device,
                               array.ndim, code, array.itemsize * 8, 1,
                               numbers(*array.shape), strides, 0, None, None)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.capsule()

    def __dlpack_device__(self):
        return (self.device_type, self.device)


def test_arrays_of_the_processor(model):
    assert model.device == "cuda:0"
    y, weights, previous = model.run({"x": X})
    assert y.tolist() == [1, 2, 3, 4]
    assert weights.tolist() == [1, 2, 3, 4]
    assert previous.tolist() == [0, 0, 0, 0]
    assert model.run({"x": X + 1})[2].tolist() == [1, 2, 3, 4]


def test_state(model, tmp_path):
    model.run({"x": X})
    assert model.state["last"].tolist() == [1, 2, 3, 4]
    model.state.save(tmp_path / "state.safetensors")
    model.state["last"] = 2 * X
    assert model.run({"x": X})[2].tolist() == [2, 4, 6, 8]
    model.state.load(tmp_path / "state.safetensors")
    assert model.run({"x": 3 * X})[2].tolist() == [1, 2, 3, 4]
    twin = model.new_instance(share_state=True)
    assert twin.run({"x": X})[2].tolist() == [3, 6, 9, 12]


@pytest.mark.parametrize("kind", [Interface, DLPack])
def test_arrays_of_the_gpu_are_used_in_place(driver, model, kind):
    x = kind(driver, X + 6)
    out = {name: Interface(driver, np.zeros_like(X))
           for name in ("y", "weights", "previous")}
    before = driver.copies()
    results = model.run({"x": x}, out)
    # Those of the program. It checks nothing, so there is no failure to copy.
    assert driver.copies() - before == 4
    assert results == tuple(out.values())
    assert out["y"].read() == [7, 8, 9, 10]
    assert out["weights"].read() == [1, 2, 3, 4]
    assert out["previous"].read() == [0, 0, 0, 0]
    model.run({"x": X}, out)
    assert out["previous"].read() == [7, 8, 9, 10]


def test_dlpack_is_asked_to_wait_for_the_default_stream(driver, model):
    x = DLPack(driver, X)
    x.streams = []
    model.run({"x": x})
    assert x.streams == [1]


def test_capsules(driver, model):
    x, y = DLPack(driver, X), DLPack(driver, np.zeros_like(X))
    model.run({"x": x.capsule()}, {"y": y.capsule()})
    assert y.read() == [1, 2, 3, 4]


def test_capsules_of_the_processor(model):
    class OnHost(DLPack):
        device_type = 1

        def __init__(self, array):
            self.array, self.device = array, 0
            self.address = array.ctypes.data

        def __del__(self):
            pass

    x = OnHost(X)
    assert model.run({"x": x.capsule()})[0].tolist() == [1, 2, 3, 4]
    on_cpu = hk.compile(hk.input("x", [4]).relu())
    assert on_cpu.run({"x": x.capsule()}).tolist() == [1, 2, 3, 4]


def error_of(model, x, out=None):
    with pytest.raises(hk.HamKaasError) as raised:
        model.run({"x": x}, out)
    return str(raised.value)


def test_what_does_not_fit_is_an_error(driver, model):
    for kind, place in ((Interface, "a GPU"), (DLPack, "cuda:0")):
        assert error_of(model, kind(driver, np.zeros([2, 3], "int32"))) == (
            "expected input 'x' to be float32 [4], got int32 [2, 3] on " +
            place)
    other = DLPack(driver, X, device=1)
    assert error_of(model, other) == (
        "input 'x': expected memory of the caller or of device 'cuda:0', "
        "got memory of 'cuda:1'")
    strided = DLPack(driver, X)
    strided.strides = (2, )
    assert error_of(model, strided) == (
        "expected input 'x' to be float32 [4], got an array that is not "
        "contiguous")
    strange = DLPack(driver, X)
    strange.device_type = 4
    assert error_of(model, strange.capsule()) == (
        "expected input 'x' to be float32 [4], got float32 [4] on a device "
        "of type 4")


@pytest.mark.parametrize("changes, problem", [
    ({"strides": (8, )}, "an array that is not contiguous"),
    ({"stream": 7}, "an array that another stream than the default one works "
     "on; synchronise it, or use the default stream"),
    ({"mask": True}, "a masked array"),
])
def test_interfaces_that_cannot_be_used(driver, model, changes, problem):
    x = Interface(driver, X)
    x.changes = changes
    assert error_of(model, x) == (
        f"expected input 'x' to be float32 [4], got {problem}")


def test_outputs_are_writable_and_apart(driver, model):
    y = Interface(driver, X)
    assert "output 'y' to have memory of its own" in error_of(
        model, y, {"y": y})
    y.changes = {"data": (y.address, True)}
    assert error_of(model, X, {"y": y}) == (
        "expected output 'y' to be float32 [4], got an array that is "
        "read-only")


def test_the_processor_takes_no_arrays_of_a_gpu(driver):
    model = hk.compile(hk.input("x", [4]).relu())
    assert model.device == "cpu"
    assert "DLPack" in error_of(model, DLPack(driver, X))
    assert error_of(model, DLPack(driver, X).capsule()) == (
        "expected input 'x' to be float32 [4], got float32 [4] on cuda:0")
    assert "not an array" in error_of(model, Interface(driver, X))


class TorchLike:
    """The used part of a torch tensor, with a record of the calls."""

    layout = "strided"

    def __init__(self, memory, is_cuda=True):
        self.memory, self.is_cuda, self.asked = memory, is_cuda, []

    def __getattr__(self, name):
        if name in ("detach", "resolve_conj", "resolve_neg", "contiguous"):
            self.asked.append(name)
            return lambda: self
        if name in ("is_neg", "is_conj"):
            return lambda: False
        raise AttributeError(name)

    def __dlpack__(self, stream=None):
        return self.memory.__dlpack__(stream)


def test_tensors_of_torch(driver, model, monkeypatch):
    class Torch:
        Tensor, strided = TorchLike, "strided"

    monkeypatch.setitem(sys.modules, "torch", Torch)
    x = TorchLike(DLPack(driver, X))
    y = TorchLike(DLPack(driver, np.zeros_like(X)))
    results = model.run({"x": x}, {"y": y})
    assert results[0] is y
    assert y.memory.read() == [1, 2, 3, 4]
    # A strided one is made dense on the GPU; an output is what it is.
    assert "contiguous" in x.asked and "contiguous" not in y.asked


def test_devices_by_name(driver):
    assert hk.load(MODEL, device="cuda:1").device == "cuda:1"
    assert hk.load(MODEL, device="best").device == "cuda:0"
    with pytest.raises(hk.HamKaasError, match="expected a number below 2"):
        hk.load(MODEL, device="cuda:2")
    with pytest.raises(hk.HamKaasError, match="unknown device 'gpu', expected "
                       "'cpu', 'cuda', 'cuda:N', 'best' or 'reference'"):
        hk.load(MODEL, device="gpu")
    with pytest.raises(hk.HamKaasError, match="has no code for it"):
        hk.load(MODEL, device="cpu")
    compiled = hk.compile(hk.input("x", [4]).relu(), device="cuda")
    assert compiled.device == "cuda:0"


def test_a_model_of_another_gpu_shares_no_state(driver, model):
    with pytest.raises(hk.HamKaasError, match="expected an instance on device "
                       "'cuda:1', got one on 'cuda:0'"):
        model.new_instance(device="cuda:1", share_state=True)


def test_products_of_a_library(driver):
    """A fake one, which computes them."""
    w = np.float32([[1, -2], [3, 4], [5, -6]])
    x = np.float32([[1, 2, 3], [-1, 0, 1]])
    node = (hk.input("x", [2, 3]) @ w).relu()
    with hk.compile(node, device="cuda", engine="cublaslt") as model:
        np.testing.assert_array_equal(model.run({"x": x}),
                                      np.maximum(x @ w, 0))
    assert driver.violations() == 0
    with pytest.raises(hk.HamKaasError, match="expected a program for GPUs"):
        hk.compile(node, engine="cublaslt")
    with pytest.raises(TypeError):
        hk.compile(node, device="cuda", engine=1)


def test_first_system(driver):
    """Its flag means the first GPU; kernels are fused with and without cuDNN."""
    torch = pytest.importorskip("torch")
    from hamkaas.compat import HamKaasPlugin, InputTensor
    node = InputTensor("x", torch.float32, [4]).relu()
    for use_cudnn in (False, True):
        model = HamKaasPlugin("unused").compile_model(
            node, use_gpu=True, use_cudnn=use_cudnn)
        assert model.model.device == "cuda:0"
    assert HamKaasPlugin("unused").compile_model(node).model.device == "cpu"
    assert driver.violations() == 0
