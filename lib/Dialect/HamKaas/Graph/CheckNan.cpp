//===- CheckNan.cpp - Name the operation that makes a NaN -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

namespace hamkaas {
#define GEN_PASS_DEF_CHECKNAN
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct CheckNan : hamkaas::impl::CheckNanBase<CheckNan> {
  using CheckNanBase::CheckNanBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      known.clear();
      visit(function.getBody().front());
      checkInputs(function);
    }
  }

private:
  bool isKnownAtLoad(Operation &op);
  void visit(Block &block);
  void checkInputs(func::FuncOp function);

  /// Operations on parameters and constants alone.
  DenseSet<Operation *> known;
};

} // namespace

/// A state may have another value in each run, as arguments have.
bool CheckNan::isKnownAtLoad(Operation &op) {
  return !isa<ml_program::GlobalLoadOp>(op) && op.getNumRegions() == 0 &&
         llvm::all_of(op.getOperands(), [&](Value operand) {
           return known.contains(operand.getDefiningOp());
         });
}

/// A message may name values in braces.
static std::string withoutBraces(StringRef text) {
  std::string result = text.str();
  llvm::replace(result, '{', '(');
  llvm::replace(result, '}', ')');
  return result;
}

static void check(Value value, OpBuilder &builder, const Twine &name) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<FloatType>(type.getElementType()) || value.use_empty())
    return;
  auto op = CheckNanOp::create(builder, value.getLoc(), value,
                               withoutBraces(name.str()));
  value.replaceAllUsesExcept(op.getResult(), op);
}

void CheckNan::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isKnownAtLoad(op)) {
      known.insert(&op);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
    // Views move what has been checked.
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    bool makesValues =
        kernelOp && kernelOp.getKernelFamily() != KernelFamily::View;
    if (!makesValues && op.getNumRegions() == 0)
      continue;
    OpBuilder builder(op.getContext());
    builder.setInsertionPointAfter(&op);
    for (Value result : op.getResults())
      check(result, builder,
            "the result of '" + op.getName().stripDialect() + "'");
  }
}

void CheckNan::checkInputs(func::FuncOp function) {
  OpBuilder builder(function.getBody());
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), HamKaasDialect::nameAttrName);
    check(argument, builder,
          "input '" + (name ? name.getValue() : StringRef("input")) + "'");
  }
}
