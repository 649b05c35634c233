#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels twice, runs both and compares the results.

usage: execute.py FILE --level=LEVEL [--integers=V[:V...],...] [--range=R]
                  [--features=F,...]

Every function of FILE is compiled by our passes and, as the reference, by
upstream's lowering of linalg to scalar loops. Inputs are random numbers of
[-R, R], integers of all sizes; arguments of one i64 are given by --integers,
one run for each of its entries. A kernel must give equal results (to 1e-5 of
the largest, of f64 to 1e-14 and of f16 to 1e-3), the same bits for every split
of its tiles and all `features` (of HamKaasCpuFeature), write nothing outside of
its destination and read nothing outside of its inputs.

Kernels for a level or features that this processor lacks run in the emulator;
without it, features are left out.
"""

import argparse
import ctypes
import mmap
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Inputs"))
import emulator

TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16,
         "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8}
GUARD = 64
# The flags in /proc/cpuinfo of the levels and of the features of each.
LEVELS = {"x86-64": set(), "x86-64-v2": {"sse4_2", "popcnt"},
          "x86-64-v3": {"avx2", "fma"},
          "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                        "avx512vl"}}
DOT_PRODUCTS, TILE_PRODUCTS = 1, 2
FEATURES = {DOT_PRODUCTS: {"x86-64-v3": "avx_vnni", "x86-64-v4": "avx512_vnni"},
            TILE_PRODUCTS: {"x86-64-v4": "amx_int8"}}
ARCH_PRCTL, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA = 158, 0x1023, 18
PROT_NONE = 0
ALLOWED = {np.float64: 1e-14, np.float32: 1e-5, np.float16: 1e-3}

# NOTE: a function of bare pointers returns the address malloc gave it, so the
# reference's buffers must not be aligned any further.
BUFFERIZE = (
    "one-shot-bufferize{buffer-alignment=0 bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "cse,canonicalize,drop-equivalent-buffer-results,cse,canonicalize")
TO_LLVM = (
    "convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,convert-math-to-llvm,convert-math-to-libm,"
    "finalize-memref-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv},"
    "convert-arith-to-llvm,convert-cf-to-llvm,convert-index-to-llvm,"
    "reconcile-unrealized-casts")
UNPACK = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %p = transform.structured.match ops{["linalg.pack"]} in %m
      : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.structured.lower_pack %p {lowerPadLikeWithInsertSlice = false}
      : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">,
        !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %u = transform.structured.match ops{["linalg.unpack"]} in %m
      : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.structured.lower_unpack %u {lowerUnpadLikeWithExtractSlice = false}
      : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">,
        !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">,
        !transform.op<"tensor.extract_slice">)
    transform.yield
  }
}
"""


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def passes(tool, pipeline, text, *options):
    return run([tool, f"--pass-pipeline=builtin.module({pipeline})", *options],
               text)


def compile_kernels(text, level):
    """Returns code, numbers of tiles, and the kernels that read features."""
    text = passes("hamkaas-opt",
                  f"hamkaas-attach-target{{target-cpu={level}}},"
                  "func.func(hamkaas-cpu-emit-kernels),cse", text)
    text = passes("hamkaas-opt", BUFFERIZE, text)
    for forbidden in ("memref.alloc(", "memref.copy"):
        if forbidden in text:
            sys.exit(f"bufferization left a {forbidden}:\n{text}")
    tiles = dict(re.findall(r"func.func private @(\w+)\(.*hamkaas.tiles = (\d+)", text))
    functions = re.split(r"func\.func private @(\w+)", text)
    reading = {name for name, body in zip(functions[1::2], functions[2::2])
               if "hamkaas.has_" in body}
    text = passes("hamkaas-opt", "hamkaas-distribute-tiles,canonicalize,"
                  "hamkaas-lower-kernels", text)
    return text, {name: int(count) for name, count in tiles.items()}, reading


