//===- Group.h - The operations of one kernel -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Group.cpp has what any kernel gathers, GroupOperands.cpp what attention and
// products compute of their operands where the target's kernels can.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_GROUP_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_GROUP_H

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace hamkaas {

/// `op` as a member of a kernel; null for views and everything else.
KernelOpInterface getKernelOp(mlir::Operation *op);

/// Returns whether a kernel has at most one operation such as `op`, which the
/// others compute operands for or use the result of.
bool isRoot(KernelOpInterface op);

llvm::ArrayRef<int64_t> getResultShape(mlir::Operation *op);

/// The ops of one kernel, grown backwards from the last one.
class Group {
public:
  /// `parameterOps` are the operations on parameters alone.
  Group(KernelOpInterface last,
        const llvm::DenseSet<mlir::Operation *> &parameterOps,
        const FormGroupsOptions &options);

  /// Moves the members into a `hamkaas.group` at the place of the last one.
  GroupOp create();

private:
  using Members = llvm::SetVector<mlir::Operation *>;

  bool contains(mlir::Operation *op) const { return members.contains(op); }

  void addJoined();
  bool addPlanarWindows();
  bool addRowChain();
  void addProducers(mlir::Operation *op);
  bool canJoin(KernelOpInterface producer, mlir::Operation *user);
  /// Returns whether `op` broadcasts, so that its operand is less to read.
  static bool repeats(mlir::Operation *op);
  llvm::ArrayRef<int64_t> getReadShape(mlir::Operation *user);
  bool feedsRoot(mlir::Operation *op) const;
  void addStridedImages();
  void addNarrowSource();
  void dropNarrowBranches();
  bool addBranch(mlir::Operation *op, Members &branch);

  void addPermutedWeights();
  bool addRowsAcross();
  bool addAttention(bool widenKeys);
  void addRows(mlir::Value value, bool computes, bool widens);
  void addPanels();
  void addRow();
  bool addRowProducers(mlir::Value value, Members &row);
  void addRepeatedLeft();
  void addGroups();
  void addNarrowOperands();
  void addNarrowWeights();

  bool isNumber(mlir::Value operand,
                llvm::ArrayRef<mlir::Operation *> ops) const;

  Members members;
  /// Those of the members that the root reads, directly or not.
  llvm::SmallPtrSet<mlir::Operation *, 4> rootProducers;
  KernelOpInterface last;
  KernelOpInterface root;
  /// The family of the kernel, if it is not that of the root.
  std::optional<KernelFamily> family;
  const llvm::DenseSet<mlir::Operation *> &parameterOps;
};

/// Limit on operations per group: enough to hide the cost of a call and its
/// memory traffic, few enough to compile any chain within seconds.
inline constexpr size_t maxGroupMembers = 64;

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_GROUP_H
