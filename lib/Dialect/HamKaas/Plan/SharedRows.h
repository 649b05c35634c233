//===- SharedRows.h - Rows of a loop in one place ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_SHAREDROWS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_SHAREDROWS_H

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

/// One of the rows of a loop, and one of its outputs of the same type that may
/// lie in the same place: a step writes its row of the output when it has read
/// that of the other.
using SharedRows = std::pair<mlir::OpOperand *, mlir::OpOperand *>;

/// All such pairs of `repeat`, whose body has been planned.
llvm::SmallVector<SharedRows> findSharedRows(RepeatOp repeat,
                                             const mlir::SymbolTable &symbols);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_SHAREDROWS_H
