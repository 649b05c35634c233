//===- Movement.cpp - Builds operations that move elements ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegularIndices.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::reshape(Tensor x, ArrayRef<int64_t> shape) {
  constexpr size_t largestRank = 64;
  if (!x || x.shape() == shape)
    return x;
  if (shape.size() > largestRank)
    return fail("expected at most " + Twine(largestRank) + " dimensions, got " +
                Twine(shape.size()));
  RankedTensorType type = RankedTensorType::get(shape, x.elementType());
  if (x.isEmpty() && type.getNumElements() == 0)
    return empty(shape, x.elementType());
  return create<ReshapeOp>(x, {}, type);
}

Tensor GraphBuilder::permute(Tensor x, ArrayRef<int64_t> permutation) {
  if (!x || llvm::equal(permutation,
                        llvm::seq<int64_t>(0, int64_t(permutation.size()))))
    return x;
  if (x.isEmpty()) {
    Shape shape;
    for (int64_t dim : permutation)
      shape.push_back(x.dim(dim));
    return empty(shape, x.elementType());
  }
  return create<PermuteOp>(x, {.permutation = list(permutation)});
}

Tensor GraphBuilder::extendRank(Tensor x, int64_t rank) {
  if (!x || x.rank() >= rank)
    return x;
  Shape shape(rank - x.rank(), 1);
  llvm::append_range(shape, x.shape());
  return reshape(x, shape);
}

Tensor GraphBuilder::broadcast(Tensor x, ArrayRef<int64_t> shape) {
  x = extendRank(x, shape.size());
  if (!x || x.shape() == shape)
    return x;
  if (llvm::is_contained(shape, 0))
    return empty(shape, x.elementType());
  return create<BroadcastOp>(x, {},
                             RankedTensorType::get(shape, x.elementType()));
}

Shape GraphBuilder::keepDim(const Tensor &x, int64_t dim) {
  Shape shape(x.shape());
  if (x)
    shape[dim] = 1;
  return shape;
}

Shape GraphBuilder::dropDims(const Tensor &x, ArrayRef<int64_t> dims) {
  Shape shape;
  for (auto [i, size] : llvm::enumerate(x.shape()))
    if (!llvm::is_contained(dims, int64_t(i)))
      shape.push_back(size);
  return shape;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::stridedSlice(Tensor x, ArrayRef<int64_t> offsets,
                                  ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides) {
  if (!x)
    return {};
  if (llvm::is_contained(sizes, 0))
    return empty(sizes, x.elementType());
  bool isWhole = x.shape() == sizes &&
                 llvm::all_of(strides, [](int64_t s) { return s == 1; });
  if (isWhole)
    return x;
  return create<StridedSliceOp>(x, {.offsets = list(offsets),
                                    .sizes = list(sizes),
                                    .strides = list(strides)});
}

Tensor GraphBuilder::sliceDim(Tensor x, int64_t dim, int64_t offset,
                              int64_t size) {
  if (!x)
    return {};
  Shape offsets(x.rank(), 0), sizes(x.shape()), strides(x.rank(), 1);
  offsets[dim] = offset;
  sizes[dim] = size;
  return stridedSlice(x, offsets, sizes, strides);
}

Tensor GraphBuilder::concat(ArrayRef<Tensor> parts, int64_t dim) {
  SmallVector<Tensor> filled;
  for (const Tensor &part : parts) {
    if (!part)
      return {};
    if (!part.isEmpty())
      filled.push_back(part);
  }
  if (filled.size() == 1)
    return filled.front();
  if (!filled.empty())
    return create<ConcatOp>(filled, {.dim = number(dim)});
  Shape shape(parts.front().shape());
  for (const Tensor &part : parts.drop_front())
    shape[dim] += part.dim(dim);
  return empty(shape, parts.front().elementType());
}

/// Indices that slices and repetitions take are constants of the graph, however
/// many: passes see them. Others are a table in memory.
void GraphBuilder::keepRegular(const Tensor &indices, int64_t size) {
  if (!indices.isConstant() || indices.isTrainable() || indices.value() ||
      indices.rank() != 1 || indices.count() > largestConstant ||
      !findRegularIndices(indices.elements().i64, size))
    return;
  indices.data->value =
      ConstantOp::create(constants, location, indices.type(),
                         getCompactElements(indices.elements()));
}

Tensor GraphBuilder::gather(Tensor x, Tensor indices, int64_t dim,
                            bool areChecked) {
  if (!x || !indices)
    return {};
  if (indices.isEmpty()) {
    Shape shape(x.shape().take_front(dim));
    llvm::append_range(shape, indices.shape());
    llvm::append_range(shape, x.shape().drop_front(dim + 1));
    return empty(shape, x.elementType());
  }
  keepRegular(indices, x.dim(dim));
  return create<GatherOp>({x, indices},
                          {.dim = number(dim), .unchecked = flag(areChecked)});
}

Tensor GraphBuilder::replaceRows(Tensor x, Tensor replacement, Tensor begin,
                                 Tensor end) {
  return create<ReplaceSliceOp>({x, replacement, begin, end},
                                {.unchecked = flag(true)});
}

Tensor GraphBuilder::flattenIndices(Tensor indices, ArrayRef<int64_t> sizes,
                                    int64_t dim, bool areNonnegative) {
  indices = cast(indices, builder.getI64Type());
  if (indices.isEmpty())
    return empty(indices.shape().drop_back(), builder.getI64Type());
  return create<FlattenIndicesOp>(indices, {.dim = number(dim),
                                            .nonnegative = flag(areNonnegative),
                                            .sizes = list(sizes),
                                            .unchecked = flag(false)});
}

Tensor GraphBuilder::pad(Tensor x, Tensor value, ArrayRef<int64_t> low,
                         ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  if (!x || !value)
    return {};
  auto isZero = [](int64_t count) { return count == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) &&
      llvm::all_of(interior, isZero))
    return x;
  if (!value.isConstant() || value.count() != 1)
    return fail("padding by a value that is not known when the model is "
                "compiled is not supported");
  Attribute element = getElements(value.elements()).getSplatValue<Attribute>();
  return create<PadOp>(x, {.high = list(high),
                           .interior = list(interior),
                           .low = list(low),
                           .value = llvm::cast<TypedAttr>(element)});
}

//===----------------------------------------------------------------------===//
// Along a dimension
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::scatter(Tensor target, Tensor indices, Tensor updates,
                             ScatterReduction reduction, bool areChecked) {
  if (!target || !indices || !updates || indices.isEmpty())
    return indices ? target : Tensor();
  return create<ScatterOp>(
      {target, indices, updates},
      {.reduction = ScatterReductionAttr::get(context(), reduction),
       .unchecked = flag(areChecked)});
}

Tensor GraphBuilder::cumsum(Tensor x, int64_t dim, bool isExclusive,
                            bool isReverse) {
  return create<CumsumOp>(x, {.dim = number(dim),
                              .exclusive = flag(isExclusive),
                              .reverse = flag(isReverse)});
}

Tensor GraphBuilder::argsort(Tensor x, bool isDescending,
                             std::optional<int64_t> first) {
  return create<ArgsortOp>(x, {.first = first ? number(*first) : IntegerAttr(),
                               .descending = flag(isDescending)});
}
