# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models: options, progress, what they show."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import hamkaas as hk

X = np.float32([[1, -2, 3]])


def make(**options):
    x = hk.input("x", [1, 3])
    ones = np.ones([1, 1], "float32")
    node = (x @ np.eye(3, dtype="float32") + ones).relu()
    return hk.compile(node, **options)


def test_memory_that_is_not_there():
    x, w = hk.input("x", [1 << 23, 1]), hk.input("w", [1 << 23, 1])
    node = x @ x.reshape([1, 1 << 23]) @ w
    with pytest.raises(hk.HamKaasError, match="bytes for its workspace; "
                       "281474976710656 bytes of the workspace are for "
                       r"broadcast\+broadcast\+mul \(.*test_model.py:\d+\)$"):
        hk.compile(node).run({"x": np.zeros([1 << 23, 1], "float32"),
                              "w": np.zeros([1 << 23, 1], "float32")})


def test_tables():
    model = make(name="net")
    info = hk.TensorInfo
    assert model.name == "net"
    assert model.inputs == (info("x", np.dtype("float32"), (1, 3)), )
    assert model.outputs == (info("result", np.dtype("float32"), (1, 3)), )
    assert model.parameters == (info("constant_0", np.dtype("float32"), (3, 3)),
                                info("constant_1", np.dtype("float32"), (1, 1)))
    assert model.states == ()


@pytest.mark.parametrize("options", [
    {"target_cpu": "x86-64"}, {"target_cpu": "x86-64-v3"}, {"threads": 1},
    {"threads": 7}, {"unchecked": True}, {"max_workspace": 1 << 20},
    {"max_workspace": "4096"}, {"max_workspace": "64KB"},
    {"max_workspace": "2mb"}, {"max_workspace": "1GB"},
    {"progress": False}, {"cache": False}, {"compile_threads": 3},
])
def test_options(options):
    np.testing.assert_array_equal(make(**options).run({"x": X}), [[2, 0, 4]])


@pytest.mark.parametrize("options, text", [
    ({"target_cpu": "abacus"}, "abacus"),
    ({"target_cpu": "host\0"}, "without zero bytes"),
    ({"name": "a\0b"}, "without zero bytes"),
    ({"threads": -1}, "expected threads to be from 0 to 2147483647, got -1"),
    ({"threads": 2**40}, "threads to be from 0 to 2147483647, got 1099511"),
    ({"threads": 4097}, "expected 0 to 4096 threads, got 4097"),
    ({"compile_threads": -1}, "expected compile_threads to be from 0 to 2147"),
    ({"compile_threads": 5000}, "expected 0 to 4096, got 5000"),
    ({"max_workspace": -1}, "max_workspace to be from 0 to 18446744073709551615"),
    *[({"max_workspace": text}, "expected max_workspace to be a number of "
       f"bytes such as 4096, 64KB or 2MB, got '{text[:90]}")
      for text in ("", "0", "-1", "1.5KB", "4 KB", "KB", "9" * 20, "9" * 5000,
                   "9999999999GB", "1TB", "\u0661", "4\u212aB")],
    ({"max_workspace": 2**70}, "max_workspace to be from 0 to 184467440737095516"),
])
def test_wrong_options(options, text):
    with pytest.raises(hk.HamKaasError) as info:
        make(**options)
    assert text in str(info.value)


@pytest.mark.parametrize("options", [
    {"threads": "2"}, {"name": 3},
    {"progress": 3}, {"unchecked": "no"}, {"cache": "no"},
    {"compile_threads": "2"},
])
def test_wrong_types_of_options(options):
    with pytest.raises((TypeError, OverflowError)):
        make(**options)


def test_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HAMKAAS_CACHE_DIR", str(tmp_path / "cache"))
    steps = []

    def tell(step, done, total):
        steps.append((step, total - done))

    first = make(progress=tell)
    assert len(steps) == 5
    steps.clear()
    second = make(progress=tell)
    assert steps == [("cached code", 1)]
    np.testing.assert_array_equal(first.run({"x": X}), second.run({"x": X}))
    steps.clear()
    make(progress=tell, cache=False)
    assert len(steps) == 5


