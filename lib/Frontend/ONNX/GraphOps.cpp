//===- GraphOps.cpp - Operations on whole dimensions ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "Diagnostics.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

NamedAttribute GraphBuilder::attribute(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

NamedAttribute GraphBuilder::attribute(StringRef name,
                                       ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::reduce(StringRef kind, Tensor x, ArrayRef<int64_t> dims,
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
  Tensor result = x;
  if (!sorted.empty())
    result = create("reduce", x,
                    {builder.getNamedAttr(
                         "combiner", CombinerAttr::get(
                                         context(), *symbolizeCombiner(kind))),
                     attribute("dims", sorted)});
  return reshape(result, kept);
}

Shape GraphBuilder::keepDim(const Tensor &x, int64_t dim) {
  Shape shape(x.shape());
  if (x)
    shape[dim] = 1;
  return shape;
}

Tensor GraphBuilder::iota(ArrayRef<int64_t> shape, int64_t dim) {
  return create("iota", {}, attribute("dim", dim),
                RankedTensorType::get(shape, builder.getI64Type()));
}

Tensor GraphBuilder::argMax(Tensor x, int64_t dim) {
  if (!x)
    return {};
  Tensor largest = reduce("max", x, dim, /*keepDims=*/true);
  // NaN is the largest where there is one, and differs from itself.
  Tensor isLargest = compare("eq", x, largest);
  if (x.isFloat())
    isLargest = binary("or", isLargest, compare("ne", x, x));
  Tensor beyond = constant({x.dim(dim)}, Shape(x.rank(), 1));
  return reduce("min", select(isLargest, iota(x.shape(), dim), beyond), dim,
                /*keepDims=*/false);
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
  return create("strided_slice", x,
                {attribute("offsets", offsets), attribute("sizes", sizes),
                 attribute("strides", strides)});
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
    return create("concat", filled, attribute("dim", dim));
  Shape shape(parts.front().shape());
  for (const Tensor &part : parts.drop_front())
    shape[dim] += part.dim(dim);
  return empty(shape, parts.front().elementType());
}

Tensor GraphBuilder::gather(Tensor x, Tensor indices, int64_t dim) {
  if (!x || !indices)
    return {};
  if (indices.isEmpty()) {
    Shape shape(x.shape().take_front(dim));
    llvm::append_range(shape, indices.shape());
    llvm::append_range(shape, x.shape().drop_front(dim + 1));
    return empty(shape, x.elementType());
  }
  return create("gather", {x, indices}, attribute("dim", dim));
}
