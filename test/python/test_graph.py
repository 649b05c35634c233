# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes: what they refuse, where they say it is, and deep graphs."""

import copy
import importlib.util
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import hamkaas as hk

X = hk.input("x", [2, 6])
LONG = hk.input("n", [3], dtype="int64")

REFUSED = {
    "expected a shape of 0 to 8 dimensions, got 9":
        lambda: hk.input("x", [1] * 9),
    "expected a dimension of at least 1, got 0":
        lambda: hk.input("x", [2, 0]),
    "expected a dimension of at least 1, got -1":
        lambda: hk.state([-1]),
    "expected a shape of fewer than 2^47 elements":
        lambda: hk.input("x", [2**40, 2**40]),
    "float16, bfloat16, float32, float64, got 'complex64'":
        lambda: hk.input("x", [1], dtype="complex64"),
    "expected an element type such as float32, got >f4":
        lambda: hk.constant(np.zeros(3, ">f4")),
    "float16, bfloat16, float32, float64, got 'object'":
        lambda: hk.input("x", [1], dtype=object),
    "expected an element type such as float32, got 'a(b)'":
        lambda: hk.input("x", [1], dtype="a(b)"),
    "expected a name of printable characters":
        lambda: hk.input("a, b", [1]),
    "got 'a\\nb'":
        lambda: hk.state([1], name="a\nb"),
    "got ''":
        lambda: hk.constant(np.zeros(1, "float32"), name=""),
    "expected the last dimension of lhs (6) to match the rows of rhs (4)":
        lambda: X @ np.zeros([4, 2], "float32"),
    "got float32 and int64; convert one, such as by .astype('float32')":
        lambda: hk.input("y", [3]) + LONG,
    "got int64 and float32; convert one, such as by .astype('float32')":
        lambda: LONG + hk.input("y", [3]),
    "got int8 and uint64; convert one, such as by .astype('uint64')":
        lambda: hk.input("y", [3], "int8") + hk.input("z", [3], "uint64"),
    "expected a whole number beside int64, got 0.5; convert the tensor":
        lambda: LONG * 0.5,
    "expected whole numbers from 0 to 255 for uint8, got 256":
        lambda: hk.input("y", [3], "uint8") + 256,
    "'add': expected the operand 'lhs' to be a tensor of":
        lambda: (LONG == 1) + (LONG == 2),
    "are equal or 1, got [2, 6] and [2]":
        lambda: X + hk.input("y", [2]),
    "to have as many elements as x (12), got 10":
        lambda: X.reshape([2, 5]),
    "begin < end <= the first dimension of x (2), got begin 2 and end 2":
        lambda: X[2:3],
    "expected an index from -2 to 1, got 2":
        lambda: X[2],
    "expected indices of at most 2 dimensions, got 3 dimensions":
        lambda: X[0, 0, 0],
    "expected indices from -6 to 5, got 6":
        lambda: X[:, [0, 6]],
    "expected a mask whose elements are known, an array, got a tensor":
        lambda: X[X > 0],
    "expected a mask of the shape of what it chooses from, [2, 6], got [6, 2]":
        lambda: X[np.ones([6, 2], bool)],
    "got 0":
        lambda: X[np.zeros(2, bool)],
    "expected an axis from -2 to 1, got 2":
        lambda: hk.cumulative_sum(X, axis=2),
    "expected axes that differ, from -2 to 1, got [0, 0]":
        lambda: hk.sum(X, axis=[0, 0]),
    "expected a shape to which [2, 6] can be broadcast, got [6]":
        lambda: hk.broadcast_to(X, [6]),
    "expected axes of the same sizes, got [0, 1] of [2, 6] and [0, 1] of [6, 2]":
        lambda: hk.tensordot(X, X.T),
    "expected a prefix from 0 to the last dimension of x (6), got 7":
        lambda: X.sliced_softmax(7),
    "expected x to have at least rank 1":
        lambda: hk.input("x", []).slice(0, 1),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    with pytest.raises(hk.HamKaasError) as info:
        REFUSED[text]()
    assert text in str(info.value)
    file, line, _ = str(info.value).split(":", 2)
    assert file == __file__
    source = inspect.getsource(sys.modules[__name__]).splitlines()
    assert source[int(line) - 1].strip().startswith("lambda:")


@pytest.mark.parametrize("make", [
    lambda: X + hk.input("y", [2, 5]),
    lambda: X + hk.input("y", [5, 1, 1, 4]),
    lambda: X @ hk.input("y", [5]),
    lambda: hk.stack([X, hk.input("y", [6])]),
    lambda: hk.concat([X, LONG]),
    lambda: X & X,
    lambda: ~X,
    lambda: X << 1,
    lambda: hk.split(X, 4, axis=1),
    lambda: hk.roll(X, [1], axis=[0, 1]),
    lambda: hk.squeeze(X, 0),
    lambda: hk.take(X, np.float32([0])),
    lambda: hk.zeros([2, 0]),
    lambda: X.T.mT[..., 0].T,
    lambda: X.complex_mul(X),
    lambda: X.permute([0]),
    lambda: X.permute([0, 0]),
    lambda: X.permute([1, 2]),
    lambda: X.rms_norm(hk.input("w", [2])),
    lambda: X.replace(np.zeros([3, 6], "float32"), 0, 3),
    lambda: X.replace(np.zeros([1, 5], "float32"), 0, 1),
    lambda: X.replace(np.zeros([1, 6], "int64"), 0, 1),
    lambda: X.replace(X, LONG, LONG),
    lambda: X.sliced_softmax(LONG),
    lambda: X.sliced_softmax(-1),
    lambda: X.sliced_softmax(2**70),
    lambda: X[1:1],
    lambda: X[2],
    lambda: X.reshape([-1, 5]),
    lambda: X.reshape([-1, -1]),
    lambda: X + np.complex64(1j),
    lambda: np.complex128(1j) * X,
])
def test_also_refused(make):
    with pytest.raises(hk.HamKaasError, match="test_graph.py:[0-9]+: error: "):
        make()


@pytest.mark.parametrize("make", [
    lambda: X + "text",
    lambda: X + None,
    lambda: X @ 2.0,
    lambda: X + [1, 2],
    lambda: X.reshape(3),
    lambda: X.reshape(["2"]),
    lambda: X.reshape([2.0, 6.0]),
    lambda: X["a"],
    lambda: X[0.0],
    lambda: X & "text",
    lambda: hk.add(1, 2),
    lambda: hk.compile({1: X}),
    lambda: hk.compile([X, None]),
    lambda: len(hk.input("x", [])),
    lambda: bool(X == X),
    lambda: hk.input("x", 3),
    lambda: hk.input(3, [3]),
    lambda: hk.input(None, [3]),
    lambda: X * 1j,
    lambda: hk.constant([1.0, 2.0]),
    lambda: hk.constant(None),
    lambda: hk.constant(np.ma.masked_array(np.zeros(2, "float32"))),
    lambda: hk.Node(),
    lambda: hk.compile("text"),
    lambda: hk.write_script(None),
    lambda: list(X),
    lambda: X.rms_norm("w"),
])
def test_wrong_python_types(make):
    with pytest.raises(TypeError):
        make()


def test_note_names_the_operand():
    left = hk.input("left", [3])
    right = hk.input("right", [4, 5])
    line = inspect.currentframe().f_lineno - 1
    with pytest.raises(hk.HamKaasError) as info:
        left @ right
    assert f"{__file__}:{line}: note: defined here" in str(info.value)


def test_compilation_names_the_line():
    node = hk.input("x", [3]) + hk.input("x", [3])
    line = inspect.currentframe().f_lineno - 1
    with pytest.raises(hk.HamKaasError) as info:
        hk.compile(node)
    assert str(info.value).startswith(
        f"{__file__}:{line}: error: expected inputs of different names")


def test_run_names_the_line():
    position = hk.input("at", [1], dtype="int64")
    node = hk.input("x", [3]).sliced_softmax(position)
    line = inspect.currentframe().f_lineno - 1
    model = hk.compile(node)
    assert f"test_graph.py:{line}" in str(model.report)
    with pytest.raises(hk.HamKaasError) as info:
        model.run({"x": np.zeros(3, "float32"), "at": np.int64([4])})
    assert str(info.value).startswith(f"{__file__}:{line}: error: expected ")


@pytest.mark.parametrize("file, shown", [
    ("größe.py", "größe.py"), ("a\udcff.py", "a\\udcff.py"), ("<stdin>", "<stdin>"),
])
@pytest.mark.parametrize("module", ["__main__", None, 3])
def test_names_of_files(file, shown, module):
    """Also those that are not UTF-8, and code that belongs to no module."""
    names = {"__name__": module, "hk": hk}
    exec(compile("\nnode = hk.input('x', [2]) + hk.input('x', [2])", file,
                 "exec"), names)
    with pytest.raises(hk.HamKaasError) as info:
        hk.compile(names["node"])
    assert str(info.value).startswith(
        f"{shown}:2: error: expected inputs of different names")


def test_script_of_version_1():
    x = hk.input("x", [2, 3])
    w = np.zeros([3, 3], "float32")
    node = (x @ hk.constant(w, name="constant_1") + w[:1] * 1).relu()
    script = hk.write_script(node)
    assert script.text == """\
$1 = InputTensor(x, float32, [2, 3]);
$2 = ConstantTensor(constant_1, float32, [3, 3]);
$3 = MatMulNode($1, $2);
$4 = ConstantTensor(constant_0, float32, [1, 3]);
$5 = SumNode($3, $4);
$6 = ReLUNode($5);
result = $6;
"""
    assert list(script.constants) == ["constant_1", "constant_0"]
    assert script.inputs == {"x": ("float32", (2, 3))}
    assert hk.compile(node).graph.script == script.text


@pytest.mark.parametrize("node", [
    hk.input("x", [2, 3, 4, 5]).relu(),
    hk.input("x", []).silu(),
    X.rms_norm(np.ones(6, "float32")),
])
def test_script_of_version_2(node):
    script = hk.write_script(node).text
    assert script.startswith("version = 2;\n")
    assert hk.compile(node).graph.script == script


def test_script_of_compositions(tmp_path, rng):
    """Also of an operation with several results, and operands left out."""
    parts = hk.ops.split(X, sizes=[2, 4], axis=1)
    assert [part.shape for part in parts] == [(2, 2), (2, 4)]
    w = rng.standard_normal([4, 3], np.float32)
    node = pickle.loads(pickle.dumps(
        hk.mean(parts[1] @ w, axis=0) + hk.std(parts[0])))
    script = hk.write_script(node)
    assert script.inputs == {"x": ("float32", (2, 6))}
    assert len(script.positions) == script.text.count("\n")
    (tmp_path / "graph.hk").write_text(script.text)
    model = hk.load(tmp_path / "graph.hk", parameters=script.constants)
    x = rng.standard_normal([2, 6], np.float32)
    np.testing.assert_array_equal(model.run({"x": x}),
                                  hk.compile(node).run({"x": x}))
    np.testing.assert_allclose(
        model.run({"x": x}), (x[:, 2:] @ w).mean(axis=0) + x[:, :2].std(),
        rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["layers.0.weight", "key cache", "größe", "$1",
                                  "[1]", "float32", "-3", "a;b"])
def test_names(name):
    node = (hk.input(name, [2]) + hk.constant(np.ones(2, "float32"), name) +
            hk.state([2], name))
    model = hk.compile(node)
    assert [model.inputs[0].name, model.parameters[0].name,
            model.states[0].name] == [name] * 3
    assert list(model.run({name: np.ones(2, "float32")})) == [2, 2]


def test_constants_are_dense():
    array = np.arange(12, dtype="float32").reshape(3, 4)
    for view in (array, array.T, array[::-1], array[:, ::2],
                 np.broadcast_to(array[0], [5, 4]), np.asfortranarray(array)):
        np.testing.assert_array_equal(hk.compile(hk.constant(view)).run({}),
                                      view)


# Deep graphs. 100,000 nodes in a row; 2^60 paths from the end to the input.


def deep(count=100_000):
    node = hk.input("x", [4])
    for i in range(count):
        node = node.relu() if i % 2 else node + 1.0
    return node


def shared():
    node = hk.input("x", [4])
    for _ in range(60):
        node = node + node
    return node


def test_deep_graph():
    node = deep()
    assert "relu" in repr(node)
    assert hk.write_script(node).text.count("\n") == 150_003
    again = pickle.loads(pickle.dumps(node))
    assert hk.write_script(again).text == hk.write_script(node).text
    assert copy.deepcopy(node) is node
    del again, node


def test_types_are_inferred_once():
    """100,000 nodes ask the compiler for as many types as they have forms."""
    from hamkaas.inference import infer_types
    x = node = hk.input("x", [3, 5, 7])
    before = infer_types.cache_info().misses
    for _ in range(25_000):
        node = ((node + x).relu().permute([0, 1, 2]) * 0.5)[::-1]
    assert infer_types.cache_info().misses - before <= 5


def test_deep_graph_runs():
    node = hk.input("x", [4])
    for i in range(100_000):
        node = node.relu() if i % 2 else node.silu()
    model = hk.compile(node)
    assert list(model.run({"x": np.zeros(4, "float32")})) == [0] * 4


def test_shared_graph():
    node = shared()
    assert hk.write_script(node).text.count("\n") == 62
    again = pickle.loads(pickle.dumps(node))
    x = np.float32([1, 2, 3, 4])
    np.testing.assert_array_equal(hk.compile(again).run({"x": x}), x * 2.0**60)


def test_pickle_keeps_all(rng):
    w = rng.standard_normal([6, 2], np.float32)
    node = (X @ w).relu() + hk.state([1, 2], name="s")
    again = pickle.loads(pickle.dumps(node))
    x = rng.standard_normal([2, 6], np.float32)
    assert repr(again) == repr(node)
    np.testing.assert_array_equal(
        hk.compile(again).run({"x": x}), hk.compile(node).run({"x": x}))


def test_types_are_complete():
    """The package is typed to mypy's strictest."""
    pytest.importorskip("mypy.api", reason="needs mypy")
    package = hk.__path__[0]
    arguments = ["--strict", "--cache-dir=/dev/null", package]
    if importlib.util.find_spec("onnx") is None:
        arguments.append("--exclude=(onnx/backend|quantize/onnx_models).py")
    if importlib.util.find_spec("gguf") is None:
        arguments.append("--exclude=quantize/weights.py")
    result = subprocess.run([sys.executable, "-m", "mypy", *arguments],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("number, dtype, text", [
    (2, "float32", "2.0"), (0.1, "float32", "0.1"), (1e-30, "float32", "1e-30"),
    (np.float64(-0.0), "float32", "-0.0"), (-np.inf, "float32", "-inf"),
    (np.nan, "float32", "nan"), (-2**63, "int64", str(-2**63)),
])
def test_numbers(number, dtype, text):
    """Numbers are part of the program, and no parameters."""
    x = hk.input("x", [1, 3], dtype=dtype)
    node = x * number
    script = hk.write_script(node)
    assert f"NumberTensor({text}, {dtype}, [1, 1])" in script.text
    assert "version = 2" in script.text and not script.constants
    values = np.array([[1, -2, 3]], dtype)
    model = hk.compile(node)
    assert not model.parameters
    np.testing.assert_array_equal(model.run({"x": values}),
                                  values * np.dtype(dtype).type(number))


def test_attention_with_a_number():
    """The scale is one of attention, as it is no parameter."""
    q, k, v = (hk.input(name, [2, 6, 8]) for name in "qkv")
    scores = (q @ k.permute([0, 2, 1])) * 0.125 + np.zeros([1, 6, 6], "float32")
    model = hk.compile(scores.sliced_softmax(6) @ v)
    kernels = [call["ops"] for call in model.report.json()["calls"]]
    assert "attention" in " ".join(kernels)
    rng = np.random.default_rng(0)
    inputs = {name: rng.standard_normal([2, 6, 8]).astype("float32")
              for name in "qkv"}
    expected = model.new_instance(device="reference").run(inputs)
    np.testing.assert_allclose(model.run(inputs), expected, atol=1e-6)


def test_minus():
    x = hk.input("x", [1, 3])
    array = np.float32([[1, -2, 3]])
    run = lambda node: hk.compile(node).run({"x": array})
    np.testing.assert_array_equal(run(-x), -array)
    np.testing.assert_array_equal(run(x - array), array - array)
    np.testing.assert_array_equal(run(x - 0.5), array - np.float32(0.5))
    np.testing.assert_array_equal(run(1 - x), 1 - array)
    np.testing.assert_array_equal(run(array - x), array - array)
    np.testing.assert_array_equal(run(x + np.array(2, "float32")), array + 2)


@pytest.mark.parametrize("mistake, message", [
    (lambda x: x + [[1.0, 2.0, 3.0]], "got a list; make it an array"),
    (lambda x: bool(x), "no value before its model runs"),
    (lambda x: np.array(x), "no elements before its model runs"),
    (lambda x: x.reshape(6), r"such as \[2, 3\], got 6"),
    (lambda x: x.reshape([None, 3]), r"such as \[2, 3\], got \[None, 3\]"),
    (lambda x: hk.compile(x, threads="2"), "expected threads to be a whole"),
    (lambda x: hk.compile(x, max_workspace=1.5), "max_workspace to be a"),
    (lambda x: hk.input("y", ["batch", 3]), "expected shape to be a list of "
     r"whole numbers, such as \[2, 3\], got \['batch', 3\]; shapes are static"),
    (lambda x: hk.input("y", None), "shape to be .* got None; shapes are "),
    (lambda x: hk.state(3), "shape to be .* got 3; shapes are static"),
    (lambda x: hk.state(3, initial=np.ones(3)), "shape to be .* got 3; shapes"),
    (lambda x: hk.compile(x, device=3), "device to be a text, got 3"),
    (lambda x: hk.compile(x, name=5), "name to be a text, got 5"),
    (lambda x: hk.compile(x, target_cpu=None), "target_cpu to be a text"),
    (lambda x: hk.compile(x, threads=1.5), "threads to be a whole number"),
    (lambda x: hk.compile(x, state_of=5), "state_of to be a hamkaas.Model"),
    (lambda x: hk.ops.elu(x, alpha="a"), "'alpha' to be a number, got 'a'"),
    (lambda x: hk.ops.elu(x, alpha=10 ** 400), "'alpha' to be a number"),
    (lambda x: hk.concat([]), "a tensor among the operands, got none"),
    (lambda x: hk.constant(object()), "an array, got object, not an array"),
    (lambda x: hk.constant(x), "got Node, not an array: a node has no elements "
     "before its model runs"),
])
def test_mistakes_of_type(mistake, message):
    with pytest.raises(TypeError, match=message):
        mistake(hk.input("x", [2, 3]))


@pytest.mark.parametrize("mistake, message", [
    (lambda x: x.replace(np.ones((1, 3), "float32"), 2, 3),
     "end <= 2 and end - begin = 1, got begin 2 and end 3"),
    (lambda x: x[::0], "a step other than 0, got 0"),
    (lambda x: hk.compile({"a\0b": x}), r"without zeros, got 'a\\x00b'"),
    (lambda x: hk.compile({"a\ud800": x}), r"of UTF-8 .* got 'a\\ud800'"),
    (lambda x: hk.ops.compare(x, x, predicate="gt\0"), "without zeros"),
])
def test_mistakes_of_shape(mistake, message):
    with pytest.raises(hk.HamKaasError, match=message):
        mistake(hk.input("x", [2, 3]))
