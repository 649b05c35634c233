//===- DifferentiateFunction.cpp - Adds gradients to a function -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Gradient/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace hamkaas {
#define GEN_PASS_DEF_DIFFERENTIATEFUNCTION
#include "HamKaas/Gradient/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct DifferentiateFunction
    : hamkaas::impl::DifferentiateFunctionBase<DifferentiateFunction> {
  using DifferentiateFunctionBase::DifferentiateFunctionBase;

  void runOnOperation() override {
    OpPassManager check(ModuleOp::getOperationName());
    check.addPass(createVerifyGraph());
    if (failed(runPipeline(check, getOperation())))
      return signalPassFailure();
    func::FuncOp entry = findFunction();
    if (!entry || failed(addGradients(entry)))
      signalPassFailure();
  }

private:
  func::FuncOp findFunction();
  FailureOr<Value> findResult(func::FuncOp entry);
  FailureOr<SmallVector<unsigned>> findArguments(func::FuncOp entry);
  LogicalResult addGradients(func::FuncOp entry);
};

} // namespace

static StringRef getUserName(DictionaryAttr attributes) {
  auto name = attributes
                  ? attributes.getAs<StringAttr>(HamKaasDialect::nameAttrName)
                  : StringAttr();
  return name ? name.getValue() : StringRef();
}

func::FuncOp DifferentiateFunction::findFunction() {
  for (auto candidate : getOperation().getOps<func::FuncOp>())
    if (function.empty() || candidate.getSymName() == function)
      return candidate;
  emitError(getOperation().getLoc(), "expected a function")
      << (function.empty() ? "" : " '" + function + "'") << ", got none";
  return {};
}

FailureOr<Value> DifferentiateFunction::findResult(func::FuncOp entry) {
  Operation *end = entry.front().getTerminator();
  if (result.empty() && end->getNumOperands() == 1)
    return end->getOperand(0);
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (!result.empty() && getUserName(entry.getResultAttrDict(i)) == result)
      return Value(value);
  if (result.empty())
    return entry.emitError("expected the name of one of ")
           << end->getNumOperands() << " results, got none";
  return entry.emitError("expected the name of a result, got '")
         << result << "'";
}

FailureOr<SmallVector<unsigned>>
DifferentiateFunction::findArguments(func::FuncOp entry) {
  SmallVector<unsigned> found;
  for (BlockArgument argument : entry.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (arguments.empty() && isa<FloatType>(type.getElementType()))
      found.push_back(argument.getArgNumber());
  }
  for (StringRef name : arguments) {
    auto index = llvm::find_if(entry.getArguments(), [&](BlockArgument x) {
      return getUserName(entry.getArgAttrDict(x.getArgNumber())) == name;
    });
    if (index == entry.getArguments().end())
      return entry.emitError("expected the name of an argument, got '")
             << name << "'";
    found.push_back(index->getArgNumber());
  }
  return found;
}

LogicalResult DifferentiateFunction::addGradients(func::FuncOp entry) {
  FailureOr<Value> y = findResult(entry);
  FailureOr<SmallVector<unsigned>> indices = findArguments(entry);
  if (failed(y) || failed(indices))
    return failure();
  SmallVector<Value> xs = llvm::map_to_vector(
      *indices, [&](unsigned i) -> Value { return entry.getArgument(i); });
  Operation *end = entry.front().getTerminator();
  OpBuilder builder(end);
  auto gradients = differentiate({*y, Value(), xs}, builder, end->getLoc());
  if (!gradients)
    return emitError((*y).getLoc(), toString(gradients.takeError()));
  for (auto [i, gradient] : llvm::zip_equal(*indices, *gradients)) {
    StringRef name = getUserName(entry.getArgAttrDict(i));
    NamedAttrList attributes;
    if (!name.empty())
      attributes.set(HamKaasDialect::nameAttrName,
                     builder.getStringAttr("gradient." + name));
    end->insertOperands(end->getNumOperands(), gradient);
    if (failed(entry.insertResult(entry.getNumResults(), gradient.getType(),
                                  attributes.getDictionary(&getContext()))))
      return failure();
  }
  return success();
}