def test_max_workspace_names_the_line():
    x = hk.input("x", [64, 64])
    node = (x @ x).permute([1, 0]) @ x @ x
    with pytest.raises(hk.HamKaasError) as info:
        hk.compile(node, max_workspace=64)
    assert "test_model.py:" in str(info.value)


def test_unchecked_leaves_out_checks():
    node = hk.input("x", [4]).sliced_softmax(hk.input("n", [1], "int64"))

    def checks(**options):
        report = hk.compile(node, **options).report.json()
        return [call["check"] for call in report["calls"] if "check" in call]

    assert checks() == ["expected a prefix from 0 to 4, got {0}"]
    assert checks(unchecked=True) == []


# Close.


def test_use_after_close():
    model = make()
    other = model.new_instance()
    state = model.state
    with model:
        pass
    for use in (lambda: model.run({"x": X}), lambda: model.report,
                lambda: model.graph, model.new_instance,
                lambda: model.save("never.so"), state.reset):
        with pytest.raises(hk.HamKaasError, match="model 'model' is closed"):
            use()
    model.close()
    np.testing.assert_array_equal(other.run({"x": X}), [[2, 0, 4]])


def test_descriptions_keep_what_they_describe():
    report = make().report
    graph = make().graph
    assert "constant_0" in str(report) and "ReLUNode" in graph.script


# Progress.


def test_progress():
    steps = []
    make(progress=lambda step, done, total: steps.append((step, done, total)))
    names, done, totals = zip(*steps)
    assert len(steps) > 2 and all(names)
    assert list(done) == list(range(len(steps)))
    assert set(totals) == {len(steps)}


@pytest.mark.parametrize("exception", [RuntimeError, KeyboardInterrupt,
                                       SystemExit, StopIteration])
def test_progress_ends_compilation(exception):
    def stop(step, done, total):
        if done == 1:
            raise exception("enough")

    with pytest.raises(exception, match="enough"):
        make(progress=stop)
    np.testing.assert_array_equal(make().run({"x": X}), [[2, 0, 4]])


def test_progress_function_that_does_not_fit():
    with pytest.raises(TypeError, match="argument"):
        make(progress=lambda: None)


def test_keyboard_interrupt():
    """Ctrl-C while a model is compiled on the main thread."""
    def interrupt(step, done, total):
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        make(progress=interrupt)


def test_signal_from_outside():
    """A process that compiles for long ends soon after Ctrl-C."""
    code = """
import sys
import hamkaas as hk
node = hk.input("x", [4])
for i in range(20000):
    node = node.relu() if i % 2 else node.silu()
try:
    print("ready", flush=True)
    while True:
        hk.compile(node)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", code], text=True,
                               stdout=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    try:
        rest, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    assert rest == "interrupted\n" and process.returncode == 0


def test_progress_on_standard_error(capsys):
    make(progress=True, name="net")
    text = capsys.readouterr().err
    assert "compiling net: 1/" in text and text.endswith("\r\x1b[K")
    make(progress=None)
    make(progress=False)
    assert capsys.readouterr().err == ""


# Descriptions of models.


def test_repr(tmp_path):
    model = make(name="net")
    text = "<hamkaas.Model net (x: float32 [1, 3]) -> (result: float32 [1, 3])"
    assert repr(model) == f"{text}, memory: 512 bytes constants>"
    assert repr(model.graph) == (
        "<hamkaas.Graph 6 nodes: 2 ConstantTensor, 1 InputTensor, "
        "1 MatMulNode, 1 SumNode, 1 ReLUNode>")
    assert repr(model.memory_plan) == (
        "<hamkaas.MemoryPlan 0 bytes; no plan needs less than 0>")
    assert repr(model.report) == (
        "<hamkaas.Report net: 1 call of 1 kernel, 24 FLOPs; print shows all>")
    model.save(tmp_path / "net.so")
    library = hk.load(tmp_path / "net.so")
    assert repr(library) == repr(model)
    assert repr(library.graph) == "<hamkaas.Graph, not known of a library>"
    model.close()
    assert repr(model) == f"{text}, closed>"
    assert model._repr_html_() == "<b>net</b>, closed"


def test_repr_of_many(tmp_path):
    """A long list of tensors is cut."""
    inputs = ", ".join(f'%a{i}: tensor<2x3xf32> {{hamkaas.name = "x<{i}>"}}'
                       for i in range(6))
    (tmp_path / "many.mlir").write_text(f"""
