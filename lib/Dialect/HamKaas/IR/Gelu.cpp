//===- Gelu.cpp - Gaussian error linear unit --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

// Scale, function, sum and two products; for tanh also three products and a
// sum.
int64_t GeluOp::getFlops() {
  int64_t flops = getApproximate() == GeluApproximation::Tanh ? 9 : 5;
  return multiplyCounts(flops, getElementCount(getType()));
}
