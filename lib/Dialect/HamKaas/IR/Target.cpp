//===- Target.cpp - The target of a module ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, StringRef chip, Precision,
                                 ArrayRef<StringAttr>) {
  if (name.empty())
    return emitError() << "expected the name of a target, got \"\"";
  if (chip.empty())
    return emitError() << "expected the chip of target '" << name
                       << "', got \"\"";
  return success();
}

LogicalResult hamkaas::verifyTarget(Operation *op, Attribute attribute) {
  auto emitError = [&] { return op->emitOpError(); };
  if (!isa<ModuleOp>(op))
    return emitError() << "expected '" << targetAttrName << "' on a module";
  if (!isa<TargetAttr>(attribute))
    return emitError() << "expected '" << targetAttrName
                       << "' to be a #hamkaas.target, got " << attribute;
  return success();
}
