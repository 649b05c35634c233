# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls functions of this process in an emulated CPU that has AVX-512,
AVX512-VNNI, AVX-VNNI and AMX-INT8.

    library = ctypes.CDLL("kernels.so")
    result = Emulator().call(library.kernel, pointer, integer, ...)

Run as a program, it tells if it can: it fails where the package is missing.

Addresses are those of the process: the pages that the guest touches are the
host's own. Code of the called functions' libraries is emulated; functions of
other libraries (malloc, memcpy) run natively, with up to six arguments that are
integers. The guest has one thread.

The CPU is Bochs's Sapphire Rapids, of the package bochscpu-python; tiles.py
interprets AMX, which the package lacks. On one Zen 3 core it runs 50 million
scalar instructions, 11 million FMAs of 512 bits or 10 thousand instructions of
AMX a second, and a call takes half a millisecond.
"""

import atexit
import bisect
import ctypes
import importlib.util
import mmap
import os
import struct
import subprocess
import tempfile
from typing import Any

import tiles

PAGE = mmap.PAGESIZE
MODEL = "_Z28create_sapphire_rapids_cpuidP8BX_CPU_C"
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
             "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")
STACK_PAGES = 256

INVALID_OPCODE = 6
PAGE_FAULT = 14
NAMES = {0: "#DE", 1: "#DB", 3: "#BP", INVALID_OPCODE: "#UD", 7: "#NM",
         8: "#DF", 10: "#TS", 11: "#NP", 12: "#SS", 13: "#GP",
         PAGE_FAULT: "#PF", 16: "#MF", 17: "#AC", 19: "#XM"}
WITH_ERROR_CODE = {8, 10, 11, 12, 13, 14, 17}
WRITE_FAULT = 2
FETCH_FAULT = 16
# Behind the handlers of 32 exceptions.
RETURN = 32

# Flags of page table entries.
PRESENT, WRITABLE, NOT_EXECUTABLE = 1, 2, 1 << 63

CODE, DATA, TASK = 8, 16, 24
ARCH_PRCTL, ARCH_GET_FS = 158, 0x1003

libc = ctypes.CDLL(None)


class Fault(Exception):
    """An exception of the CPU that ended the call."""


def is_installed() -> bool:
    return importlib.util.find_spec("bochscpu") is not None


def load_bochs() -> Any:
    """Imports the package with our replacements for some of its symbols."""
    source = os.path.join(os.path.dirname(__file__), "emulator-cpu.c")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "emulator-cpu.so")
        subprocess.run([os.environ.get("CC", "clang"), "-shared", "-fPIC",
                        "-o", path, source], check=True)
        replacements = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    import bochscpu
    import bochscpu.cpu
    import bochscpu.memory
    model = ctypes.CDLL(bochscpu._bochscpu.__file__)[MODEL]
    pointer = ctypes.c_void_p.in_dll(replacements, "create_identity")
    pointer.value = ctypes.cast(model, ctypes.c_void_p).value
    return bochscpu


class Symbol(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p),
                ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def describe(address: int) -> str:
    symbol = Symbol()
    if not libc.dladdr(ctypes.c_void_p(address), ctypes.byref(symbol)):
        return f"{address:#x}"
    name = (symbol.name or b"?").decode()
    return (f"{address:#x} ({name} + "
            f"{address - (symbol.address or symbol.base):#x})")


def allocate(pages: int) -> tuple[mmap.mmap, int]:
    memory = mmap.mmap(-1, pages * PAGE)
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


class Ranges:
    """The address ranges of this process."""

    def __init__(self) -> None:
        self.text = ""
        self.update()

    def update(self) -> bool:
        """Reads them; returns if they changed."""
        with open("/proc/self/maps") as file:
            text = file.read()
        changed = text != self.text
        if changed:
            self.text = text
            self.ends = []
            self.ranges = []
            for line in text.splitlines():
                addresses, access, *rest = line.split(maxsplit=5)
                begin, end = (int(part, 16) for part in addresses.split("-"))
                self.ends.append(end)
                self.ranges.append(
                    (begin, access, rest[3] if len(rest) > 3 else ""))
        return changed

    def find(self, address: int) -> tuple[str, str]:
        """The access that is allowed and the file."""
        at = bisect.bisect_right(self.ends, address)
        if at < len(self.ends) and self.ranges[at][0] <= address:
            return self.ranges[at][1:]
        return "----", ""


class PageTables:
    """Page tables of the guest; virtual addresses are those of the process and
    physical ones are numbered as pages are used."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.next = PAGE
        self.physical: dict[int, int] = {}
        self.spare: list[tuple[int, Any]] = []
        self.used: list[tuple[int, Any]] = []
        self.clear()

    def clear(self) -> None:
        """Forgets all pages. None gets its old physical address again, by which
        the emulator knows code that it decoded."""
        for address in self.physical.values():
            self.memory.page_remove(address)
        self.physical = {}
        self.spare += self.used
        self.used = []
        self.tables: dict[int, Any] = {}
        self.root, self.top = self.new_table()

    def physical_page(self, address: int) -> int:
        if address not in self.physical:
            self.physical[address] = self.next
            self.memory.page_insert(self.next, address)
            self.next += PAGE
        return self.physical[address]

    def new_table(self) -> tuple[int, Any]:
        if not self.spare:
            memory, address = allocate(1)
            entries = (ctypes.c_uint64 * 512).from_buffer(memory)
            self.spare.append((address, entries))
        self.used.append(self.spare.pop())
        address, entries = self.used[-1]
        ctypes.memset(address, 0, PAGE)
        return self.physical_page(address), entries

    def insert(self, address: int, flags: int) -> None:
        table = self.top
        for shift in (39, 30, 21):
            prefix = address >> shift << 6 | shift
            if prefix not in self.tables:
                physical, self.tables[prefix] = self.new_table()
                table[address >> shift & 511] = physical | PRESENT | WRITABLE
            table = self.tables[prefix]
        table[address >> 12 & 511] = (
            self.physical_page(address & -PAGE) | PRESENT | flags)


