//===- Recompute.h - Results computed again, not kept -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_RECOMPUTE_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_RECOMPUTE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

enum class RecomputedBuffers {
  None,   ///< Nothing helps.
  TooFew, ///< More than the limit is in use at some step.
  Enough,
};

/// Repeats calls of kernels of `program`, which `ProgramBuffers` can analyze,
/// in front of late readers of their results, so that at most `limit` bytes of
/// its allocations are in use at once, each rounded up to `alignment`. What the
/// program computes stays the same to the bit. `shareRows` is as for
/// ProgramBuffers.
RecomputedBuffers recomputeBuffers(mlir::func::FuncOp program,
                                   const mlir::SymbolTable &symbols,
                                   uint64_t limit, uint64_t alignment,
                                   bool shareRows);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_RECOMPUTE_H
