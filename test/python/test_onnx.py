# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX files."""

import os

import numpy as np
import pytest

import hamkaas as hk
import hamkaas.onnx

onnx = pytest.importorskip("onnx", reason="needs onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

X = np.float32([[1, -2, 3], [-4, 5, -6]])
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def make_model(nodes, inputs, outputs, initializers=None, opset=17, ir=8):
    """A model; inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        [helper.make_node(*node[:3], **(node[3] if len(node) > 3 else {}))
         for node in nodes], "graph",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(array, name)
         for name, array in (initializers or {}).items()])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)


def make_sub(shape=(2, 3), **options):
    """a - b + c, where c is an initializer that is also listed as an input."""
    return make_model(
        [("Sub", ["a", "b"], ["d"]), ("Add", ["d", "c"], ["y"])],
        [("b", FLOAT, shape), ("c", FLOAT, [3]), ("a", FLOAT, shape)],
        [("y", FLOAT, shape)], {"c": np.float32([1, 2, 3])}, **options)


def make_reshape():
    return make_model([("Reshape", ["x", "shape"], ["y"])],
                      [("x", FLOAT, [2, 3]), ("shape", INT64, ["rank"])],
                      [("y", FLOAT, None)])


@pytest.mark.parametrize("form", ["bytes", "bytearray", "proto", "path", "str"])
def test_sources(form, tmp_path):
    model = make_sub()
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    source = {"bytes": model.SerializeToString(),
              "bytearray": bytearray(model.SerializeToString()),
              "proto": model, "path": path, "str": str(path)}[form]
    run = hamkaas.onnx.prepare(source, threads=1)
    # In the order of the graph, without the initializer.
    assert [info.name for info in run.inputs] == ["b", "a"]
    assert [tuple(info) for info in run.outputs] == [("y", np.float32, (2, 3))]
    [y] = run([X, 2 * X])
    np.testing.assert_array_equal(y, X + np.float32([1, 2, 3]))


def test_wrong_sources(tmp_path):
    with pytest.raises(TypeError, match="as bytes, a path or"):
        hamkaas.onnx.prepare(3)
    for contents in (b"", b"\x08", b"not a model", b"\xff" * 100):
        with pytest.raises(hk.HamKaasError) as error:
            hamkaas.onnx.prepare(contents)
        assert not isinstance(error.value, hk.UnsupportedError)
    with pytest.raises(hk.HamKaasError, match="nothing.onnx"):
        hamkaas.onnx.prepare(tmp_path / "nothing.onnx")
    script = hk.compile(hk.input("x", [1]).relu()).graph.script
    with pytest.raises(hk.HamKaasError, match="expected an ONNX model"):
        hamkaas.onnx.prepare(script.encode())


def test_unsupported():
    model = make_model([("NoSuchOperator", ["x"], ["y"])],
                       [("x", FLOAT, [1])], [("y", FLOAT, [1])])
    with pytest.raises(hk.UnsupportedError, match="NoSuchOperator"):
        hamkaas.onnx.prepare(model)


def test_wrong_arrays():
    run = hamkaas.onnx.prepare(make_sub())
    with pytest.raises(hk.HamKaasError, match="expected 2 inputs, got 1"):
        run([X])
    for inputs, found in ((X, r"float32 \[2, 3\]"), ({"a": X, "b": X}, "dict"),
                          (3, "int"), (None, "NoneType"), (b"ab", "bytes")):
        with pytest.raises(TypeError, match="expected a list of arrays in the "
                           f"order of the inputs, got {found}$"):
            run(inputs)
    with pytest.raises(TypeError, match=r"expected const_inputs\['a'\] to be "
                       "an array, got list, not an array"):
        hamkaas.onnx.prepare(make_sub(), const_inputs={"a": [1]})
    with pytest.raises(hk.HamKaasError, match="'b' to be float32 .2, 3., got "
                       "float64 .2, 3."):
        run([X.astype(float), X])
    with pytest.raises(hk.HamKaasError, match="'a' to be float32 .2, 3., got "
                       "float32 .3, 2."):
        run([X, X.reshape(3, 2)])


def test_dims():
    model = make_sub(["n", 3])
    run = hamkaas.onnx.prepare(model, dims={"n": 2})
    assert run.model is not None
    np.testing.assert_array_equal(run([X, X]), [np.ones([2, 1]) * [1., 2, 3]])
    with pytest.raises(hk.HamKaasError, match="m"):
        hamkaas.onnx.prepare(model, dims={"n": 2, "m": 3})
    with pytest.raises(TypeError, match="whole number"):
        hamkaas.onnx.prepare(model, dims={"n": 2.5})
    with pytest.raises(TypeError, match="dictionary of sizes.*got list"):
        hk.load("model.onnx", dims=[2])
    with pytest.raises(hk.HamKaasError, match="^dims: expected a size of at "
                       "least 1 for 'n', got 0$"):
        hk.load("model.onnx", dims={"n": 0})


def test_models_of_onnx_are_no_files():
    with pytest.raises(TypeError, match="expected the path of a file, got "
                       "ModelProto; hamkaas.onnx.prepare takes models of onnx"):
        hk.load(make_sub())
    with pytest.raises(TypeError, match="the path of a file, got int$"):
        hk.load(3)


def test_dims_of_a_call():
    run = hamkaas.onnx.prepare(make_sub(["n", 3]))
    assert run.model is None
    assert run.inputs[0].shape == ("n", 3)
    programs = []
    for rows in (1, 2, 1):
        x = np.ones([rows, 3], "float32")
        [y] = run([x, 2 * x])
        np.testing.assert_array_equal(y, x + np.float32([1, 2, 3]))
        programs.append(run.model)
    assert programs[0] is programs[2] is not programs[1]
    with pytest.raises(hk.HamKaasError, match="'a' to be float32 .1, 3., got "
                       "float32 .2, 3."):
        run([X[:1], X])


def test_outputs_without_a_type():
    """Nothing is made up for what a size decides."""
    model = make_model([("Neg", ["x"], ["y"]), ("MatMul", ["y", "w"], ["z"])],
                       [("x", FLOAT, ["n", "m"])], [],
                       {"w": np.ones([3, 2], "float32")})
    model.graph.output.extend(
        helper.make_empty_tensor_value_info(name) for name in "yz")
    run = hamkaas.onnx.prepare(model)
    assert run.outputs == (("y", np.dtype("float32"), None),
                           ("z", None, None))
    y, z = run([X])
    np.testing.assert_array_equal(y, -X)
    np.testing.assert_array_equal(z, -X @ np.ones([3, 2]))


def test_values_of_a_call():
    run = hamkaas.onnx.prepare(make_reshape())
    for shape in ([3, 2], [6], [1, 6, 1], [3, 2]):
        [y] = run([X, np.int64(shape)])
        np.testing.assert_array_equal(y, X.reshape(shape))
    with pytest.raises(hk.HamKaasError):
        run([X, np.int64([4])])


def test_constant_inputs():
    run = hamkaas.onnx.prepare(make_reshape(),
                               const_inputs={"shape": np.int64([3, 2])})
    assert [info.name for info in run.inputs] == ["x"]
    np.testing.assert_array_equal(run([X]), [X.reshape(3, 2)])
    for wrong in (np.int32([3, 2]), np.float32([3, 2])):
        with pytest.raises(hk.HamKaasError, match="shape"):
            hamkaas.onnx.prepare(make_reshape(), const_inputs={"shape": wrong})
    with pytest.raises(hk.HamKaasError, match="other"):
        hamkaas.onnx.prepare(make_reshape(), const_inputs={"other": X})


def test_empty_tensors():
    model = make_model(
        [("ReduceSum", ["x", "axes"], ["sum"]),
         ("Identity", ["x"], ["same"])],
        [("x", FLOAT, [2, 0, 3]), ("axes", INT64, [1])],
        [("sum", FLOAT, None), ("same", FLOAT, [2, 0, 3])])
    empty = np.empty([2, 0, 3], "float32")
    run = hamkaas.onnx.prepare(model)
    total, same = run([empty, np.int64([1])])
    np.testing.assert_array_equal(total, np.zeros([2, 1, 3]))
    assert same.shape == (2, 0, 3) and same.dtype == np.float32
    with pytest.raises(hk.HamKaasError, match="'x' to be float32 .2, 0, 3."):
        run([np.ones([2, 1, 3], "float32"), np.int64([1])])


def test_scalars():
    model = make_model([("Mul", ["a", "b"], ["y"])],
                       [("a", FLOAT, []), ("b", FLOAT, [])], [("y", FLOAT, [])])
    [y] = hamkaas.onnx.prepare(model)([np.float32(2), np.array(3, "float32")])
    assert y.shape == () and y == 6


@pytest.mark.parametrize("option,value", [
    ("dims", {"n": 2}), ("const_inputs", {"x": X}),
    ("external_data_root", "/")])
def test_options_of_onnx_are_for_onnx(option, value, tmp_path):
    path = tmp_path / "net.hk"
    path.write_text("$1 = InputTensor(x, float32, [2]);\n"
                    "$2 = ReLUNode($1);\nresult = $2;\n")
    with pytest.raises(hk.HamKaasError,
                       match=f"^{option}: expected an ONNX model$"):
        hk.load(path, **{option: value})


def test_load(tmp_path):
    path = tmp_path / "net.onnx"
    onnx.save(make_sub(["n", 3]), path)
    model = hk.load(path, dims={"n": 2})
    assert model.name == "net"
    np.testing.assert_array_equal(model.run({"a": 2 * X, "b": X}),
                                  X + np.float32([1, 2, 3]))
    with pytest.raises(hk.HamKaasError, match="as dims={NAME: N}; missing"):
        hk.load(path)
    with pytest.raises(hk.HamKaasError, match="error: dims: no input of the"):
        hk.load(path, dims={"n": 2, "m": 2})
    with pytest.raises(hk.HamKaasError, match=": const_inputs: the model has"):
        hk.load(path, dims={"n": 2}, const_inputs={"d": X})
    onnx.save(make_reshape(), path)
    with pytest.raises(hk.HamKaasError,
                       match="; const_inputs={NAME: array} makes an input"):
        hk.load(path, dims={"rank": 1})
    model = hk.load(path, const_inputs={"shape": np.int64([6])})
    np.testing.assert_array_equal(model.run({"x": X}), X.reshape(6))


ROWS, COLUMNS = 16384, 1024  # 64 MB: a large file


def make_large(name):
    """Rows of a table, and a product; `name` decides how both are aligned."""
    table = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
    model = make_model(
        [("Gather", ["table", "i"], ["rows"]), ("Neg", ["rows"], ["y"]),
         ("MatMul", ["x", name], ["z"])],
        [("i", INT64, [2]), ("x", FLOAT, [16, COLUMNS])],
        [("y", FLOAT, [2, COLUMNS]), ("z", FLOAT, [16, 512])],
        {"table": table, name: np.ones((COLUMNS, 512), np.float32)})
    model.producer_name = name
    return model


def anonymous_bytes():
    with open("/proc/self/status") as file:
        [line] = [line for line in file if line.startswith("RssAnon:")]
    return 1024 * int(line.split()[1])


def run_large(model):
    x = np.float32(np.arange(16 * COLUMNS) % 7).reshape(16, COLUMNS)
    y, z = model.run({"i": np.int64([5, 4097]), "x": x})
    rows = np.arange(COLUMNS) + COLUMNS * np.float32([[5], [4097]])
    np.testing.assert_array_equal(y, -rows)
    np.testing.assert_array_equal(z, np.repeat(x.sum(1)[:, None], 512, 1))


@pytest.mark.parametrize("level", ["x86-64", "host"])
def test_memory_has_large_files_once(tmp_path, level):
    path = tmp_path / "large.onnx"
    hamkaas.onnx.prepare(make_sub())  # takes memory that the compiler keeps
    for name in ["m", "mm", "mmm", "mmmm"]:
        path.write_bytes(make_large(name).SerializeToString())
        before = anonymous_bytes()
        model = hk.load(path, target_cpu=level)
        run_large(model)
        # Once, as the program's constants, whatever the alignment in the file.
        assert anonymous_bytes() - before < 4 * ROWS * COLUMNS * 3 // 2
        # Another file in the place of it.
        other = tmp_path / "other.onnx"
        onnx.save(make_sub(), other)
        other.replace(path)
        run_large(model)
        model.save(tmp_path / "large.so")


def test_large_files_that_change(tmp_path):
    path = tmp_path / "large.onnx"
    path.write_bytes(make_large("m").SerializeToString())
    model = hk.load(path)
    with open(path, "r+b") as file:
        file.seek(-1, 2)
        file.write(b"x")
    with pytest.raises(hk.HamKaasError,
                       match="expected '.*large.onnx' as it was when the model "
                       "was loaded, got a file that was written to"):
        model.save(tmp_path / "large.so")


@pytest.mark.parametrize("is_renamed", [False, True])
def test_large_files_that_are_cut(tmp_path, monkeypatch, is_renamed):
    """Also where the name that they were loaded by leads elsewhere."""
    path = tmp_path / "large.onnx"
    path.write_bytes(make_large("m").SerializeToString())
    monkeypatch.chdir(tmp_path)
    model = hk.load("large.onnx")
    if is_renamed:
        path = path.rename(tmp_path / "other.onnx")
    monkeypatch.chdir("/")
    os.truncate(path, 1000)
    with pytest.raises(hk.HamKaasError, match="a file that was written to"):
        model.save(tmp_path / "large.so")


def test_backend():
    from hamkaas.onnx import backend
    assert backend.supports_device("CPU")
    assert not backend.supports_device("TPU")
    prepared = backend.prepare(make_sub(), "CPU", threads=1)
    np.testing.assert_array_equal(prepared.run([X, X])[0],
                                  np.ones([2, 1]) * [1., 2, 3])
    node = helper.make_node("Add", ["a", "b"], ["y"])
    [y] = backend.run_node(node, [X, X])
    np.testing.assert_array_equal(y, 2 * X)
    assert backend.is_compatible(make_sub())
    assert not backend.is_compatible(make_model(
        [("NoSuchOperator", ["x"], ["y"])], [("x", FLOAT, [1])],
        [("y", FLOAT, [1])]))


def test_formats():
    """Narrow types of a model are arrays of ml_dtypes."""
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    float8, int4 = TensorProto.FLOAT8E4M3FN, TensorProto.INT4
    model = make_model(
        [("Cast", ["x"], ["y"], {"to": FLOAT}),
         ("Transpose", ["x"], ["t"]),
         ("Cast", ["a"], ["b"], {"to": int4})],
        [("x", float8, [2, 3]), ("a", FLOAT, ["n"])],
        [("y", FLOAT, [2, 3]), ("t", float8, [3, 2]), ("b", int4, ["n"])],
        opset=21)
    run = hamkaas.onnx.prepare(model)
    assert run.inputs[0].dtype == ml_dtypes.float8_e4m3fn
    x = X.astype(ml_dtypes.float8_e4m3fn)
    y, t, b = run([x, np.float32([-8, -1.5, 7])])
    np.testing.assert_array_equal(y, X)
    assert t.dtype == x.dtype and b.dtype == ml_dtypes.int4
    np.testing.assert_array_equal(t.view("uint8"), x.T.view("uint8"))
    np.testing.assert_array_equal(b.astype("int8"), [-8, -1, 7])
    with pytest.raises(hk.HamKaasError, match="expected input 'x' to be float8"):
        run([x.view("uint8"), np.float32([1])])


FLOAT_FORMATS = ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
                 "FLOAT8E5M2FNUZ", "FLOAT4E2M1"]


def make_all_casts(element_type, count):
    """Casts to all formats of floats, those that saturate first."""
    nodes, outputs = [], []
    for saturates in (1, 0):
        for name in FLOAT_FORMATS:
            output = f"{name}_{saturates}"
            nodes.append(("Cast", ["x"], [output], {
                "to": getattr(TensorProto, name), "saturate": saturates}))
            outputs.append((output, getattr(TensorProto, name), [count]))
    return make_model(nodes, [("x", element_type, [count])], outputs, opset=23)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_casts_to_formats(name):
    """Every float16, and in wider types what lies beside the halves, too."""
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    x = np.arange(1 << 16, dtype="uint16").view("float16")
    if name != "float16":
        # NOTE: of float32 in both, for ml_dtypes rounds float64 to that first.
        x = x[~np.isnan(x)].astype("float32")
        x = np.concatenate([x, np.nextafter(x, np.float32(np.inf)),
                            np.nextafter(x, np.float32(-np.inf)),
                            np.float32([np.nan])]).astype(name)
    model = make_all_casts(helper.np_dtype_to_tensor_dtype(x.dtype), x.size)
    outputs = hamkaas.onnx.prepare(model)([x])
    for i, found in enumerate(outputs):
        info = ml_dtypes.finfo(found.dtype)
        with np.errstate(all="ignore"):
            wanted = x if i >= len(FLOAT_FORMATS) else np.clip(
                x, x.dtype.type(info.min), x.dtype.type(info.max))
            wanted = wanted.astype(found.dtype)
        wide, got = wanted.astype("float32"), found.astype("float32")
        is_same = (wanted.view("uint8") == found.view("uint8")) | (
            np.isnan(wide) & np.isnan(got))
        # FLOAT4E2M1 has no NaN; ml_dtypes gives either zero.
        is_same |= np.isnan(x) & (wide == 0) & (got == 0)
        assert np.all(is_same), (found.dtype, i, x[~is_same][:5],
                                 wide[~is_same][:5], got[~is_same][:5])


def test_float64_is_rounded_once():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    least = float(ml_dtypes.finfo("float8_e4m3fn").smallest_subnormal)
    half = least / 2
    model = make_all_casts(TensorProto.DOUBLE, 3)
    [y, *_] = hamkaas.onnx.prepare(model)(
        [np.float64([half, half * (1 + 1e-12), 17 + 1e-12])])
    np.testing.assert_array_equal(y.astype("float64"), [0, least, 18])


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
@pytest.mark.parametrize("saturate", [0, 1])
def test_casts_to_powers(mode, saturate):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    powers = np.float32(2)**np.arange(-127, 128, dtype="float32")
    x = np.concatenate([powers * f for f in np.float32(
        [1, 1.25, 1.5, 1.5000001, 1.75])] + [np.float32([0, np.inf, np.nan])])
    e8m0 = TensorProto.FLOAT8E8M0
    model = make_model(
        [("Cast", ["x"], ["y"],
          {"to": e8m0, "saturate": saturate, "round_mode": mode})],
        [("x", FLOAT, x.shape)], [("y", e8m0, x.shape)], opset=24)
    [y] = hamkaas.onnx.prepare(model)([x])
    wanted = numpy_helper.to_float8e8m0(x, bool(saturate), mode)
    np.testing.assert_array_equal(y.view("uint8"), wanted.view("uint8"))


def make_range(nodes, shape):
    """A Range up to the value that the nodes compute from a and b."""
    return make_model(
        [*nodes, ("ReduceSum", ["p"], ["limit"], {"keepdims": 0}),
         ("Range", ["zero", "limit", "one"], ["y"])],
        [("a", FLOAT, shape), ("b", FLOAT, shape)], [("y", FLOAT, ["m"])],
        {"zero": np.float32(0), "one": np.float32(1)})


PREDICTED = {
    "sizes open": make_range([("MatMul", ["a", "b"], ["p"])], ["n", "n"]),
    "sizes known": make_range([("Mul", ["a", "b"], ["p"])], [5000]),
}


@pytest.mark.parametrize("name", PREDICTED)
def test_predicted_sizes(name, tmp_path):
    # No elements of inputs would do, so there is no advice.
    path = tmp_path / "model.onnx"
    path.write_bytes(PREDICTED[name].SerializeToString())
    for refuse in (hamkaas.onnx.prepare, hk.load):
        with pytest.raises(hk.UnsupportedError, match="depends on 'a', 'b' by "
                           "way of node 'p' .M.*not supported") as error:
            refuse(path)
        assert "const" not in str(error.value)
        assert "dim" not in str(error.value)


def test_predicted_sizes_of_a_call():
    run = hamkaas.onnx.prepare(make_range([("Mul", ["a", "b"], ["p"])], ["n"]))
    half = np.full(4, 0.5, "float32")
    [y] = run([half, half * 4])
    np.testing.assert_array_equal(y, np.arange(4, dtype="float32"))
    ones = np.ones(5000, "float32")
    with pytest.raises(hk.UnsupportedError, match="by way of node 'p'"):
        run([ones, ones])


SCATTER = {
    "elements": ("ScatterElements", ["z", "i", "z"], ["y"], {"axis": 0}),
    "tuples": ("ScatterND", ["z", "i", "z"], ["y"]),
}


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("name", SCATTER)
@pytest.mark.parametrize("is_constant", [False, True])
def test_one_value_in_two_roles(name, is_constant, device):
    z, i = np.float32([1, 2, 3]), np.int64([2, 0, 1])
    indices = i if name == "elements" else i[:, None]
    expected = z.copy()
    expected[i] = z
    model = make_model(
        [SCATTER[name]],
        [("i", INT64, indices.shape)] + [("z", FLOAT, [3])] * (not is_constant),
        [("y", FLOAT, [3])], {"z": z} if is_constant else {}, opset=16)
    run = hamkaas.onnx.prepare(model, device)
    [y] = run([indices] if is_constant else [indices, z])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_wrong_indices(device):
    x = np.arange(18, dtype="float32").reshape(3, 6)
    run = hamkaas.onnx.prepare(make_model(
        [("GatherND", ["x", "i"], ["y"])],
        [("x", FLOAT, [3, 6]), ("i", INT64, [1, 2])], [("y", FLOAT, [1])]),
        device)
    assert run([x, np.int64([[-1, -6]])]) == [[12]]
    with pytest.raises(hk.HamKaasError, match="component 1 of the indices to "
                       "mean one of the 6 elements of dimension 1, got 6"):
        run([x, np.int64([[0, 6]])])


def test_external_data(tmp_path):
    model = make_sub()
    onnx.external_data_helper.convert_model_to_external_data(
        model, location="data", size_threshold=0)
    repository = tmp_path / "models--a--b"
    snapshot = repository / "snapshots" / "0"
    snapshot.mkdir(parents=True)
    onnx.save(model, str(snapshot / "model.onnx"))
    (repository / "blobs").mkdir()
    (snapshot / "data").replace(repository / "blobs" / "1")
    (snapshot / "data").symlink_to("../../blobs/1")
    expected = X + np.float32([1, 2, 3])
    [y] = hamkaas.onnx.prepare(snapshot / "model.onnx")([X, 2 * X])
    np.testing.assert_array_equal(y, expected)
    # The same beside a folder of another name.
    other = (repository / "blobs").rename(tmp_path / "other")
    (snapshot / "data").unlink()
    (snapshot / "data").symlink_to(other / "1")
    for refuse in (hamkaas.onnx.prepare, hk.load):
        with pytest.raises(hk.HamKaasError, match="no symbolic link.*"
                           "external_data_root=DIR"):
            refuse(snapshot / "model.onnx")
        assert refuse(snapshot / "model.onnx", external_data_root=other)
    [y] = hamkaas.onnx.prepare(str(snapshot / "model.onnx"),
                               external_data_root=str(tmp_path))([X, 2 * X])
    np.testing.assert_array_equal(y, expected)