func.func @main({inputs}) -> (tensor<2x3xf32> {{hamkaas.name = "y"}},
                              tensor<2x3xf32> {{hamkaas.name = "z"}}) {{
  %0 = hamkaas.add %a0, %a1 : tensor<2x3xf32>, tensor<2x3xf32>
  %1 = hamkaas.add %a2, %a3 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}}""")
    model = hk.load(tmp_path / "many.mlir")
    assert "x<3>: float32 [2, 3], ... 2 more) -> (y: float32" in repr(model)
    assert repr(model.graph) == "<hamkaas.Graph 8 nodes: 6 input, 2 add>"
    html = model._repr_html_()
    assert "x&lt;5&gt;" in html and "x<5>" not in html


def test_html(tmp_path):
    """Well-formed, with all tensors and the plan."""
    from xml.etree import ElementTree
    node = hk.input("x", [64, 64])
    for i in range(10):
        node = (node @ hk.state([64, 64], name=f"cache {i}")).relu()
        node = node @ hk.constant(np.eye(64, dtype="float32"), name=f"w & {i}")
    model = hk.compile(node)
    root = ElementTree.fromstring(f"<div>{model._repr_html_()}</div>")
    cells = ["".join(cell.itertext()) for cell in root.iter("td")]
    assert cells[:4] == ["x", "float32", "[64, 64]", "16.4 kB"]
    assert "cache 9" in cells and "w & 9" in cells
    assert [summary.text for summary in root.iter("summary")] == ["10 parameters"]
    assert root.find(".//{http://www.w3.org/2000/svg}svg") is not None

    model.save(tmp_path / "net.so")
    library = hk.load(tmp_path / "net.so")._repr_html_()
    root = ElementTree.fromstring(f"<div>{library}</div>")
    assert "cache 9" in library and not list(root.iter("svg"))

    state = ElementTree.fromstring(f"<div>{model.state._repr_html_()}</div>")
    assert len(list(state.iter("tr"))) == 11
    assert "".join(state.itertext()).endswith("together 163.8 kB")
    assert make().state._repr_html_() == "no state"


def test_report():
    report = make(name="net").report
    assert str(report).startswith("net for ")
    assert "matmul" in str(report) and "test_model.py:" in str(report)
    assert report._repr_html_().startswith("<pre>net for ")
    assert isinstance(report.json(), dict)


def test_missed_operations():
    q, k, v = (hk.input(name, [2, 8, 16]) for name in "qkv")
    weights = (q @ k.permute([0, 2, 1])).sliced_softmax(4)
    line = sys._getframe().f_lineno - 1
    model = hk.compile(weights @ v)
    missed, = model.report.json()["missed"]
    assert missed["operation"] == "attention"
    assert missed["reason"] == "the weights are no softmax of whole rows"
    assert missed["location"].endswith(f"test_model.py:{line}")
    assert "not recognised, for one condition" in str(model.report)


def test_memory_plan():
    plan = make().memory_plan
    assert plan.svg.startswith("<svg") and plan._repr_svg_() == plan.svg


def test_graph(monkeypatch):
    graph = make().graph
    assert str(graph) == graph.script and graph.script.endswith("result = $6;\n")
    assert "hamkaas.matmul" in graph.mlir
    assert "<svg" in graph.svg and graph._repr_svg_() == graph.svg
    assert graph._repr_html_() is None


def test_graph_that_repeats():
    """Graphviz would draw it whole for minutes, which nothing could interrupt."""
    node = hk.input("x", [2])
    for _ in range(2001):
        node = node.relu().silu()
    graph = hk.compile(node).graph
    assert "× 2001" in graph.svg
    with pytest.raises(hk.HamKaasError, match="at most 2000 operations.*4004"):
        graph.unfolded_svg


def test_graph_too_large_to_draw():
    node = hk.input("x", [2])
    bits = np.random.default_rng(0).integers(0, 2, 2500)
    for bit in bits:
        node = node.relu() if bit else node.silu()
    graph = hk.compile(node).graph
    with pytest.raises(hk.HamKaasError, match="at most 2000 operations"):
        graph.svg
    assert graph._repr_svg_() is None


def test_graph_without_graphviz(tmp_path):
    code = """
