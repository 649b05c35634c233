# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An interpreter of AMX-TILE and AMX-INT8 (Intel SDM, volume 2)."""

import dataclasses
from typing import Callable

import numpy as np

TILES = 8
ROWS = 16
ROW_BYTES = 64
PALETTE = 1

NO_PREFIX, P66, PF3, PF2 = range(4)
# Signedness of the bytes of the second and third tile.
PRODUCTS = {NO_PREFIX: (np.uint8, np.uint8), P66: (np.uint8, np.int8),
            PF3: (np.int8, np.uint8), PF2: (np.int8, np.int8)}


class TileFault(Exception):
    """An exception of the processor (#UD or #GP)."""


def require(condition: bool, fault: str) -> None:
    if not condition:
        raise TileFault(fault)


@dataclasses.dataclass
class Instruction:
    """VEX.128.0F38.W0; `memory` is (base, displacement, index, scale) with
    numbers of registers or None, of operands that are not registers."""
    length: int
    opcode: int
    prefix: int
    register: int
    vvvv: int
    rm: int
    memory: tuple[int | None, int, int | None, int] | None


def decode(code: bytes) -> Instruction | None:
    """The instruction at the begin of `code`, or None if it is none of AMX."""
    if len(code) < 5 or code[0] != 0xC4 or code[1] & 0x1F != 2:
        return None
    r, x, b = (~code[1] >> 7 & 1, ~code[1] >> 6 & 1, ~code[1] >> 5 & 1)
    if code[2] & 0x84 or code[3] not in (0x49, 0x4B, 0x5E):
        return None
    mod, register, rm = code[4] >> 6, code[4] >> 3 & 7, code[4] & 7
    found = Instruction(5, code[3], code[2] & 3, register | r << 3,
                        ~code[2] >> 3 & 15, rm | b << 3, None)
    if mod == 3:
        return found
    at = 5
    base: int | None = rm | b << 3
    index, scale = None, 0
    if rm == 4:
        sib = code[at]
        at += 1
        base = sib & 7 | b << 3
        scale = sib >> 6
        index = sib >> 3 & 7 | x << 3
        if index == 4:
            index = None
    absolute = mod == 0 and base is not None and base & 7 == 5
    size = 4 if absolute or mod == 2 else mod
    displacement = int.from_bytes(code[at:at + size], "little", signed=True)
    at += size
    if absolute:
        # Without SIB, the displacement is relative to the next instruction.
        require(rm == 4, "addresses relative to rip are not interpreted")
        base = None
    found.memory = (base, displacement, index, scale)
    found.length = at
    return found


