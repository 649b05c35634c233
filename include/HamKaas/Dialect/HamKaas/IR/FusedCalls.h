//===- FusedCalls.h - Kernels of several calls ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_FUSEDCALLS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_FUSEDCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {

/// On a kernel that does the work of several calls: the numbers of arguments of
/// these. Each has its own, in their order, and writes the last of them. For
/// GPUs, its body is calls of their kernels, which one launch runs side by
/// side; run-time checks are those of one kernel, and if it is called several
/// times, these check the same. For CPUs, it has one loop over tiles, which
/// runs the same tile of each in turn, and no checks.
inline constexpr llvm::StringLiteral fusedCallsAttrName = "hamkaas.fused_calls";

/// Empty for any other kernel, and for none.
inline llvm::ArrayRef<int64_t> getFusedCalls(mlir::func::FuncOp kernel) {
  mlir::DenseI64ArrayAttr counts;
  if (kernel)
    counts = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>(fusedCallsAttrName);
  return counts ? counts.asArrayRef() : llvm::ArrayRef<int64_t>();
}

/// The operands that a call of `kernel` writes.
inline llvm::SmallVector<mlir::Value> getWritten(mlir::func::CallOp call,
                                                 mlir::func::FuncOp kernel) {
  llvm::ArrayRef<int64_t> counts = getFusedCalls(kernel);
  if (counts.empty())
    return {call.getOperands().back()};
  llvm::SmallVector<mlir::Value> written;
  int64_t end = 0;
  for (int64_t count : counts)
    written.push_back(call.getOperand((end += count) - 1));
  return written;
}

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_FUSEDCALLS_H
