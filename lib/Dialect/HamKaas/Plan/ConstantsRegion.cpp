//===- ConstantsRegion.cpp - Where constants lie ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantsRegion.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hamkaas;

int64_t hamkaas::getConstantIndex(func::FuncOp program, unsigned argument) {
  auto index = program.getArgAttrOfType<IntegerAttr>(
      argument, HamKaasDialect::indexAttrName);
  return index ? index.getInt() : -1;
}

LogicalResult ConstantsRegion::collect(func::FuncOp program) {
  for (BlockArgument argument : program.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (getRegion(program, i) != MemoryRegion::Constants)
      continue;
    int64_t index = getConstantIndex(program, i);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (index < 0 || !type)
      return emitError(argument.getLoc(),
                       "expected a buffer with an index in the constants "
                       "region as argument ")
             << i << " of @" << program.getSymName();
    auto [it, isNew] = types.try_emplace(index, type);
    if (it->second != type)
      return emitError(argument.getLoc(), "expected constant ")
             << index << " to be " << it->second << " everywhere, got " << type
             << " in @" << program.getSymName();
  }
  return success();
}

LogicalResult ConstantsRegion::layOut(Location loc) {
  for (auto [index, type] : types) {
    FailureOr<int64_t> offset = table.append(loc, type);
    if (failed(offset))
      return failure();
    offsets[index] = *offset;
  }
  return success();
}
