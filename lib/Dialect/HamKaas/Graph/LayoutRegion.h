//===- LayoutRegion.h - Values whose layout changes together ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_LAYOUTREGION_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_LAYOUTREGION_H

#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas {

class PermuteOp;

/// Facts about a block while layouts move in it.
class LayoutGraph {
public:
  explicit LayoutGraph(mlir::Block &block);

  /// True if the value is computed when a program is loaded, or is a constant:
  /// permuting it costs nothing in a run.
  bool isParameter(mlir::Value value) const {
    return parameters.contains(value);
  }

  /// Counts a visit; false after a fixed number, which bounds the time of the
  /// pass for any graph.
  bool visit(mlir::Value value);

  /// Records that `created` replaces `replaced`.
  void addReplacement(mlir::Value created, mlir::Value replaced);

  /// True for the first of two ops of the block.
  bool isBefore(mlir::Operation *a, mlir::Operation *b) const {
    return order.lookup(a) < order.lookup(b);
  }

private:
  llvm::DenseSet<mlir::Value> parameters;
  llvm::DenseMap<mlir::Value, int> visits;
  /// NOTE: Block::isBeforeInBlock would number all ops again after each change.
  llvm::DenseMap<mlir::Operation *, size_t> order;
};

/// A region: values connected by operations that work in any layout, so that
/// all take the same permutation.
class LayoutRegion {
public:
  LayoutRegion(LayoutGraph &graph, llvm::ArrayRef<int64_t> permutation);

  /// Collects the region of `seed`; false if it has none that can be permuted.
  bool grow(mlir::Value seed);

  /// The bytes that permutes move less if the region is permuted.
  int64_t getGain();

  llvm::ArrayRef<mlir::Value> getValues() const { return values.getArrayRef(); }
  llvm::ArrayRef<mlir::Value> getEdges() const { return edges.getArrayRef(); }
  llvm::ArrayRef<int64_t> getPermutation() const { return permutation; }
  llvm::ArrayRef<int64_t> getInverse() const { return inverse; }

  /// True if the op is computed on permuted operands, and its result is then
  /// permuted by the permutation of the region.
  bool isInside(mlir::Operation *op) const;

  /// The permutation of the result of an op that takes its operand, a value of
  /// the region, permuted, but gives the result another permutation, such as a
  /// reduction.
  std::optional<llvm::SmallVector<int64_t>>
  getEndPermutation(mlir::Operation *user) const;

private:
  bool addOperands(mlir::Operation *op);
  bool addUsers(mlir::Value value);
  bool add(mlir::Value value);
  int64_t getEdgeCost(mlir::Value edge) const;
  int64_t getUserGain(mlir::Operation *user, mlir::Type permuted) const;
  int64_t getValueGain(mlir::Value value) const;

  LayoutGraph &graph;
  llvm::SmallVector<int64_t> permutation, inverse;
  /// Those that are computed permuted.
  llvm::SetVector<mlir::Value> values;
  /// Those that the ops of the region read and that have to be permuted.
  llvm::SetVector<mlir::Value> edges;
};

/// The permute of `value` by `permutation` among its first users, or null.
PermuteOp findPermute(mlir::Value value, llvm::ArrayRef<int64_t> permutation);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_LAYOUTREGION_H
