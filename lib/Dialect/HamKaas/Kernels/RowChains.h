//===- RowChains.h - Reductions and what uses them --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace hamkaas {

/// The operations of one row kernel that ends in the pointwise `last`:
/// reductions of its rows, what they read, and what computes with one number a
/// row. `last` is the first. Empty unless that saves a pass over a tensor.
/// Operations of which some are in `parameterOps` and some are not stay apart.
llvm::SmallVector<mlir::Operation *>
findRowChain(mlir::Operation *last,
             const llvm::DenseSet<mlir::Operation *> &parameterOps,
             size_t maxMembers);

/// Marks the exponentials of rows less their largest entries, as a log-softmax
/// has them: their operands are NaN or at most 0.
void markNonPositiveExponentials(mlir::Operation *root);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H
