//===- HardSwish.cpp - SiLU of straight lines -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

// Two products, a sum and two limits.
int64_t HardSwishOp::getFlops() {
  return multiplyCounts(5, getElementCount(getType()));
}
