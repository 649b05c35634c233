#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes hamkaas/ops.py: a function for each operation of the compiler.

    generate_ops.py build/python/hamkaas/_native.SUFFIX.so ops.py

What an operation takes and what it does comes from HamKaasDescribeOperations,
so there is no list of operations here.
"""

import importlib.util
import json
import keyword
import re
import sys
import textwrap

HEADER = '''\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by python/generate_ops.py from the table of operations.
"""Each operation of the compiler, under its own name.

Operands are tensors. Nothing is promoted, and shapes are broadcast only where
the operation says so: that is what the functions of `hamkaas` are for. Raises
HamKaasError with the line of your program for what does not fit.

>>> import hamkaas as hk
>>> x = hk.input("x", [1, 8, 8, 3])
>>> w = hk.input("w", [3, 3, 3, 16])
>>> hk.ops.conv(x, w, strides=[2, 2], dilations=[1, 1], pad_low=[1, 1],
...             pad_high=[1, 1], groups=1).shape
(1, 4, 4, 16)
"""

from __future__ import annotations

from typing import FrozenSet, Optional, Sequence, Tuple

from .arrays import DTypeLike
from .graph import Node
from .operations import apply, apply_all, create
from .tensor import T

'''

# How an attribute of a kind is annotated.
KINDS = {
    "integer": "int",
    "real": "float",
    "number": "float",
    "integers": "Sequence[int]",
    "flag": "bool",
    "word": "str",
    "text": "str",
    "type": "DTypeLike",
}


def describe(library):
    """The operations that the package's extension lists."""
    spec = importlib.util.spec_from_file_location("hamkaas._native", library)
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    return json.loads(native.describe_operations())["operations"]


def safe(name):
    """A name that Python has no other use for."""
    return name + "_" if keyword.iskeyword(name) else name


def parse_default(attribute):
    """The value that Python shows; None for one that is no literal."""
    if attribute["kind"] == "flag":
        return False
    text = attribute.get("default", "")
    if attribute["kind"] == "word":
        return text if text in attribute["words"] else None
    if attribute["kind"] in ("integer", "real", "number") and re.fullmatch(
            r"-?[0-9.]+(e-?[0-9]+)?", text):
        return float(text) if attribute["kind"] == "real" else int(text)
    return None


def make_parameter(attribute):
    kind, name = KINDS[attribute["kind"]], safe(attribute["name"])
    default = parse_default(attribute)
    if default is not None:
        return f"{name}: {kind} = {default!r}"
    if attribute["optional"]:
        return f"{name}: Optional[{kind}] = None"
    return f"{name}: {kind}"


def make_operands(operation):
    """Parameters for the operands, and the text of their list."""
    parameters, texts = [], []
    for operand in operation["operands"]:
        name = safe(operand["name"])
        if operand["count"] == "variadic":
            return [f"{name}: Sequence[T]"], name
        if operand["count"] == "optional":
            parameters.append(f"{name}: Optional[T] = None")
        else:
            parameters.append(f"{name}: T")
        texts.append(name)
    return parameters, f"[{', '.join(texts)}]"


def make_document(operation):
    """The operation's document, with lists of its arguments."""
    lines = [operation["summary"][:1].upper() + operation["summary"][1:] + ".",
             ""]
    lines += operation["document"].strip().split("\n")
    rows = [(safe(one["name"]), one["constraint"])
            for one in operation["operands"]]
    for attribute in operation["attributes"]:
        kind = KINDS[attribute["kind"]].replace("DTypeLike", "an element type")
        words = attribute.get("words")
        rows.append((safe(attribute["name"]), kind if not words else
                     "one of " + ", ".join(map(repr, words))))
    if "example" in operation:
        lines += ["", "Example:", "", "```"]
        lines += operation["example"].strip().split("\n") + ["```"]
    lines += ["", "Arguments:", ""]
    for name, text in rows:
        lines += textwrap.wrap(f"* `{name}`: {text}", 75,
                               subsequent_indent="  ")
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(text.rstrip(), "    ", lambda line: bool(
        line.strip())).strip()


def make_function(operation):
    name = operation["name"]
    parameters, operands = make_operands(operation)
    attributes = sorted(operation["attributes"],
                        key=lambda one: "= " in make_parameter(one))
    if attributes:
        parameters += ["*"] + [make_parameter(one) for one in attributes]
    several = [one["count"] for one in operation["results"]] != ["one"]
    values = "".join(
        f'\n        ("{one["name"]}", "{one["kind"]}", {safe(one["name"])}),'
        for one in attributes)
    given = f"({values}\n    )" if values else "()"
    # One without operands makes a tensor of the graph.
    if not operation["operands"]:
        function, result, operands = "create", "Node", ""
    elif several:
        function, result, operands = "apply_all", "Tuple[T, ...]", \
            operands + ", "
    else:
        function, result, operands = "apply", "T", operands + ", "
    separator = ",\n" + " " * (5 + len(safe(name)))
    signature = ", ".join(parameters)
    if len(signature) + len(name) + len(result) > 65:
        signature = separator.join(parameters)
    return f'''
def {safe(name)}({signature}) -> {result}:
    """{make_document(operation)}
    """
    return {function}("{name}", {operands}{given})

'''


def main(library, output):
    operations = describe(library)
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEADER)
        for operation in operations:
            file.write(make_function(operation))
        names = ", ".join(f'"{safe(one["name"])}"' for one in operations)
        body = textwrap.fill(names, 79, initial_indent="    ",
                             subsequent_indent="    ")
        file.write(f"\n__all__ = [\n{body},\n]\n")
        # Scripts of version 2 cannot name compositions.
        compositions = [one["name"] for one in operations if "example" in one]
        file.write("\nCOMPOSITIONS: FrozenSet[str] = "
                   f"frozenset({compositions})\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
