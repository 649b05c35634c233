//===- NestConcats.cpp - Joins many tensors in steps ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_NESTCONCATS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Limit on the operands of a concat. The time of upstream's bufferization
/// analysis is cubic in their number: 0.06 s for 32, 20 s for 400.
static constexpr size_t maxOperands = 32;

/// Concatenates groups of neighbouring operands of `concat` first: as few
/// groups as possible, of about equal size.
static void nest(ConcatOp concat) {
  OpBuilder builder(concat);
  SmallVector<Value> operands(concat.getOperands());
  while (operands.size() > maxOperands) {
    size_t parts = llvm::divideCeil(operands.size(), maxOperands);
    SmallVector<Value> joined;
    for (size_t part = 0; part < parts; ++part) {
      size_t begin = operands.size() * part / parts;
      size_t end = operands.size() * (part + 1) / parts;
      joined.push_back(ConcatOp::create(
          builder, concat.getLoc(),
          ValueRange(operands).slice(begin, end - begin), concat.getDim()));
    }
    operands = std::move(joined);
  }
  concat.getOperandsMutable().assign(operands);
}

namespace {
struct NestConcats : hamkaas::impl::NestConcatsBase<NestConcats> {
  void runOnOperation() override {
    SmallVector<ConcatOp> concats;
    getOperation().walk([&](ConcatOp concat) {
      if (concat.getOperands().size() > maxOperands)
        concats.push_back(concat);
    });
    llvm::for_each(concats, nest);
  }
};
} // namespace
