//===- FlattenIndices.cpp - One index for several ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult FlattenIndicesOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto indices = cast<ShapedType>(adaptor.getIndices().getType());
  ArrayRef<int64_t> sizes = adaptor.getSizes();
  if (indices.getRank() == 0 ||
      indices.getShape().back() != int64_t(sizes.size())) // C1.
    return emitOptionalError(loc, "expected indices whose last dimension is ",
                             sizes.size(), ", an entry a size, got [",
                             indices.getShape(), "]");
  int64_t count = 1;
  for (int64_t size : sizes)
    count = multiplyCounts(count, std::max<int64_t>(size, 0));
  if (count < 1 || count >= int64_t(1) << 47) // C2.
    return emitOptionalError(
        loc, "expected sizes of 1 to 2^47 - 1 elements, got [", sizes, "]");
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= int64_t(1) << 31) // C3.
    return emitOptionalError(
        loc, "expected a dimension from 0 to 2^31 - 1, got ", dim);
  types.push_back(RankedTensorType::get(indices.getShape().drop_back(),
                                        IntegerType::get(context, 64)));
  return success();
}

int64_t FlattenIndicesOp::getFlops() { return 0; }

bool FlattenIndicesOp::checksValues() { return !getUnchecked(); }

int64_t CheckNanOp::getFlops() { return 0; }

bool CheckNanOp::checksValues() { return true; }
