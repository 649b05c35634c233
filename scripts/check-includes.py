#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the order of the folders of lib and include/HamKaas.

A folder includes headers of itself and of folders before it in
lib/CMakeLists.txt, and no files of a folder include each other in a circle. A
source and the header of its name are one file here. Prints what breaks this,
and fails if anything does.

usage: check-includes.py SOURCE
"""

import pathlib
import re
import sys

# The runtime is one library and therefore one entry in lib/CMakeLists.txt.
RUNTIME_ROOMS = ["Core", "Cpu", "Files", "Engine", "Instance", "Gpu"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
BASES = ("lib", "include/HamKaas")


def read_folder_order(source):
    """Return the folders of lib in the order of their use."""
    text = (source / "lib/CMakeLists.txt").read_text()
    folders = re.search(r"foreach\(folder(.*?)\)", text, re.DOTALL)
    order = []
    for folder in folders.group(1).split():
        if folder == "Runtime":
            order += [f"Runtime/{room}" for room in RUNTIME_ROOMS]
        else:
            order.append(folder)
    return order


def get_unit(path):
    """Return folder and name: the same for a header and its source."""
    for base in BASES:
        if path.is_relative_to(base):
            path = path.relative_to(base)
            return path.parent.as_posix(), path.name.split(".")[0]
    return None


def read_includes(source):
    """Return the units that each unit includes, with a file that does so."""
    graph = {}
    for base in BASES:
        for path in sorted((source / base).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            own = path.relative_to(source)
            uses = graph.setdefault(get_unit(own), {})
            for name in INCLUDE.findall(path.read_text()):
                if name.startswith("HamKaas/"):
                    target = pathlib.Path("include", name)
                else:
                    target = own.parent / name
                if (source / target).exists() and get_unit(target) != get_unit(own):
                    uses.setdefault(get_unit(target), own)
    return graph


def find_upward_includes(graph, order):
    """Yield a line for each include of a folder that comes later."""
    rank = {folder: number for number, folder in enumerate(order)}
    # Headers that several fronts share.
    rank["Frontend"] = rank["Frontend/Script"] - 0.5
    for (folder, _), uses in sorted(graph.items()):
        if folder not in rank:
            yield f"{folder}: not a folder of lib/CMakeLists.txt"
            continue
        for (used, name), path in sorted(uses.items()):
            if rank.get(used, -1) > rank[folder]:
                yield f"{path}: includes {used}/{name}, which comes after {folder}"


def find_circles(graph):
    """Yield a line for each circle of files within one folder."""
    done = set()
    for start in sorted(graph):
        trail, numbers = [], {}
        stack = [(start, iter(()))] if start not in done else []
        if stack:
            stack = [(start, iter(sorted(graph[start])))]
            trail, numbers = [start], {start: 0}
        while stack:
            unit, uses = stack[-1]
            used = next((u for u in uses if u[0] == unit[0] and u in graph
                         and u not in done), None)
            if used is None:
                stack.pop()
                trail.pop()
                del numbers[unit]
                done.add(unit)
            elif used in numbers:
                circle = trail[numbers[used]:] + [used]
                yield (f"{used[0]}: a circle of includes: "
                       + " -> ".join(name for _, name in circle))
            else:
                numbers[used] = len(trail)
                trail.append(used)
                stack.append((used, iter(sorted(graph[used]))))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-includes.py SOURCE")
    source = pathlib.Path(sys.argv[1])
    graph = read_includes(source)
    if len(graph) < 100:
        sys.exit(f"check-includes.py: expected the sources of HamKaas in {source}")
    problems = [*find_upward_includes(graph, read_folder_order(source)),
                *find_circles(graph)]
    for problem in dict.fromkeys(problems):
        print(problem)
    print(f"{len(graph)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
