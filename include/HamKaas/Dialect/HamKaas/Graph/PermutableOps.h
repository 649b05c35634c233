//===- PermutableOps.h - Operations in any layout ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

#include "HamKaas/Dialect/HamKaas/Graph/PermutableOpInterface.h.inc"

namespace hamkaas {

/// Attaches the models of PermutableOpInterface to the operations of GRAPH.
void registerPermutableOps(mlir::DialectRegistry &registry);

/// Returns whether a permutation of a tensor leaves its elements in row-major
/// order: only dimensions of size 1 change places with others.
bool keepsOrder(llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<int64_t> permutation);

/// As PermutableOpInterface, for any operation. There is no permutation of a
/// result if the first operand has not as many dimensions as `permutation`.
std::optional<llvm::SmallVector<int64_t>>
getResultPermutation(mlir::Operation *op, llvm::ArrayRef<int64_t> permutation);
mlir::Value createPermuted(mlir::Operation *op, mlir::OpBuilder &builder,
                           llvm::ArrayRef<int64_t> permutation,
                           mlir::ValueRange operands);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPS_H
