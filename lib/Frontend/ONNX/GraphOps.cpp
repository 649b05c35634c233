//===- GraphOps.cpp - Operations on whole dimensions ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "GraphBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

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

NamedAttribute GraphBuilder::flag(StringRef name) {
  return builder.getNamedAttr(name, builder.getUnitAttr());
}

NamedAttribute GraphBuilder::combiner(StringRef kind) {
  return builder.getNamedAttr(
      "combiner", CombinerAttr::get(context(), *symbolizeCombiner(kind)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What a reduction begins with, for each element of a result of `shape`.
Tensor GraphBuilder::reduceNothing(StringRef kind, ArrayRef<int64_t> shape,
                                   Type type) {
  if (llvm::is_contained(shape, 0))
    return empty(shape, type);
  if (type.isInteger(1))
    return broadcast(scalar(type, kind == "min" || kind == "prod"), shape);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double identity = llvm::StringSwitch<double>(kind)
                        .Case("prod", 1)
                        .Case("max", -infinity)
                        .Case("min", infinity)
                        .Default(0);
  // Infinity becomes the largest integer.
  Tensor value = cast(scalar(builder.getF64Type(), identity), type);
  return broadcast(value, shape);
}

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
  if (x.isEmpty())
    return reduceNothing(kind, kept, x.elementType());
  Tensor result = x;
  if (!sorted.empty())
    result = create("reduce", x, {combiner(kind), attribute("dims", sorted)});
  return reshape(result, kept);
}

Tensor GraphBuilder::pool(StringRef kind, Tensor x, ArrayRef<int64_t> window,
                          ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> dilations, ArrayRef<int64_t> padLow,
                          ArrayRef<int64_t> padHigh) {
  return create("pool", x,
                {combiner(kind), attribute("window", window),
                 attribute("strides", strides),
                 attribute("dilations", dilations),
                 attribute("pad_low", padLow), attribute("pad_high", padHigh)});
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

Tensor GraphBuilder::count(int64_t size, Type type) {
  constexpr int64_t largestTable = 4096;
  return create("iota", {}, attribute("dim", int64_t(0)),
                RankedTensorType::get(size, type),
                /*mayFold=*/size <= largestTable);
}

Shape GraphBuilder::dropDims(const Tensor &x, ArrayRef<int64_t> dims) {
  Shape shape;
  for (auto [i, size] : llvm::enumerate(x.shape()))
    if (!llvm::is_contained(dims, int64_t(i)))
      shape.push_back(size);
  return shape;
}

Tensor GraphBuilder::argExtreme(StringRef kind, Tensor x, int64_t dim,
                                bool isLast) {
  if (!x)
    return {};
  Tensor extreme = reduce(kind, x, dim, /*keepDims=*/true);
  // NaN is the extreme where there is one, and differs from itself.
  Tensor isExtreme = compare("eq", x, extreme);
  if (x.isFloat())
    isExtreme = binary("or", isExtreme, compare("ne", x, x));
  Tensor none = constant({isLast ? -1 : x.dim(dim)}, Shape(x.rank(), 1));
  return reduce(isLast ? "max" : "min",
                select(isExtreme, iota(x.shape(), dim), none), dim,
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
  SmallVector<NamedAttribute> attributes = {attribute("dim", dim)};
  if (areChecked)
    attributes.push_back(flag("unchecked"));
  return create("gather", {x, indices}, attributes);
}

Tensor GraphBuilder::flattenIndices(Tensor indices, ArrayRef<int64_t> sizes,
                                    int64_t dim, bool areNonnegative) {
  indices = cast(indices, builder.getI64Type());
  if (indices.isEmpty())
    return empty(indices.shape().drop_back(), builder.getI64Type());
  SmallVector<NamedAttribute> attributes = {attribute("sizes", sizes),
                                            attribute("dim", dim)};
  if (areNonnegative)
    attributes.push_back(flag("nonnegative"));
  return create("flatten_indices", indices, attributes);
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
  return create("pad", x,
                {attribute("low", low), attribute("high", high),
                 attribute("interior", interior),
                 builder.getNamedAttr("value", element)});
}

//===----------------------------------------------------------------------===//
// Along a dimension
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::scatter(Tensor target, Tensor indices, Tensor updates,
                             StringRef reduction, bool areChecked) {
  if (!target || !indices || !updates || indices.isEmpty())
    return indices ? target : Tensor();
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(
      "reduction", ScatterReductionAttr::get(
                       context(), *symbolizeScatterReduction(reduction)))};
  if (areChecked)
    attributes.push_back(flag("unchecked"));
  return create("scatter", {target, indices, updates}, attributes);
}

Tensor GraphBuilder::cumsum(Tensor x, int64_t dim, bool isExclusive,
                            bool isReverse) {
  SmallVector<NamedAttribute> attributes = {attribute("dim", dim)};
  if (isExclusive)
    attributes.push_back(flag("exclusive"));
  if (isReverse)
    attributes.push_back(flag("reverse"));
  return create("cumsum", x, attributes);
}

Tensor GraphBuilder::argsort(Tensor x, bool isDescending) {
  SmallVector<NamedAttribute> attributes;
  if (isDescending)
    attributes.push_back(flag("descending"));
  return create("argsort", x, attributes);
}
