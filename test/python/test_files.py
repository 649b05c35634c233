# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in files, and files that are none."""

import os

import numpy as np
import pytest

import hamkaas as hk

X = np.float32([[1, -2, 3]])


def make(**options):
    x = hk.input("x", [1, 3])
    ones = np.ones([1, 1], "float32")
    node = (x @ np.eye(3, dtype="float32") + ones).relu()
    return hk.compile(node, **options)


def test_save_and_load(tmp_path):
    make(name="net").save(tmp_path / "net.so")
    assert (tmp_path / "net.h").exists()
    model = hk.load(tmp_path / "net.so")
    assert model.name == "net"
    np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])
    assert "matmul" in str(model.report)
    with pytest.raises(hk.HamKaasError):
        model.graph.script
    with pytest.raises(hk.HamKaasError):
        model.save(tmp_path / "again.so")
    with pytest.raises(hk.HamKaasError, match="^unchecked: expected a model "
                       "to compile, got the compiled model '.*/net.so'$"):
        hk.load(tmp_path / "net.so", unchecked=True)
    with pytest.raises(hk.HamKaasError, match="expected neither a name nor"):
        hk.load(tmp_path / "net.so", name="other")
    hk.load(tmp_path / "net.so", compile_threads=1, cache=False)


def test_libraries_return_arrays_and_tuples(tmp_path):
    """Lists and dictionaries are no part of a library; tuples are."""
    x = hk.input("x", [2])
    results = {
        "node": x, "tuple": (x,), "list": [x], "nested": ((x,),),
        "dictionary": {"y": x}, "pair": (x, -x), "two": {"y": x, "z": (-x,)}}
    value = np.float32([1, 2])
    hk.compile({name: hk.function(result) for name, result in
                results.items()}).save(tmp_path / "results.so")
    loaded = hk.load(tmp_path / "results.so")
    for name, result in results.items():
        hk.compile(result).save(tmp_path / f"{name}.so")
        for got in (loaded.functions[name].run({"x": value}),
                    hk.load(tmp_path / f"{name}.so").run({"x": value}),
                    loaded.new_instance().functions[name].run({"x": value})):
            expected = {"node": value, "dictionary": value,
                        "pair": (value, -value), "two": (value, -value)
                        }.get(name, (value,))
            assert type(got) is type(expected)
            np.testing.assert_array_equal(got, expected)


def test_precision(tmp_path):
    model = make(target="cpu,cuda", precision="tf32")
    model.save(tmp_path / "own.so")
    assert "in the precision tf32" in (tmp_path / "own.h").read_text()
    model.save(tmp_path / "other.so", precision="3xtf32")
    assert "in the precision 3xtf32" in (tmp_path / "other.h").read_text()
    with pytest.raises(hk.HamKaasError, match="^precision: expected a model"):
        hk.load(tmp_path / "own.so", precision="tf32")
    with pytest.raises(hk.HamKaasError, match="^precision='tf32': expected a "
                       "target of cuda, .* got 'cpu'"):
        make(precision="tf32")
    with pytest.raises(hk.HamKaasError, match="^precision: .* got 'half'"):
        make(precision="half")
    with pytest.raises(TypeError, match="expected precision to be a text"):
        model.save(tmp_path / "wrong.so", precision=32)


def test_save_without_weights(tmp_path):
    make().save(tmp_path / "net.so", embed_weights=False)
    with pytest.raises(hk.HamKaasError, match="constant_0"):
        hk.load(tmp_path / "net.so")
    weights = {"constant_0": 2 * np.eye(3, dtype="float32"),
               "constant_1": np.ones([1, 1], "float32")}
    model = hk.load(tmp_path / "net.so", parameters=weights)
    np.testing.assert_array_equal(model.run({"x": X}), [[3, 0, 7]])
    # Loaded weights can take the place of embedded ones.
    make().save(tmp_path / "full.so")
    model = hk.load(tmp_path / "full.so", parameters={
        "constant_0": weights["constant_0"]})
    np.testing.assert_array_equal(model.run({"x": X}), [[3, 0, 7]])


def test_load_script_and_mlir(tmp_path):
    model = make(name="net")
    (tmp_path / "net.hk").write_text(model.graph.script)
    (tmp_path / "net.mlir").write_text(model.graph.mlir)
    weights = {"constant_0": np.asfortranarray(np.eye(3, dtype="float32")),
               "constant_1": np.ones([1, 1], "float32")}
    for name in ("net.hk", "net.mlir"):
        loaded = hk.load(tmp_path / name, parameters=weights, name="other")
        assert loaded.name == "other"
        np.testing.assert_array_equal(loaded.run({"x": X}), [[2, 0, 4]])
        loaded.save(tmp_path / "again.so")
        again = hk.load(str(tmp_path / "again.so"))
        np.testing.assert_array_equal(again.run({"x": X}), [[2, 0, 4]])


def test_load_with_weights_file(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy",
                                      reason="needs safetensors")
    (tmp_path / "net.hk").write_text(make().graph.script)
    file = tmp_path / "net.safetensors"
    safetensors.save_file({"constant_0": 2 * np.eye(3, dtype="float32"),
                           "constant_1": np.ones([1, 1], "float32")}, file)
    model = hk.load(tmp_path / "net.hk", weights=file)
    np.testing.assert_array_equal(model.run({"x": X}), [[3, 0, 7]])


