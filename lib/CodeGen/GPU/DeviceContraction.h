//===- DeviceContraction.h - Contractions on a GPU --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_DEVICECONTRACTION_H
#define HAMKAAS_LIB_CODEGEN_GPU_DEVICECONTRACTION_H

#include "ComputedRow.h"
#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// Where an operand of a contraction has its elements: at the sum of a factor
/// for each loop times the loop's index.
struct OperandLayout {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> factors; /* one a loop */
  /// Of a right side in panels, what the number of a panel is multiplied by,
  /// and the columns of one; 0 if it is a matrix.
  int64_t panelFactor = 0, panelWidth = 0;
  /// True for bfloat16, which the kernel widens to float32.
  bool isBF16 = false;

  /// The layout of a tensor that is indexed by linear maps of the loops; none
  /// of another one. The tensor is an argument or, with `isComputed`, not.
  static std::optional<OperandLayout> match(mlir::linalg::LinalgOp op,
                                            mlir::OpOperand &operand,
                                            int64_t columnLoop,
                                            bool isComputed = false);

  int64_t elementBytes() const { return isBF16 ? 2 : 4; }
  /// Returns whether `op` reads as many neighbors along `loop` as one access
  /// of 16 bytes has, at multiples of their number.
  bool isAligned(const ContractionLoops &loops, int64_t loop) const;
  /// Returns whether the loops of the depth traverse it like a single loop.
  bool isOneDepth(const ContractionLoops &loops) const;
};

/// The base of contractions by thread blocks: operands in memory, sums with one
/// initial value, and several loops collapsed to rows and depth.
class DeviceContraction {
protected:
  DeviceContraction(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
                    mlir::Value result)
      : kernel(kernel), root(root), result(result) {}

  /// With `computesRow`, the left side may be a row that the kernel computes.
  bool matchOperands(bool computesRow = false);

  /// The start value of a sum.
  mlir::Value getStart();
  /// The first sums of all threads, `lanes` of them.
  mlir::Value getStart(int64_t lanes);
  /// Moves to contraction number `index` of the batch.
  void moveToBatch(mlir::Value index);
  /// The element of an operand where the batch begins.
  mlir::Value batchOffset(const OperandLayout &layout);
  /// The element of the left side where a row begins, without the batch.
  mlir::Value rowOffset(mlir::Value row);
  /// The offset, in elements, of what an operand has at `depth`.
  mlir::Value depthOffset(const OperandLayout &layout, mlir::Value depth);
  /// Evaluates what follows the contraction on a row of sums, vectors of
  /// columns from `column` on, and writes it.
  void finishRow(mlir::ValueRange sums, mlir::Value row, mlir::Value column,
                 int64_t lastActive);

  /// Set before `matchOperands` if both sides may be bfloat16.
  bool takesBF16 = false;
  KernelBuilder &kernel;
  mlir::linalg::LinalgOp root;
  mlir::Value result;
  ContractionLoops loops;
  OperandLayout left, right;
  std::optional<ComputedRow> computedRow;
  int64_t rowCount = 1, columnCount = 1, depthCount = 1;
  /// Where the emission stands, an index a loop.
  Point at;

private:
  llvm::SmallVector<int64_t> getShape(llvm::ArrayRef<int64_t> group) const;

  /// The loops of the rows, and of the depth, the last one innermost.
  llvm::SmallVector<int64_t> rowLoops, depthLoops;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_DEVICECONTRACTION_H
