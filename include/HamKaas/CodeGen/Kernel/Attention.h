//===- Attention.h - What an attention kernel computes ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_ATTENTION_H
#define HAMKAAS_CODEGEN_KERNEL_ATTENTION_H

#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// Attention in a kernel: rows of `v`, weighted by the softmax of scores of `q`
/// and `k`.
struct Attention {
  mlir::Value q, k, v;
  mlir::linalg::LinalgOp products;
  /// The scores, computed from the products.
  mlir::Value scores;
  /// The operand that masks keys, or null: a score is `maskedScore` where a
  /// mask is not zero or a bias is negative infinity.
  mlir::OpOperand *masking = nullptr;
  mlir::TypedAttr maskedScore;
  /// `keyWidth` is also the width of the queries.
  int64_t batches = 0, queries = 0, keys = 0, keyWidth = 0, valueWidth = 0;
  /// Dimension i of the result is dimension order[i] of batches x queries x
  /// valueWidth; the last one stays last.
  llvm::SmallVector<int64_t> order;

  /// Fails with an error if the kernel that returns `result` is not attention.
  static llvm::FailureOr<Attention> match(KernelBuilder &kernel,
                                          mlir::Value result);
};

/// Scratch memory of a kernel on the stack: `rows` x `columns` numbers.
class Scratch {
public:
  Scratch(KernelBuilder &kernel, int64_t rows, int64_t columns);

  mlir::Value load(mlir::Value row, mlir::Value column, int64_t lanes);
  mlir::Value loadElement(mlir::Value row, mlir::Value column);
  void store(mlir::Value vector, mlir::Value row, mlir::Value column);

private:
  KernelBuilder &kernel;
  mlir::Value memory;
};

/// A few keys in scratch memory, if the kernel computes them from what is in
/// memory, as from float16: several queries use each.
class ComputedKeys {
public:
  /// Without scratch memory: for one query, or where memory is dear.
  ComputedKeys(KernelBuilder &kernel, const Attention &attention)
      : kernel(kernel), attention(attention), lanes(kernel.target().lanes) {}
  /// For at most `count` keys that `queries` use each.
  ComputedKeys(KernelBuilder &kernel, const Attention &attention, int64_t count,
               int64_t queries);

  /// Fills the scratch memory with `count` keys from `key` on, if there is any.
  void compute(mlir::Value batch, mlir::Value key, int64_t count);
  /// The elements of `key`, number `at` of those computed last, from `column`
  /// on: `active` of a vector, which for a step of 0 are all the first one.
  mlir::Value read(mlir::Value batch, mlir::Value key, int64_t at,
                   Coordinate column, int64_t active);

private:
  KernelBuilder &kernel;
  const Attention &attention;
  int64_t lanes;
  std::optional<Scratch> scratch;
};

/// Vectors of columns of the values and the destination. Only the last one may
/// have inactive lanes.
struct ColumnBlock {
  mlir::Value first;
  int64_t vectors, lanes, lastActive;

  int64_t active(int64_t vector) const {
    return vector + 1 < vectors ? lanes : lastActive;
  }
  mlir::Value at(KernelBuilder &kernel, int64_t vector) const {
    return kernel.add(first, vector * lanes);
  }
};

/// Vector steps of both attention emitters.
class AttentionSteps {
public:
  AttentionSteps(KernelBuilder &kernel, const Attention &attention)
      : kernel(kernel), attention(attention), lanes(kernel.target().lanes) {}

