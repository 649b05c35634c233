//===- Broadcast.h - The broadcasting rule of binary ops --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_IR_BROADCAST_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_IR_BROADCAST_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include <optional>

namespace hamkaas {

/// Checks C1 of the binary ops: both have the same rank.
llvm::LogicalResult verifySameRank(std::optional<mlir::Location> loc,
                                   mlir::Type lhs, mlir::Type rhs);

/// Checks C2 of the binary ops: each of the first `dims` dimensions of `rhs`
/// equals that of `lhs` or is 1.
llvm::LogicalResult verifyBroadcast(std::optional<mlir::Location> loc,
                                    mlir::Type lhs, mlir::Type rhs,
                                    int64_t dims);

/// Checks C1 to C3 of the binary ops, of which the last is that both have the
/// same element type.
llvm::LogicalResult verifyBinary(std::optional<mlir::Location> loc,
                                 mlir::Type lhs, mlir::Type rhs);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_IR_BROADCAST_H
