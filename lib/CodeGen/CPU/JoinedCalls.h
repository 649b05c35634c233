//===- JoinedCalls.h - Several calls as one ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that make one call of consecutive ones, in the form PLANNED.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_JOINEDCALLS_H
#define HAMKAAS_LIB_CODEGEN_CPU_JOINEDCALLS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Kernels/OperandPlaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hamkaas {

int64_t getTiles(mlir::func::FuncOp kernel);

/// The loop over the tiles of `kernel` if there is nothing behind it; null
/// otherwise.
mlir::scf::ForOp findTileLoop(mlir::func::FuncOp kernel);

inline bool isSame(const Place &a, const Place &b) {
  return a.whole == b.whole && a.offset == b.offset && a.bytes == b.bytes;
}

/// Returns whether reports count both calls alike.
bool areReportedAlike(mlir::func::CallOp a, mlir::func::CallOp b);

/// The buffers in the workspace of a program.
llvm::SmallVector<BufferAttr> getBuffers(mlir::func::FuncOp program);

/// Returns whether buffers stay apart if all steps from `first` to `last` are
/// one. A result may replace an operand.
bool keepsBuffersApart(llvm::ArrayRef<BufferAttr> buffers, int64_t first,
                       int64_t last);

/// Says in which steps buffers are in use after step i became step
/// `newSteps[i]`: from their first step to their last one.
void renumberBuffers(mlir::func::FuncOp program,
                     llvm::ArrayRef<BufferAttr> buffers,
                     llvm::ArrayRef<int64_t> newSteps);

/// An empty kernel for calls of `kernels`, with a loop over the tiles of the
/// first, not yet in a module.
std::pair<mlir::func::FuncOp, mlir::scf::ForOp>
createJoinedKernel(llvm::ArrayRef<mlir::func::FuncOp> kernels, int64_t tiles);

/// Replaces `calls` by one of `kernel`, at the last of them.
void joinCalls(llvm::ArrayRef<mlir::func::CallOp> calls,
               mlir::func::FuncOp kernel);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_JOINEDCALLS_H
