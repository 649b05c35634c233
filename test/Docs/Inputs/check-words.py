#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Find words that docs/Glossary.md retires, in code and documents.

usage: check-words.py SOURCE

The third column of the glossary's tables has the words. Prints each place with
the term to use.
"""

import pathlib
import re
import sys

FOLDERS = ("lib", "include", "tools", "python", "docs", "examples", "README.md")
ENDINGS = {".cpp", ".h", ".td", ".py", ".pyi", ".md", ".c", ".txt"}
# The glossary itself; the test's own words are in the glossary alone.
EXEMPT = {"docs/Glossary.md"}
MESSAGE = re.compile(r'"[^"]*, found [^"]*"')


def read_retired_words(glossary):
    """Return the term to use for each retired word."""
    words = {}
    for line in glossary.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3:
            for word in re.findall(r"`([^`]+)`", cells[2]):
                words[word] = cells[0]
    return words


def list_files(source):
    """Return the files to read, relative to `source`."""
    for folder in FOLDERS:
        path = source / folder
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.suffix in ENDINGS:
                name = file.relative_to(source).as_posix()
                if name not in EXEMPT and "__pycache__" not in name:
                    yield name


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-words.py SOURCE")
    source = pathlib.Path(sys.argv[1])
    words = read_retired_words(source / "docs/Glossary.md")
    terms = words | {word.capitalize(): term for word, term in words.items()}
    retired = re.compile(r"\b(" + "|".join(map(re.escape, terms)) + r")\b")
    count = files = 0
    for name in list_files(source):
        files += 1
        for number, line in enumerate((source / name).read_text().splitlines(), 1):
            for match in retired.finditer(line):
                count += 1
                print(f"{name}:{number}: '{match[0]}' is retired, expected "
                      f"'{terms[match[0]]}'")
            if MESSAGE.search(line):
                count += 1
                print(f"{name}:{number}: expected 'got' in a message, got 'found'")
    print(f"{len(words)} words, {files} files, {count} places")
    sys.exit(1 if count or files < 100 or len(words) < 10 else 0)


if __name__ == "__main__":
    main()