  mlir::Value splat(float value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value divide(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  mlir::Value maximum(mlir::Value lhs, mlir::Value rhs);
  /// exp(x - largest).
  mlir::Value exponential(mlir::Value x, mlir::Value largest);
  /// The value to subtract from scores whose maximum is `largest`: 0 if all of
  /// them are negative infinity, so that their weights become 0.
  mlir::Value finiteOrZero(mlir::Value largest);
  /// `value` in the first `active` lanes, otherwise `other`.
  mlir::Value keepActive(mlir::Value value, int64_t active, mlir::Value other);
  /// Combines halves until all lanes hold the result.
  mlir::Value
  combineLanes(mlir::Value vector,
               llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> step);
  /// The products of a query with `active` keys from `key` on, which are those
  /// computed last, one per lane.
  mlir::Value multiplyKeys(ComputedKeys &keys, mlir::Value batch,
                           mlir::Value query, mlir::Value key, int64_t active);
  /// Returns whether any lane of one of `vectors` is other than zero.
  mlir::Value anyNonzero(llvm::ArrayRef<mlir::Value> vectors);
  /// A vector of conditions: the keys at `point`, in `active` of `width` lanes,
  /// are masked from the query.
  mlir::Value isMasked(PointRef point, int64_t width, int64_t active);
  mlir::Value allSet(mlir::Value mask);

  /// Indices of the destination.
  llvm::SmallVector<mlir::Value>
  resultIndices(mlir::Value batch, mlir::Value query, mlir::Value column) const;
  /// Multiplies the row of the destination by the vector `factor`, or sets it
  /// to zero if there is none.
  void scaleRow(mlir::Value batch, mlir::Value query, mlir::Value factor);
  /// Visits all columns, `vectors` at a time.
  void
  forEachColumnBlock(int64_t vectors,
                     llvm::function_ref<void(const ColumnBlock &columns)> body);
  /// Loads vectors of the rows of the destination, row after row, and
  /// multiplies each row by its factor.
  llvm::SmallVector<mlir::Value> loadRows(mlir::Value batch,
                                          mlir::ValueRange queries,
                                          const ColumnBlock &columns,
                                          mlir::ValueRange factors);
  /// Stores `sums`, multiplied by `factors` if there are any.
  void storeRows(mlir::Value batch, mlir::ValueRange queries,
                 const ColumnBlock &columns, mlir::ValueRange sums,
                 mlir::ValueRange factors);

private:
  KernelBuilder &kernel;
  const Attention &attention;
  int64_t lanes;
};

/// Query x key matrices that scores are computed from, such as masks. Queries
/// occupy the vector lanes, but keys are contiguous in memory, so chunks of
/// these matrices are transposed in scratch memory.
class TransposedMatrices {
public:
  /// For chunks of `part` keys and blocks of `width` queries.
  TransposedMatrices(KernelBuilder &kernel, const Attention &attention,
                     int64_t part, int64_t width);

  /// Transposes the elements of `rows` queries from `query` on and `count` keys
  /// from `key` on.
  void transpose(mlir::Value batch, mlir::Value query, int64_t rows,
                 mlir::Value key, int64_t count);
  /// The elements of `tensor` for key number `at` of the chunk and a vector of
  /// queries; null if it is not transposed.
  mlir::Value load(mlir::Value tensor, mlir::Value at, mlir::Value column);

private:
  struct Matrix {
    mlir::Value tensor;
    Scratch scratch;
  };

  mlir::Value readRow(const Matrix &matrix, mlir::ValueRange indices,
                      int64_t active);
  void transposeMasks(Matrix &matrix, mlir::Value batch, mlir::Value query,
                      int64_t rows, mlir::Value key, int64_t keys,
                      mlir::Value at, mlir::Value column);

  KernelBuilder &kernel;
  int64_t lanes;
  llvm::SmallVector<Matrix> matrices;
};

/// Loops over chunks of the keys: `count` keys from `base` on, which is `size`
/// except for the last chunk.
void forEachPart(
    KernelBuilder &kernel, int64_t total, int64_t size,
    llvm::SmallVectorImpl<mlir::Value> &carried,
    llvm::function_ref<void(mlir::Value base, int64_t count,
                            llvm::SmallVectorImpl<mlir::Value> &carried)>
        body);

/// The emitter for many queries, which occupy the vector lanes.
Tile emitAttentionBlocks(KernelBuilder &kernel, const Attention &attention);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_ATTENTION_H
