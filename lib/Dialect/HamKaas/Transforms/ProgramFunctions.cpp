//===- ProgramFunctions.cpp - The functions that make a program -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramFunctions.h"

using namespace mlir;

LogicalResult hamkaas::verifyStraightLine(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(function.getBody().front().back()))
    return function.emitError("expected @")
           << function.getSymName()
           << " to have a body of one block that returns";
  return success();
}

FailureOr<func::FuncOp> hamkaas::findMain(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expected a function @main");
  if (failed(verifyStraightLine(main)))
    return failure();
  return main;
}
