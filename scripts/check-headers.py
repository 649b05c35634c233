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
COMMENTS = {".cpp": "//", ".h": "//", ".c": "//", ".td": "//", ".py": "#",
            ".pyi": "#", ".sh": "#", ".cmake": "#", "CMakeLists.txt": "#"}
# The folders whose C++ files begin with a line of their own.
TITLED = ("include", "lib", "tools")
WIDTH = 80
NO_LICENCE = "no licence"


def find_files(source):
    """Yield the path and the comment sign of each source file."""
    roots = [source / "CMakeLists.txt"]
    for folder in FOLDERS:
        roots += sorted((source / folder).rglob("*"))
    for path in roots:
        sign = COMMENTS.get(path.name) or COMMENTS.get(path.suffix)
        if sign and path.is_file() and not path.is_symlink():
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
