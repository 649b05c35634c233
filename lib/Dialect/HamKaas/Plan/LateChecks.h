//===- LateChecks.h - Until when a run may fail -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that fails leaves every state as it was. Checks of inputs, constants
// and states are made before any kernel; a late check, of what the run itself
// computes, comes with its kernel. So states are written behind the last one.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_LATECHECKS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_LATECHECKS_H

#include "ProgramBuffers.h"

namespace hamkaas {

/// How checks count that read a state which no step before writes to.
enum class StateChecks {
  /// They are made before any kernel.
  Early,
  /// As late ones: a state may come to be written before them.
  Late
};

/// The last step of a run that may fail; nothing if all checks come before any
/// kernel. A check that has been made before, of the same values, cannot fail.
std::optional<size_t> findLastLateCheck(const ProgramBuffers &buffers,
                                        const mlir::SymbolTable &symbols,
                                        StateChecks stateChecks);

/// True if `step`, once all steps before it were made, only writes if it
/// succeeds: kernels make their checks first, loops go on making them.
bool checksBeforeItWrites(mlir::Operation *step);

/// Returns whether any step of `entry` may fail.
bool mayFail(mlir::func::FuncOp entry, const mlir::SymbolTable &symbols);

/// Returns whether `step` writes even after an earlier check has failed. Work
/// of GPU engines is enqueued before the failure is known and does not look at
/// it, as our own kernels and copies do.
bool writesAfterFailure(mlir::Operation *step,
                        const mlir::SymbolTable &symbols);

/// Lets steps that write to a state of `entry` in place while the run may still
/// fail, or although it has failed, write to a copy, which becomes the state at
/// the end.
mlir::LogicalResult delayStateWrites(mlir::func::FuncOp entry,
                                     const mlir::SymbolTable &symbols);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_LATECHECKS_H
