//===- Program.cpp - Groups and run-time checks -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult GroupOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes()) // C1.
    return emitOpError("expected the arguments of the body to have the types "
                       "of the inputs");
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().getTypes() != getResultTypes()) // C2.
    return emitOpError("expected the body to yield the types of the results");
  return success();
}

LogicalResult CheckOp::verify() {
  if (getValues().size() > 4) // C1.
    return emitOpError("expected at most 4 values, got ")
           << getValues().size();
  return success();
}
