# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose weights become narrow, and the program hamkaas-quantize."""

import os
import re
import signal
import subprocess
import sys

import hamkaas.onnx
import numpy as np
import onnx
import onnx.checker
import onnx.parser
import pytest
from hamkaas import HamKaasError
from hamkaas.quantize import command, compare, quantize
from hamkaas.quantize.rounding import Rounding, measure, restore, round_rows
from onnx import numpy_helper

ROUNDINGS = [Rounding(bits, block, asymmetric) for bits in (4, 8)
             for block in (16, 32, 128) for asymmetric in (False, True)]


def close(a, b):
    return np.allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max())


#===-----------------------------------------------------------------------===#
# Rounding
#===-----------------------------------------------------------------------===#

def test_codes_of_an_example():
    """Numbers that are worked out by hand."""
    x = np.zeros([1, 32], np.float32)
    x[0, :6] = [-4, 3.5, 0.25, -0.25, 0.2, 1]
    codes = round_rows(x, Rounding(4, 16))
    np.testing.assert_array_equal(codes.scales, [[0.5, 0]])
    # -8 + 8, 7 + 8, round(0.5 + 8), round(-0.5 + 8), round(0.4 + 8), 2 + 8.
    np.testing.assert_array_equal(codes.codes[0, 0],
                                  [0xf0, 0x89, 0xa8] + [0x88] * 5)
    assert codes.zeros is None
    x[0, :6] = [-1, 6.5, 0.25, -0.25, 0.2, 1]
    codes = round_rows(x, Rounding(4, 16, True))
    np.testing.assert_array_equal(codes.scales, [[0.5, 0]])
    np.testing.assert_array_equal(codes.zeros, [[0x02]])
    # -2 + 2, 13 + 2, round(0.5 + 2), round(-0.5 + 2), round(0.4 + 2), 2 + 2.
    np.testing.assert_array_equal(codes.codes[0, 0],
                                  [0xf0, 0x23, 0x42] + [0x22] * 5)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("columns", [256, 300])
def test_numbers_are_rounded_to_nearest(rng, rounding, dtype, columns):
    x = rng.standard_normal([9, columns]).astype(dtype)
    x[1] = np.abs(x[1])
    x[2] = 0
    codes = round_rows(x, rounding)
    wide = restore(codes, 0, 9)
    padded = np.repeat(codes.scales.astype(np.float32), rounding.block, 1)
    step = np.abs(padded[:, :columns])
    error = np.abs(wide - x)
    # The largest number of the other sign may be half a step more away, and
    # scales are numbers of 11 bits.
    slack = 1e-4 if dtype == "float32" else 0.1
    inside = error <= step * (0.5 + slack)
    if rounding.asymmetric:
        assert inside.all()
    else:
        assert (error <= step * (1 + slack)).all() and inside.mean() > 0.97
    np.testing.assert_array_equal(wide[2], 0)
    errors = measure(x, codes)
    exact = x.astype(np.float64)
    assert np.isclose(errors.relative, np.linalg.norm(wide - exact) /
                      np.linalg.norm(exact), rtol=1e-9)
    assert errors.largest == np.abs(wide - exact).max()
    assert errors.greatest == np.abs(exact).max()


def test_finer_codes_have_smaller_errors(rng):
    x = rng.standard_normal([16, 256]).astype(np.float32)

    def error(*rounding):
        return measure(x, round_rows(x, Rounding(*rounding))).relative

    assert error(8, 32) < error(4, 16) / 10
    assert error(4, 16) < error(4, 32) < error(4, 128)
    # All numbers of one sign use half of the codes around 0.
    x = np.abs(x)
    assert error(4, 32, True) < error(4, 32) * 0.6


def test_numbers_without_an_inverse():
    """Their scale is a denormal."""
    x = np.full([1, 32], 1e-39, np.float32)
    codes = round_rows(x, Rounding())
    np.testing.assert_array_equal(restore(codes, 0, 1), 0)


#===-----------------------------------------------------------------------===#
# ONNX models
#===-----------------------------------------------------------------------===#

def parse(text, weights, opset=17, version=9):
    model = onnx.parser.parse_model(
        f'<ir_version: {version}, opset_import: ["": {opset}]>{text}')
    model.graph.initializer.extend(numpy_helper.from_array(value, name)
                                   for name, value in weights.items())
    return model


