//===- PermuteGroup.cpp - Kernels that permute a tensor ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PermuteGroup.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace hamkaas;

std::optional<PermuteGroup> PermuteGroup::match(Value tensor) {
  auto group = tensor.getDefiningOp<GroupOp>();
  if (!group || !tensor.hasOneUse() || group.getInputs().size() != 1)
    return std::nullopt;
  Block &body = group.getBody().front();
  auto permute =
      body.getTerminator()->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!permute || permute.getNumDpsInputs() != 1 ||
      permute.getDpsInputOperand(0)->get() != body.getArgument(0))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> order =
      linalg::isaTransposeOpInterface(permute);
  if (!order)
    return std::nullopt;
  return PermuteGroup{group, *order};
}
