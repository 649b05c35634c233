//===- LowerGroups.cpp - Replaces operations by linalg ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERGROUPS
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct LowerGroups : hamkaas::impl::LowerGroupsBase<LowerGroups> {
  void runOnOperation() override {
    // Collected first: lowering creates ops.
    SmallVector<LinalgLoweringOpInterface> ops;
    getOperation().walk(
        [&](LinalgLoweringOpInterface op) { ops.push_back(op); });
    for (LinalgLoweringOpInterface op : ops) {
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(
          op.lowerToLinalg(builder, op->getOperands()));
      op->erase();
    }
  }
};

} // namespace