import hamkaas as hk
graph = hk.compile(hk.input("x", [2]).relu()).graph
assert graph._repr_svg_() is None
assert graph._repr_html_().startswith("<pre>$1 = InputTensor")
try:
    graph.svg
except hk.HamKaasError as error:
    print("error:", error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True,
                            text=True, env={**os.environ, "PATH": str(tmp_path)})
    assert result.stdout.startswith("error: "), result.stderr


def test_nothing_to_show_of_a_library(tmp_path):
    make().save(tmp_path / "net.so")
    model = hk.load(tmp_path / "net.so")
    assert model.graph._repr_svg_() is None
    assert model.graph._repr_html_() is None
    assert model.memory_plan._repr_svg_() is None


def test_devices():
    """The interpreter agrees, with weights and state of its own."""
    cache = hk.state([4], name="cache")
    begin, end = hk.input("begin", [1], "int64"), hk.input("end", [1], "int64")
    rows = hk.input("x", [2]) + np.float32([10, 20])
    model = hk.compile(cache.replace(rows, begin, end).relu())
    reference = model.new_instance(device="reference")
    inputs = {"x": np.float32([1, -50]), "begin": np.int64([1]),
              "end": np.int64([3])}
    np.testing.assert_array_equal(reference.run(inputs), [0, 11, 0, 0])
    np.testing.assert_array_equal(model.state["cache"], [0, 0, 0, 0])
    np.testing.assert_array_equal(model.run(inputs), [0, 11, 0, 0])
    np.testing.assert_array_equal(reference.state["cache"],
                                  model.state["cache"])
    best = hk.compile(hk.input("x", [1]).relu(), device="best")
    assert best.run({"x": np.float32([-1])}) == 0
    with pytest.raises(hk.HamKaasError, match="stateOf.*'reference'.*'cpu'"):
        model.new_instance(device="reference", share_state=True)
    with pytest.raises(hk.HamKaasError, match="unknown device 'tpu'"):
        model.new_instance(device="tpu")


def test_weights_that_are_not_kept(tmp_path):
    model = make(name="net", keep_weights=False)
    np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])
    # These need no arrays.
    for other in (model.new_instance(), model.new_instance(device="cpu"),
                  model.new_instance(threads=1)):
        np.testing.assert_array_equal(other.run({"x": X}), [[2, 0, 4]])
    model.save(tmp_path / "net.so", embed_weights=False)
    arrays = {"constant_0": np.eye(3, dtype="float32"),
              "constant_1": np.ones([1, 1], "float32")}
    loaded = hk.load(tmp_path / "net.so", parameters=arrays,
                     keep_weights=False)
    np.testing.assert_array_equal(loaded.run({"x": X}), [[2, 0, 4]])
    for made in (model, model.new_instance(), loaded):
        for use, what in ((lambda: made.new_instance(device="reference"),
                           "a new instance on 'reference'"),
                          (lambda: made.save(tmp_path / "weights.so"),
                           "a file with embed_weights")):
            with pytest.raises(
                    hk.HamKaasError, match="^model 'net': expected its weights "
                    f"for {what}, got none: it was made with "
                    "keep_weights=False$"):
                use()
    assert not (tmp_path / "weights.so").exists()


def test_no_weights_to_keep(tmp_path):
    model = hk.compile(hk.input("x", [2]) * 2.0, keep_weights=False)
    model.save(tmp_path / "double.so")
    x = np.float32([1, 2])
    other = model.new_instance(device="reference")
    np.testing.assert_array_equal(other.run({"x": x}), [2, 4])
    with pytest.raises(TypeError, match="keep_weights to be True or False, "
                       "got 0"):
        make(keep_weights=0)


def test_what_trains_is_imported_late():
    code = ("import sys, hamkaas as hk\n"
            "late = ['hamkaas.' + name for name in "
            "('array', 'data', 'fitting', 'nn', 'optim', 'training')]\n"
            "print([name for name in late if name in sys.modules])\n"
            "assert callable(hk.fit) and callable(hk.train_step)\n"
            "assert hk.nn.Linear and hk.array.zeros and 'data' in dir(hk)\n"
            "print(hasattr(hk, 'nothing'))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True,
                          text=True, check=True)
    assert done.stdout.split("\n") == ["[]", "False", ""]
