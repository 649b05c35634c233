//===- TensorViews.h - What tensors are views of ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_TENSORVIEWS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_TENSORVIEWS_H

#include "mlir/IR/Operation.h"

namespace hamkaas {

/// True for an op that reinterprets the storage of its first operand for free:
/// the lowerings of `hamkaas.reshape` and `hamkaas.slice`.
bool isTensorView(mlir::Operation *op);

/// Follows views back to the value they are views of.
mlir::Value getViewedTensor(mlir::Value value);

/// True for an op that reads a parameter or is a constant.
bool isParameterSource(mlir::Operation *op);

/// The ops of `block`, of GRAPH, whose values are known when a program is
/// loaded.
llvm::DenseSet<mlir::Operation *> findParameterOps(mlir::Block &block);

/// The ops of `block`, of groups and views, that may run when a program is
/// loaded. A group with a run-time check must not: its failure belongs to the
/// run.
llvm::DenseSet<mlir::Operation *> findMovableOps(mlir::Block &block);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_TENSORVIEWS_H
