//===- IntegerContraction.h - Products of narrow integers -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_INTEGERCONTRACTION_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_INTEGERCONTRACTION_H

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"

namespace hamkaas {

/// Returns whether `root` sums up products of integers.
bool isIntegerContraction(mlir::linalg::LinalgOp root);

/// Columns of a panel of a packed right side of integers, which has words of
/// the depth: `[columns / width][depth / n][width][n]` for `n` elements a word.
int64_t chooseWordPanelWidth(const CostModel &costs,
                             const ContractionLoops &loops);

/// Part of emitContraction, for integers.
llvm::FailureOr<Tile> emitIntegerContraction(KernelBuilder &kernel,
                                             mlir::linalg::LinalgOp root,
                                             mlir::Value result);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_INTEGERCONTRACTION_H
