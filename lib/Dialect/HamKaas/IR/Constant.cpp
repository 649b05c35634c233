//===- Constant.cpp - Constants ---------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hamkaas;

// C1.
LogicalResult ConstantOp::verify() {
  return verifyElements(getLoc(), getValue(), getType());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *HamKaasDialect::materializeConstant(OpBuilder &builder,
                                               Attribute value, Type type,
                                               Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
