//===- Differentiate.cpp - Reverse-mode differentiation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/Addition.h"
#include "ReverseSweep.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

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
// What depends on what
//===----------------------------------------------------------------------===//

/// The operations that `y` depends on, in their order. MLIR's getBackwardSlice
/// recurses, too deep for a long chain.
static SmallVector<Operation *> findOperations(Value y) {
  SmallVector<Operation *> operations;
  Operation *last = y.getDefiningOp();
  llvm::DenseSet<Operation *> needed = {last};
  for (Operation *op = last; op; op = op->getPrevNode()) {
    if (!needed.erase(op))
      continue;
    operations.push_back(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        needed.insert(producer);
  }
  std::reverse(operations.begin(), operations.end());
  return operations;
}

/// Adds the operands that the results among `values` depend on.
static void addOperands(Operation *op, llvm::DenseSet<Value> &values) {
  if (llvm::none_of(op->getResults(),
                    [&](Value result) { return values.contains(result); }))
    return;
  llvm::BitVector needed(op->getNumOperands());
  for (auto [result, operands] :
       llvm::zip_equal(op->getResults(), findDependences(op)))
    if (values.contains(result))
      needed |= operands;
  for (unsigned operand : needed.set_bits())
    values.insert(op->getOperand(operand));
}

llvm::DenseSet<Value> hamkaas::findDifferentiable(Value y) {
  llvm::DenseSet<Value> found = {y};
  for (Operation *op = y.getDefiningOp(); op; op = op->getPrevNode())
    addOperands(op, found);
  return found;
}

static Error checkDependences(const GradientRequest &request) {
  llvm::DenseSet<Value> read = findDifferentiable(request.y);
  for (auto [i, x] : llvm::enumerate(request.xs))
    if (!read.contains(x))
      return createStringError("x " + Twine(i) +
                               ": expected a value that y depends on by "
                               "operations on floats, got one" +
                               describePlace(x.getLoc()) +
                               " that it does not depend on");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Rules of rounding build none in place of zeros.
static Value makeGradient(GraphBuilder &b, Value x, Tensor gradient) {
  return b.materialize(gradient ? gradient : makeZeros(b, Tensor(x)));
}

static Expected<SmallVector<Value>>
sweep(const GradientRequest &request, GraphBuilder &b, ReverseSweep &sweep) {
  Tensor y(request.y);
  sweep.add(request.y, request.seed ? Tensor(request.seed)
                                    : b.broadcast(b.scalar(y.elementType(), 1),
                                                  y.shape()));
  SmallVector<Value> gradients;
  if (succeeded(sweep.run()))
    for (Value x : request.xs)
      gradients.push_back(makeGradient(b, x, sweep.get(x)));
  if (b.hasFailed())
    return createStringError(b.takeFailure());
  return gradients;
}

Expected<SmallVector<Value>>
hamkaas::differentiate(const GradientRequest &request, OpBuilder &place,
                       Location location) {
  if (Error error = checkRequest(request))
    return std::move(error);
  if (Error error = checkDependences(request))
    return std::move(error);
  graph::Diagnostics diagnostics(location);
  GraphBuilder b(place, location, diagnostics);
  graph::Addition addition(place);
  SmallVector<Operation *> operations = findOperations(request.y);
  ReverseSweep reverse(b, operations, request.xs);
  auto gradients = sweep(request, b, reverse);
  addition.eraseUnused(gradients ? ValueRange(*gradients) : ValueRange());
  if (!gradients) {
    reverse.dropReplacements();
    return gradients;
  }
  reverse.replaceOperations(request.replaced);
  for (Value &gradient : *gradients)
    gradient = reverse.getReplacement(gradient);
  return gradients;
}
