//===- ComputedRow.h - A left side that each block computes -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_COMPUTEDROW_H
#define HAMKAAS_LIB_CODEGEN_GPU_COMPUTEDROW_H

#include "HamKaas/CodeGen/Kernel/Reduction.h"

namespace hamkaas {

/// The left side of a contraction of one row, if the kernel computes it: a
/// normalization or elementwise operations. Each block computes it again, into
/// shared memory, which takes less time than the launch of another kernel.
class ComputedRow {
public:
  /// None if `row` is an argument, or nothing that this class can compute.
  static std::optional<ComputedRow> match(mlir::Value row);

  /// Computes the row by `warps` warps of a block, of which `warp` is one, and
  /// waits for all of them. Returns its elements as a flat buffer.
  mlir::Value emit(KernelBuilder &kernel, mlir::Value warp,
                   int64_t warps) const;

private:
  mlir::Value row;
  /// Those that have a number for each element of the row.
  llvm::SmallVector<mlir::Value, 4> arguments;
  /// In the order of their computation.
  llvm::SmallVector<mlir::linalg::LinalgOp, 2> reductions;
};

/// Returns whether `op` reduces a row to a number, and a ComputedRow can
/// evaluate it; emits an error otherwise.
bool isRowReduction(mlir::Operation *op);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_COMPUTEDROW_H
