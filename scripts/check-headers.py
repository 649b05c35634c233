#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each source file names itself and the licence.

A file of the compiler begins with

    //===- NAME - description ---------------------------------------*- C++ -*-===//
    //
    // Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
    // SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

and any other source file has the last of these lines among its first five, in
comments of its language. Prints each file that has not, and fails if there is
one.

usage: check-headers.py [--fix] SOURCE      --fix adds the licence
"""

import pathlib
import sys

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
FOLDERS = ("benchmarks", "cmake", "examples", "include", "lib", "python",
           "scripts", "test", "tools")
ROOT_FILES = ("CMakeLists.txt", "Makefile", "pyproject.toml", ".clang-format",
              ".clang-tidy")
# By suffix or name, for what CMake fills in without its ".in". The inputs of
# tests in the languages of models are no source code.
COMMENTS = {".cpp": "//", ".h": "//", ".c": "//", ".inc": "//", ".td": "//",
            ".py": "#", ".pyi": "#", ".sh": "#", ".bash": "#", ".cmake": "#",
            ".pc": "#", ".map": "#", ".dict": "#", ".cfg": "#",
            **dict.fromkeys(ROOT_FILES, "#")}
# The folders whose C++ files begin with a line of their own.
TITLED = ("include", "lib", "tools")
WIDTH = 80
NO_LICENCE = "no licence"


def find_sign(path):
    """Return the sign of comments, or None for a file that is no source."""
    name = pathlib.Path(path.name.removesuffix(".in"))
    sign = COMMENTS.get(name.name) or COMMENTS.get(name.suffix)
    if sign or name.suffix:
        return sign
    # A script without a suffix.
    return "#" if path.read_bytes().startswith(b"#!") else None


def find_files(source):
    """Yield the path and the comment sign of each source file."""
    paths = [source / name for name in ROOT_FILES]
    for folder in FOLDERS:
        paths += sorted((source / folder).rglob("*"))
    for path in paths:
        if path.is_file() and not path.is_symlink():
            if sign := find_sign(path):
                yield path, sign


def is_titled(path, source):
    return (path.suffix in (".cpp", ".h", ".td")
            and path.relative_to(source).parts[0] in TITLED)


def find_problem(path, sign, source):
    lines = path.read_text().splitlines()[:5]
    if f"{sign} {SPDX}" not in lines:
        return NO_LICENCE
    if is_titled(path, source):
        title = lines[0]
        if not (title.startswith(f"//===- {path.name} - ")
                and title.endswith("===//") and len(title) == WIDTH):
            return f"expected a first line of {WIDTH} columns with its name"
    return None


def add_licence(path, sign):
    lines = path.read_text().splitlines(keepends=True)
    before = ("#!", f"{sign} Part of HamKaas")
    place = max((number for number, line in enumerate(lines[:4], start=1)
                 if line.startswith(before)), default=0)
    lines.insert(place, f"{sign} {SPDX}\n")
    path.write_text("".join(lines))


def main():
    arguments = sys.argv[1:]
    fixing = arguments[:1] == ["--fix"]
    if len(arguments) != 1 + fixing:
        sys.exit("usage: check-headers.py [--fix] SOURCE")
    source = pathlib.Path(arguments[-1])
    files = list(find_files(source))
    if len(files) < 100:
        sys.exit(f"check-headers.py: expected the sources of HamKaas in {source}")
    problems = 0
    for path, sign in files:
        problem = find_problem(path, sign, source)
        if problem == NO_LICENCE and fixing:
            add_licence(path, sign)
            problem = find_problem(path, sign, source)
        if problem:
            print(f"{path.relative_to(source)}: {problem}")
            problems += 1
    print(f"{len(files)} files, {problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
