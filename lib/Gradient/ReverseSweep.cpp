//===- ReverseSweep.cpp - Gradients of the values of a block ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReverseSweep.h"
#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Support/VisibleText.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;
using graph::Tensor;
using graph::Tensors;

std::string gradient::describePlace(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  return file ? (" at " + makeVisible(file.getFilename().getValue()) + ":" +
                 Twine(file.getLine()))
                    .str()
              : "";
}

ReverseSweep::ReverseSweep(graph::GraphBuilder &b,
                           ArrayRef<Operation *> operations, ArrayRef<Value> xs)
    : b(b), operations(operations), active(xs.begin(), xs.end()) {
  findActive();
}

void ReverseSweep::findActive() {
  auto isActive = [&](Value value) { return active.contains(value); };
  for (Operation *op : operations) {
    if (llvm::none_of(op->getOperands(), isActive))
      continue;
    for (auto [result, operands] :
         llvm::zip_equal(op->getResults(), findDependences(op)))
      if (llvm::any_of(operands.set_bits(), [&](unsigned operand) {
            return isActive(op->getOperand(operand));
          }))
        active.insert(result);
  }
}

void ReverseSweep::add(Value value, const Tensor &gradient) {
  if (!gradient || !active.contains(value))
    return;
  assert(gradient.type() == value.getType() &&
         "a gradient has the type of its value");
  Tensor &sum = gradients[value];
  sum = sum ? b.add(sum, gradient) : gradient;
}

LogicalResult ReverseSweep::run() {
  for (Operation *op : llvm::reverse(operations))
    if (failed(propagate(op)))
      return failure();
  return success(!b.hasFailed());
}

LogicalResult ReverseSweep::fail(Operation *op, const Twine &reason) {
  b.fail("'" + op->getName().stripDialect() + "'" +
         describePlace(op->getLoc()) + " has no gradient: " + reason);
  return failure();
}

/// Hands the gradients of the results on to the operands.
LogicalResult ReverseSweep::propagate(Operation *op) {
  bool isReached = llvm::any_of(op->getResults(), [&](Value result) {
    return gradients.contains(result);
  });
  if (!isReached || llvm::none_of(op->getOperands(), [&](Value operand) {
        return active.contains(operand);
      }))
    return success();
  auto rule = dyn_cast<GradientOpInterface>(op);
  if (!rule)
    return fail(op, "its rule is not registered");
  if (StringRef reason = rule.getMissingGradientReason(); !reason.empty())
    return fail(op, reason);
  b.setLocation(markGradient(op->getLoc()));
  Tensors results = buildGradients(rule);
  if (b.hasFailed())
    return fail(op, b.takeFailure());
  assert(results.size() <= op->getNumOperands() && "a gradient too many");
  for (auto [operand, result] : llvm::zip(op->getOperands(), results))
    add(operand, result);
  return success();
}

Tensors ReverseSweep::buildGradients(GradientOpInterface rule) {
  Operation *op = rule;
  llvm::BitVector wanted(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands())
    wanted[operand.getOperandNumber()] = active.contains(operand.get());
  Tensors given;
  for (Value result : op->getResults())
    given.push_back(gradients.lookup(result));
  if (Operation *fuller = rule.addKeptResults(b)) {
    replaced.push_back({op, fuller});
    given.resize(fuller->getNumResults());
    rule = cast<GradientOpInterface>(fuller);
  }
  return b.hasFailed() ? Tensors() : rule.buildGradients(b, given, wanted);
}

void ReverseSweep::replaceOperations(Replaced onReplaced) {
  for (auto [op, fuller] : replaced) {
    for (auto [result, replacement] :
         llvm::zip(op->getResults(), fuller->getResults())) {
      result.replaceAllUsesWith(replacement);
      replacements[result] = replacement;
      if (onReplaced)
        onReplaced(result, replacement);
    }
    op->erase();
  }
  replaced.clear();
}

void ReverseSweep::dropReplacements() {
  for (auto [op, fuller] : replaced)
    fuller->erase();
  replaced.clear();
}
