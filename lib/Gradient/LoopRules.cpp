//===- LoopRules.cpp - Gradients of loops -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "ReversedLoop.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

YieldOp gradient::getYield(ScanOp scan) {
  return cast<YieldOp>(scan.getBody().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// The arguments of the body that each yielded value depends on in one step.
static Dependences findStepDependences(ScanOp scan) {
  Block &body = scan.getBody().front();
  llvm::BitVector none(body.getNumArguments());
  llvm::DenseMap<Value, llvm::BitVector> sources;
  for (BlockArgument argument : body.getArguments())
    if (isOfFloats(argument))
      sources.try_emplace(argument, none)
          .first->second.set(argument.getArgNumber());
  for (Operation &op : body.without_terminator())
    for (auto [result, operands] :
         llvm::zip_equal(op.getResults(), findDependences(&op))) {
      llvm::BitVector all = none;
      for (unsigned operand : operands.set_bits())
        if (auto known = sources.find(op.getOperand(operand));
            known != sources.end())
          all |= known->second;
      if (all.any())
        sources[result] = all;
    }
  Dependences found;
  for (Value value : getYield(scan).getValues()) {
    auto known = sources.find(value);
    found.push_back(known == sources.end() ? none : known->second);
  }
  return found;
}

Dependences gradient::findLoopDependences(ScanOp scan) {
  Dependences found = findStepDependences(scan);
  size_t carried = scan.getInits().size();
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (llvm::BitVector &arguments : found)
      for (size_t k = 0; k < carried; ++k)
        if (arguments.test(k) && found[k].test(arguments)) {
          arguments |= found[k];
          hasChanged = true;
        }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Kept results
//===----------------------------------------------------------------------===//

std::optional<unsigned> gradient::findKept(ScanOp scan, unsigned k) {
  OperandRange values = getYield(scan).getValues();
  for (unsigned i = scan.getInits().size(); i < values.size(); ++i)
    if (values[i] == scan.getBody().getArgument(k))
      return i;
  return std::nullopt;
}

/// The loop with a further output for each iter arg that has none.
static ScanOp addKeptOutputs(ScanOp scan, GraphBuilder &b) {
  SmallVector<Type> types(scan.getResultTypes());
  SmallVector<Value> added;
  for (unsigned k = 0; k < scan.getInits().size(); ++k) {
    if (findKept(scan, k))
      continue;
    BlockArgument argument = scan.getBody().getArgument(k);
    auto type = cast<RankedTensorType>(argument.getType());
    Shape shape{int64_t(scan.getSteps())};
    llvm::append_range(shape, type.getShape());
    auto stacked = graph::makeType(shape, type.getElementType(), "");
    if (!stacked) {
      b.fail("iter arg " + Twine(k) +
             " of all steps: " + toString(stacked.takeError()));
      return {};
    }
    types.push_back(*stacked);
    added.push_back(argument);
  }
  if (added.empty())
    return {};
  OpBuilder place(scan);
  auto fuller = ScanOp::create(place, scan.getLoc(), types, scan.getSteps(),
                               scan.getReversed(), scan.getInits(),
                               scan.getInputs(), scan.getValues());
  IRMapping mapping;
  scan.getBody().cloneInto(&fuller.getBody(), mapping);
  for (Value argument : added)
    getYield(fuller).getValuesMutable().append(mapping.lookup(argument));
  return fuller;
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

namespace {

struct ScanRule : GradientOpInterface::ExternalModel<ScanRule, ScanOp> {
  StringRef getMissingGradientReason(Operation *) const { return {}; }

  Tensors buildGradients(Operation *op, GraphBuilder &b,
                         ArrayRef<Tensor> gradients,
                         const llvm::BitVector &wanted) const {
    return buildReversedLoop(cast<ScanOp>(op), b, gradients, wanted);
  }

  Dependences findDependences(Operation *op) const {
    return findLoopDependences(cast<ScanOp>(op));
  }

  Operation *addKeptResults(Operation *op, GraphBuilder &b) const {
    return addKeptOutputs(cast<ScanOp>(op), b);
  }
};

} // namespace

void gradient::attachLoopRules(MLIRContext &context) {
  ScanOp::attachInterface<ScanRule>(context);
}
