//===- ShapeArithmetic.cpp - Rules that ops on shapes share -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeArithmetic.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult hamkaas::verifyEntries(std::optional<Location> loc,
                                     StringRef what, ArrayRef<int64_t> entries,
                                     ShapedType x) {
  if (int64_t(entries.size()) == x.getRank())
    return success();
  return emitOptionalError(loc, "expected ", x.getRank(), " ", what,
                           ", one a dimension of x, got ", entries.size());
}

LogicalResult hamkaas::verifyDimension(std::optional<Location> loc, int64_t dim,
                                       int64_t rank) {
  if (rank == 0)
    return emitOptionalError(loc, "expected at least rank 1, got 0");
  if (dim >= 0 && dim < rank)
    return success();
  return emitOptionalError(loc, "expected a dimension from 0 to ", rank - 1,
                           ", got ", dim);
}

LogicalResult hamkaas::inferShape(std::optional<Location> loc,
                                  ArrayRef<int64_t> shape, Type element,
                                  SmallVectorImpl<Type> &types) {
  bool fits =
      llvm::all_of(shape, [](int64_t dimension) { return dimension >= 0; });
  if (fits)
    types.push_back(RankedTensorType::get(shape, element));
  if (fits && isSupportedShape(types.back()))
    return success();
  return emitOptionalError(
      loc, "expected a result of 1 to 2^47 - 1 elements, got the shape [",
      shape, "]");
}