def draw(rng, *shape, dtype="float32"):
    return (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(dtype)


NETWORK = """
net (int64[n] ids) => (float[n,300] y, float[n,128] e2) {
  e = Gather(emb, ids)
  t = Transpose<perm=[1,0]>(emb)
  h = MatMul(e, w1)
  r = Relu(h)
  g = Gemm<transB=1>(r, w2, b2)
  y = MatMul(g, t)
  e2 = MatMul(y, w3)
}"""
IDS = np.array([0, 7, 299])


def make_network(path, rng, **options):
    weights = {"emb": draw(rng, 300, 128), "w1": draw(rng, 128, 512),
               "w2": draw(rng, 128, 512), "b2": draw(rng, 128),
               "w3": draw(rng, 300, 128)}
    model = parse(NETWORK, weights)
    onnx.save(model, path, **options)
    return weights


def run_network(w):
    e = w["emb"][IDS]
    g = np.maximum(e @ w["w1"], 0) @ w["w2"].T + w["b2"]
    y = g @ w["emb"].T
    return [y, y @ w["w3"]]


def round_trip(matrix, rounding, by_columns):
    rows = matrix.T if by_columns else matrix
    wide = restore(round_rows(rows, rounding), 0, len(rows))
    return wide.T if by_columns else wide


def operators(graph):
    return [node.op_type for node in graph.node]


def names_of(model):
    return {tensor.name for tensor in model.graph.initializer}


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_network(tmp_path, rng, rounding):
    """Computes the network of the numbers that the codes stand for."""
    weights = make_network(tmp_path / "a.onnx", rng)
    report = quantize(tmp_path / "a.onnx", tmp_path / "b.onnx",
                      bits=rounding.bits, block=rounding.block,
                      asymmetric=rounding.asymmetric)
    small = onnx.load(tmp_path / "b.onnx")
    onnx.checker.check_model(small)
    assert operators(small.graph) == [
        "Reshape", "GatherBlockQuantized", "MatMulNBits", "Relu", "MatMulNBits",
        "Add", "MatMulNBits", "MatMulNBits"]
    # The product and the embedding share one table.
    parts = ["codes", "scales"] + ["zeros"] * rounding.asymmetric
    assert names_of(small) == {"b2", "emb.codes.shape"} | {
        f"{name}.{part}" for name in ("emb", "w1", "w2", "w3")
        for part in parts}
    narrow = {name: round_trip(weights[name], rounding, name in ("w1", "w3"))
              for name in ("emb", "w1", "w2", "w3")}
    results = hamkaas.onnx.prepare(tmp_path / "b.onnx")([IDS])
    for result, expected in zip(results, run_network({**weights, **narrow})):
        assert close(result, expected)
    assert [layer.name for layer in report.layers] == ["emb", "w1", "w2", "w3"]
    for layer in report.layers:
        wide = weights[layer.name]
        assert layer.shape == wide.shape and layer.before == wide.nbytes
        assert layer.after == sum(
            len(tensor.raw_data) for tensor in small.graph.initializer
            if tensor.name.rpartition(".")[0] == layer.name)
        assert np.isclose(layer.errors.relative,
                          np.linalg.norm(wide - narrow[layer.name]) /
                          np.linalg.norm(wide), rtol=1e-5)
    assert report.before == os.path.getsize(tmp_path / "a.onnx")
    assert report.after == os.path.getsize(tmp_path / "b.onnx")
    assert report.left == [] and report.small == 0


def test_choice_of_weights(tmp_path, rng):
    weights = make_network(tmp_path / "a.onnx", rng)
    report = quantize(tmp_path / "a.onnx", tmp_path / "b.onnx", keep=["?2"],
                      min_elements=300 * 128 + 1)
    assert [layer.name for layer in report.layers] == ["w1"]
    assert report.left == [("w2", "is kept by '?2'")]
    assert report.small == 2
    small = onnx.load(tmp_path / "b.onnx")
    assert operators(small.graph) == [
        "Gather", "Transpose", "MatMulNBits", "Relu", "Gemm", "MatMul",
        "MatMul"]
    report = quantize(tmp_path / "a.onnx", tmp_path / "b.onnx",
                      embedding_bits=0)
    assert report.left == [("emb", "is an embedding")]
    small = onnx.load(tmp_path / "b.onnx")
    assert {"emb", "emb.codes"} <= names_of(small)
    # The error falls with the bits of the embedding.
    quantize(tmp_path / "a.onnx", tmp_path / "c.onnx", embedding_bits=8)
    errors = [compare(tmp_path / "a.onnx", path, inputs={"ids": IDS})[0]
              for path in (tmp_path / "b.onnx", tmp_path / "c.onnx")]
    assert errors[0].name == "y" and errors[0].arithmetic == "exact"
    narrow = {name: round_trip(weights[name], Rounding(), name != "w2")
              for name in ("w1", "w2", "w3")}
    results = hamkaas.onnx.prepare(tmp_path / "c.onnx")([IDS])
    e = round_trip(weights["emb"], Rounding(8, 32), False)[IDS]
    g = np.maximum(e @ narrow["w1"], 0) @ narrow["w2"].T + weights["b2"]
    y = g @ round_trip(weights["emb"], Rounding(), False).T
    assert close(results[0], y)


def test_outputs_are_compared(tmp_path, rng):
    weights = make_network(tmp_path / "a.onnx", rng)
    quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    found = compare(tmp_path / "a.onnx", tmp_path / "b.onnx",
                    inputs={"ids": IDS})
    assert [(output.name, output.arithmetic) for output in found] == [
        ("y", "exact"), ("e2", "exact"), ("y", "int8"), ("e2", "int8")]
    results = hamkaas.onnx.prepare(tmp_path / "b.onnx")([IDS])
    for output, result, expected in zip(found, results, run_network(weights)):
        assert np.isclose(output.errors.relative, np.linalg.norm(
            result - expected) / np.linalg.norm(expected), rtol=1e-4)
    assert 0.02 < found[0].errors.relative < 0.2
    assert found[2].errors.relative != found[0].errors.relative
    again = compare(tmp_path / "a.onnx", tmp_path / "b.onnx",
                    dims={"n": 2}, seed=3)
    assert again == compare(tmp_path / "a.onnx", tmp_path / "b.onnx",
                            dims={"n": 2}, seed=3)
    with pytest.raises(HamKaasError, match="'n' of input 'ids' has no size: "
                                           "give --dim n=N"):
        compare(tmp_path / "a.onnx", tmp_path / "b.onnx")
    with pytest.raises(HamKaasError, match="unknown input 'x', the model has "
                                           "'ids'"):
        compare(tmp_path / "a.onnx", tmp_path / "b.onnx", inputs={"x": IDS})


def check_left(tmp_path, model, reason, **options):
    """No weight of the model can be narrow."""
    onnx.save(model, tmp_path / "a.onnx")
    with pytest.raises(HamKaasError, match="expected constant weights of "
                       "products or embeddings, got none that can be narrow" +
                       reason):
        quantize(tmp_path / "a.onnx", tmp_path / "b.onnx", **options)
    assert sorted(os.listdir(tmp_path)) == ["a.onnx"]


@pytest.mark.parametrize("call, reason", [
    ("Gemm<alpha = 2.0>(x, w)", "; 'w' is multiplied by 'alpha'"),
    ("Gemm<beta = 2.0>(x, w, x)", "; 'w' has a factor 'beta' beside it"),
    ("Gemm<transA = 1>(x, w)", "; 'w' has a transposed left side"),
    ("Gather<axis = 1>(w, i)", "$"),
    ("MatMul(w, x)", "$"),
    ("Add(x, w)", "$"),
])
def test_weights_that_stay(tmp_path, rng, call, reason):
    model = parse("m (float[128,128] x, int64[2] i) => (float[a,b] y) { y = " +
                  call + "}", {"w": draw(rng, 128, 128)})
    check_left(tmp_path, model, reason)


def test_contents_that_stay(tmp_path, rng):
    text = "m (float[2,128] x) => (float[2,128] y) { y = MatMul(x, w) }"
    check_left(tmp_path, parse(text.replace("float[", "double["),
                               {"w": draw(rng, 128, 128, dtype="float64")}),
               "; 'w' is of double, not of float or float16")
    check_left(tmp_path, parse(text, {"w": draw(rng, 128, 127)}),
               "; 1 have fewer than 16384 numbers")
    for value in (np.nan, np.inf):
        weight = draw(rng, 128, 128)
        weight[3, 5] = value
        check_left(tmp_path, parse(text, {"w": weight}),
                   "; 'w' has numbers that are not finite")
    check_left(tmp_path, parse(
        "m (float[2,128] x, float[128,128] w) => (float[2,128] y) "
        "{ y = MatMul(x, w) }", {"w": draw(rng, 128, 128)}),
        "; 'w' is the default of an input")
    check_left(tmp_path, parse(
        "m (int64[2] i) => (float[2,72] y) { y = Gather(w, i) }",
        {"w": draw(rng, 256, 72)}),
        "; 'w' has rows of 72 numbers, no multiple of 32")
    check_left(tmp_path, parse(text, {"w": draw(rng, 128, 128)}),
               "; 'w' is kept by 'w'", keep=["w"])


def test_inputs_of_old_versions(tmp_path, rng):
    """All weights are inputs of version 3."""
    onnx.save(parse(
        "m (float[2,128] x, float[128,128] w) => (float[2,128] y) "
        "{ y = MatMul(x, w) }", {"w": draw(rng, 128, 128)}, version=3),
        tmp_path / "a.onnx")
    quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    small = onnx.load(tmp_path / "b.onnx")
    assert [value.name for value in small.graph.input] == ["x"]
    assert names_of(small) == {"w.codes", "w.scales"}


def test_half_and_constants(tmp_path, rng):
    """Weights of float16, by a node Constant behind Identity."""
    weight = draw(rng, 128, 144, dtype="float16")
    model = parse("m (float16[3,128] x) => (float16[3,144] y) { "
                  "v = Identity(w) y = MatMul(x, v) }", {})
    model.graph.node.insert(0, onnx.helper.make_node(
        "Constant", [], ["w"], value=numpy_helper.from_array(weight)))
    onnx.save(model, tmp_path / "a.onnx")
    report = quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    small = onnx.load(tmp_path / "b.onnx")
    assert operators(small.graph) == ["MatMulNBits"]
    assert small.graph.initializer[1].data_type == onnx.TensorProto.FLOAT16
    x = draw(rng, 3, 128, dtype="float16")
    result, = hamkaas.onnx.prepare(small)([x])
    expected = x.astype("float32") @ round_trip(weight, Rounding(), True)
    assert result.dtype == np.float16
    np.testing.assert_allclose(result, expected, atol=2e-3)
    assert report.layers[0].before == weight.nbytes


def test_bodies(tmp_path, rng):
    """Weights of a graph in a branch, its own and those around it."""
    weight, inner = draw(rng, 128, 128), draw(rng, 128, 128)
    model = parse("""m (float[2,128] x, bool b) => (float[2,128] y) {
      y = If(b) <then_branch = t () => (float[2,128] u) { u = MatMul(x, w) },
                 else_branch = f () => (float[2,128] v) { v = MatMul(x, k) }>
    }""", {"w": weight})
    branch, = [a.g for a in model.graph.node[0].attribute
               if a.name == "else_branch"]
    branch.initializer.append(numpy_helper.from_array(inner, "k"))
    onnx.save(model, tmp_path / "a.onnx")
    quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    small = onnx.load(tmp_path / "b.onnx")
    assert names_of(small) == {f"{name}.{part}" for name in "wk"
                               for part in ("codes", "scales")}
    for attribute in small.graph.node[0].attribute:
        assert operators(attribute.g) == ["MatMulNBits"]
        assert not attribute.g.initializer
    x = draw(rng, 2, 128)
    run = hamkaas.onnx.prepare(small)
    for flag, matrix in ((True, weight), (False, inner)):
        assert close(run([x, np.array(flag)])[0],
                     x @ round_trip(matrix, Rounding(), True))


def test_models_that_are_not_valid(tmp_path, rng):
    model = parse("m (float[2,128] x) => (float[2,128] y) { y = MatMul(x, w) }",
                  {"w": draw(rng, 128, 128)})

    def check(text, contents):
        (tmp_path / "a.onnx").write_bytes(contents)
        with pytest.raises(HamKaasError, match=re.escape(text)):
            quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
        assert os.listdir(tmp_path) == ["a.onnx"]

    contents = model.SerializeToString()
    check("expected names in UTF-8, got " + repr(b"Mat\xfful"),
          contents.replace(b"MatMul", b"Mat\xfful"))
    check("expected an ONNX model, got a file that is none",
          contents[:-5])
    model.graph.node[0].input.pop()
    check("node 'y' (MatMul): expected 2 inputs and 1 output, got 1 and 1",
          model.SerializeToString())
    model.graph.node[0].input.append("w")
    model.graph.initializer[0].raw_data = bytes(100)
    check("tensor 'w': ", model.SerializeToString())
    model.graph.initializer[0].data_type = 99
    check("'w' is of type 99, not of float", model.SerializeToString())


def test_names_that_are_taken(tmp_path, rng):
    onnx.save(parse("""m (float[2,128] x) => (float[2,128] y) {
      w.codes = MatMul(x, w)
      y = MatMul(w.codes, w)
    }""".replace("w.codes", "w_codes"), {"w": draw(rng, 128, 128)}),
        tmp_path / "a.onnx")
    model = onnx.load(tmp_path / "a.onnx")
    model.graph.node[0].output[0] = model.graph.node[1].input[0] = "w.codes"
    onnx.save(model, tmp_path / "a.onnx")
    quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    small = onnx.load(tmp_path / "b.onnx")
    onnx.checker.check_model(small)
    assert names_of(small) == {"w.codes.2", "w.scales"}


def test_external_data(tmp_path, rng):
    weights = make_network(tmp_path / "a.onnx", rng, save_as_external_data=True,
                           location="weights.bin", size_threshold=0)
    make_network(tmp_path / "b.onnx", np.random.default_rng(20260101))
    (tmp_path / "out").mkdir()
    report = quantize(tmp_path / "a.onnx", tmp_path / "out/a.onnx",
                      keep=["w3"])
    # Beside the model that was read, nothing of it is needed.
    (tmp_path / "weights.bin").unlink()
    assert report.after == sum(os.path.getsize(tmp_path / "out" / name)
                               for name in ("a.onnx", "a.onnx.data"))
    assert os.path.getsize(tmp_path / "out/a.onnx") < 3000
    quantize(tmp_path / "b.onnx", tmp_path / "out/b.onnx", keep=["w3"])
    quantize(tmp_path / "b.onnx", tmp_path / "out/c.onnx", keep=["w3"],
             external_data=True)
    results = [hamkaas.onnx.prepare(tmp_path / "out" / name)([IDS])[1]
               for name in ("a.onnx", "b.onnx", "c.onnx")]
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    assert sorted(os.listdir(tmp_path / "out")) == [
        "a.onnx", "a.onnx.data", "b.onnx", "c.onnx", "c.onnx.data"]
    loaded = onnx.load(tmp_path / "out/a.onnx")
    kept, = [tensor for tensor in loaded.graph.initializer
             if tensor.name == "w3"]
    np.testing.assert_array_equal(numpy_helper.to_array(kept), weights["w3"])


#===-----------------------------------------------------------------------===#
# Files of weights
#===-----------------------------------------------------------------------===#

FORMATS = {"q4_0": {}, "q4_1": {"asymmetric": True}, "q8_0": {"bits": 8}}

SCRIPT = """version = 3;
$1 = input("x", float32, [3, 128]);
$2 = parameter("w", uint8, [144, %d]);
$3 = dequantize_blocks($2, format=%s);
$4 = permute($3, permutation=[1, 0]);
$5 = matmul($1, $4);
$6 = parameter("b", float32, [1, 144]);
$7 = add($5, $6);
output("y", $7);
"""


def save_weights(path, **tensors):
    pytest.importorskip("safetensors.numpy").save_file(tensors, path)
    return pytest.importorskip("gguf")


@pytest.mark.parametrize("name", FORMATS)
def test_weights_of_a_script(tmp_path, rng, name):
    """A script runs with the file that is written."""
    w, b = draw(rng, 144, 128), draw(rng, 1, 144)
    gguf = save_weights(tmp_path / "w.safetensors", w=w, b=b)
    report = quantize(tmp_path / "w.safetensors", tmp_path / "w.gguf",
                      **FORMATS[name])
    kind = gguf.GGMLQuantizationType[name.upper()]
    codes = gguf.quantize(w, kind)
    (tmp_path / "m.hk").write_text(SCRIPT % (codes.shape[1], name))
    x = draw(rng, 3, 128)
    model = hamkaas.load(tmp_path / "m.hk", weights=tmp_path / "w.gguf")
    wide = gguf.dequantize(codes, kind)
    assert close(model.run({"x": x}), x @ wide.T + b)
    layer, = report.layers
    assert (layer.name, layer.format, layer.after) == ("w", name, codes.nbytes)
    assert np.isclose(layer.errors.relative, np.linalg.norm(wide - w) /
                      np.linalg.norm(w), rtol=1e-5)
    assert report.after == os.path.getsize(tmp_path / "w.gguf")


def test_tensors_of_all_types(tmp_path, rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    tensors = {
        "half": draw(rng, 128, 160, dtype="float16"),
        "brain": draw(rng, 128, 160).astype(ml_dtypes.bfloat16),
        "double": draw(rng, 128, 160, dtype="float64"),
        "kept": draw(rng, 128, 160), "odd": draw(rng, 160, 108),
        "infinite": np.full((128, 160), np.inf, np.float32),
        "small": draw(rng, 2, 32).astype(ml_dtypes.bfloat16),
        "filter": draw(rng, 3, 3, 64, 64),
        "index": np.arange(6, dtype=np.int64).reshape(2, 3)}
    gguf = save_weights(tmp_path / "w.safetensors", **tensors)
    report = quantize(tmp_path / "w.safetensors", tmp_path / "w.gguf",
                      keep=["ke*"])
    assert [layer.name for layer in report.layers] == ["brain", "half"]
    assert sorted(report.left) == [
        ("infinite", "has numbers above those of float16"),
        ("kept", "is kept by 'ke*'"),
        ("odd", "has rows of 108 numbers, no multiple of 32")]
    assert report.small == 1
    found = {tensor.name: tensor
             for tensor in gguf.GGUFReader(tmp_path / "w.gguf").tensors}
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        assert list(found[name].shape) == list(tensor.shape)[::-1]
        if name in ("half", "brain"):
            tensor = gguf.quantize(tensor.astype(np.float32),
                                   gguf.GGMLQuantizationType.Q4_0)
        assert found[name].data.tobytes() == tensor.tobytes()


def test_weights_that_are_refused(tmp_path, rng, check_error):
    source, out = tmp_path / "w.safetensors", tmp_path / "w.gguf"
    save_weights(source, w=draw(rng, 128, 128), b=np.zeros([3], bool))
    check_error("tensor 'b': expected elements that a GGUF file has, F32, F16,",
                source, "-o", out)
    save_weights(source, w=draw(rng, 128, 128), b=np.zeros([], np.float32))
    check_error("tensor 'b': expected the 1 to 4 dimensions, not empty, of a "
                "GGUF file, got []", source, "-o", out)
    save_weights(source, w=draw(rng, 128, 127), v=draw(rng, 512, 33))
    check_error(f"{source}: expected weights of two dimensions, got none that "
                "can be narrow; 'v' has rows of 33 numbers, no multiple of 32; "
                "1 have fewer than 16384 numbers", source, "-o", out)
    save_weights(source, w=draw(rng, 128, 128))
    for option in ("--block=64", "--embedding-bits=8", "--external-data"):
        check_error("a safetensors file becomes a GGUF file: expected blocks "
                    "of 32,", source, "-o", out, option)
    check_error("a safetensors file becomes a GGUF file: expected blocks of "
                "32,", source, "-o", out, "--bits=8", "--asymmetric")
    check_error("--input and --dim are for models, got a safetensors file",
                source, "-o", out, "--dim=n=2")
    check_error("expected another file than those that are read", source, "-o",
                source)
    script = tmp_path / "m.hk"
    script.write_text("""version = 2;
      $1 = InputTensor(x, float32, [3, 128]);
      $2 = ConstantTensor(w, float32, [128, 128]);
      $3 = MatMulNode($1, $2);
      result = $3;""")
    with_weights = [script, f"--weights={source}", "-o"]
    check_error("expected another file than those that are read", *with_weights,
                script)
    check_error("expected a script to write, such as model.hk, got",
                *with_weights, out)
    check_error("cannot write", *with_weights, tmp_path / "no/s.hk")
    check_error("the outputs were not compared: unknown input 'y', the model "
                "has 'x'", *with_weights, tmp_path / "s.hk",
                "--input=y=zeros")
    assert sorted(os.listdir(tmp_path)) == ["m.hk", "s.gguf", "s.hk",
                                            "w.safetensors"]
    os.truncate(source, 1000)
    check_error(f"{source}: expected a safetensors file: ", source, "-o", out)
    check_error(f"{source}: ", *with_weights, tmp_path / "t.hk")
    assert not out.exists() and not (tmp_path / "t.gguf").exists()


OLD_SCRIPT = """
$9 = InputTensor(x, float32, [3, 128]);
$2 = ConstantTensor(w, float32, [128, 144]);   # by columns
$3 = MatMulNode($9, $2); $4 = ConstantTensor(b, float32, [1, 144]);
$5 = SumNode($3, $4);
$6 = ConstantTensor(v, float32, [160, 144]);
$7 = PermuteNode($6, [1, 0]);                  # by rows
$8 = MatMulNode($5, $7);
result = $8;
"""

NEW_SCRIPT = r"""version = 3;
$1 = parameter("a \"w\"", float32, [128, 160]);
$2 = parameter("v", float32, [160, 160]);
$9 = parameter("h", float16, [160, 160]);
function one {
  $3 = input("x", float32, [3, 128]);
  $4 = matmul($3, $1);
  $5 = permute($2, permutation=[1, 0]);
  $6 = matmul($4, $5);
  output("y of $1", $6);
}
function two {
  $3 = input("i", int64, [2]);
  $4 = gather($2, $3, dim=0);
  $5 = gather($9, $3, dim=0);
  output("rows", $4);
  output("half", $5);
}
"""


def decode(gguf, matrix, by_columns):
    kind = gguf.GGMLQuantizationType.Q4_0
    rows = np.ascontiguousarray(matrix.T if by_columns else matrix)
    wide = gguf.dequantize(gguf.quantize(rows, kind), kind)
    return wide.T if by_columns else wide


def test_old_script(tmp_path, rng):
    w, v, b = draw(rng, 128, 144), draw(rng, 160, 144), draw(rng, 1, 144)
    # Rows of 144 have no blocks, but columns of 128.
    gguf = save_weights(tmp_path / "w.safetensors", w=w, v=v, b=b)
    (tmp_path / "m.hk").write_text(OLD_SCRIPT)
    report = quantize(tmp_path / "m.hk", tmp_path / "s.hk",
                      weights=tmp_path / "w.safetensors")
    assert [(layer.name, layer.shape) for layer in report.layers] == [
        ("w", (128, 144))]
    assert report.left == [
        ("v", "has rows of 144 numbers, no multiple of 32")]
    assert "PermuteNode($" in (tmp_path / "s.hk").read_text()
    x = draw(rng, 3, 128)
    model = hamkaas.load(tmp_path / "s.hk", weights=tmp_path / "s.gguf")
    expected = (x @ decode(gguf, w, True) + b) @ v.T
    assert close(model.run({"x": x}), expected)
    found = compare(tmp_path / "m.hk", tmp_path / "s.hk",
                    weights=tmp_path / "w.safetensors", inputs={"x": x})
    exact = (x @ w + b) @ v.T
    assert [output.arithmetic for output in found] == ["exact", "int8"]
    assert np.isclose(found[0].errors.relative, np.linalg.norm(
        expected - exact) / np.linalg.norm(exact), rtol=1e-3)


def test_new_script(tmp_path, rng):
    """Parameters of two functions, and one of another type."""
    w, v = draw(rng, 128, 160), draw(rng, 160, 160)
    h = draw(rng, 160, 160, dtype="float16")
    gguf = save_weights(tmp_path / "w.safetensors", v=v, h=h, **{'a "w"': w})
    (tmp_path / "m.hk").write_text(NEW_SCRIPT)
    report = quantize(tmp_path / "m.hk", tmp_path / "s.hk",
                      weights=tmp_path / "w.safetensors")
    assert sorted(layer.name for layer in report.layers) == ['a "w"', "v"]
    assert report.left == [("h", "is no parameter of float32")]
    model = hamkaas.load(tmp_path / "s.hk", weights=tmp_path / "s.gguf")
    x, i = draw(rng, 3, 128), np.array([3, 159])
    rows = decode(gguf, v, False)
    assert close(model.one.run({"x": x}), x @ decode(gguf, w, True) @ rows.T)
    found = model.two.run({"i": i})
    np.testing.assert_array_equal(found[0], rows[i])
    np.testing.assert_array_equal(found[1], h[i])


#===-----------------------------------------------------------------------===#
# The program
#===-----------------------------------------------------------------------===#

def call(*arguments):
    return subprocess.run([sys.executable, "-m", "hamkaas.quantize",
                           *map(str, arguments)],
                          capture_output=True, text=True)


@pytest.fixture
def check_error(capsys):
    """Checks the end of the program, in this process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]

    def check(text, *arguments):
        with pytest.raises(SystemExit) as info:
            command.main(list(map(str, arguments)))
        found = capsys.readouterr().err
        assert info.value.code == 1
        assert found.startswith("hamkaas-quantize: error: " + text), found

    yield check
    for number, handler in zip(numbers, handlers):
        signal.signal(number, handler)


def test_program(tmp_path, rng):
    make_network(tmp_path / "a.onnx", rng)
    np.save(tmp_path / "ids.npy", IDS)
    result = call(tmp_path / "a.onnx", "-o", tmp_path / "b.onnx", "--bits=8",
                  "--keep=w1", "--input", f"ids={tmp_path}/ids.npy")
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[1][2:] == ["8", "bits", "153.6", "kB", "->", "43.2", "kB",
                            "300x128", "emb"]
    assert 0 < float(lines[1][0].rstrip("%")) < 1
    assert "left: 'w1' is kept by 'w1'" in result.stdout
    assert "b.onnx: 3 narrow weights, 83" in result.stdout
    assert [line[2:] for line in lines[-4:]] == [
        ["exact", "y"], ["exact", "e2"], ["int8", "y"], ["int8", "e2"]]
    assert all(0 < float(line[0].rstrip("%")) < 2 for line in lines[-4:])
    # Without sizes the outputs are not compared, which is no error.
    result = call(tmp_path / "a.onnx", "-o", tmp_path / "b.onnx")
    assert result.returncode == 0
    assert result.stderr == (
        "hamkaas-quantize: warning: the outputs were not compared: the "
        "dimension 'n' of input 'ids' has no size: give --dim n=N\n")
    assert call(tmp_path / "a.onnx", "-o", tmp_path / "b.onnx",
                "--no-compare").stderr == ""


def test_help():
    result = call("--help")
    assert result.returncode == 0
    for text in ("hamkaas-quantize MODEL -o OUT", "--bits", "--keep",
                 "MatMulNBits", "hamkaas-run small.onnx"):
        assert text in result.stdout
    assert call("--version").stdout == f"HamKaas {hamkaas.__version__}\n"


def test_errors(tmp_path, rng, check_error, monkeypatch):
    model, out = tmp_path / "a.onnx", tmp_path / "b.onnx"
    make_network(model, rng)
    check_error("the following arguments are required: -o; see "
                "hamkaas-quantize --help", model)
    check_error("argument --bits: invalid choice: 3", model, "-o", out,
                "--bits=3")
    check_error("argument --min-elements: expected a number of 0 or more, got "
                "'-1'", model, "-o", out, "--min-elements=-1")
    check_error("cannot read", tmp_path / "none.onnx", "-o", out)
    check_error("--dim: expected a size of 1 or more for 'n', got '0'", model,
                "-o", out, "--dim=n=0")
    check_error("--input: expected NAME=VALUE, got 'x'", model, "-o", out,
                "--input=x")
    (tmp_path / "bad").write_bytes(b"\x7fELF no model")
    check_error(f"{tmp_path}/bad: expected an ONNX model", tmp_path / "bad",
                "-o", out)
    (tmp_path / "empty").write_bytes(b"")
    check_error(f"{tmp_path}/empty: expected an ONNX model, got one without "
                "nodes", tmp_path / "empty", "-o", out)
    check_error(f"{tmp_path}/bad: expected an npy file", model, "-o", out,
                f"--input=ids={tmp_path}/bad")
    check_error("expected another file than those that are read, got", model,
                "-o", model)
    check_error(f"cannot write '{tmp_path}/no/b.onnx': No such file or "
                "directory", model, "-o", tmp_path / "no/b.onnx")
    check_error(f"cannot write '{tmp_path}': expected the name of a file",
                model, "-o", tmp_path)
    assert not out.exists()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "onnx", None)
        check_error("this kind of file needs the package onnx: pip install "
                    "onnx", model, "-o", out)
    # The model that was written stays.
    check_error("the outputs were not compared: unknown input 'x'", model, "-o",
                out, "--input=x=zeros", "--dim=n=1")
    onnx.load(out)
    assert not [name for name in os.listdir(tmp_path) if "tmp" in name]


def test_damaged_data(tmp_path, rng, check_error):
    """Nothing is left of a file that could not be completed."""
    make_network(tmp_path / "a.onnx", rng, save_as_external_data=True,
                 location="weights.bin", size_threshold=0)
    os.truncate(tmp_path / "weights.bin", 400000)
    (tmp_path / "b.onnx").write_text("old")
    check_error("tensor 'w", tmp_path / "a.onnx", "-o", tmp_path / "b.onnx")
    assert sorted(os.listdir(tmp_path)) == ["a.onnx", "b.onnx", "weights.bin"]
    assert (tmp_path / "b.onnx").read_text() == "old"


def test_ends(tmp_path, rng):
    """Signals, and output that nobody can take."""
    make_network(tmp_path / "a.onnx", rng)
    code = """if True:
      import os, signal
      from hamkaas.quantize import command
      command._print_layer = lambda layer: os.kill(os.getpid(), signal.SIGTERM)
      command.main()"""
    arguments = [tmp_path / "a.onnx", "-o", tmp_path / "b.onnx", "--no-compare"]
    result = subprocess.run([sys.executable, "-c", code, *arguments],
                            capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (-signal.SIGTERM, "")
    assert os.listdir(tmp_path) == ["a.onnx"]
    with open("/dev/full", "w") as full:
        result = subprocess.run([sys.executable, "-m", "hamkaas.quantize",
                                 *arguments], stdout=full, text=True,
                                stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (
        1, "hamkaas-quantize: error: cannot write the report: No space left on "
        "device\n")
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run([sys.executable, "-m", "hamkaas.quantize",
                             *arguments], stdout=write, text=True,
                            stderr=subprocess.PIPE)
    os.close(write)
    assert (result.returncode, result.stderr) == (-signal.SIGPIPE, "")


def test_replaced_files(tmp_path, rng):
    """A link stays one, and so does the mode."""
    make_network(tmp_path / "a.onnx", rng)
    (tmp_path / "target").touch(mode=0o600)
    (tmp_path / "b.onnx").symlink_to("target")
    quantize(tmp_path / "a.onnx", tmp_path / "b.onnx")
    assert (tmp_path / "b.onnx").is_symlink()
    assert (tmp_path / "target").stat().st_mode & 0o777 == 0o600
    onnx.load(tmp_path / "target")
