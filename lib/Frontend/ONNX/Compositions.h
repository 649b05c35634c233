//===- Compositions.h - What several operators are made of ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_COMPOSITIONS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_COMPOSITIONS_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// The numbers from `begin` up to `end`.
Shape getDimRange(int64_t begin, int64_t end);
/// The product of sizes; 1 of none.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// float64 as it is, all else as float32: what is computed in.
Tensor toComputed(GraphBuilder &b, Tensor x);

/// The mean over some dimensions, which stay with size 1.
Tensor reduceMean(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims);
/// `(x - mean) / sqrt(variance + epsilon)` over the dimensions from `axis` on.
Tensor normalizeFrom(GraphBuilder &b, Tensor x, int64_t axis, double epsilon);

/// `x`, one number a channel, as what broadcasts to a tensor of rank `rank`
/// whose channels are dimension 1.
Tensor alignToChannels(GraphBuilder &b, Tensor x, int64_t rank);

/// The products of matrices, the last two dimensions, with equal dimensions
/// before them.
Tensor multiplyBatches(GraphBuilder &b, Tensor lhs, Tensor rhs);

/// Exchanges two dimensions.
Tensor swapDims(GraphBuilder &b, Tensor x, int64_t i, int64_t j);
/// Adds a dimension of size 1 before dimension `dim`.
Tensor addDim(GraphBuilder &b, Tensor x, int64_t dim);
/// Element `i` of dimension `dim`, which is dropped.
Tensor selectDim(GraphBuilder &b, Tensor x, int64_t dim, int64_t i);
/// Softmax of the last dimension.
Tensor softmaxLast(GraphBuilder &b, Tensor x);
/// `log(sum(exp(x)))` over some dimensions, which have size 1 in the
/// result with `keepDims`.
Tensor logSumExp(GraphBuilder &b, Tensor x, llvm::ArrayRef<int64_t> dims,
                 bool keepDims);
/// `log(softmax(x))` along a dimension.
Tensor logSoftmax(GraphBuilder &b, Tensor x, int64_t dim);

/// Fails unless `value` is one of `allowed`, an attribute's values.
bool expectOneOf(GraphBuilder &b, llvm::StringRef attribute,
                 llvm::StringRef value,
                 llvm::ArrayRef<llvm::StringRef> allowed);
/// Fails unless all are there and have elements.
bool expectElements(GraphBuilder &b, llvm::ArrayRef<Tensor> tensors);
/// Fails unless `x` has the shape.
bool expectShape(GraphBuilder &b, llvm::StringRef what, const Tensor &x,
                 llvm::ArrayRef<int64_t> shape);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_COMPOSITIONS_H
