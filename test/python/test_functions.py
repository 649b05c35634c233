# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with several functions."""

import gc
import threading
import weakref

import numpy as np
import pytest

import hamkaas as hk

W = np.arange(12, dtype="float32").reshape(3, 4)
ROWS = np.arange(15, dtype="float32").reshape(5, 3)
ROW = np.float32([[1, -2, 3]])


def multiply(rows):
    return hk.input("x", [rows, 3]) @ W


def make_functions():
    """`sum` adds rows times W to a state; `peek` multiplies one row and shows
    the state. The state is one by its name, W by its memory."""
    state = hk.state([4], name="total")
    total = state + hk.sum(multiply(5), axis=0)
    y = multiply(1)
    return {
        "sum": hk.function(state.replace(total, 0, 4)),
        "peek": hk.function({
            "y": y,
            "more": (hk.state([4], name="total"), hk.max(y))
        })
    }


def check(model):
    total = (ROWS @ W).sum(axis=0)
    for runs in (1, 2):
        np.testing.assert_allclose(model.sum.run({"x": ROWS}), runs * total)
        result = model.peek.run({"x": ROW})
        if isinstance(result, tuple):  # Files have no structure.
            result = {"y": result[0], "more": result[1:]}
        np.testing.assert_allclose(result["y"], ROW @ W)
        np.testing.assert_array_equal(result["more"][0], runs * total)
        assert result["more"][1] == (ROW @ W).max()


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_run(device):
    model = hk.compile(make_functions(), name="lm", device=device)
    assert [info.shape for info in model.parameters if info.dtype == "float32"
            ] == [(3, 4)]
    assert [info.name for info in model.states] == ["total"]
    check(model)
    other = model.new_instance(device="reference")
    check(other)
    model.state.reset()
    check(model)


def test_files(tmp_path):
    model = hk.compile(make_functions(), name="lm")
    model.save(tmp_path / "lm.so")
    header = (tmp_path / "lm.h").read_text()
    assert "lm_sum(" in header and "lm_peek(" in header
    assert "lm_run(" not in header
    check(hk.load(tmp_path / "lm.so"))


def test_script(tmp_path):
    script = hk.write_script(make_functions())
    assert script.text.startswith("version = 3;\n")
    assert script.text.count("[3, 4]") == 1
    assert script.inputs == {"sum.x": ("float32", (5, 3)),
                             "peek.x": ("float32", (1, 3))}
    assert len(script.positions) == script.text.count("\n")
    (tmp_path / "lm.hk").write_text(script.text)
    check(hk.load(tmp_path / "lm.hk", parameters=script.constants))
    # With its weights, a model writes the same.
    assert hk.compile(make_functions()).graph.script == script.text


def test_functions_of_a_model():
    model = hk.compile(make_functions(), name="lm")
    assert list(model.functions) == ["sum", "peek"]
    assert {"sum", "peek", "run", "state"} <= set(dir(model))
    peek = model.functions["peek"]
    assert peek.name == "peek" and peek.model is model
    assert peek.inputs == (hk.TensorInfo("x", np.dtype("float32"), (1, 3)), )
    assert [info.name for info in peek.outputs] == ["y", "more.0", "more.1"]
    out = {"y": np.empty([1, 4], "float32")}
    assert peek.run({"x": ROW}, out=out)["y"] is out["y"]
    assert repr(model.sum) == ("<hamkaas.EntryFunction sum of lm "
                               "(x: float32 [5, 3]) -> "
                               "(result: float32 [4])>")
    assert repr(model).startswith(
        "<hamkaas.Model lm sum (x: float32 [5, 3]) -> (result: float32 [4]), "
        "peek (x: float32 [1, 3]) -> (y: float32 [1, 4], ")
    with pytest.raises(AttributeError, match="no attribute 'poke'"):
        model.poke.run({})


def test_report():
    model = hk.compile(make_functions(), name="lm")
    calls = [len(function["calls"]) for function in
             model.report.json()["functions"]]
    assert len(calls) == 2 and min(calls) > 0
    assert f"{sum(calls)} calls of " in repr(model.report)
    assert "in 2 functions" in repr(model.report)
    text = str(model.report)
    assert "function sum" in text and "function peek" in text
    for title in ("input of sum", "output of sum", "input of peek"):
        assert f">{title}<" in model._repr_html_()


def test_one_function():
    model = hk.compile({"double": hk.function(hk.input("x", [2]) * 2.0)})
    x = np.float32([1, 2])
    np.testing.assert_array_equal(model.double.run({"x": x}), [2, 4])
    np.testing.assert_array_equal(model.run({"x": x}), [2, 4])
    assert model.inputs == model.double.inputs
    plain = hk.compile(hk.input("x", [2]) * 2.0)
    assert list(plain.functions) == ["main"]
    np.testing.assert_array_equal(plain.main.run({"x": x}), [2, 4])


