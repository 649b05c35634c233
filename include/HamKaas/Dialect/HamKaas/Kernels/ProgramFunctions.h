//===- ProgramFunctions.h - The functions that make a program ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_KERNELS_PROGRAMFUNCTIONS_H
#define HAMKAAS_DIALECT_HAMKAAS_KERNELS_PROGRAMFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

/// Emits an error unless `function` has a body of one block that returns. The
/// passes on programs read no other ones.
mlir::LogicalResult verifyStraightLine(mlir::func::FuncOp function);

/// Returns whether `op` is a step of a program: a call of a kernel, a loop or a
/// copy.
bool isStep(mlir::Operation *op);

/// True for a function that no pass has to look at: a declaration, but not of a
/// program, which must have a body.
bool isDeclaredOnly(mlir::func::FuncOp function);

/// The entry functions in their order, verified as above, or an error if there
/// is none.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
findEntryFunctions(mlir::ModuleOp module);

/// The functions that a run executes, entry functions and loops, or an error if
/// the memory of one is not planned.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
findPlannedPrograms(mlir::ModuleOp module);

/// Visits the calls of kernels in `program` and in the loops that it repeats,
/// in the order of the run; stops at the first for which `visit` fails.
mlir::LogicalResult
forEachCall(mlir::func::FuncOp program, const mlir::SymbolTable &symbols,
            llvm::function_ref<mlir::LogicalResult(mlir::func::CallOp)> visit);

/// Numbers these calls, in their order, for reports and errors.
mlir::LogicalResult numberCalls(mlir::func::FuncOp program,
                                const mlir::SymbolTable &symbols);

/// Moves each function for which `isSeparate` holds to a module in its place,
/// which a thread may change while others change theirs.
llvm::SmallVector<mlir::ModuleOp>
separateFunctions(mlir::ModuleOp module,
                  llvm::function_ref<bool(mlir::func::FuncOp)> isSeparate);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_PROGRAMFUNCTIONS_H