class Emulator:
    def __init__(self) -> None:
        self.bochs = load_bochs()
        self.session = self.bochs.Session()
        self.session.missing_page_handler = lambda address: None
        self.hook = self.bochs.Hook()
        self.hook.hlt = lambda session, cpu: session.stop()
        atexit.register(self.close)
        self.ranges = Ranges()
        self.pages = PageTables(self.bochs.memory)
        self.tiles = tiles.Tiles(self.read, self.write)
        self.libraries: set[str] = set()
        self.memory, self.system = allocate(8)
        self.stack_memory, self.stack = allocate(STACK_PAGES)
        self.fill_system_pages()
        self.map_system_pages()

    def close(self) -> None:
        """Frees what refers to Python objects, before the interpreter ends."""
        self.session = self.hook = None

    def fill_system_pages(self) -> None:
        """Page 0 has the descriptors and the task's segment, page 1 the
        handlers' addresses and page 2 the handlers, which stop the emulator;
        they use the other pages as their stack."""
        self.task = self.system + 256
        self.handlers = self.system + 2 * PAGE
        self.memory[0:24] = struct.pack("<3Q", 0, 0x00AF9B000000FFFF,
                                        0x00CF93000000FFFF)
        # `handle` reads an error code, which not all exceptions have.
        self.memory[256:360] = struct.pack("<36xQ60x",
                                           self.system + 8 * PAGE - 16)
        hlt = b"\xf4"
        self.memory[2 * PAGE:3 * PAGE] = hlt * PAGE
        for vector in range(32):
            handler = self.handlers + vector
            self.memory[PAGE + 16 * vector:PAGE + 16 * (vector + 1)] = (
                struct.pack("<HHBBHII", handler & 0xFFFF, CODE, 1, 0x8E,
                            handler >> 16 & 0xFFFF, handler >> 32, 0))

    def map_system_pages(self) -> None:
        for page in range(8):
            self.pages.insert(self.system + page * PAGE, WRITABLE)

    def segment(self, selector: int, attributes: int, base: int = 0,
                limit: int = 0xFFFFFFFF) -> Any:
        segment = self.bochs.Segment()
        segment.selector = selector
        segment.attr = attributes
        segment.base = base
        segment.limit = limit
        segment.present = True
        return segment

    def table(self, base: int, limit: int) -> Any:
        table = self.bochs.GlobalSegment()
        table.base = base
        table.limit = limit
        return table

    def initial_state(self) -> Any:
        """Long mode at the highest privilege, with AVX-512 enabled."""
        state = self.bochs.State()
        state.cr0 = 0x80050033
        state.cr3 = self.pages.root
        state.cr4 = 0x50620
        state.efer = 0xD00
        state.xcr0 = 0xE7
        state.cs = self.segment(CODE, 0xA09B)
        for name in ("ds", "es", "ss", "gs"):
            setattr(state, name, self.segment(DATA, 0xC093))
        thread = ctypes.c_uint64()
        libc.syscall(ARCH_PRCTL, ARCH_GET_FS, ctypes.byref(thread))
        state.fs = self.segment(DATA, 0xC093, thread.value)
        state.ldtr = self.segment(0, 0x82)
        state.tr = self.segment(TASK, 0x8B, self.task, 103)
        state.gdtr = self.table(self.system, 23)
        state.idtr = self.table(self.system + PAGE, 511)
        state.mxcsr = 0x1F80
        state.mxcsr_mask = 0xFFFF
        state.fpcw = 0x37F
        state.fptw = 0xFFFF
        state.rflags = 2
        return state

    def add_library(self, path: str) -> None:
        """Emulates code of the library, too, instead of running it natively."""
        self.libraries.add(os.path.realpath(path))

    def call(self, function: Any, *arguments: int) -> int:
        """Returns rax. `function` is one of ctypes or an address."""
        address = (function if isinstance(function, int) else
                   ctypes.cast(function, ctypes.c_void_p).value or 0)
        changed = self.ranges.update()
        library = self.ranges.find(address)[1]
        if changed or library not in self.libraries:
            self.libraries.add(library)
            self.pages.clear()
            self.map_system_pages()
        state = self.initial_state()
        state.rip = address
        masked = [argument & 2**64 - 1 for argument in arguments]
        for name, argument in zip(ARGUMENTS, masked):
            setattr(state, name, argument)
        on_stack = masked[len(ARGUMENTS):]
        # The stack is aligned before the return address is pushed.
        state.rsp = (self.stack + STACK_PAGES * PAGE - 64 -
                     8 * len(on_stack)) // 16 * 16 - 8
        words = (ctypes.c_uint64 * (1 + len(on_stack))).from_address(state.rsp)
        words[:] = [self.handlers + RETURN, *on_stack]
        self.session.cpu.state = state
        self.tiles.release()
        while (vector := self.run()) != RETURN:
            self.handle(vector)
        return int(self.session.cpu.rax)

    def run(self) -> int:
        """Runs to the next exception or the end and returns its number."""
        self.session.run([self.hook])
        vector = int(self.session.cpu.rip) - 1 - self.handlers
        if not 0 <= vector <= RETURN:
            raise Fault(f"hlt at {describe(self.session.cpu.rip - 1)}")
        return vector

    def handle(self, vector: int) -> None:
        """Does what the exception asks for and returns from it."""
        cpu = self.session.cpu
        frame = list((ctypes.c_uint64 * 6).from_address(cpu.rsp))
        error = frame.pop(0) if vector in WITH_ERROR_CODE else 0
        rip, _, flags, rsp = frame[:4]
        cpu.rsp = rsp
        if vector == PAGE_FAULT and error & FETCH_FAULT:
            rip = self.call_natively(cpu.cr2) or rip
        elif vector == PAGE_FAULT:
            self.map_page(cpu.cr2, bool(error & WRITE_FAULT), rip)
        elif vector == INVALID_OPCODE:
            rip += self.interpret(rip)
        else:
            raise Fault(f"{NAMES.get(vector, vector)} at {describe(rip)}")
        cpu.rip = rip
        cpu.rflags = flags

    def access(self, address: int) -> tuple[str, str]:
        found = self.ranges.find(address)
        if found[0] == "----" and self.ranges.update():
            found = self.ranges.find(address)
        return found

    def map_page(self, address: int, write: bool, rip: int) -> None:
        """Maps the page of data or code, or raises what the host would."""
        access, file = self.access(address)
        if access[0] != "r" or write and access[1] != "w":
            raise Fault(f"#PF at {describe(rip)}: "
                        f"{'write' if write else 'read'} of {address:#x}")
        flags = WRITABLE if access[1] == "w" else 0
        if access[2] != "x" or file not in self.libraries:
            flags |= NOT_EXECUTABLE
        self.pages.insert(address, flags)

    def call_natively(self, address: int) -> int | None:
        """Calls the function of another library and returns to its caller;
        None if the address belongs to the emulated one."""
        cpu = self.session.cpu
        access, file = self.access(address)
        if access[2] != "x":
            raise Fault(f"#PF at {describe(address)}: not executable")
        if file in self.libraries:
            self.map_page(address, False, address)
            return None
        kind = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 6)
        cpu.rax = kind(address)(*[getattr(cpu, name) for name in ARGUMENTS])
        caller = ctypes.c_uint64.from_address(cpu.rsp).value
        cpu.rsp += 8
        return int(caller)

    def interpret(self, rip: int) -> int:
        """Interprets an instruction of AMX; returns its length."""
        end = rip // PAGE * PAGE + 2 * PAGE
        if self.access(end - PAGE)[0][0] != "r":
            end -= PAGE
        code = ctypes.string_at(rip, min(15, end - rip))
        self.rip = rip
        try:
            length = self.tiles.execute(
                code, lambda number: getattr(self.session.cpu,
                                             REGISTERS[number]))
        except tiles.TileFault as fault:
            raise Fault(f"{fault} at {describe(rip)}") from None
        if not length:
            raise Fault(f"#UD at {describe(rip)}: {code.hex(' ')}")
        return length

    def check(self, address: int, size: int, write: bool) -> None:
        for page in range(address // PAGE, (address + size - 1) // PAGE + 1):
            access = self.access(page * PAGE)[0]
            if access[1 if write else 0] == "-":
                raise Fault(f"#PF at {describe(self.rip)}: "
                            f"{'write' if write else 'read'} of {address:#x}")

    def read(self, address: int, size: int) -> bytes:
        self.check(address, size, False)
        return ctypes.string_at(address, size)

    def write(self, address: int, data: bytes) -> None:
        self.check(address, len(data), True)
        ctypes.memmove(address, data, len(data))


if __name__ == "__main__":
    Emulator()
