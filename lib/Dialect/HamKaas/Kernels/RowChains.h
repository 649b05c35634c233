//===- RowChains.h - Reductions and what uses them --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
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

/// The softmax of whole rows to which a permute moves another dimension than
/// the last one, and from which `last` moves it back; null otherwise. Nothing
/// else uses softmax and permute.
SlicedSoftmaxOp findSoftmaxAcross(mlir::Operation *last);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_ROWCHAINS_H
