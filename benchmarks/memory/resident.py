#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that a library's report prints, and memory that its steps take.

Saves a training step of each network as train.so, with its parameters. A fresh
process that has the C library and train.so alone creates an instance and trains
a few steps; what its resident memory has grown by is compared with the sum of
constants, state and workspace. Inputs, outputs and the library's own pages are
resident before. Fails if a network differs by more than the tolerance.

usage: PYTHONPATH=build/python resident.py [--tiny] [--threads=1,2] [NAME...]
"""

import argparse
import ctypes
import json
import mmap
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "train"
STEPS = 3
# Sizes for --tiny: 8 to 15 MB of each, so that pages and stacks count for little;
# the stack of a thread takes up to 150 KB.
TINY = {
    "mlp": {"batch": 64, "inputs": 600, "width": 1200},
    "resnet9": {"batch": 4, "width": 16},
    "lstm": {"batch": 8, "steps": 16, "words": 500, "width": 128},
    "gpt": {"batch": 2, "steps": 64, "width": 128, "heads": 2, "layers": 3},
}


#===------------------------------------------------------------------------===#
# The process that trains
#===------------------------------------------------------------------------===#


class Options(ctypes.Structure):
    """`train_options` of train.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("device", ctypes.c_char_p),
                ("weights_file", ctypes.c_char_p), ("threads", ctypes.c_int32),
                ("unverified", ctypes.c_size_t)]


def read_resident():
    """Bytes of anonymous memory and of files. The counts of /proc/self/status
    are not exact."""
    with open("/proc/self/smaps_rollup") as file:
        rows = dict(line.split(":") for line in file.readlines()[1:])
    resident, anonymous = (int(rows[name].split()[0]) << 10
                           for name in ("Rss", "Anonymous"))
    return anonymous, resident - anonymous


def read_pages(library):
    """Makes all pages of the library resident."""
    with open("/proc/self/maps") as maps, open(
            "/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps:
            addresses, access, *_, path = line.split()
            if path == library and access[0] == "r":
                begin, end = (int(text, 16) for text in addresses.split("-"))
                for page in range(begin, end, mmap.PAGESIZE):
                    memory.seek(page)
                    memory.read(1)


def train(library, threads, sizes):
    """Prints by how much the memory of this process grows."""
    step = ctypes.CDLL(library)

    def call(function, *arguments):
        function.restype = ctypes.c_char_p
        if error := function(*arguments):
            sys.exit(error.decode())

    buffers = [ctypes.create_string_buffer(size) for size in sizes]
    for buffer in buffers:
        ctypes.memset(buffer, 0, len(buffer))
    read_pages(library)
    read_resident()
    before = read_resident()
    model = ctypes.c_void_p()
    options = Options(ctypes.sizeof(Options), None, None, threads, 0)
    call(step.train_create, ctypes.byref(options), ctypes.byref(model))
    for _ in range(STEPS):
        call(step.train_run, model, *buffers)
    print(json.dumps([now - then
                      for now, then in zip(read_resident(), before)]))


#===------------------------------------------------------------------------===#
# The process that compiles and compares
#===------------------------------------------------------------------------===#


def save_step(network, path):
    """Writes the library. Returns its report, and the bytes of each buffer."""
    import hamkaas as hk
    from frameworks import HamKaas
    step = HamKaas(threads=1).build_step(network, with_contents=True)
    model = hk.compile({"step": step}, name=NAME)
    model.save(path)
    report = model.report.json()
    return report, [tensor["bytes"]
                    for tensor in report["inputs"] + report["outputs"]]


def measure(name, sizes, threads):
    """The regions that the report has, and the growth for each number of
    threads, anonymous and of files."""
    from networks import NETWORKS
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/{NAME}.so"
        report, buffers = save_step(NETWORKS[name](**sizes), library)
        growths = []
        for count in threads:
            task = [sys.executable, "-I", __file__, "--library", library,
                    "--threads", str(count), *map(str, buffers)]
            result = subprocess.run(task, stdout=subprocess.PIPE, check=True)
            growths.append(json.loads(result.stdout))
    memory = report["memory"]
    return [memory[region]
            for region in ("constants", "state", "workspace")], growths


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    """Measure the networks that are named, or all but gpt2."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", default=list(TINY),
        help=f"default: {' '.join(TINY)}; also gpt2")
    add("--threads", type=numbers, default=[1, 2], metavar="N,...")
    add("--tiny", action="store_true", help="networks of 8 to 15 MB")
    add("--tolerance", type=float, default=2.0, help="in %% (default: 2)")
    add("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.library:
        train(options.library, options.threads[0], map(int, options.names))
        return
    sys.path.append(str(HERE.parent / "training"))
    print("MB       constants   state  workspace  printed  threads  measured"
          "  of files  difference")
    worst = 0
    for name in options.names:
        regions, growths = measure(
            name, TINY[name] if options.tiny else {}, options.threads)
        printed = sum(regions)
        for count, (anonymous, files) in zip(options.threads, growths):
            difference = 100 * ((anonymous + files) / printed - 1)
            worst = max(worst, abs(difference))
            constants, state, workspace = (size / 1e6 for size in regions)
            print(f"{name:8} {constants:9.2f} {state:7.2f} {workspace:10.2f} "
                  f"{printed / 1e6:8.2f} {count:8} "
                  f"{(anonymous + files) / 1e6:9.2f} {files / 1e6:9.2f} "
                  f"{difference:+9.2f} %", flush=True)
    if worst > options.tolerance:
        sys.exit(f"resident.py: error: expected a difference of at most "
                 f"{options.tolerance:g} %, got {worst:.2f} %")


if __name__ == "__main__":
    main()
