//===- TileProducts.h - Products of tiles of bytes --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_TILEPRODUCTS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_TILEPRODUCTS_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"

namespace hamkaas {

/// A block of sums in the registers of AMX: two tiles of rows by one or two of
/// columns. A tile has up to 16 rows of 64 bytes: 16 sums of 32 bits, or words
/// of 4 bytes. Those of the left side are unsigned and of consecutive elements
/// of the depth; those of the right side signed, a word a column.
///
/// The registers are no values of the IR. What is emitted here runs in the
/// order of emission.
class TileProducts {
public:
  /// The columns of a tile.
  static constexpr int64_t lanes = 16;

  struct Shape {
    /// Rows of a block. Each of its tiles has half of them, rounded up: of an
    /// odd number both have the row in the middle.
    int64_t rows;
    /// Words of the depth that an instruction multiplies.
    int64_t words;

    int64_t tileRows() const { return (rows + 1) / 2; }
    int64_t secondRow() const { return rows - tileRows(); }
  };

  /// The shape of blocks for `rows` rows that have `words` words of the depth
  /// side by side; none if blocks of vectors are about as fast.
  static std::optional<Shape> chooseShape(int64_t rows, int64_t words);

  TileProducts(KernelBuilder &kernel, Shape shape);

  /// Emits `withTiles` for processors that have AMX, and `without` for others.
  void choose(bool writes, llvm::function_ref<void()> withTiles,
              llvm::function_ref<void()> without);

  /// Sets the shape of the registers.
  void configure();
  /// Tells the processor that the registers are unused, so that the system need
  /// not save them.
  void release();

  /// Sets the sums of a block with `vectors` tiles of columns to 0.
  void clear(int64_t vectors);
  /// Adds the products of `shape.words` words of the depth. `left` and `right`
  /// are the addresses of the first elements; rows are the given numbers of
  /// bytes apart. The second tile of columns follows the first in each row.
  void add(mlir::Value left, int64_t leftStride, mlir::Value right,
           int64_t rightStride, int64_t vectors);
  /// Copies the sums to memory, from which `load` reads row `row` of the block.
  void store(int64_t vectors);
  llvm::SmallVector<mlir::Value> load(mlir::Value row, int64_t vectors);

  /// The address of a buffer.
  mlir::Value getAddress(mlir::Value buffer);

private:
  void emit(llvm::StringRef text, mlir::ValueRange operands);

  KernelBuilder &kernel;
  Shape shape;
  /// The sums of a block.
  mlir::Value sums;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_TILEPRODUCTS_H
