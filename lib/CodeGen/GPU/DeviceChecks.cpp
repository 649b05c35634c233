//===- DeviceChecks.cpp - Run-time checks on a GPU --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;

/// Records the failure of `check`.
static void writeFailure(OpBuilder &builder, gpu::GPUFuncOp function,
                         CheckOp check, const IRMapping &values) {
  Location loc = check.getLoc();
  unsigned count = function.getNumArguments();
  Value failure = function.getArgument(count - 2);
  Value call = function.getArgument(count - 1);
  auto store = [&](Value value, int64_t index) {
    memref::StoreOp::create(
        builder, loc, value, failure,
        ValueRange(arith::ConstantIndexOp::create(builder, loc, index)));
  };
  for (auto [i, value] : llvm::enumerate(check.getValues()))
    store(values.lookupOrDefault(value), i + 1);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  store(arith::AddIOp::create(builder, loc, call, one), 0);
}

void hamkaas::addCheckFunction(OpBuilder &builder, func::FuncOp kernel) {
  gpu::GPUFuncOp function = createDeviceFunction(
      builder, kernel, (kernel.getSymName() + "_checks").str(), Launch());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Location loc = kernel.getLoc();
  IRMapping values;
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    values.map(from, to);

  Value isWithout = isWithoutFailure(builder, function);
  builder.setInsertionPointToStart(
      scf::IfOp::create(builder, loc, isWithout).thenBlock());
  for (Operation *op : getCheckSlice(kernel)) {
    auto check = dyn_cast<CheckOp>(op);
    if (!check) {
      builder.clone(*op, values);
      continue;
    }
    // The first failed check ends the checks.
    auto branch = scf::IfOp::create(
        builder, check.getLoc(), values.lookupOrDefault(check.getCondition()),
        /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    writeFailure(builder, function, check, values);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
}
