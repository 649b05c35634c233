# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of a document.

usage: run-document.py DOCUMENT.md SOURCE [NAME=PROGRAM]...

Blocks marked `console` are one session in an empty folder, with SOURCE/examples
in it: each line `$ command` is run, and the lines up to the next one are what
it writes, errors included. `cat` of a file that is not there makes it, so that a
document shows the files it uses.

Blocks marked `hk` are scripts, or the beginnings of some: they are read without
a message, and `# [2, 3]` behind a statement is the shape of its node.

Blocks marked `c`, `cpp` or `cmake` are files for the sessions below them: the
comment in their first line is the name. So are blocks marked `python` that have
such a line. Sessions share one folder.

Each PROGRAM is what sessions call NAME.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)$")
FILE = re.compile(r"(?:/\* (\S+\.[ch]) \*/|// (\S+\.[ch]pp)|# (\S+\.(?:txt|py)))\n")
SHAPE = re.compile(r"^\$(\d+) = .*;\s*# (\[[\d, ]*\])", re.MULTILINE)


def blocks(text):
    """Yields (line number, language, text) of each block."""
    language = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if language is None and fence:
            start, language, lines = number, fence.group(1), []
        elif language is not None and fence:
            yield start, language, "".join(lines)
            language = None
        elif language is not None:
            lines.append(line + "\n")
    assert language is None, f"line {start}: block without an end"


def commands(session):
    """Yields (command, expected output)."""
    parts = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)
    assert parts[0] == "", f"output without a command: {parts[0]}"
    return zip(parts[1::2], parts[2::2])


def run_session(session, folder):
    for command, expected in commands(session):
        shown = re.fullmatch(r"cat ([\w.-]+)", command)
        if shown and not (folder / shown.group(1)).exists():
            (folder / shown.group(1)).write_text(expected)
            continue
        done = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.stdout != expected:
            diff = difflib.unified_diff(
                expected.splitlines(True), done.stdout.splitlines(True),
                "document", "output")
            yield f"$ {command}\n{''.join(diff)}"


def import_script(script):
    return subprocess.run(["hamkaas-translate", "--import-script"],
                          input=script, text=True, capture_output=True)


def result_shape(graph):
    dims = re.search(r"return .* : tensor<((?:\d+x)*)\w+>", graph).group(1)
    return [int(dim) for dim in dims.split("x")[:-1]]


def result_of(script, node):
    """A statement that makes a node the last result."""
    return (f'output("checked", ${node});\n' if "version = 3;" in script else
            f"result = ${node};\n")


def check_script(script):
    if "result = " not in script and "output(" not in script:
        last = re.findall(r"^\$(\d+) = ", script, re.MULTILINE)[-1]
        script += result_of(script, last)
    done = import_script(script)
    if done.returncode != 0 or done.stderr:
        yield f"{script}{done.stderr}"
        return
    statements = re.sub(r"^output\(.*\n", "", script, flags=re.MULTILINE)
    for node, shape in SHAPE.findall(script):
        graph = import_script(statements + result_of(script, node)).stdout
        if str(result_shape(graph)) != shape:
            yield f"${node} has the shape {result_shape(graph)}, not {shape}"


def write_file(text, folder):
    """Yields an error if the block does not say which file it is."""
    name = FILE.match(text)
    if name:
        path = folder / name[name.lastindex]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    else:
        yield f"expected the name of the file in the first line of\n{text}"


def main():
    document, source = map(pathlib.Path, sys.argv[1:3])
    # `python3` of a session is the one that runs this.
    programs = {"python3": sys.executable}
    programs.update(program.split("=", 1) for program in sys.argv[3:])
    counts = {"console": 0, "hk": 0, "c": 0, "cpp": 0, "cmake": 0,
              "python": 0}
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "session")
        folder.mkdir()
        (folder / "examples").symlink_to(source.resolve() / "examples")
        tools = pathlib.Path(name, "tools")
        tools.mkdir()
        for program, path in programs.items():
            (tools / program).symlink_to(path)
        os.environ["PATH"] = f"{tools}{os.pathsep}{os.environ['PATH']}"
        for line, language, text in blocks(document.read_text()):
            if language not in counts or (language == "python" and
                                          not FILE.match(text)):
                continue
            counts[language] += 1
            if language == "console":
                check = run_session(text, folder)
            elif language == "hk":
                check = check_script(text)
            else:
                check = write_file(text, folder)
            for failure in check:
                print(f"{document.name}:{line}: {failure}", file=sys.stderr)
                failures += 1
    sessions, scripts = counts.pop("console"), counts.pop("hk")
    print(f"{sessions} sessions, {scripts} scripts, "
          f"{sum(counts.values())} files")
    if failures or not sessions:
        sys.exit(f"{failures} examples do not do what the document says")


main()
