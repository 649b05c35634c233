# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a rule of an operation is not followed through code and tests.

usage: check-op-tests.py SOURCE

For each operation of the .td files:

* OP.mlir, or one of the files of GROUPS, prints and parses it;
* each constraint (C1), (C2), ... of its description is a comment `// C1.` of
  its verifier or inference, and the name @c1_... of a function of
  OP-invalid.mlir, in which an error is expected; and the other way round;
* OP-fold.mlir exists if the operation is folded or canonicalized;
* OP-invalid.mlir expects errors with all of their text: no regular expression.
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
tests = source / "test/Dialect/HamKaas/IR"
errors = []

# Tests of operations that differ in nothing but the name.
GROUPS = ["binary.mlir", "functions.mlir"]


def read_operations():
    """Maps each mnemonic to (class, record) of the .td files."""
    folder = source / "include/HamKaas/Dialect/HamKaas/IR"
    operations = {}
    for path in sorted(folder.glob("*Ops.td")):
        for record in re.split(r"^(?=def |class )", path.read_text(),
                               flags=re.M):
            found = re.match(r'def HamKaas_(\w+Op) *: *\w+<"(\w+)"', record)
            if found:
                operations[found[2]] = found[1], record
    return operations


def read_code(op_class):
    """The file that verifies the operation, and its headers beside it."""
    # The inference that the class of binary operations has.
    methods = re.compile(rf"\b{op_class}::(verify|inferReturnTypes)\("
                         rf"|\bhamkaas::inferBroadcast\(")
    text = ""
    for path in (source / "lib/Dialect/HamKaas/IR").glob("*.cpp"):
        code = path.read_text()
        if not methods.search(code):
            continue
        # Rules that several operations share are declared in a header.
        headers = re.findall(r'#include "(\w+\.h)"', code)
        text += code + "".join(path.with_name(h).read_text() for h in headers)
    return text


def read(name):
    path = tests / name
    return path.read_text() if path.exists() else ""


def labels(pattern, text):
    return {int(number) for number in re.findall(pattern, text)}


def check(mnemonic, op_class, record):
    def expect(condition, text):
        if not condition:
            errors.append(f"hamkaas.{mnemonic}: {text}")

    documented = labels(r"\(C(\d+)\)", record)
    expect(documented == set(range(1, len(documented) + 1)),
           f"constraints are not numbered from 1: {sorted(documented)}")
    verified = labels(r"//.*\bC(\d+)\b", read_code(op_class))
    expect(documented <= verified,
           f"C{documented - verified} is in no comment of the verifier")
    round_trips = [read(name) for name in [f"{mnemonic}.mlir", *GROUPS]]
    expect(any("hamkaas-opt %s | hamkaas-opt" in text
               and f"hamkaas.{mnemonic} " in text for text in round_trips),
           f"no {mnemonic}.mlir")
    expect("Folder = 1" not in record and "Canonicalize" not in record
           or read(f"{mnemonic}-fold.mlir"), f"no {mnemonic}-fold.mlir")
    invalid = read(f"{mnemonic}-invalid.mlir")
    tested = set()
    for case in invalid.split("// -----"):
        found = re.search(r"func @c(\d+)_", case)
        if found and re.search(r"expected-error[^{]*\{\{.{20,}\}\}", case):
            tested.add(int(found[1]))
    expect(documented == tested,
           f"documents C{sorted(documented)}, {mnemonic}-invalid.mlir tests "
           f"C{sorted(tested)}")
    expect("expected-error-re" not in invalid,
           f"{mnemonic}-invalid.mlir expects part of a text")


operations = read_operations()
for mnemonic, (op_class, record) in operations.items():
    check(mnemonic, op_class, record)
if not operations:
    errors.append(f"expected operations in {source}")
print("\n".join(errors), file=sys.stderr)
sys.exit(bool(errors))