def compile_reference(text):
    text = run(["hamkaas-opt", "-mlir-print-op-generic"], text)
    lines = [line for line in text.splitlines() if "hamkaas.check" not in line]
    text = re.sub(r'sym_name = "', 'sym_name = "reference_', "\n".join(lines))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as library:
        library.write(UNPACK)
        library.flush()
        text = passes(
            "mlir-opt", f"transform-preload-library{{transform-library-paths="
            f"{library.name}}},transform-interpreter", text,
            "-allow-unregistered-dialect")
    text = passes("mlir-opt", f"convert-tensor-to-linalg,{BUFFERIZE}", text,
                  "-allow-unregistered-dialect")
    returning = set(re.findall(r"@reference_(\w+)\([^)]*\) -> memref", text))
    text = passes("mlir-opt", TO_LLVM, text, "-allow-unregistered-dialect")
    return text, returning


def build(folder, name, text, cpu):
    path = os.path.join(folder, name)
    ir = run(["mlir-translate", "--mlir-to-llvmir",
              "--allow-unregistered-dialect"], text)
    run(["llc", "-O2", f"-mcpu={cpu}", "-relocation-model=pic", "-filetype=obj",
         "-o", path + ".o"], ir)
    # The runner's library has the memrefCopy that the reference may call.
    library = run(["llvm-config", "--libdir"], "").strip()
    run([os.environ.get("CC", "clang"), "-shared", path + ".o", "-o",
         path + ".so", "-lm", f"-L{library}", f"-Wl,-rpath,{library}",
         "-Wl,--as-needed", "-lmlir_c_runner_utils"], "")
    return ctypes.CDLL(path + ".so")


def signatures(text):
    """Names and argument types of the functions; the last is the result."""
    found = {}
    for name, arguments in re.findall(
            r"func\.func private @(\w+)\((.*?)\) ->", text, re.DOTALL):
        types = []
        for shape in re.findall(r"tensor<([^>]*)>", arguments):
            *dims, element = shape.split("x")
            types.append((tuple(map(int, dims)), TYPES[element]))
        found[name] = types
    return found


def make_inputs(types, integers, limit, random):
    integers = list(integers)
    arrays = []
    for shape, element in types[:-1]:
        if element is np.int64 and shape == (1,):
            arrays.append(np.full(shape, integers.pop(0), element))
        elif np.issubdtype(element, np.integer):
            limits = np.iinfo(element)
            arrays.append(random.integers(
                max(limits.min, -2**40), min(limits.max, 2**40), shape,
                element, endpoint=True))
        else:
            arrays.append(random.uniform(-limit, limit, shape).astype(element))
    return arrays


def guarded(contents):
    """A copy of the array with a margin on both sides."""
    size = contents.nbytes
    raw = np.full(size + 2 * GUARD, 0xA5, np.uint8)
    raw[GUARD:GUARD + size] = contents.reshape(-1).view(np.uint8)
    return raw