def test_several_outputs(tmp_path):
    (tmp_path / "two.mlir").write_text("""
func.func @main(%x: tensor<2xf32> {hamkaas.name = "x"})
    -> (tensor<2xf32> {hamkaas.name = "relu"},
        tensor<2xf32> {hamkaas.name = "sum"}) {
  %0 = hamkaas.relu %x : tensor<2xf32>
  %1 = hamkaas.add %x, %x : tensor<2xf32>, tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
""")
    model = hk.load(tmp_path / "two.mlir")
    x = np.float32([-1, 2])
    relu, total = model.run({"x": x})
    assert list(relu) == [0, 2] and list(total) == [-2, 4]
    place = np.zeros(2, "float32")
    results = model.run({"x": x}, out={"sum": place})
    assert results[1] is place and list(place) == [-2, 4]
    with pytest.raises(hk.HamKaasError, match="overlaps output 'relu'"):
        model.run({"x": x}, out={"relu": place, "sum": place})


@pytest.mark.parametrize("content, text", [
    (None, "No such file"),
    (b"", "model"),
    (b"$1 = ReLUNode($2);", "unknown node"),
    (b"\x7fELF", ""),
    (b"\x7fELF" + bytes(100), ""),
    (bytes(range(256)), ""),
])
def test_wrong_files(tmp_path, content, text):
    path = tmp_path / "model"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(hk.HamKaasError) as info:
        hk.load(path)
    assert text in str(info.value)


def test_wrong_paths(tmp_path):
    for path in (tmp_path, "", "a\0b"):
        with pytest.raises(ValueError):
            hk.load(path)
        with pytest.raises(ValueError):
            make().save(path)
    with pytest.raises(TypeError):
        hk.load(None)
    with pytest.raises(hk.HamKaasError):
        make().save(tmp_path / "missing" / "net.so")
    with pytest.raises(hk.HamKaasError):
        make().save(tmp_path / "net.txt")


def test_load_from_a_pipe():
    read, write = os.pipe()
    os.write(write, make().graph.script.encode())
    os.close(write)
    model = hk.load(f"/dev/fd/{read}", parameters={
        "constant_0": 2 * np.eye(3, dtype="float32"),
        "constant_1": np.ones([1, 1], "float32")})
    os.close(read)
    np.testing.assert_array_equal(model.run({"x": X}), [[3, 0, 7]])


def test_load_from_a_pipe_without_a_writer(tmp_path):
    os.mkfifo(tmp_path / "net.hk")
    with pytest.raises(hk.HamKaasError, match="net.hk', the file is empty"):
        hk.load(tmp_path / "net.hk")


def test_load_other_text(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(hk.HamKaasError, match="a pointer of git-lfs"):
        hk.load(path)


def test_zero_bytes(tmp_path):
    """C would end a text there and use another file than was named."""
    model = hk.compile(hk.state([1], name="s").relu())
    script = tmp_path / "net.hk"
    script.write_text(model.graph.script)
    path = f"{tmp_path}/file\0.so"
    for use in (model.save, hk.load, model.state.save, model.state.load,
                lambda path: hk.load(script, weights=path),
                lambda _: model.new_instance(device="reference\0"),
                lambda _: model.save(tmp_path / "x.so", target_cpu="host\0")):
        with pytest.raises(hk.HamKaasError, match="without zero bytes"):
            use(path)
    assert list(tmp_path.iterdir()) == [script]


def test_path_that_is_not_utf8(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"net\xff.hk")
    with pytest.raises(hk.HamKaasError, match="a path in UTF-8, got .* 0xff"):
        hk.load(os.fsdecode(path))


def test_wrong_parameters(tmp_path):
    (tmp_path / "net.hk").write_text(make().graph.script)
    with pytest.raises(hk.HamKaasError) as info:
        hk.load(tmp_path / "net.hk", parameters={
            "constant_0": np.zeros([3, 2], "float32"),
            "constant_1": np.zeros([1, 1]), "w": np.zeros(1, "float32")})
    assert str(info.value).splitlines() == [
        "expected parameter 'constant_0' to be float32 [3, 3], got float32 "
        "[3, 2]",
        "expected parameter 'constant_1' to be float32 [1, 1], got float64 "
        "[1, 1]",
        "unknown parameter 'w', model 'net' has 'constant_0', 'constant_1'",
    ]


def test_load_verifies_a_library(tmp_path):
    path = tmp_path / "model.so"
    x = hk.input("x", [1, 2])
    hk.compile(x @ np.float32([[1], [20000]])).save(path)
    assert hk.load(path, verify=True).run({"x": np.float32([[1, 2]])}) == 40001
    contents = bytearray(path.read_bytes())
    contents[contents.index(np.float32([1, 20000]).tobytes()) + 4] ^= 1
    path.write_bytes(contents)
    with pytest.raises(hk.HamKaasError,
                       match="model.so' was damaged or changed: expected "
                             "digest [0-9a-f]{64}, got [0-9a-f]{64}$"):
        hk.load(path, verify=True)
    # Another weight is as good as any.
    assert hk.load(path).run({"x": np.float32([[1, 2]])}) != 40001
