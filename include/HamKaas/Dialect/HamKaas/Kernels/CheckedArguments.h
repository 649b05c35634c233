//===- CheckedArguments.h - What run-time checks depend on ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_KERNELS_CHECKEDARGUMENTS_H
#define HAMKAAS_DIALECT_HAMKAAS_KERNELS_CHECKEDARGUMENTS_H

#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas {

/// Returns whether a run may end in `kernel` because of values.
bool hasChecks(mlir::func::FuncOp kernel);

/// Erases the checks, and what nothing else needs.
void dropChecks(mlir::func::FuncOp kernel);

/// The numbers of the arguments of a bufferized `kernel` whose elements its
/// checks read; empty if it has none.
llvm::SmallSetVector<int64_t, 4> getCheckedArguments(mlir::func::FuncOp kernel);

/// The operations that the checks of `kernel` depend on, and these, in the
/// order of the text.
llvm::SetVector<mlir::Operation *> getCheckSlice(mlir::func::FuncOp kernel);

/// Returns whether what a check reads from `region`, nothing for a constant,
/// has its value when the run begins. Then the check is made before any kernel.
/// `stateWritten` if a step before it writes to a state.
bool isKnownBefore(std::optional<MemoryRegion> region, bool stateWritten);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_CHECKEDARGUMENTS_H
