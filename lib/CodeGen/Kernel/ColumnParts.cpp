//===- ColumnParts.cpp - Products of several gates --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnParts.h"

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"

using namespace mlir;
using namespace hamkaas;

static int64_t countColumns(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 0 ? 1 : type.getShape().back();
}

bool hamkaas::areColumnPartsRead(GroupOp group) {
  if (!isa<ScanOp>(group->getParentOp()))
    return false;
  SmallVector<Value> values{group.getResult(0)};
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      auto reader = dyn_cast<GroupOp>(user);
      if (reader && reader.getFamily() == KernelFamily::Elementwise &&
          countColumns(reader.getResult(0)) < countColumns(values.front()))
        return true;
      if (isTensorView(user))
        values.push_back(user->getResult(0));
    }
  return false;
}
