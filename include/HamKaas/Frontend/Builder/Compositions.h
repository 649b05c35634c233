//===- Compositions.h - What is made of several operations ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS_H
#define HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

/// Formulas of several operations, for all front ends. Like the functions of
/// GraphBuilder, they return null for null operands and after a failure.
namespace hamkaas::graph {

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// `axis` counted from 0; fails unless it is within [-rank, rank). `name` is
/// that of the attribute.
std::optional<int64_t> findAxis(GraphBuilder &b, llvm::StringRef name,
                                int64_t axis, int64_t rank);
/// The same for several, which must differ, in ascending order; all if they are
/// left out.
std::optional<Shape> findAxes(GraphBuilder &b, llvm::StringRef name,
                              std::optional<llvm::ArrayRef<int64_t>> axes,
                              int64_t rank);

/// A number as an attribute has it.
Tensor makeScalar(GraphBuilder &b, mlir::TypedAttr number);

/// "float32 [2, 3]", for messages.
std::string describeType(const Tensor &x);

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

/// The numbers from `begin` up to `end`.
Shape getDimRange(int64_t begin, int64_t end);
/// The product of sizes; 1 of none.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Exchanges two dimensions.
Tensor swapDims(GraphBuilder &b, Tensor x, int64_t i, int64_t j);
/// Adds a dimension of size 1 before dimension `dim`.
Tensor addDim(GraphBuilder &b, Tensor x, int64_t dim);
/// Element `i` of dimension `dim`, which is dropped.
Tensor selectDim(GraphBuilder &b, Tensor x, int64_t dim, int64_t i);

/// Returns whether row - column + `shift` compares so with 0, for a matrix.
Tensor compareDiagonal(GraphBuilder &b, ComparePredicate predicate,
                       int64_t rows, int64_t columns, int64_t shift);

/// Casts all but float64 to float32.
Tensor toComputed(GraphBuilder &b, Tensor x);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// `min(max(x, low), high)`.
Tensor clamp(GraphBuilder &b, Tensor x, double low, double high);
/// `log(1 + x)` with a small relative error, if `x` is not infinite.
Tensor log1pOfFinite(GraphBuilder &b, Tensor x);
/// `log(1 + exp(x))` without overflow.
Tensor softplus(GraphBuilder &b, Tensor x);

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The products of matrices, the last two dimensions, with equal dimensions
/// before them.
Tensor multiplyBatches(GraphBuilder &b, Tensor lhs, Tensor rhs);
/// The product of vectors, matrices or batches of them, as numpy's matmul has
/// it.
Tensor multiplyAsNumpy(GraphBuilder &b, Tensor lhs, Tensor rhs);
/// `product + bias`; fails if the sum is larger. `bias` may be null.
Tensor addBias(GraphBuilder &b, Tensor product, Tensor bias);
/// `x * w + bias` for the rows of `x`; `bias` may be null.
Tensor linear(GraphBuilder &b, Tensor x, Tensor w, Tensor bias);
/// The sum of products that an equation such as "ij,jk->ik" asks for.
Tensor einsum(GraphBuilder &b, llvm::StringRef equation,
              llvm::ArrayRef<Tensor> operands);

/// The products of the elements up to each one along `dim`.
Tensor cumprod(GraphBuilder &b, Tensor x, int64_t dim, bool isExclusive,
               bool isReverse);

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Indices of dimension `dim`, which has `size` elements, from 0. A run checks
/// them; negative ones count from the end unless `areNonnegative`.
Tensor checkIndices(GraphBuilder &b, Tensor indices, int64_t size, int64_t dim,
                    bool areNonnegative = false);
/// For each element of `indices`, which are nonnegative and index dimension
/// `axis` of a tensor of the shape `shape`, its linear index in that tensor.
/// The other coordinates are those of `indices`, or 0 where `shape` is 1.
Tensor linearize(GraphBuilder &b, Tensor indices, llvm::ArrayRef<int64_t> shape,
                 int64_t axis);
/// For each tuple in the last dimension of `indices`, its place among the rows
/// that the dimensions of `shape` from `batch` on lead to. The dimensions
/// before `batch` are those of `indices`, too.
Tensor linearizeTuples(GraphBuilder &b, Tensor indices,
                       llvm::ArrayRef<int64_t> shape, int64_t batch);
/// The elements of `x` along `axis` that `indices` name, as `linearize` says.
Tensor gatherAlong(GraphBuilder &b, Tensor x, Tensor indices, int64_t axis);

//===----------------------------------------------------------------------===//
// Windows over images
//===----------------------------------------------------------------------===//

/// Moves the channels from behind the batch to the end, and back.
Tensor channelsLast(GraphBuilder &b, Tensor x);
Tensor channelsFirst(GraphBuilder &b, Tensor x);
/// Weights with output and input channels first as the dialect has them: last.
Tensor weightsLast(GraphBuilder &b, Tensor w);

/// The transpose of a convolution of such windows and weights `w`, from its
/// result to its operand, with channels last. `added` elements follow each
/// dimension of the result.
Tensor convTransposed(GraphBuilder &b, Tensor x, Tensor w,
                      const Windows &windows, llvm::ArrayRef<int64_t> added,
                      int64_t groups);

/// Pads so far that the last window, which may begin within the image only, is
/// whole.
void roundUpWindows(Windows &windows, llvm::ArrayRef<int64_t> spatial);
/// Divides sums, channels last, by how many elements each window has in the
/// image and in `low` and `high` elements of padding around it.
Tensor divideByWindows(GraphBuilder &b, Tensor sum, const Windows &windows,
                       llvm::ArrayRef<int64_t> spatial,
                       llvm::ArrayRef<int64_t> low,
                       llvm::ArrayRef<int64_t> high);

//===----------------------------------------------------------------------===//
// Statistics and normalizations
//===----------------------------------------------------------------------===//

/// The mean over some dimensions, which stay with size 1 with `keepDims`.
Tensor mean(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims,
            bool keepDims = true);

/// The mean and the variance (of the population) over some dimensions, which
/// stay with size 1, and `x - mean`.
struct Moments {
  Tensor mean, distance, variance;
};
Moments getMoments(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims);

/// `x`, one number a channel, as what broadcasts to a tensor of rank `rank`
/// whose channels are dimension 1.
Tensor alignToChannels(GraphBuilder &b, Tensor x, int64_t rank);

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias`, where all but `x`
/// have one number a channel, dimension 1 of `x`. One product and one sum of
/// each element.
struct BatchNorm {
  Tensor scale, bias, mean, variance;
  double epsilon = 1e-5;
};
Tensor batchNorm(GraphBuilder &b, Tensor x, const BatchNorm &norm);

/// `(x - mean) / sqrt(variance + epsilon)` over the dimensions from `axis` on.
Tensor layerNorm(GraphBuilder &b, Tensor x, int64_t axis, double epsilon);
/// `x / sqrt(mean(x * x) + epsilon)` over the dimensions from `axis` on.
Tensor rmsNorm(GraphBuilder &b, Tensor x, int64_t axis, double epsilon);

//===----------------------------------------------------------------------===//
// Exponentials of rows
//===----------------------------------------------------------------------===//

/// `compute` of `x` with the elements along some dimensions as its last one;
/// its result has the same shape.
Tensor alongDims(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims,
                 llvm::function_ref<Tensor(Tensor rows)> compute);

/// Softmax over some dimensions.
Tensor softmax(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims);
/// `log(softmax(x))` over some dimensions.
Tensor logSoftmax(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims);
/// `log(sum(exp(x)))` over some dimensions, which have size 1 in the
/// result with `keepDims`.
Tensor logSumExp(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims,
                 bool keepDims);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS_H
