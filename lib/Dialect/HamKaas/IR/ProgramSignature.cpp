//===- ProgramSignature.cpp - Arguments of a program ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"

using namespace mlir;
using namespace hamkaas;
using enum MemoryRegion;

static constexpr MemoryRegion entryTables[] = {Input, Output};
static constexpr MemoryRegion entryRegions[] = {Constants, State, Workspace};
static constexpr MemoryRegion prepareTables[] = {Parameter};
static constexpr MemoryRegion prepareRegions[] = {Constants, Workspace};
static constexpr MemoryRegion loopTables[] = {Input, State, Output};
static constexpr MemoryRegion loopRegions[] = {Workspace};

bool hamkaas::isEntryFunction(FunctionOpInterface function) {
  return isa<func::FuncOp>(function) && function.isPublic() &&
         function.getName() != prepareName &&
         !function->hasAttr(HamKaasDialect::kernelAttrName) &&
         !function->hasAttr(HamKaasDialect::loopAttrName);
}

func::FuncOp hamkaas::findEntryFunction(ModuleOp module, StringRef name) {
  for (auto function : module.getOps<func::FuncOp>())
    if (isEntryFunction(function) &&
        (name.empty() || function.getSymName() == name))
      return function;
  return nullptr;
}

std::optional<ProgramSignature>
hamkaas::getProgramSignature(FunctionOpInterface function) {
  if (function->hasAttr(HamKaasDialect::loopAttrName))
    return ProgramSignature{loopTables, loopRegions};
  if (isEntryFunction(function))
    return ProgramSignature{entryTables, entryRegions};
  if (function.getName() == prepareName)
    return ProgramSignature{prepareTables, prepareRegions};
  return std::nullopt;
}

std::optional<MemoryRegion> hamkaas::getRegion(FunctionOpInterface function,
                                               unsigned argument) {
  auto region = function.getArgAttrOfType<MemoryRegionAttr>(
      argument, HamKaasDialect::regionAttrName);
  return region ? std::optional(region.getValue()) : std::nullopt;
}

std::optional<MemoryRegion> hamkaas::getRegion(BlockArgument argument) {
  return getRegion(
      cast<FunctionOpInterface>(argument.getOwner()->getParentOp()),
      argument.getArgNumber());
}
