//===- CheckedArguments.cpp - What run-time checks depend on ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::hasChecks(func::FuncOp kernel) {
  return kernel.walk([](CheckOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

SetVector<Operation *> hamkaas::getCheckSlice(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  SetVector<Operation *> slice;
  for (Operation &op : llvm::reverse(body)) {
    bool isNeeded = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return slice.contains(body.findAncestorOpInBlock(*user));
    });
    if (isNeeded || isa<CheckOp>(op))
      slice.insert(&op);
  }
  SetVector<Operation *> ordered;
  ordered.insert(slice.rbegin(), slice.rend());
  return ordered;
}

void hamkaas::dropChecks(func::FuncOp kernel) {
  SetVector<Operation *> slice = getCheckSlice(kernel);
  for (Operation *op : llvm::reverse(slice))
    if (isa<CheckOp>(op) || isOpTriviallyDead(op))
      op->erase();
}

/// Follows views back, which kernels have until memory is planned.
static Value getWholeMemory(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

llvm::SmallSetVector<int64_t, 4>
hamkaas::getCheckedArguments(func::FuncOp kernel) {
  llvm::SmallSetVector<int64_t, 4> checked;
  // A check of many values is the result of a loop.
  for (Operation *op : getCheckSlice(kernel))
    op->walk([&](memref::LoadOp load) {
      if (auto argument =
              dyn_cast<BlockArgument>(getWholeMemory(load.getMemRef())))
        checked.insert(argument.getArgNumber());
    });
  return checked;
}

bool hamkaas::isKnownBefore(std::optional<MemoryRegion> region,
                            bool stateWritten) {
  return !region || region == MemoryRegion::Input ||
         region == MemoryRegion::Constants ||
         (region == MemoryRegion::State && !stateWritten);
}
