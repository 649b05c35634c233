//===- ProgramFunctions.cpp - The functions that make a program -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"

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
  return function.isExternal() && function.getSymName() != mainName &&
         function.getSymName() != prepareName;
}

FailureOr<func::FuncOp> hamkaas::findMain(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>(mainName);
  if (!main)
    return module.emitError("expected a function @main");
  if (failed(verifyStraightLine(main)))
    return failure();
  return main;
}

LogicalResult
hamkaas::forEachCall(func::FuncOp program, const SymbolTable &symbols,
                     function_ref<LogicalResult(func::CallOp)> visit) {
  for (Operation &op : program.getBody().front()) {
    auto call = dyn_cast<func::CallOp>(op);
    if (call && failed(visit(call)))
      return failure();
    auto repeat = dyn_cast<RepeatOp>(op);
    if (!repeat)
      continue;
    auto loop = symbols.lookup<func::FuncOp>(repeat.getCallee());
    // This excludes recursion.
    if (!loop || loop.isExternal() || !loop->isBeforeInBlock(program))
      return repeat.emitError("expected the body of @")
             << repeat.getCallee() << " before @" << program.getSymName();
    if (failed(forEachCall(loop, symbols, visit)))
      return failure();
  }
  return success();
}
