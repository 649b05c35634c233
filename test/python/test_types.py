# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of models: arrays of each go in and come out as they are."""

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import arrays

# Names in numpy and in MLIR.
TYPES = {
    "float32": "f32",
    "int64": "i64",
    "float64": "f64",
    "float16": "f16",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "ui8",
    "uint16": "ui16",
    "uint32": "ui32",
    "uint64": "ui64",
    "bool": "i1",
}


def load(tmp_path, element, device="cpu", parameters=None):
    """A model whose result is its input, and the result before it a state."""
    path = tmp_path / "identity.mlir"
    kind = f"tensor<2x3x{element}>"
    path.write_text(f"""
      ml_program.global private mutable @last(dense<0> : {kind}) : {kind}
      func.func @main(%x: {kind} {{hamkaas.name = "x"}})
          -> ({kind} {{hamkaas.name = "y"}}, {kind} {{hamkaas.name = "z"}}) {{
        %last = ml_program.global_load @last : {kind}
        ml_program.global_store @last = %x : {kind}
        return %x, %last : {kind}, {kind}
      }}""".replace("dense<0>", "dense<false>" if element == "i1" else
                    "dense<0.0>" if "f" in element else "dense<0>"))
    return hk.load(path, device=device)


def values_of(dtype):
    """Those at the ends of the type, among others."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return np.array([[0, 1, 1], [1, 0, 0]], bool)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        values = [info.max, info.min, info.tiny, -0.0, np.nan, np.inf]
    else:
        info = np.iinfo(dtype)
        values = [info.max, info.min, 0, 1, info.max // 3, info.min // 3]
    return np.array(values, dtype).reshape(2, 3)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("name", TYPES)
def test_identity(tmp_path, name, device):
    with load(tmp_path, TYPES[name], device) as model:
        x = values_of(name)
        assert model.inputs[0].dtype == model.outputs[0].dtype == x.dtype
        for expected in (np.zeros_like(x), x):
            y, z = model.run({"x": x})
            assert y.dtype == z.dtype == x.dtype
            np.testing.assert_array_equal(y, x)
            np.testing.assert_array_equal(z, expected)
        place = np.empty_like(x)
        assert model.run({"x": x[:, ::1]}, out={"y": place})[0] is place
        np.testing.assert_array_equal(place, x)
        state = model.states[0].name
        np.testing.assert_array_equal(model.state[state], x)
        model.state[state] = x[::-1]
        np.testing.assert_array_equal(model.run({"x": x})[1], x[::-1])


@pytest.mark.parametrize("name", TYPES)
def test_other_types_are_errors(tmp_path, name):
    with load(tmp_path, TYPES[name]) as model:
        for other in TYPES:
            if other == name:
                continue
            with pytest.raises(hk.HamKaasError) as info:
                model.run({"x": values_of(other)})
            assert str(info.value) == (f"expected input 'x' to be {name} "
                                       f"[2, 3], got {other} [2, 3]")


def test_any_byte_is_a_bool(tmp_path):
    with load(tmp_path, "i1") as model:
        x = np.array([[0, 1, 2], [3, 128, 255]], np.uint8)
        model.run({"x": x.view(bool)})
        z = model.run({"x": x.view(bool)})[1]
        np.testing.assert_array_equal(z.astype(bool), x != 0)


@pytest.mark.parametrize("name", TYPES)
def test_each_type_in_graphs(name):
    """As an input, a constant, a state, a number and a literal."""
    x = values_of(name)
    node = hk.input("x", [2, 3], dtype=name)
    memory = hk.state([2, 3], "memory", dtype=name)
    written = memory.replace(node, 0, 2)
    model = hk.compile({
        "constant": hk.where(node != node, node, hk.constant(x)),
        "number": hk.full([2, 3], 1, dtype=name),
        "list": hk.asarray([[1, 0]], dtype=name),
        "state": [memory, written]})
    result = model.run({"x": x})
    assert {value.dtype for value in (*result["state"], result["constant"],
                                      result["number"], result["list"])} == {
        x.dtype}
    np.testing.assert_array_equal(result["constant"], x)
    np.testing.assert_array_equal(result["number"], np.ones([2, 3], name))
    np.testing.assert_array_equal(result["list"], [[1, 0]])
    np.testing.assert_array_equal(result["state"][1], x)
    np.testing.assert_array_equal(model.run({"x": x})["state"][1], x)


def bfloat16(values):
    """Arrays of ml_dtypes, if it is there."""
    return np.array(values, pytest.importorskip("ml_dtypes").bfloat16)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_bfloat16_of_ml_dtypes(tmp_path, device):
    x = bfloat16([[1, -2, 3e38], [np.inf, 1e-39, 0]])
    with load(tmp_path, "bf16", device) as model:
        assert model.inputs[0].dtype == x.dtype
        y, z = model.run({"x": x})
        assert y.dtype == z.dtype == x.dtype
        np.testing.assert_array_equal(y, x)
        np.testing.assert_array_equal(model.run({"x": x[::-1]})[1], x)
        place = np.empty_like(x)
        assert model.run({"x": x}, out={"y": place})[0] is place
        np.testing.assert_array_equal(place, x)
        with pytest.raises(hk.HamKaasError,
                           match=r"bfloat16 \[2, 3\], got float32 \[2, 3\]"):
            model.run({"x": x.astype("float32")})
    with load(tmp_path, "f32", device) as model:
        with pytest.raises(hk.HamKaasError, match="got bfloat16 "):
            model.run({"x": x})


def test_bfloat16_of_torch(tmp_path):
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1, -2, 3e38], [0.5, 1e-39, 0]], dtype=torch.bfloat16)
    with load(tmp_path, "bf16") as model:
        places = {name: torch.zeros_like(x) for name in "yz"}
        y, z = model.run({"x": x}, out=places)
        assert y is places["y"] and z is places["z"]
        assert torch.equal(y, x)
        model.run({"x": x.t().contiguous().t()}, out=places)
        assert torch.equal(places["z"], x)
    with load(tmp_path, "i16") as model:
        with pytest.raises(hk.HamKaasError, match=r"got bfloat16 \[2, 3\]"):
            model.run({"x": x})


def test_no_place_for_bfloat16(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    assert arrays.dtype_of("bfloat16") == "bfloat16"
    with load(tmp_path, "bf16") as model:
        assert model.outputs[0].dtype == "bfloat16"
        with pytest.raises(hk.HamKaasError, match="package ml_dtypes"):
            model.run({"x": torch.zeros(2, 3, dtype=torch.bfloat16)})
