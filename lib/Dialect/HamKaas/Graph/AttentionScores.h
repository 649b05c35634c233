//===- AttentionScores.h - Parts of attention in a graph --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_ATTENTIONSCORES_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_ATTENTIONSCORES_H

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "RaisePatterns.h"

namespace hamkaas {

inline bool isOfRank3(mlir::Value value) { return getShape(value).size() == 3; }

/// The row sums, one per index of the first two dimensions of `value`, that it
/// broadcasts along the last one; null otherwise.
ReduceOp getRepeatedSums(mlir::Value value);

/// The row, one per index of the first dimension, that `value` broadcasts along
/// the second one; null otherwise.
mlir::Value getRepeatedRow(mlir::Value value);

/// The condition of a select of scores as a broadcast tensor of rank 3, if it
/// is the same for all queries; null otherwise.
mlir::Value getConditionOfRows(mlir::Value condition);

/// Rows that replace keys or values where a condition, one per key, holds.
struct UpdatedRows {
  mlir::Value condition, rows;
};

/// A tensor that is broadcast to the shape of scores or weights. Those of a
/// group of heads may be rows of one matrix elsewhere.
struct Term {
  mlir::Value value;
  mlir::RankedTensorType whole;
  explicit operator bool() const { return value != nullptr; }
};

/// The scores of an attention and what they are computed from.
struct Scores {
  MatMulOp products;
  /// Repeated for the batches of the products, or not.
  PermuteOp transposedKeys;
  double scale = 1;
  llvm::SmallVector<Term, 2> biases;
  Term mask;
  std::optional<llvm::APFloat> maskedScore;
  UpdatedRows keys;

  Mismatch match(mlir::Value value);

private:
  Mismatch matchStep(mlir::Value &value);
  Mismatch matchProducts();
  mlir::Value matchMask(SelectOp select);
  mlir::Value matchKeys(SelectOp select);
  mlir::Value matchBias(AddOp add);
  mlir::Value matchScale(mlir::Operation *op);
};

/// The weights of values: the softmax of scores, perhaps with zeros in fully
/// masked rows.
struct Weights {
  SlicedSoftmaxOp softmax;
  /// Rows of zeros, if a condition tells them.
  Term emptyRows;
  /// True if rows that would be NaN are zeros.
  bool hasNoNaN = false;

  Mismatch match(mlir::Value value);

private:
  Mismatch matchSelect(SelectOp select);
  Mismatch matchSoftmax(mlir::Value value);
};

/// The softmax of whole rows behind reshapes of `value`; null if there is none.
SlicedSoftmaxOp getSoftmax(mlir::Value value);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_ATTENTIONSCORES_H
