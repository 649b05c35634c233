//===- ChannelOrders.cpp - Images whose channels come first -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrders.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace hamkaas;

SmallVector<int64_t> hamkaas::getChannelsLast(int64_t rank) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

SmallVector<int64_t> hamkaas::getChannelsFirst(int64_t rank) {
  return invertPermutationVector(getChannelsLast(rank));
}

static int64_t getRank(Value x) {
  return cast<ShapedType>(x.getType()).getRank();
}

Value hamkaas::putChannelsLast(OpBuilder &builder, Location loc, Value x) {
  return PermuteOp::create(builder, loc, x, getChannelsLast(getRank(x)));
}

Value hamkaas::putChannelsFirst(OpBuilder &builder, Location loc, Value x) {
  return PermuteOp::create(builder, loc, x, getChannelsFirst(getRank(x)));
}

/// Returns whether `op` is a permute of rank 3 or more by `order(rank)`.
static bool isPermute(Operation *op,
                      function_ref<SmallVector<int64_t>(int64_t)> order) {
  auto permute = dyn_cast_or_null<PermuteOp>(op);
  return permute && permute.getType().getRank() >= 3 &&
         permute.getPermutation() ==
             ArrayRef(order(permute.getType().getRank()));
}

bool hamkaas::isChannelsFirst(Operation *op) {
  return isPermute(op, getChannelsFirst);
}

bool hamkaas::isChannelsLast(Operation *op) {
  return isPermute(op, getChannelsLast);
}
