//===- Relu.cpp - Rectified linear unit -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

OpFoldResult ReluOp::fold(FoldAdaptor) {
  // relu(relu(x)) = relu(x).
  if (getX().getDefiningOp<ReluOp>())
    return getX();
  return {};
}
