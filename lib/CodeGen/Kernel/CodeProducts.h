//===- CodeProducts.h - Products of codes by integers -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_CODEPRODUCTS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_CODEPRODUCTS_H

#include "CodePanels.h"
#include "DotProducts.h"

namespace hamkaas {

/// Products of `hamkaas.dequantize_rows` with `hamkaas.dequantize_panels`.
/// Codes are multiplied and added up as integers, and each sum is scaled once,
/// so that the bits depend on no instruction. Where registers have 8 lanes or
/// more there is a second loop, for processors with dot products of bytes.
class CodeProducts {
public:
  CodeProducts(KernelBuilder &kernel, DequantizeRowsOp left,
               DequantizePanelsOp right, int64_t lanes);

  /// The sums, row by row, with the products of the whole depth added: of the
  /// left side's `rows` with the vectors at `places`.
  llvm::SmallVector<mlir::Value> add(mlir::ValueRange rows,
                                     llvm::ArrayRef<CodePanels::Place> places,
                                     mlir::ValueRange sums);

private:
  /// Rows of the depth in one part of a unit.
  struct Words {
    int64_t row, rows;
  };
  /// Rows of the depth that have one scale on either side.
  struct Chunk {
    int64_t row;
    llvm::SmallVector<Words> parts;
  };

  llvm::SmallVector<Chunk> listChunks() const;
  bool prefetchesSparsely();
  llvm::SmallVector<mlir::Value>
  addUnits(mlir::ValueRange rows, llvm::ArrayRef<CodePanels::Place> places,
           mlir::ValueRange sums);
  void addChunk(const Chunk &chunk, mlir::Value unit, mlir::ValueRange rows,
                llvm::ArrayRef<CodePanels::Place> places,
                llvm::MutableArrayRef<mlir::Value> sums);
  llvm::SmallVector<mlir::Value>
  multiply(const Chunk &chunk, mlir::Value unit, mlir::ValueRange rows,
           llvm::ArrayRef<CodePanels::Place> places);
  llvm::SmallVector<mlir::Value>
  multiplyWords(const Chunk &chunk, mlir::Value unit, mlir::Value index,
                mlir::ValueRange rows, llvm::ArrayRef<CodePanels::Place> places,
                mlir::ValueRange sums);
  mlir::Value loadLeftWord(mlir::Value row, mlir::Value depth);
  mlir::Value loadLeft(mlir::Value tensor, mlir::Value row, mlir::Value column);
  mlir::Value words(int64_t value);
  mlir::Value pairs(int64_t value);
  mlir::Value getMagnitudes(mlir::Value words);
  mlir::Value moveSigns(mlir::Value signs, mlir::Value words);
  /// 16 bits hold the sums of 32 products with codes of 4 bits, but not of 8.
  bool addsBytes() const { return bits == 4 && lanes >= 8 && !usesDotProducts; }
  /// The code that stands for 0.
  int64_t getZero();

  KernelBuilder &kernel;
  DequantizeRowsOp left;
  DequantizePanelsOp right;
  CodePanels panels;
  DotProducts products;
  int64_t lanes, step, bits, block;
  /// True while the loop with dot products is emitted.
  bool usesDotProducts = false;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_CODEPRODUCTS_H
