//===- Reductions.cpp - Builds products, rows and reductions ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::matmul(Tensor lhs, Tensor rhs) {
  return create<MatMulOp>({lhs, rhs});
}

Tensor GraphBuilder::conv(Tensor x, Tensor w, const Windows &windows,
                          int64_t groups) {
  return create<ConvOp>({x, w}, {.dilations = list(windows.dilations),
                                 .groups = number(groups),
                                 .pad_high = list(windows.padHigh),
                                 .pad_low = list(windows.padLow),
                                 .strides = list(windows.strides)});
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::layerNorm(Tensor x, double epsilon) {
  return create<LayerNormOp>(x, {.epsilon = builder.getF64FloatAttr(epsilon)});
}

Tensor GraphBuilder::rmsNorm(Tensor x, Tensor w, double epsilon) {
  return create<RmsNormOp>({x, w},
                           {.epsilon = builder.getF64FloatAttr(epsilon)});
}

Tensor GraphBuilder::softmax(Tensor x) {
  if (!x)
    return {};
  return create<SlicedSoftmaxOp>(
      x, {.static_prefix = number(x.shape().back()), .unchecked = flag(false)});
}

Tensor GraphBuilder::logSumExp(Tensor x) { return create<LogSumExpOp>(x); }

Tensor GraphBuilder::attention(Tensor q, Tensor k, Tensor v, Tensor bias,
                               double scale) {
  Tensors operands = {q, k, v};
  if (bias)
    operands.push_back(bias);
  return create<AttentionOp>(operands,
                             {.masked_score = {},
                              .scale = builder.getF32FloatAttr(float(scale)),
                              .operandSegmentSizes = {}});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The start value of a reduction, for each element of a result of `shape`.
Tensor GraphBuilder::reduceNothing(Combiner combiner, ArrayRef<int64_t> shape,
                                   Type type) {
  if (llvm::is_contained(shape, 0))
    return empty(shape, type);
  bool isOne = combiner == Combiner::Prod;
  if (type.isInteger(1))
    return broadcast(scalar(type, isOne || combiner == Combiner::Min), shape);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double identity = isOne                       ? 1
                    : combiner == Combiner::Max ? -infinity
                    : combiner == Combiner::Min ? infinity
                                                : 0;
  // Infinity becomes the largest integer.
  Tensor value = cast(scalar(builder.getF64Type(), identity), type);
  return broadcast(value, shape);
}

Tensor GraphBuilder::reduce(Combiner combiner, Tensor x, ArrayRef<int64_t> dims,
                            bool keepDims) {
  if (!x)
    return {};
  Shape kept, sorted(dims);
  llvm::sort(sorted);
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (!llvm::is_contained(sorted, i))
      kept.push_back(x.dim(i));
    else if (keepDims)
      kept.push_back(1);
  }
  if (x.isEmpty())
    return reduceNothing(combiner, kept, x.elementType());
  Tensor result = x;
  if (!sorted.empty())
    result =
        create<ReduceOp>(x, {.combiner = CombinerAttr::get(context(), combiner),
                             .dims = list(sorted)});
  return reshape(result, kept);
}

Tensor GraphBuilder::pool(Combiner combiner, Tensor x, const Windows &windows) {
  return create<PoolOp>(x, {.combiner = CombinerAttr::get(context(), combiner),
                            .dilations = list(windows.dilations),
                            .pad_high = list(windows.padHigh),
                            .pad_low = list(windows.padLow),
                            .strides = list(windows.strides),
                            .window = list(windows.sizes)});
}

Tensor GraphBuilder::argExtreme(Combiner combiner, Tensor x, int64_t dim,
                                bool isLast) {
  if (!x)
    return {};
  Tensor extreme = reduce(combiner, x, dim, /*keepDims=*/true);
  // NaN is the extreme where there is one, and differs from itself.
  Tensor isExtreme = eq(x, extreme);
  if (x.isFloat())
    isExtreme = bitOr(isExtreme, ne(x, x));
  // A table of one dimension, and of narrow numbers where they can count the
  // elements: as many as a vector has of `x`.
  Type narrow = x.dim(dim) <= std::numeric_limits<int32_t>::max()
                    ? builder.getI32Type()
                    : builder.getI64Type();
  Shape line(x.rank(), 1);
  line[dim] = x.dim(dim);
  Tensor places = reshape(count(x.dim(dim), narrow), line);
  Tensor none = scalar(narrow, static_cast<double>(isLast ? -1 : x.dim(dim)));
  Tensor place =
      reduce(isLast ? Combiner::Max : Combiner::Min,
             select(isExtreme, places, none), dim, /*keepDims=*/false);
  return cast(place, builder.getI64Type());
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::createIota(RankedTensorType type, int64_t dim,
                                bool mayFold) {
  IotaOp::Properties properties{.dim = number(dim)};
  return create({OperationName(IotaOp::getOperationName(), context()),
                 &properties, type, mayFold},
                {});
}

Tensor GraphBuilder::iota(ArrayRef<int64_t> shape, int64_t dim) {
  return createIota(RankedTensorType::get(shape, builder.getI64Type()), dim,
                    /*mayFold=*/true);
}

Tensor GraphBuilder::count(int64_t size, Type type) {
  constexpr int64_t largestTable = 4096;
  return createIota(RankedTensorType::get(size, type), /*dim=*/0,
                    /*mayFold=*/size <= largestTable);
}
