//===- Iota.cpp - Counting along a dimension --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank(), dim = getDim();
  if (dim < 0 || dim >= rank) // C1.
    return emitOpError("expected a dimension from 0 to ")
           << rank - 1 << ", got " << dim;
  return success();
}

int64_t IotaOp::getFlops() { return 0; }