def test_names_of_others(tmp_path):
    """Files may have functions with names that Python uses otherwise."""
    path = tmp_path / "model.mlir"
    path.write_text("".join(f"""
      func.func @{name}(%x: tensor<2xf32> {{hamkaas.name = "x"}})
          -> (tensor<2xf32> {{hamkaas.name = "y"}}) {{
        %y = hamkaas.{op} %x : tensor<2xf32>
        return %y : tensor<2xf32>
      }}""" for name, op in (("save", "relu"), ("class", "neg"))))
    model = hk.load(path)
    x = np.float32([-1, 2])
    for name, expected in (("save", [0, 2]), ("class", [1, -2])):
        np.testing.assert_array_equal(model.functions[name].run({"x": x}),
                                      expected)
    model.save(tmp_path / "model.so")


def test_shared_nodes():
    """Each function computes its own copy of shared nodes; a shared input is an
    input of both."""
    x = hk.input("x", [2])
    y = hk.exp(x)
    model = hk.compile({"one": hk.function(y), "two": hk.function([y + 1.0, x])})
    value = np.float32([0, 1])
    np.testing.assert_allclose(model.one.run({"x": value}), np.exp(value), 1e-6)
    results = model.two.run({"x": value})
    assert type(results) is list
    np.testing.assert_allclose(results[0], np.exp(value) + 1, 1e-6)
    np.testing.assert_array_equal(results[1], value)


def test_writes_stay_in_their_function():
    """A function that comes later reads what the state holds when it runs."""
    state = hk.state([2], initial=5.0)
    model = hk.compile({
        "write": hk.function(state.replace(hk.input("x", [2]), 0, 2)),
        "read": hk.function(state + 0.0)
    })
    np.testing.assert_array_equal(model.read.run({}), [5, 5])
    model.write.run({"x": np.float32([1, 2])})
    np.testing.assert_array_equal(model.read.run({}), [1, 2])
    assert [info.name for info in model.states] == ["buffer_0"]


def test_constants_without_names():
    """Equal memory is one parameter; equal elements elsewhere are not."""
    x = hk.input("x", [1, 3])
    model = hk.compile({
        "a": hk.function(x @ W),
        "b": hk.function([x @ W, x @ W.copy(), x @ W.reshape(3, 4)]),
        "c": hk.function(x @ hk.constant(W, "w")),
        "d": hk.function(x @ hk.constant(W.copy(), "w"))
    })
    assert [info.name for info in model.parameters] == ["constant_0",
                                                        "constant_1", "w"]
    for result in (model.a, model.c, model.d):
        np.testing.assert_array_equal(result.run({"x": ROW}), ROW @ W)


def test_nan_is_the_same():
    data = np.float32([np.nan, -0.0])
    model = hk.compile({
        name: hk.function(hk.input("x", [2]) + hk.constant(data.copy(), "c"))
        for name in ("a", "b")
    })
    assert len(model.parameters) == 1


X = hk.input("x", [2])
LINE = r"^[^\n]*test_functions.py:\d+: error: "


@pytest.mark.parametrize("make, error, text", [
    (lambda: {"a": hk.function(X), "b": X}, TypeError,
     "expected a hamkaas.function.* for each name, as others have one, "
     "got Node for 'b'"),
    (lambda: hk.function(X), TypeError, "by their names, as in {'predict': "
     r"hamkaas.function\(...\)}, got one function"),
    (lambda: hk.train_step(hk.sum(hk.state([2]) * X), hk.optim.Adam()),
     TypeError, r"as in {'train_step': hamkaas.train_step\(...\)}, got one "),
    (lambda: [hk.function(X)], TypeError, "got Function"),
    (lambda: {"a": {"b": hk.function(X)}}, TypeError, "got Function"),
    (lambda: hk.function(hk.function(X)), TypeError, "got Function"),
    (lambda: {1: hk.function(X)}, TypeError, "keys of functions, got 1"),
    (lambda: {}, hk.HamKaasError, LINE + r"expected a result or more, got {}"),
    (lambda: {"a": hk.function([])}, hk.HamKaasError,
     LINE + r"expected a result or more, got \[\]"),
    *[(lambda name=name: {name: hk.function(X)}, hk.HamKaasError,
       LINE + f"expected the name of a function to be an identifier, got "
       f"'{name}'") for name in ("", "a b", "1a", "class", "_a", "\u00e4")],
    *[(lambda name=name: {name: hk.function(X)}, hk.HamKaasError,
       LINE + "expected a name that hamkaas.Model does not have itself, got "
       f"'{name}'") for name in ("run", "save", "name", "state", "states",
                                 "parameters", "functions", "inputs")],
    (lambda: {"prepare": hk.function(X)}, hk.HamKaasError,
     LINE + "expected another name than 'prepare' for a function"),
    (lambda: {"a": hk.function([X, hk.input("x", [3])])}, hk.HamKaasError,
     LINE + "expected inputs of different names, got two called 'x'\n"),
    (lambda: {"a": hk.function(hk.state([2], "s")),
              "b": hk.function(hk.state([3], "s"))}, hk.HamKaasError,
     LINE + r"expected 's' to be float32 \[2\] in all functions, got "
     r"float32 \[3\]\n.*py:\d+: note: named here"),
    (lambda: {"a": hk.function(hk.state([2], "s")),
              "b": hk.function(hk.state([2], "s", initial=1))},
     hk.HamKaasError, LINE + "expected 's' to have the same elements"),
    (lambda: {"a": hk.function(X + hk.constant(np.float32([1, 2]), "c")),
              "b": hk.function(X + hk.constant(np.float32([1, 3]), "c"))},
     hk.HamKaasError, LINE + "expected 'c' to have the same elements in all "
     "functions, got others"),
])
def test_wrong_functions(make, error, text):
    with pytest.raises(error, match=text):
        hk.compile(make())


