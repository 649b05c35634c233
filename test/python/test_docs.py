# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of docs/Python.md and of all docstrings."""

import doctest
import importlib
import importlib.util
import pathlib
import re

import numpy as np
import pytest

import hamkaas as hk

TUTORIAL = pathlib.Path(__file__).parents[2] / "docs" / "Python.md"
MODULES = [path.stem for path in pathlib.Path(hk.__path__[0]).glob("*.py")
           if path.stem != "__init__"] + [
               "array", "array.array", "array.creation", "needle",
               "needle.alias",
               "onnx", "onnx.programs", "nn", "nn.convolutions",
               "nn.interpolation", "nn.normalization", "nn.padding",
               "quantize"]
if importlib.util.find_spec("onnx"):
    MODULES.append("onnx.backend")


def run(test):
    """Runs the examples, gives their number."""
    lines = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=lines.append, clear_globs=False)
    assert not lines, "".join(lines)
    return len(test.examples)


def test_tutorial(tmp_path):
    text = TUTORIAL.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    if importlib.util.find_spec("torch") is None:
        blocks = [block for block in blocks if "torch" not in block]
    if importlib.util.find_spec("onnx") is None:
        blocks = [block for block in blocks if "import onnx" not in block]
    parser = doctest.DocTestParser()
    names = {"folder": tmp_path, "__name__": "tutorial"}
    count = 0
    for block in blocks:
        test = parser.get_doctest(block, names, "Python.md", str(TUTORIAL),
                                  text[:text.index(block)].count("\n"))
        test.globs = names  # A block goes on where the last one ended.
        for example in test.examples:
            if example.exc_msg:
                example.exc_msg = re.sub(r"train.py:\d+:", "...:",
                                         example.exc_msg)
        count += run(test)
    assert count > 40


def test_readme(tmp_path, monkeypatch):
    """The network of the README's tour."""
    monkeypatch.chdir(tmp_path)
    block, = re.findall(r"^```python\n(.*?)^```$",
                        (TUTORIAL.parents[1] / "README.md").read_text(),
                        re.M | re.S)
    names = {}
    exec(block, names)
    assert names["scores"].shape == (128, 10)
    assert (tmp_path / "net.so").stat().st_size > 0


@pytest.mark.parametrize("name", ["hamkaas"] +
                         [f"hamkaas.{module}" for module in MODULES])
def test_docstrings(name):
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder().find(module):
        run(test)


def test_docstrings_have_examples():
    for part in (hk, hk.Node, hk.Model.run, hk.input, hk.constant, hk.state,
                 hk.compile, hk.write_script):
        assert ">>>" in part.__doc__, part


def test_all_is_documented():
    """Each public name, and what is public of it.

    Types of elements and numbers have no documents of their own.
    """
    for name in hk.__all__:
        part = getattr(hk, name)
        if isinstance(part, (np.dtype, float)) or part == "bfloat16":
            continue
        assert part.__doc__, name
        for inner, value in vars(part).items() if isinstance(part, type) else ():
            if not inner.startswith("_") and (callable(value) or
                                              isinstance(value, property)):
                assert value.__doc__, f"{name}.{inner}"
