//===- Differentiate.cpp - Reverse-mode differentiation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/Addition.h"
#include "HamKaas/Gradient/GradientOpInterface.h"
#include "HamKaas/Support/VisibleText.h"

using namespace mlir;
using namespace hamkaas;
using graph::GraphBuilder;
using graph::Tensor;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// " at model.py:3", or nothing.
static std::string describePlace(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  return file ? (" at " + makeVisible(file.getFilename().getValue()) + ":" +
                 Twine(file.getLine()))
                    .str()
              : "";
}

static bool isOfFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

static Error checkFloats(const Twine &name, Value value) {
  if (isOfFloats(value))
    return Error::success();
  return createStringError(name + ": expected a tensor of floats, got " +
                           formatType(value.getType()) +
                           ", which has no gradient");
}

static Error checkSeed(const GradientRequest &request) {
  auto type = cast<RankedTensorType>(request.y.getType());
  if (!request.seed && type.getNumElements() != 1)
    return createStringError("y: expected one element or a seed, got " +
                             formatType(type) + " and no seed");
  if (request.seed && request.seed.getType() != type)
    return createStringError("seed: expected the type of y, " +
                             formatType(type) + ", got " +
                             formatType(request.seed.getType()));
  return Error::success();
}

static Error checkRequest(const GradientRequest &request) {
  if (Error error = checkFloats("y", request.y))
    return error;
  for (auto [i, x] : llvm::enumerate(request.xs))
    if (Error error = checkFloats("x " + Twine(i), x))
      return error;
  return checkSeed(request);
}

//===----------------------------------------------------------------------===//
// The reverse sweep
//===----------------------------------------------------------------------===//

namespace {

/// One sweep over the operations before `y`. It goes over their block twice:
/// MLIR's getBackwardSlice recurses, too deep for a long chain.
class ReverseSweep {
public:
  ReverseSweep(const GradientRequest &request, OpBuilder &place,
               Location location)
      : request(request), diagnostics(location),
        b(place, location, diagnostics) {}

  Expected<SmallVector<Value>> run();

private:
  void findOperations();
  void findActive();
  Error checkDependences() const;
  void add(Value value, const Tensor &gradient);
  Error propagate(Operation *op);
  Expected<SmallVector<Value>> takeGradients();

  const GradientRequest &request;
  graph::Diagnostics diagnostics;
  GraphBuilder b;
  /// Those that `y` depends on, from the last to the first.
  SmallVector<Operation *> operations;
  /// Values of floats that depend on one of `xs`.
  llvm::DenseSet<Value> active;
  /// The sums so far.
  llvm::DenseMap<Value, Tensor> gradients;
};

} // namespace

void ReverseSweep::findOperations() {
  Operation *last = request.y.getDefiningOp();
  if (!last)
    return;
  llvm::DenseSet<Operation *> needed = {last};
  for (Operation *op = last; op; op = op->getPrevNode()) {
    if (!needed.erase(op))
      continue;
    operations.push_back(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        needed.insert(producer);
  }
}

void ReverseSweep::findActive() {
  active.insert(request.xs.begin(), request.xs.end());
  for (Operation *op : llvm::reverse(operations))
    if (llvm::any_of(op->getOperands(),
                     [&](Value value) { return active.contains(value); }))
      for (Value result : op->getResults())
        if (isOfFloats(result))
          active.insert(result);
}

Error ReverseSweep::checkDependences() const {
  llvm::DenseSet<Value> read = {request.y};
  for (Operation *op : operations)
    if (llvm::any_of(op->getResults(), [&](Value result) {
          return active.contains(result) && read.contains(result);
        }))
      read.insert(op->operand_begin(), op->operand_end());
  for (auto [i, x] : llvm::enumerate(request.xs))
    if (!read.contains(x))
      return createStringError("x " + Twine(i) +
                               ": expected a value that y depends on by "
                               "operations on floats, got one" +
                               describePlace(x.getLoc()) +
                               " that it does not depend on");
  return Error::success();
}

void ReverseSweep::add(Value value, const Tensor &gradient) {
  if (!gradient || !active.contains(value))
    return;
  assert(gradient.type() == value.getType() &&
         "a gradient has the type of its value");
  Tensor &sum = gradients[value];
  sum = sum ? b.add(sum, gradient) : gradient;
}

/// Hands the gradient of the results on to the operands.
Error ReverseSweep::propagate(Operation *op) {
  auto reached = llvm::find_if(op->getResults(), [&](Value result) {
    return gradients.contains(result);
  });
  bool isActive = llvm::any_of(op->getOperands(), [&](Value operand) {
    return active.contains(operand);
  });
  if (reached == op->result_end() || !isActive)
    return Error::success();
  auto fail = [&](const Twine &reason) {
    return createStringError("'" + op->getName().stripDialect() + "'" +
                             describePlace(op->getLoc()) +
                             " has no gradient: " + reason);
  };
  auto rule = dyn_cast<GradientOpInterface>(op);
  if (!rule)
    return fail("its rule is not registered");
  if (StringRef reason = rule.getMissingGradientReason(); !reason.empty())
    return fail(reason);
  b.setLocation(op->getLoc());
  // NOTE: not a reference, which `add` may invalidate.
  Tensor gradient = gradients[*reached];
  graph::Tensors results = rule.buildGradients(b, gradient);
  if (b.hasFailed())
    return fail(diagnostics.takeFailure());
  assert(results.size() <= op->getNumOperands() && "a gradient too many");
  for (auto [operand, result] : llvm::zip(op->getOperands(), results))
    add(operand, result);
  return Error::success();
}

Expected<SmallVector<Value>> ReverseSweep::takeGradients() {
  SmallVector<Value> values;
  for (Value x : request.xs) {
    Tensor type(x);
    Tensor gradient = gradients.lookup(x);
    // Rules of rounding build none in place of zeros.
    if (!gradient)
      gradient = b.broadcast(b.scalar(type.elementType(), 0), type.shape());
    values.push_back(b.materialize(gradient));
  }
  if (b.hasFailed())
    return createStringError(diagnostics.takeFailure());
  return values;
}

Expected<SmallVector<Value>> ReverseSweep::run() {
  findOperations();
  findActive();
  if (Error error = checkDependences())
    return std::move(error);
  Tensor y(request.y);
  add(request.y, request.seed
                     ? Tensor(request.seed)
                     : b.broadcast(b.scalar(y.elementType(), 1), y.shape()));
  for (Operation *op : operations)
    if (Error error = propagate(op))
      return std::move(error);
  return takeGradients();
}

llvm::DenseSet<Value> hamkaas::findDifferentiable(Value y) {
  llvm::DenseSet<Value> found = {y};
  for (Operation *op = y.getDefiningOp(); op; op = op->getPrevNode())
    if (llvm::any_of(op->getResults(),
                     [&](Value result) { return found.contains(result); }))
      for (Value operand : op->getOperands())
        if (isOfFloats(operand))
          found.insert(operand);
  return found;
}

Expected<SmallVector<Value>>
hamkaas::differentiate(const GradientRequest &request, OpBuilder &place,
                       Location location) {
  if (Error error = checkRequest(request))
    return std::move(error);
  graph::Addition addition(place);
  auto gradients = ReverseSweep(request, place, location).run();
  addition.eraseUnused(gradients ? ValueRange(*gradients) : ValueRange());
  return gradients;
}
