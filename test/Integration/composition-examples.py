# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls every composition from a script of version 3 as its documented example
does, and compares with the numbers that the example has.

usage: composition-examples.py REFERENCE

All examples of REFERENCE, the generated Compositions.md, become one script, in
which the tensors of `mean` are called mean_x and mean_y.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np


def read_examples(text):
    """Maps each composition to the lines of its example."""
    sections = re.split(r"^### `(\w+)`$", text, flags=re.M)[1:]
    return {name: re.search(r"^```text\n(.*?)^```", section, re.M | re.S)[1]
            .splitlines() for name, section in zip(sections[::2], sections[1::2])}


def read_elements(text, kind, shape):
    """The elements of `x: float32 [2] = 1 2`; numpy has no bfloat16."""
    words = {"true": 1, "false": 0}
    values = [words.get(word, word) for word in text.split()]
    return np.array(values, np.float64).astype(kind).reshape(json.loads(shape))


class Script:
    """The examples as a script, with its inputs and the results it should
    have."""

    def __init__(self):
        self.statements = ["version = 3;"]
        self.inputs, self.expected, self.ids = {}, {}, {}

    def define(self, names):
        """The ids of what a statement defines, with its equals sign."""
        first = len(self.ids) + 1
        self.ids.update((name, f"${first + i}") for i, name in enumerate(names))
        return ", ".join(self.ids[name] for name in names) + " = "

    def add_call(self, op, names, call):
        # An operand is a word of its own, an attribute has one and '='.
        call = re.sub(r"\b(\w+)(?=[,)])",
                      lambda word: self.ids.get(f"{op}_{word[1]}", word[1]),
                      call)
        self.statements.append(self.define(names) + f"{call};")

    def add_tensor(self, name, kind, shape, text):
        elements = read_elements(text, kind, shape)
        if name in self.ids:
            self.expected[name] = elements
            self.statements.append(f'output("{name}", {self.ids[name]});')
            return
        self.inputs[name] = elements
        self.statements.append(
            self.define([name]) + f'input("{name}", {kind}, {shape});')

    def add_example(self, op, lines):
        count = len(self.expected)
        for line in lines:
            tensor = re.fullmatch(r"(\w+): (\w+) (\[.*?\]) = (.*)", line)
            if tensor:
                self.add_tensor(f"{op}_{tensor[1]}", *tensor.groups()[1:])
                continue
            names, call = line.split(" = ", 1)
            assert call.startswith(f"{op}("), line
            self.add_call(op, [f"{op}_{name}" for name in names.split(", ")],
                          call)
        assert len(self.expected) > count, f"{op}: no result"

    def run(self, device, folder):
        """Returns the outputs by name."""
        model = folder / "examples.hk"
        model.write_text("\n".join(self.statements) + "\n")
        command = ["hamkaas-run", model, f"--device={device}"]
        for name, array in self.inputs.items():
            np.save(folder / f"{name}.npy", array)
            command.append(f"--input={name}={folder}/{name}.npy")
        command += [f"--output={name}={folder}/{name}.npy"
                    for name in self.expected]
        subprocess.run(command, check=True)
        return {name: np.load(folder / f"{name}.npy")
                for name in self.expected}


def main():
    examples = read_examples(pathlib.Path(sys.argv[1]).read_text())
    script = Script()
    for op, lines in examples.items():
        script.add_example(op, lines)
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        for device in ("reference", "cpu"):
            outputs = script.run(device, pathlib.Path(folder))
            for name, expected in script.expected.items():
                got = outputs[name]
                if got.dtype != expected.dtype or got.shape != expected.shape \
                        or not np.allclose(got, expected, 1e-5, 1e-6, True):
                    errors += 1
                    print(f"{name} on {device}: expected {expected}, got {got}")
    print(f"{len(examples)} compositions, {errors} errors")
    return bool(errors) or not examples


sys.exit(main())
