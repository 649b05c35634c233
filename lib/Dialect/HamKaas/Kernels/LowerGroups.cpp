//===- LowerGroups.cpp - Replaces operations by linalg ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "RowChains.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERGROUPS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// `value` as a tensor of `type`, to which it is bound to change.
static Value castTo(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                            value)
      .getResult(0);
}

/// Erases what computes `value` alone, if nothing uses that.
static void eraseUnused(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  llvm::for_each(operands, eraseUnused);
}

static void lowerOperation(LinalgLoweringOpInterface op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        castTo(builder, operand, getStorageType(operand.getType())));
  Value result = op.lowerToLinalg(builder, operands);
  Value old = op->getResult(0);
  old.replaceAllUsesWith(castTo(builder, result, old.getType()));
  op->erase();
  // A lowering may look through what computes its first operand.
  if (!operands.empty() &&
      operands.front().getDefiningOp<tensor::CollapseShapeOp>())
    eraseUnused(operands.front());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Null where memory holds `type` as it is, or for what is no tensor.
static RankedTensorType getOtherStorage(Type type) {
  if (!isa<RankedTensorType>(type) || getStorageType(type) == type)
    return nullptr;
  return getStorageType(type);
}

static void convertTypes(ValueRange values) {
  for (Value value : values)
    if (RankedTensorType storage = getOtherStorage(value.getType()))
      value.setType(storage);
}

static void convertConstant(arith::ConstantOp constant) {
  if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
    constant.setValueAttr(
        cast<TypedAttr>(Attribute(getStoredElements(elements))));
}

/// The type in GRAPH goes with the global, for whoever passes its contents.
static void convertGlobal(ml_program::GlobalOp global) {
  RankedTensorType storage = getOtherStorage(global.getType());
  if (!storage)
    return;
  global->setAttr(HamKaasDialect::typeAttrName,
                  TypeAttr::get(global.getType()));
  global.setType(storage);
  Attribute value = global.getValue().value_or(nullptr);
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(value))
    global.setValueAttr(getStoredElements(elements));
  else if (isa_and_nonnull<ml_program::ExternAttr>(value))
    global.setValueAttr(
        ml_program::ExternAttr::get(global.getContext(), storage));
}

/// As convertGlobal for the inputs and outputs of `function`.
static void convertSignature(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  SmallVector<Type> inputs, results;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    RankedTensorType storage = getOtherStorage(input);
    inputs.push_back(storage ? Type(storage) : input);
    if (storage)
      function.setArgAttr(i, HamKaasDialect::typeAttrName,
                          TypeAttr::get(input));
  }
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    RankedTensorType storage = getOtherStorage(result);
    results.push_back(storage ? Type(storage) : result);
    if (storage)
      function.setResultAttr(i, HamKaasDialect::typeAttrName,
                             TypeAttr::get(result));
  }
  function.setFunctionType(
      FunctionType::get(function.getContext(), inputs, results));
}

/// Gives all tensors of the module the types that memory has.
static void convertToStorage(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      convertConstant(constant);
    else if (auto global = dyn_cast<ml_program::GlobalOp>(op))
      convertGlobal(global);
    else if (auto function = dyn_cast<func::FuncOp>(op))
      convertSignature(function);
    else if (auto conversion = dyn_cast<UnrealizedConversionCastOp>(op))
      casts.push_back(conversion);
    convertTypes(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        convertTypes(block.getArguments());
  });
  for (UnrealizedConversionCastOp conversion : casts) {
    conversion.getResult(0).replaceAllUsesWith(conversion.getOperand(0));
    conversion.erase();
  }
}

namespace {

struct LowerGroups : hamkaas::impl::LowerGroupsBase<LowerGroups> {
  void runOnOperation() override {
    // Collected first: lowering creates ops.
    SmallVector<LinalgLoweringOpInterface> ops;
    getOperation().walk(
        [&](LinalgLoweringOpInterface op) { ops.push_back(op); });
    markNonPositiveExponentials(getOperation());
    llvm::for_each(ops, lowerOperation);
    convertToStorage(getOperation());
  }
};

} // namespace
