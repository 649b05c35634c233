# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the tests that a document names in `Suite.Test` exist.

usage: check-test-names.py DOCUMENT LIST

LIST is the output of --gtest_list_tests.
"""

import pathlib
import re
import sys


def read_tests(text):
    suite, tests = "", set()
    for line in text.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name.split("/")[-1].rstrip(".")
        else:
            tests.add(f"{suite}.{name.split('/')[0]}")
    return tests


def main():
    document, listed = map(pathlib.Path, sys.argv[1:])
    tests = read_tests(listed.read_text())
    named = set(re.findall(r"`(Dnn\w+Test\.\w+)`", document.read_text()))
    for name in sorted(named - tests):
        print(f"{document.name}: there is no test {name}")
    if not named or named - tests:
        sys.exit(1)


main()
