//===- ProgramFunctions.cpp - The functions that make a program -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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

bool hamkaas::isStep(Operation *op) {
  return isa<func::CallOp, RepeatOp, memref::CopyOp>(op);
}

bool hamkaas::isDeclaredOnly(func::FuncOp function) {
  return function.isExternal() && !isEntryFunction(function) &&
         function.getSymName() != prepareName;
}

FailureOr<SmallVector<func::FuncOp>>
hamkaas::findEntryFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isEntryFunction(function))
      continue;
    if (failed(verifyStraightLine(function)))
      return failure();
    entries.push_back(function);
  }
  if (entries.empty())
    return module.emitError("expected a function @main");
  return entries;
}

FailureOr<SmallVector<func::FuncOp>>
hamkaas::findPlannedPrograms(ModuleOp module) {
  SmallVector<func::FuncOp> programs;
  for (auto program : module.getOps<func::FuncOp>()) {
    // `@prepare` runs once.
    if (!getProgramSignature(program) || program.getSymName() == prepareName)
      continue;
    if (!program->hasAttr(HamKaasDialect::buffersAttrName))
      return program.emitError(
                 "expected a program whose memory is planned, with '")
             << HamKaasDialect::buffersAttrName << "'";
    programs.push_back(program);
  }
  return programs;
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

LogicalResult hamkaas::numberCalls(func::FuncOp program,
                                   const SymbolTable &symbols) {
  Builder builder(program.getContext());
  int64_t count = 0;
  return forEachCall(program, symbols, [&](func::CallOp call) {
    call->setAttr(HamKaasDialect::callIndexAttrName,
                  builder.getI64IntegerAttr(count++));
    return success();
  });
}

SmallVector<ModuleOp>
hamkaas::separateFunctions(ModuleOp module,
                           function_ref<bool(func::FuncOp)> isSeparate) {
  SmallVector<ModuleOp> parts;
  auto functions = module.getOps<func::FuncOp>();
  for (auto function : llvm::make_early_inc_range(functions)) {
    if (!isSeparate(function))
      continue;
    OpBuilder builder(function);
    auto part = ModuleOp::create(builder, function.getLoc());
    function->moveBefore(part.getBody(), part.getBody()->end());
    parts.push_back(part);
  }
  return parts;
}
