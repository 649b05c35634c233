//===- ProgramFunctions.cpp - The functions that make a program -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult hamkaas::verifyStraightLine(func::FuncOp function) {
  auto fail = [&]() {
    return function.emitError("expected @") << function.getSymName();
  };
  if (!function.getBody().hasOneBlock())
    return fail() << " to have one block";
  Operation &last = function.getBody().front().back();
  if (!isa<func::ReturnOp>(last))
    return fail() << " to end with func.return, got " << last.getName();
  return success();
}

bool hamkaas::isDeclaredOnly(func::FuncOp function) {
  return function.isExternal() && function.getSymName() != "main" &&
         function.getSymName() != "prepare";
}

FailureOr<func::FuncOp> hamkaas::findMain(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expected a function @main");
  if (failed(verifyStraightLine(main)))
    return failure();
  return main;
}

StringRef hamkaas::getRegion(func::FuncOp function, unsigned argument) {
  auto region = function.getArgAttrOfType<StringAttr>(
      argument, HamKaasDialect::regionAttrName);
  return region ? region.getValue() : StringRef();
}
