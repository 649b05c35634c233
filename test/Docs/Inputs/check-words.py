#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the language of code and documents.

usage: check-words.py SOURCE

* No word that docs/Glossary.md retires, in the third column of its tables.
* No comment that opens with "What" or "Whether" in place of its subject, and no
  docstring that opens with "What".
* No long paragraph in README.md, CONTRIBUTING.md and docs/, and no more words in
  docs/Design.md than ten minutes allow.

Prints each violation as FILE:LINE: MESSAGE.
"""

import pathlib
import re
import sys

FOLDERS = ("lib", "include", "tools", "python", "docs", "examples", "README.md",
           "CONTRIBUTING.md")
# Their comments are checked, but not their words: tests use retired ones.
COMMENT_FOLDERS = ("test", "benchmarks", "cmake", "scripts")
ENDINGS = {".cpp", ".h", ".td", ".py", ".pyi", ".md", ".c", ".txt"}
COMMENT_ENDINGS = {*ENDINGS, ".cmake", ".cu", ".hk", ".mlir", ".sh", ".test",
                   ".textproto"}
# The glossary itself, and the table of retired names that users may still give;
# the test's own words are in the glossary alone.
EXEMPT = {"docs/Glossary.md", "lib/Options/CompatibilityNames.cpp",
          "test/Docs/words.test"}
MESSAGE = re.compile(r'"[^"]*, found [^"]*"')
OPENING = re.compile(r"//[/!]?<? (What|Whether)\b|^\s*# (What|Whether)\b|"
                     r'^\s*r?"""(What)\b')
COMMENT = re.compile(r"\s*(//|#)")
DOCUMENT = re.compile(r"(README|CONTRIBUTING|docs/\w+)\.md")
LONGEST_PARAGRAPH = 300  # characters
LONGEST_DESIGN = 2500  # words
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
PARAGRAPH_START = re.compile(r"\s*(?:[-*|#<]|\d+\.)\s?|\s*$")


def read_retired_words(glossary):
    """Return the term to use for each retired word."""
    words = {}
    for line in glossary.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3:
            for word in re.findall(r"`([^`]+)`", cells[2]):
                words[word] = cells[0]
    return words


def list_files(source, folders, endings):
    """Return the files to read, relative to `source`."""
    for folder in folders:
        path = source / folder
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.suffix in endings:
                name = file.relative_to(source).as_posix()
                if name not in EXEMPT and "__pycache__" not in name:
                    yield name


def find_retired_words(text, words):
    """Yield the number of each line with a retired word, and a message."""
    terms = words | {word.capitalize(): term for word, term in words.items()}
    retired = re.compile(r"\b(" + "|".join(map(re.escape, terms)) + r")\b")
    for number, line in enumerate(text.splitlines(), 1):
        for match in retired.finditer(line):
            yield number, (f"'{match[0]}' is retired, expected "
                           f"'{terms[match[0]]}'")
        if MESSAGE.search(line):
            yield number, "expected 'got' in a message, got 'found'"


def find_openings(text):
    """Yield the comments that open with a question word.

    Only the first line of a comment counts: a sentence may break anywhere.
    """
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = OPENING.search(line)
        comment = COMMENT.match(line)
        goes_on = comment and comment[1] in before
        if match and not goes_on:
            yield number, ("expected a comment's subject first, got "
                           f"'{match[match.lastindex]}'")
        before = line


def read_paragraphs(text):
    """Yield the first line's number and the text of each paragraph.

    A list item is one. Code, tables and headings are none, and of a link only
    the words count.
    """
    text = CODE_BLOCK.sub(lambda code: "\n" * code[0].count("\n"), text)
    start, lines = 1, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if PARAGRAPH_START.match(line):
            if lines and not lines[0].lstrip().startswith(("|", "#", "<")):
                yield start, LINK.sub(r"\1", " ".join(lines)).strip()
            start, lines = number, []
        if line.strip():
            lines.append(line.strip())


def find_long_texts(name, text):
    """Yield what takes too long to read."""
    for number, paragraph in read_paragraphs(text):
        if len(paragraph) > LONGEST_PARAGRAPH:
            yield number, (f"expected a paragraph of at most {LONGEST_PARAGRAPH} "
                           f"characters, got {len(paragraph)}")
    words = sum(bool(re.search(r"\w", word)) for word in text.split())
    if name == "docs/Design.md" and words > LONGEST_DESIGN:
        yield 1, f"expected at most {LONGEST_DESIGN} words, got {words}"


def check(name, text, words):
    yield from find_retired_words(text, words)
    if not name.endswith(".md"):
        yield from find_openings(text)
    if DOCUMENT.fullmatch(name):
        yield from find_long_texts(name, text)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-words.py SOURCE")
    source = pathlib.Path(sys.argv[1])
    words = read_retired_words(source / "docs/Glossary.md")
    count = files = 0
    for name in list_files(source, FOLDERS, ENDINGS):
        files += 1
        for number, message in check(name, (source / name).read_text(), words):
            count += 1
            print(f"{name}:{number}: {message}")
    for name in list_files(source, COMMENT_FOLDERS, COMMENT_ENDINGS):
        files += 1
        for number, message in find_openings((source / name).read_text()):
            count += 1
            print(f"{name}:{number}: {message}")
    print(f"{len(words)} words, {files} files, {count} places")
    sys.exit(1 if count or files < 100 or len(words) < 10 else 0)


if __name__ == "__main__":
    main()
