//===- WidenProducts.cpp - Products of 16-bit floats ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace hamkaas {
#define GEN_PASS_DEF_CPUWIDENPRODUCTS
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static Value castTo(OpBuilder &builder, Location loc, Value value,
                    Type element) {
  return CastOp::create(builder, loc,
                        cast<RankedTensorType>(value.getType()).clone(element),
                        value);
}

namespace {
struct CPUWidenProducts
    : hamkaas::impl::CPUWidenProductsBase<CPUWidenProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatMulOp, ConvOp>(op) && isNarrow(op->getResult(0).getType()))
        products.push_back(op);
    });
    llvm::for_each(products, widen);
  }

private:
  static void widen(Operation *product) {
    OpBuilder builder(product);
    Location loc = product->getLoc();
    for (OpOperand &operand : product->getOpOperands())
      operand.set(castTo(builder, loc, operand.get(), builder.getF32Type()));
    Value result = product->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.clone(builder.getF32Type()));
    builder.setInsertionPointAfter(product);
    Value rounded = castTo(builder, loc, result, type.getElementType());
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
};
} // namespace
