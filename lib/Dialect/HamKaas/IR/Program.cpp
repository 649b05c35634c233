//===- Program.cpp - Groups and run-time checks -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult GroupOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes()) // C1.
    return emitOpError("expected the arguments of the body to have the types "
                       "of the inputs (")
           << getInputs().getTypes() << "), got (" << body.getArgumentTypes()
           << ")";
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield) // C2.
    return emitOpError("expected the body to end with hamkaas.yield, got ")
           << body.back().getName();
  if (yield.getValues().getTypes() != getResultTypes()) // C2.
    return emitOpError("expected the body to yield the types of the results (")
           << getResultTypes() << "), got (" << yield.getValues().getTypes()
           << ")";
  std::optional<int64_t> updated = getUpdated();
  if (!updated)
    return success();
  if (getNumResults() != 1) // C3.
    return emitOpError("expected one result beside 'updated', got ")
           << getNumResults();
  int64_t inputs = getInputs().size();
  if (*updated < 0 || *updated >= inputs) // C3.
    return emitOpError("expected 'updated' to be the index of one of ")
           << inputs << " inputs, got " << *updated;
  Type input = getInputs()[*updated].getType();
  if (input != getResult(0).getType()) // C3.
    return emitOpError("expected the updated input to have the type of the "
                       "result (")
           << getResult(0).getType() << "), got " << input;
  return success();
}

LogicalResult CheckOp::verify() {
  size_t values = getValues().size();
  if (values > 4) // C1.
    return emitOpError("expected at most 4 values, got ") << values;
  StringRef message = getMessage();
  for (size_t i = 0; i + 2 < message.size(); ++i) {
    bool isPlace = message[i] == '{' && llvm::isDigit(message[i + 1]) &&
                   message[i + 2] == '}';
    if (isPlace && size_t(message[i + 1] - '0') >= values) // C2.
      return emitOpError("expected ")
             << message.substr(i, 3) << " to name one of " << values
             << " values";
  }
  return success();
}
