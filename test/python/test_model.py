"""Models: options, files, copies, threads, processes, what they show."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hamkaas as hk

X = np.float32([[1, -2, 3]])


def make(**options):
    x = hk.input("x", [1, 3])
    node = (x @ np.eye(3, dtype="float32") + 1.0).relu()
    return hk.compile(node, **options)


def test_tables():
    model = make(name="net")
    info = hk.TensorInfo
    assert model.name == "net"
    assert model.inputs == (info("x", np.dtype("float32"), (1, 3)), )
    assert model.outputs == (info("result", np.dtype("float32"), (1, 3)), )
    assert model.parameters == (info("constant_0", np.dtype("float32"), (3, 3)),
                                info("constant_1", np.dtype("float32"), (1, 1)))
    assert model.states == ()
    assert repr(model) == ("<hamkaas.Model net (x: float32 [1, 3]) -> "
                           "(result: float32 [1, 3])>")


@pytest.mark.parametrize("options", [
    {"target_cpu": "x86-64"}, {"target_cpu": "x86-64-v3"}, {"threads": 1},
    {"threads": 7}, {"unchecked": True}, {"max_workspace": 1 << 20},
    {"progress": False},
])
def test_options(options):
    np.testing.assert_array_equal(make(**options).run({"x": X}), [[2, 0, 4]])


@pytest.mark.parametrize("options, text", [
    ({"target_cpu": "abacus"}, "abacus"),
    ({"target_cpu": "host\0"}, "without zero bytes"),
    ({"name": "a\0b"}, "without zero bytes"),
    ({"threads": -1}, "-1"),
])
def test_wrong_options(options, text):
    with pytest.raises(hk.HamKaasError) as info:
        make(**options)
    assert text in str(info.value)


@pytest.mark.parametrize("options", [
    {"threads": "2"}, {"threads": 2**40}, {"max_workspace": -1}, {"name": 3},
    {"progress": 3}, {"unchecked": "no"},
])
def test_wrong_types_of_options(options):
    with pytest.raises((TypeError, OverflowError)):
        make(**options)


def test_max_workspace_names_the_line():
    x = hk.input("x", [64, 64])
    node = (x @ x).permute([1, 0]) @ x @ x
    with pytest.raises(hk.HamKaasError) as info:
        hk.compile(node, max_workspace=64)
    assert "test_model.py:" in str(info.value)


def test_unchecked_leaves_out_checks():
    node = hk.input("x", [4]).sliced_softmax(hk.input("n", [1], "int64"))
    assert "check" not in str(hk.compile(node, unchecked=True).report.json()
                              ).replace("unchecked", "")


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


# Files.


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
    with pytest.raises(hk.HamKaasError, match="neither name"):
        hk.load(tmp_path / "net.so", unchecked=True)


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
        "expected parameter 'constant_0' to be float32 [3, 3], found float32 "
        "[3, 2]",
        "expected parameter 'constant_1' to be float32 [1, 1], found float64 "
        "[1, 1]",
        "unknown parameter 'w', model 'net' has 'constant_0', 'constant_1'",
    ]


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
    rest, _ = process.communicate(timeout=100)
    assert rest == "interrupted\n" and process.returncode == 0


def test_progress_on_standard_error(capsys):
    make(progress=True, name="net")
    text = capsys.readouterr().err
    assert "compiling net: 0/" in text and text.endswith("\r\x1b[K")
    make(progress=None)
    make(progress=False)
    assert capsys.readouterr().err == ""


# Threads and processes.


def test_many_threads_and_models(rng):
    """Compiled and run at the same time; each result is right."""
    weights = rng.standard_normal([6, 32, 32]).astype("float32")
    x = rng.standard_normal([8, 32]).astype("float32")
    problems = []

    def work(weight):
        try:
            model = hk.compile(hk.input("x", [8, 32]) @ weight, threads=2)
            for _ in range(50):
                np.testing.assert_allclose(model.run({"x": x}), x @ weight,
                                           rtol=1e-3, atol=1e-4)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=[w]) for w in weights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_runs_of_one_model_wait():
    """Eight threads add to one state; no addition is lost."""
    total = hk.state([1, 256], name="total")
    node = total.replace(total + hk.input("x", [1, 256]), 0, 1)
    model = hk.compile(node)
    other = model.new_instance(share_state=True)
    one = {"x": np.ones([1, 256], "float32")}

    def work(instance):
        for _ in range(500):
            instance.run(one)

    threads = [threading.Thread(target=work, args=[instance])
               for instance in (model, other) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(model.state["total"], np.full([1, 256], 4000))


def test_other_threads_run_meanwhile():
    """A run gives the interpreter's lock to others."""
    x = np.ones([512, 512], "float32")
    node = hk.input("x", [512, 512])
    for _ in range(8):
        node = node @ x
    model = hk.compile(node, threads=1)
    is_done = threading.Event()
    turns = 0

    def take_turns():
        nonlocal turns
        while not is_done.is_set():
            turns += 1
            time.sleep(0)  # Lets go of the lock.

    thread = threading.Thread(target=take_turns)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # Nobody is made to let go of it.
    thread.start()
    try:
        before = turns
        model.run({"x": x})
        assert turns - before > 10
    finally:
        is_done.set()
        sys.setswitchinterval(switch)
        thread.join()


