# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles PTX by ptxas and checks what its kernels take.

usage: check-ptx.py PTXAS [--arch=A,B,...] [--max-registers=N]
                    [--max-shared=BYTES] [--allow-stack] FILE

Prints a line for each kernel and architecture. Fails if ptxas does not accept
the file without a warning, if a kernel spills registers, has a stack or takes
more registers or bytes of static shared memory than stated, if a kernel for
sm_90 or later does not wait for the one before it in time, in the file or in
machine code, or if there is no kernel at all.
"""

import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# 48 KiB is what a launch may have without asking for more.
MAX_SHARED = 48 * 1024
MAX_REGISTERS = 255

ENTRY = re.compile(r"Compiling entry function '([^']+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")

TARGET = re.compile(r"\.target sm_(\d+)")
BODY = re.compile(r"\.entry (\w+)\(.*?^}$", re.DOTALL | re.MULTILINE)
# Of memory that kernels share, or about kernels that overlap.
ACCESS = re.compile(r"^\s*(?:@!?%p\d+ )?((?:ld|st|atom|red|cp|griddepcontrol)"
                    r"\.(?!param|shared|local)\S*?);?(?:\s|$)", re.MULTILINE)


class Kernel:
    def __init__(self, name):
        self.name = name
        self.stack = self.spilled = self.registers = self.shared = 0

    def read(self, line):
        if frame := FRAME.search(line):
            stack, stores, loads = map(int, frame.groups())
            self.stack, self.spilled = stack, stores + loads
        if registers := REGISTERS.search(line):
            self.registers = int(registers.group(1))
            shared = SHARED.search(line)
            self.shared = int(shared.group(1)) if shared else 0

    def __str__(self):
        return (f"{self.name}: {self.registers} registers, {self.shared} bytes "
                f"shared, {self.stack} bytes stack, {self.spilled} bytes "
                "spilled")

    def find_excess(self, options):
        if self.spilled:
            return "expected no spilled registers"
        if self.stack and not options.allow_stack:
            return "expected no stack"
        if self.registers > options.max_registers:
            return f"expected at most {options.max_registers} registers"
        if self.shared > options.max_shared:
            return f"expected at most {options.max_shared} bytes shared"
        return None


def find_late_waits(text):
    """Errors of kernels that may start before the one before them ends."""
    if int(TARGET.search(text).group(1)) < 90:
        return
    for kernel in BODY.finditer(text):
        accesses = ACCESS.findall(kernel.group(0))
        if accesses[:2] != ["griddepcontrol.wait",
                            "griddepcontrol.launch_dependents"]:
            yield (f"{kernel.group(1)}: expected griddepcontrol.wait before "
                   f"all else, got {accesses[0] if accesses else 'none'}")


# The lowest 12 bits of instructions.
WAIT = 0x82e  # ACQBULK
GLOBAL = {0x980: "LD", 0x981: "LDG", 0x985: "ST", 0x986: "STG", 0xfae: "LDGSTS"}


def list_code(file):
    """The kernels of a cubin and their instructions, by these bits."""
    begin, = struct.unpack_from("<Q", file, 40)
    size, count, names = struct.unpack_from("<HHH", file, 58)
    sections = [struct.unpack_from("<IIQQQQ", file, begin + i * size)
                for i in range(count)]
    for name, _, _, _, offset, length in sections:
        start = sections[names][4] + name
        text = file[start:file.index(b"\0", start)].decode()
        if text.startswith(".text."):
            code = struct.unpack_from(f"<{length // 8}Q", file, offset)
            yield text.removeprefix(".text."), [one & 0xfff
                                                for one in code[::2]]


def find_early_accesses(file):
    for kernel, code in list_code(file):
        if WAIT not in code:
            continue
        early = {GLOBAL[one] for one in code[:code.index(WAIT)]
                 if one in GLOBAL}
        if early:
            yield f"{kernel}: expected ACQBULK before {' and '.join(early)}"


def compile_for(arch, options, cubin):
    """The kernels of the file; an error ends the program."""
    done = subprocess.run(
        [options.ptxas, "-v", f"-arch={arch}", "-o", cubin, options.file],
        capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines()
                  if "warning" in line or "error" in line or "fatal" in line]
    if done.returncode != 0 or complaints:
        sys.exit(f"{arch}: " + ("\n".join(complaints) or done.stderr))
    kernels = []
    for line in done.stderr.splitlines():
        if entry := ENTRY.search(line):
            kernels.append(Kernel(entry.group(1)))
        elif kernels:
            kernels[-1].read(line)
    return kernels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("--arch", default="sm_80,sm_90,sm_90a")
    parser.add_argument("--max-registers", type=int, default=MAX_REGISTERS)
    parser.add_argument("--max-shared", type=int, default=MAX_SHARED)
    parser.add_argument("--allow-stack", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    wrong = list(find_late_waits(pathlib.Path(options.file).read_text()))
    for arch in options.arch.split(","):
        with tempfile.NamedTemporaryFile() as cubin:
            kernels = compile_for(arch, options, cubin.name)
            wrong += [f"{arch} {text}" for text in
                      find_early_accesses(pathlib.Path(cubin.name).read_bytes())]
        if not kernels:
            sys.exit(f"{arch}: expected kernels, got none")
        for kernel in kernels:
            print(f"{arch} {kernel}")
            if excess := kernel.find_excess(options):
                wrong.append(f"{arch} {kernel}: {excess}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
