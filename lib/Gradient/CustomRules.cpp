//===- CustomRules.cpp - Gradients of the user's own ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "Rules.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

/// The operations of the block that depend on the stand-in, and that the
/// gradients depend on, in their order.
static SmallVector<Operation *> findRule(CustomGradientOp custom) {
  unsigned count = custom.countValues();
  llvm::DenseSet<Value> dependent = {custom.getStandIn()};
  Operation *first = custom.getStandIn().getDefiningOp();
  SmallVector<Operation *> operations, rule;
  for (Operation *op = first ? first : &custom->getBlock()->front();
       op != custom; op = op->getNextNode())
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return dependent.contains(operand);
        })) {
      dependent.insert(op->result_begin(), op->result_end());
      operations.push_back(op);
    }
  auto gradients = custom->getOperands().take_back(count);
  llvm::DenseSet<Value> needed(gradients.begin(), gradients.end());
  for (Operation *op : llvm::reverse(operations))
    if (llvm::any_of(op->getResults(),
                     [&](Value result) { return needed.contains(result); })) {
      needed.insert(op->operand_begin(), op->operand_end());
      rule.push_back(op);
    }
  std::reverse(rule.begin(), rule.end());
  return rule;
}

static Tensors differentiateCustom(CustomGradientOp custom, GraphBuilder &b,
                                   Tensor g) {
  Value standIn = custom.getStandIn();
  // The operations on one from outside of the body are out of sight.
  if (standIn.getParentBlock() != custom->getBlock() ||
      (isa<BlockArgument>(standIn) && isa<ScanOp>(custom->getParentOp())))
    return {b.fail("expected the stand-in for the gradient in the same body of "
                   "a loop as the value, got one from outside")};
  IRMapping mapping;
  mapping.map(standIn, b.materialize(g));
  OpBuilder place = b.getPlace();
  for (Operation *op : findRule(custom))
    place.clone(*op, mapping);
  unsigned count = custom.countValues();
  Tensors gradients(2);
  for (Value gradient : custom->getOperands().take_back(count))
    gradients.push_back(Tensor(mapping.lookupOrDefault(gradient)));
  return gradients;
}

namespace {

struct CustomRule
    : GradientOpInterface::ExternalModel<CustomRule, CustomGradientOp> {
  StringRef getMissingGradientReason(Operation *) const { return {}; }

  Tensors buildGradients(Operation *op, GraphBuilder &b,
                         ArrayRef<Tensor> gradients,
                         const llvm::BitVector &) const {
    return differentiateCustom(cast<CustomGradientOp>(op), b,
                               gradients.front());
  }

  /// The result depends on the values that get a gradient, and on no others.
  Dependences findDependences(Operation *op) const {
    llvm::BitVector values(op->getNumOperands());
    values.set(2, 2 + cast<CustomGradientOp>(op).countValues());
    return {values};
  }
};

} // namespace

void gradient::attachCustomRules(MLIRContext &context) {
  CustomGradientOp::attachInterface<CustomRule>(context);
}