class Tiles:
    """The tiles and their configuration. Memory is read and written by
    `read(address, size)` and `write(address, data)`, which raise faults."""

    def __init__(self, read: Callable[[int, int], bytes],
                 write: Callable[[int, bytes], None]) -> None:
        self.read = read
        self.write = write
        self.release()

    def release(self) -> None:
        self.configuration = bytes(64)
        self.start_row = 0
        self.shapes: list[tuple[int, int]] = [(0, 0)] * TILES
        self.data = np.zeros((TILES, ROWS, ROW_BYTES), np.uint8)

    def configure(self, memory: bytes) -> None:
        require(memory[0] <= PALETTE, "#GP: unknown palette")
        if memory[0] == 0:
            self.release()
            return
        require(not any(memory[2:16]) and not any(memory[32:48]) and
                not any(memory[56:64]), "#GP: reserved bytes of the palette")
        columns = np.frombuffer(memory, "<u2", TILES, 16)
        shapes = [(memory[48 + i], int(columns[i])) for i in range(TILES)]
        for rows, bytes_of_row in shapes:
            require((rows == 0) == (bytes_of_row == 0) and rows <= ROWS and
                    bytes_of_row <= ROW_BYTES,
                    f"#GP: a tile of {rows} rows of {bytes_of_row} bytes")
        self.release()
        self.configuration = memory
        self.start_row = memory[1]
        self.shapes = shapes

    def stored_configuration(self) -> bytes:
        return (self.configuration[:1] + bytes([self.start_row]) +
                self.configuration[2:])

    def shape(self, tile: int) -> tuple[int, int]:
        require(tile < TILES and self.shapes[tile] != (0, 0),
                f"#UD: tile {tile} is not configured")
        return self.shapes[tile]

    def load(self, tile: int, address: int, stride: int) -> None:
        rows, columns = self.shape(tile)
        for row in range(self.start_row, rows):
            line = self.read(address + row * stride, columns)
            self.data[tile, row] = 0
            self.data[tile, row, :columns] = np.frombuffer(line, np.uint8)
        self.data[tile, rows:] = 0
        self.start_row = 0

    def store(self, tile: int, address: int, stride: int) -> None:
        rows, columns = self.shape(tile)
        for row in range(self.start_row, rows):
            self.write(address + row * stride,
                       self.data[tile, row, :columns].tobytes())
        self.start_row = 0

    def multiply(self, result: int, left: int, right: int,
                 prefix: int) -> None:
        require(len({result, left, right}) == 3, "#UD: a tile appears twice")
        rows, columns = self.shape(result)
        depth, right_columns = self.shape(right)
        require(columns % 4 == 0 and right_columns == columns and
                self.shape(left) == (rows, 4 * depth),
                f"#UD: a product of {self.shape(left)} and "
                f"{self.shape(right)} for {self.shape(result)}")
        left_type, right_type = PRODUCTS[prefix]
        a = self.data[left, :rows, :4 * depth].view(left_type)
        b = self.data[right, :depth, :columns].view(right_type)
        # Rows of the right tile hold 4 bytes of each column side by side.
        b = b.reshape(depth, -1, 4).transpose(0, 2, 1).reshape(4 * depth, -1)
        sums = a.astype(np.int64) @ b.astype(np.int64)
        c = self.data[result].view(np.int32)
        sums += c[:rows, :columns // 4]
        c[:rows, :columns // 4] = sums.astype(np.int32)
        c[:rows, columns // 4:] = 0
        c[rows:] = 0
        self.start_row = 0

    def execute(self, code: bytes, register: Callable[[int], int]) -> int:
        """Interprets the instruction at the begin of `code` and returns its
        length, or 0 if it is none of AMX. `register(number)` reads a register
        of 64 bits, rax of number 0 to r15."""
        found = decode(code)
        if found is None:
            return 0
        address = stride = 0
        if found.memory:
            base, displacement, index, scale = found.memory
            address = (register(base) if base is not None else 0) + displacement
            address &= 2**64 - 1
            stride = register(index) << scale if index is not None else 0
            stride = (stride + 2**63) % 2**64 - 2**63
        known = getattr(self, f"execute_{found.opcode:02x}")(
            found, address, stride)
        return found.length if known else 0

    def execute_49(self, found: Instruction, address: int, _: int) -> bool:
        if found.vvvv:
            return False
        if not found.memory:
            if found.prefix == NO_PREFIX and found.register == found.rm == 0:
                self.release()
                return True
            if found.prefix != PF2:
                return False
            self.shape(found.register)
            self.data[found.register] = 0
            self.start_row = 0
            return True
        if found.register or found.prefix not in (NO_PREFIX, P66):
            return False
        if found.prefix == NO_PREFIX:
            self.configure(self.read(address, 64))
        else:
            self.write(address, self.stored_configuration())
        return True

    def execute_4b(self, found: Instruction, address: int,
                   stride: int) -> bool:
        if not found.memory or found.rm & 7 != 4 or found.vvvv:
            return False
        if found.prefix == NO_PREFIX:
            return False
        move = self.store if found.prefix == PF3 else self.load
        move(found.register, address, stride)
        return True

    def execute_5e(self, found: Instruction, _: int, __: int) -> bool:
        if found.memory:
            return False
        self.multiply(found.register, found.rm, found.vvvv, found.prefix)
        return True
