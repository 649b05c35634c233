//===- KnownConstants.cpp - What must be known at import --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownConstants.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// True if constant operands would leave `op` in the graph. NOTE: while sizes
/// are not known, they are at least those of the types.
bool KnownConstants::remainsForConstants(Operation *op) const {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp)
    return op->getNumOperands() != 0;
  // Products are how a model predicts, not how it computes shapes.
  KernelFamily family = kernelOp.getKernelFamily();
  if (!areSizesKnown && (family == KernelFamily::Contraction ||
                         family == KernelFamily::Attention))
    return true;
  return !GraphBuilder::canFold(op);
}

KnownConstants::Origin KnownConstants::findOrigin(Value value) const {
  Origin origin;
  llvm::SetVector<Value> visited;
  visited.insert(value);
  // A few are enough for a message.
  constexpr size_t mostVisited = 1000;
  for (size_t i = 0; i < std::min(visited.size(), mostVisited); ++i) {
    if (Operation *op = visited[i].getDefiningOp()) {
      if (!origin.remaining && remainsForConstants(op))
        origin.remaining = op;
      visited.insert_range(op->getOperands());
    } else if (std::optional<unsigned> input = builder.findInput(visited[i])) {
      origin.inputs.insert(*input);
    } else {
      origin.isInLoop = true;
    }
  }
  return origin;
}

/// "node 'durations' (Conv)".
static std::string describeNode(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  auto op = name ? dyn_cast<NameLoc>(name.getChildLoc()) : NameLoc();
  return op ? ("node '" + name.getName().strref() + "' (" +
               op.getName().strref() + ")")
                  .str()
            : "a node";
}

/// "depends on 'shape' by way of node 'durations' (Conv)".
std::string KnownConstants::describe(const Origin &origin) const {
  if (origin.isInLoop)
    return "is computed in a loop";
  std::string text = origin.inputs.empty() ? "is computed" : "depends on ";
  text +=
      llvm::join(llvm::map_range(origin.inputs,
                                 [&](unsigned input) {
                                   return quote(builder.getInputName(input));
                                 }),
                 ", ");
  if (origin.remaining)
    text += " by way of " + describeNode(origin.remaining->getLoc());
  return text;
}

bool KnownConstants::expect(const Twine &what, const Tensor &tensor) {
  if (tensor.isConstant())
    return true;
  Origin origin = findOrigin(tensor.value());
  std::string text = ("expected " + what +
                      " to be known when the model is compiled, got one "
                      "that " +
                      describe(origin))
                         .str();
  if (origin.dependsOnInputs()) {
    missing.insert_range(origin.inputs);
    builder.fail(Twine(text) + "; " + names.constantInputsExample +
                 " makes an input a constant");
  } else {
    builder.fail(text + ", which is not supported", Certainty::Final);
  }
  return false;
}
