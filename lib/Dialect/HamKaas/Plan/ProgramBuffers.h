//===- ProgramBuffers.h - What a program does with its buffers --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_PROGRAMBUFFERS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_PROGRAMBUFFERS_H

#include "BufferViews.h"
#include "HamKaas/Planner/ArenaPlanner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

/// Returns whether `step` copies its first operand to its last one.
bool isCopy(mlir::Operation *step);

/// The calls of kernels, loops and copies of a function without control flow,
/// the views that are their operands, and the lifetimes of the buffers that the
/// function allocates.
class ProgramBuffers {
public:
  /// Emits an error for an operation that has no place in such a function. With
  /// `shareRows`, outputs of loops may replace rows that die.
  static mlir::FailureOr<ProgramBuffers>
  analyze(mlir::func::FuncOp program, const mlir::SymbolTable &symbols,
          bool shareRows = false);

  /// The calls, loops and copies, in the order of the run.
  llvm::ArrayRef<mlir::Operation *> getSteps() const { return steps; }

  const BufferView &getView(mlir::Value value) const {
    return views.find(value)->second;
  }

  /// The `memref.alloc`s that are used, by ascending first use, and their
  /// lifetimes in the same order. Times are indices of steps.
  llvm::ArrayRef<mlir::Value> getAllocations() const { return allocations; }
  const std::vector<ArenaBuffer> &getLifetimes() const { return lifetimes; }

  /// Places buffers, from the start, where they are copied to or from, if
  /// others do not need that place and `mayBeHost` allows it for the enclosing
  /// buffer. Returns the enclosing buffers. The copies stay, but copy nothing.
  llvm::DenseSet<mlir::Value>
  placeCopies(const mlir::SymbolTable &symbols,
              llvm::function_ref<bool(mlir::Value)> mayBeHost);

private:
  mlir::LogicalResult addOp(mlir::Operation &op);
  mlir::LogicalResult addBuffer(mlir::Value buffer);
  mlir::LogicalResult addStep(mlir::Operation &op);
  void findLifetimes();
  void findReplacements(const mlir::SymbolTable &symbols);
  void findReplacement(mlir::Operation *step, mlir::Value dying);
  bool replace(mlir::Value dying, mlir::Value operand);
  bool isUsedOnce(mlir::Operation *step, mlir::Value operand) const;
  std::optional<size_t> getWholeAllocation(mlir::Value operand) const;

  llvm::SmallVector<mlir::Operation *> steps;
  llvm::DenseMap<mlir::Value, BufferView> views;
  llvm::SmallVector<mlir::Value> allocations;
  std::vector<ArenaBuffer> lifetimes;
  /// Index of an allocation in `allocations`.
  llvm::DenseMap<mlir::Value, size_t> indices;
  bool shareRows = false;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_PROGRAMBUFFERS_H
