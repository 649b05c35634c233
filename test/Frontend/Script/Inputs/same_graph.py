# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that graphs, written as scripts of version 3 and read again, are the
same graphs, and that what was written is written the same again.

    same_graph.py GRAPH...

A graph is a file of MLIR, a script or an ONNX model; a model that is refused, for
example because its sizes are not given, is named and left out. Symbols and the names of
values do not count; a constant of arith becomes one of ours, and a parameter or
state is loaded where it is declared.
"""

import re
import subprocess
import sys


def translate(*arguments, text=None):
    return subprocess.run(
        ["hamkaas-translate", *arguments], input=text, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def export(graph):
    return translate("--export-script", "--script-version=3", "-", text=graph)


def read(path):
    if path.endswith(".onnx"):
        return translate("--import-onnx", path)
    if path.endswith(".hk"):
        return translate("--import-script", path)
    with open(path, encoding="utf-8") as file:
        return file.read()


def normalize(graph):
    """The lines with names by number, the declarations by the user's names, and
    the loads in the order of the declarations."""
    graph = re.sub(r"arith\.constant", "hamkaas.constant", graph)
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", graph, re.MULTILINE))
    lines, loads = [], []
    for line in graph.splitlines():
        if line.startswith("#"):
            continue
        for alias, value in aliases.items():
            line = re.sub(rf"{alias}\b", value, line)
        symbol = re.match(r'  ml_program\.global .*?@("[^"]*"|[\w.$-]+)\(', line)
        if symbol and "hamkaas.name" not in line:
            name = symbol.group(1).strip('"')
            line += f' {{hamkaas.name = "{name}"}}'
        (loads if "ml_program.global_load" in line else lines).append(line)
    body = next(i for i, line in enumerate(lines) if "func.func" in line) + 1
    order = re.findall(r'ml_program\.global .*?@("[^"]*"|[\w.$-]+)\(', graph)
    loads = sorted(set(loads), key=lambda line: order.index(
        re.search(r'@("[^"]*"|[\w.$-]+)', line).group(1)))
    text = "\n".join(lines[:body] + loads + lines[body:])
    numbers = {}
    return re.sub(r'[%@]("[^"]*"|[\w.$-]+)(#\d+)?', lambda name: name.group()[0] +
                  str(numbers.setdefault(name.group(), len(numbers))), text)


count = 0
for path in sys.argv[1:]:
    try:
        graph = read(path)
    except subprocess.CalledProcessError as refusal:
        if not path.endswith(".onnx"):
            raise
        print(f"{path} is left out: {refusal.stderr.splitlines()[0]}")
        continue
    script = export(graph)
    again = translate("--import-script", "-", text=script)
    if normalize(graph) != normalize(again):
        sys.exit(f"{path}: another graph after writing:\n{graph}{script}{again}")
    if export(again) != script:
        sys.exit(f"{path}: written in another way:\n{script}{export(again)}")
    count += 1
print(f"{count} graphs are the same")
if count == 0:
    sys.exit("expected graphs to compare")
