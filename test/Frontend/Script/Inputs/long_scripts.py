# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of COUNT statements are read in linear time and without recursion,
and come back as they were.

    long_scripts.py COUNT
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

STACK = 1 << 20
# Four times the statements may take up to this many times as long. A quadratic
# algorithm takes 16 times as long.
MAX_RATIO = 8


def chain(count):
    """Each statement reads the one before it, and another far above."""
    yield "$1 = InputTensor(x, float32, [4]);\n"
    for i in range(2, count):
        yield f"${i} = SumNode(${i - 1}, ${(i + 1) // 2});\n"
    yield f"result = ${count - 1};\n"


def parameters(count):
    """Every other statement is a parameter."""
    yield "$1 = ConstantTensor(c1, float32, [4]);\n"
    yield "$2 = ConstantTensor(c2, float32, [4]);\n"
    yield "$3 = SumNode($1, $2);\n"
    for i in range(4, count - 1, 2):
        yield f"${i} = ConstantTensor(c{i}, float32, [4]);\n"
        yield f"${i + 1} = SumNode(${i - 1}, ${i});\n"
    yield f"result = ${(count - 4) // 2 * 2 + 3};\n"


def writes(count):
    """Each statement writes to the same buffer through another view of it."""
    yield "$1 = InputTensor(r, float32, [2]);\n"
    yield "$2 = InputTensor(p, int64, [1]);\n"
    yield "$3 = BufferTensor(float32, [8]);\n"
    yield "$4 = SliceNode($3, 2, 6);\n"
    for i in range(5, count, 2):
        yield f"${i} = ReplaceSliceNode($4, $1, $2, $2);\n"
        yield f"${i + 1} = ReplaceSliceNode($3, $1, $2, $2);\n"
    yield "result = $3;\n"


def calls(count):
    """The chain in version 3, with a loop in each tenth statement."""
    yield 'version = 3;\n$1 = input("x", float32, [4]);\n'
    for i in range(2, count):
        yield (f"${i} = add(${i - 1}, ${(i + 1) // 2});\n" if i % 10 else
               f"${i} = scan(steps=2) {{\n  ${count} = init(${i - 1});\n"
               f"  yield(${count});\n}}\n")
    yield f'output("y", ${count - 1});\n'


def contents(count):
    """One constant of many elements."""
    yield "version = 3;\n"
    yield f"$1 = constant(float32, [{count}], [0"
    for i in range(1, count):
        yield f", {i}.5e-3"
    yield ']);\noutput("y", $1);\n'


def translate(direction, source, target):
    """Returns the processor time in seconds."""
    process = subprocess.Popen(
        ["hamkaas-translate", direction, source, "-o", target],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK,
                                              (STACK, STACK)))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{direction} {source}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def check(make, count, folder):
    seconds = []
    for size in (count // 4, count):
        script, graph = folder / "script.hk", folder / "graph.mlir"
        with open(script, "w") as file:
            file.writelines(make(size))
        seconds.append(translate("--import-script", script, graph))
    export = translate("--export-script", graph, folder / "again.hk")
    again = folder / "again.mlir"
    translate("--import-script", folder / "again.hk", again)
    print(f"{make.__name__}: {count // 4} statements in {seconds[0]:.2f} s, "
          f"{count} in {seconds[1]:.2f} s, written in {export:.2f} s")
    if graph.read_bytes() != again.read_bytes():
        sys.exit("another graph after printing")
    if seconds[1] > MAX_RATIO * seconds[0]:
        sys.exit("not in linear time")


def main():
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        check(chain, count, pathlib.Path(name))
        for make in (parameters, writes, calls, contents):
            check(make, count // 10, pathlib.Path(name))


main()