def in_child(work):
    """The exit status of `work` in a forked process."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_fork():
    model = make(threads=2)
    model.run({"x": X})

    def work():
        np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])
        np.testing.assert_array_equal(make(threads=2).run({"x": X}),
                                      [[2, 0, 4]])
        hk.input("x", [2]) + hk.input("y", [2])
        model.close()

    assert in_child(work) == 0
    np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])


def test_fork_while_another_thread_runs():
    """The child does not wait for a thread that it does not have."""
    x = np.ones([512, 512], "float32")
    node = hk.input("x", [512, 512])
    for _ in range(8):
        node = node @ x
    busy, idle = hk.compile(node), make()
    is_done = threading.Event()

    def keep_busy():
        while not is_done.is_set():
            busy.run({"x": x})

    thread = threading.Thread(target=keep_busy)
    thread.start()

    def work():
        signal.alarm(60)
        np.testing.assert_array_equal(idle.run({"x": X}), [[2, 0, 4]])
        try:
            busy.run({"x": x})
        except hk.HamKaasError as error:
            assert "running" in str(error)

    try:
        for _ in range(5):
            assert in_child(work) == 0
    finally:
        is_done.set()
        thread.join()


def test_another_llvm_in_the_process():
    """torch and llvmlite bring an LLVM of their own."""
    pytest.importorskip("torch", reason="needs torch")
    pytest.importorskip("llvmlite", reason="needs llvmlite")
    code = """
import torch
import llvmlite.binding as llvm
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
module = llvm.parse_assembly("define i32 @f() { ret i32 7 }")
machine = llvm.Target.from_default_triple().create_target_machine()
engine = llvm.create_mcjit_compiler(module, machine)
engine.finalize_object()
import hamkaas as hk
x = hk.input("x", [2, 2])
model = hk.compile((x @ torch.eye(2)).silu().relu())
print(model.run({"x": torch.ones(2, 2)}))
import ctypes
print(ctypes.CFUNCTYPE(ctypes.c_int)(engine.get_function_address("f"))())
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[-1] == "7" and "0.731" in result.stdout


# What models show.


def test_report():
    report = make(name="net").report
    assert str(report).startswith("net for ")
    assert "matmul" in str(report) and "test_model.py:" in str(report)
    assert report._repr_html_().startswith("<pre>net for ")
    assert isinstance(report.json(), dict)


def test_memory_plan():
    plan = make().memory_plan
    assert plan.svg.startswith("<svg") and plan._repr_svg_() == plan.svg


def test_graph(monkeypatch):
    graph = make().graph
    assert str(graph) == graph.script and graph.script.endswith("result = $6;\n")
    assert "hamkaas.matmul" in graph.mlir
    assert "<svg" in graph.svg and graph._repr_svg_() == graph.svg
    assert graph._repr_html_() is None


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