class Fenced:
    """A copy of an array between pages that nobody may read; it begins after
    the first of them or ends before the last."""

    def __init__(self, contents, at_end):
        page = mmap.PAGESIZE
        data = -(-contents.nbytes // page) * page
        self.memory = mmap.mmap(-1, data + 2 * page)
        begin = data + page - contents.nbytes if at_end else page
        self.memory[begin:begin + contents.nbytes] = contents.tobytes()
        base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.address = base + begin
        libc = ctypes.CDLL(None, use_errno=True)
        for fence in (base, base + page + data):
            if libc.mprotect(ctypes.c_void_p(fence), ctypes.c_size_t(page),
                             PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect failed")


class Processor:
    """Calls kernels of a level, natively or in the emulator."""

    def __init__(self, level):
        self.level = level
        with open("/proc/cpuinfo") as file:
            self.flags = set(file.read().split())
        # Linux lets a process use the registers of tiles on request.
        libc = ctypes.CDLL(None)
        if libc.syscall(ARCH_PRCTL, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA):
            self.flags.discard("amx_int8")
        self.emulator = None

    def is_native(self, features):
        needed = LEVELS[self.level] | {
            flags[self.level] for feature, flags in FEATURES.items()
            if features & feature and self.level in flags}
        return needed <= self.flags

    def can_run(self, features):
        return self.is_native(features) or emulator.is_installed()

    def call(self, function, features, *arguments):
        if self.is_native(features):
            return function(*map(ctypes.c_void_p, arguments))
        self.emulator = self.emulator or emulator.Emulator()
        return self.emulator.call(function, *arguments) & 0xFFFFFFFF


def run_kernel(processor, function, inputs, before, ranges, at_end=True,
               features=0):
    """Runs the tiles of `ranges`. The features stand before the table of
    arguments."""
    raw = guarded(before)
    fenced = [Fenced(array, at_end) for array in inputs]
    addresses = [array.address for array in fenced]
    addresses.append(raw.ctypes.data + GUARD)
    table = (ctypes.c_void_p * (1 + len(addresses)))(features, *addresses)
    arguments = ctypes.addressof(table) + ctypes.sizeof(ctypes.c_void_p)
    values = (ctypes.c_int64 * 4)()
    for begin, end in ranges:
        status = processor.call(function, features, arguments, begin, end,
                                ctypes.addressof(values))
        if status:
            assert (raw == guarded(before)).all(), "a failed check wrote"
            return list(values)
    inner = raw[GUARD:-GUARD]
    margins = np.concatenate([raw[:GUARD], raw[-GUARD:]])
    assert (margins == 0xA5).all(), "wrote outside of the destination"
    return inner.view(before.dtype).reshape(before.shape).copy()


def run_reference(function, returns, inputs, before):
    """The result is a new buffer if the function `returns`."""
    result = before.copy()
    arrays = inputs + [result]
    function.restype = ctypes.c_void_p
    address = function(*[ctypes.c_void_p(a.ctypes.data) for a in arrays])
    if not returns:
        return result
    buffer = (ctypes.c_char * before.nbytes).from_address(address)
    return np.frombuffer(buffer, before.dtype).reshape(before.shape).copy()


def compare(name, got, expected):
    element = got.dtype.type
    if np.issubdtype(got.dtype, np.integer):
        assert (got == expected).all(), f"{name}: integers differ"
        return
    assert (np.isnan(got) == np.isnan(expected)).all(), f"{name}: NaN differ"
    finite = np.isfinite(expected)
    assert (got[~finite & ~np.isnan(got)] ==
            expected[~finite & ~np.isnan(got)]).all(), f"{name}: inf differ"
    if not finite.any():
        return
    scale = max(1.0, np.abs(expected[finite]).max())
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    error = np.abs(got[finite] - expected[finite]).max() / scale
    allowed = ALLOWED[element]
    assert error < allowed, f"{name}: error {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--level", required=True)
    parser.add_argument("--integers", default="")
    parser.add_argument("--range", type=float, default=1.0)
    parser.add_argument("--features", default=f"0,{DOT_PRODUCTS},{TILE_PRODUCTS}")
    options = parser.parse_args()
    with open(options.file) as file:
        text = file.read()
    level = options.level
    kernels, tiles, reading = compile_kernels(text, level)
    reference, returning = compile_reference(text)
    random = np.random.default_rng(7)
    processor = Processor(level)
    base, *others = filter(processor.can_run,
                           map(int, options.features.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        ours = build(folder, "kernels", kernels, level)
        theirs = build(folder, "reference", reference, "x86-64")
        for name, types in signatures(text).items():
            for entry in options.integers.split(","):
                integers = [int(v) for v in entry.split(":") if v]
                inputs = make_inputs(types, integers, options.range, random)
                shape, element = types[-1]
                before = np.full(shape, 7, element)
                count = tiles[name]
                function = getattr(ours, name)
                got = run_kernel(processor, function, inputs, before,
                                 [(0, count)], features=base)
                if isinstance(got, list):
                    print(f"{name} {entry}: check failed with {got}")
                    continue
                single = [(t, t + 1) for t in reversed(range(count))]
                split = run_kernel(processor, function, inputs, before, single,
                                   at_end=False, features=base)
                assert got.tobytes() == split.tobytes(), \
                    f"{name}: the bits depend on the split"
                for features in others if name in reading else ():
                    other = run_kernel(processor, function, inputs, before,
                                       [(0, count)], features=features)
                    assert got.tobytes() == other.tobytes(), \
                        f"{name}: the bits depend on features {features}"
                compare(name, got, run_reference(
                    getattr(theirs, "reference_" + name), name in returning,
                    inputs, before))
                print(f"{name} {entry}: equal, {count} tiles")


if __name__ == "__main__":
    main()