def test_wrong_runs():
    model = hk.compile(make_functions(), name="lm")
    with pytest.raises(AttributeError, match="no attribute 'decode'; its "
                       "functions are 'sum', 'peek'$"):
        model.decode
    for use in (lambda: model.run({"x": ROW}), lambda: model.inputs,
                lambda: model.outputs):
        with pytest.raises(hk.HamKaasError, match="^model 'lm': expected one of "
                           r"its functions, as in model.sum.\w+, got none; it "
                           "has 'sum', 'peek'$"):
            use()
    with pytest.raises(hk.HamKaasError, match=r"'x' to be float32 \[1, 3\], got "
                       r"float32 \[5, 3\]\n"
                       "unknown input 'y', function 'peek' of model 'lm' has "
                       "'x'"):
        model.peek.run({"x": ROWS, "y": ROW})
    with pytest.raises(TypeError, match="expected inputs to be a dictionary"):
        model.peek.run(3)
    peek = model.peek
    model.close()
    with pytest.raises(hk.HamKaasError, match="model 'lm' is closed"):
        peek.run({"x": ROW})


def test_deep_structures():
    def nest(depth, wrap):
        made = X
        for _ in range(depth):
            made = wrap(made)
        return made

    for wrap in (lambda x: [x], lambda x: (x,), lambda x: {"a": x}):
        for depth in (65, 100_000):
            with pytest.raises(hk.HamKaasError, match="nested at most 64 deep, "
                               "got deeper ones"):
                hk.compile(nest(depth, wrap))
            with pytest.raises(hk.HamKaasError, match="nested at most 64 deep"):
                hk.scan(lambda c, x: (c, x), nest(depth, wrap), length=2)
    result = hk.compile(nest(64, lambda x: [x])).run(
        {"x": np.ones(2, "float32")})
    for _ in range(64):
        result, = result
    assert result.shape == (2,)
    endless = []
    endless.append(endless)
    with pytest.raises(hk.HamKaasError, match="nested at most 64 deep"):
        hk.function(endless)


def test_function_is_immutable():
    results = [X]
    function = hk.function(results)
    results.append(X)
    assert len(function.results) == 1 and function.structure == [None]
    with pytest.raises(AttributeError):
        function.results = ()
    assert repr(hk.function(X)).startswith(
        "<hamkaas.Function -> (result: float32 [2]) at ")


def test_state_of():
    """Models share what both have, also if only one has functions."""
    model = hk.compile(make_functions())
    state = hk.state([4], name="total")
    reader = hk.compile(state * 2.0, state_of=model)
    total = model.sum.run({"x": ROWS})
    np.testing.assert_array_equal(reader.run({}), 2 * total)


def test_memory_goes_with_the_model():
    """Functions that nobody keeps do not keep it."""
    gc.disable()
    try:
        model = hk.compile(make_functions())
        model.peek.run({"x": ROW})
        gone = weakref.ref(model)
        del model
        assert gone() is None
    finally:
        gc.enable()


def test_threads():
    """Functions of one model wait for each other."""
    model = hk.compile(make_functions())

    def work():
        for _ in range(200):
            model.sum.run({"x": ROWS})
            model.peek.run({"x": ROW})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(model.state["total"],
                               800 * (ROWS @ W).sum(axis=0), 1e-5)
