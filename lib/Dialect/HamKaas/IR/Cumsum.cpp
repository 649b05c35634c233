//===- Cumsum.cpp - Sums of the elements so far -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "ShapeArithmetic.h"

using namespace mlir;
using namespace hamkaas;

// C1.
LogicalResult CumsumOp::verify() {
  return verifyDimension(getLoc(), getDim(), getType().getRank());
}
