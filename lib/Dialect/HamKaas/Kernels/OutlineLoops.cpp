//===- OutlineLoops.cpp - Makes the bodies of loops functions ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineLoops.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// Makes the arguments and results of the function of a loop.
class LoopSignature {
public:
  explicit LoopSignature(MLIRContext *context) : builder(context) {}

  void addInput(Type type, const Twine &name) {
    inputs.push_back(type);
    inputAttributes.push_back(getAttributes(name, MemoryRegion::Input, {}));
  }

  void addCarried(Type type, const Twine &name) {
    inputs.push_back(type);
    results.push_back(type);
    inputAttributes.push_back(getAttributes(
        name, MemoryRegion::State,
        builder.getNamedAttr(
            bufferization::BufferizationDialect::kWritableAttrName,
            builder.getBoolAttr(true))));
    resultAttributes.push_back(getAttributes(name, MemoryRegion::State, {}));
  }

  void addOutput(Type type, const Twine &name) {
    results.push_back(type);
    resultAttributes.push_back(getAttributes(name, MemoryRegion::Output, {}));
  }

  func::FuncOp createFunction(OpBuilder &at, Location loc, StringRef name) {
    auto function = func::FuncOp::create(
        at, loc, name, builder.getFunctionType(inputs, results));
    function.setPrivate();
    function.setAllArgAttrs(inputAttributes);
    function.setAllResultAttrs(resultAttributes);
    function->setAttr(HamKaasDialect::loopAttrName, builder.getUnitAttr());
    function.addEntryBlock();
    return function;
  }

private:
  DictionaryAttr getAttributes(const Twine &name, MemoryRegion region,
                               ArrayRef<NamedAttribute> more) {
    NamedAttrList list(more);
    list.set(HamKaasDialect::nameAttrName, builder.getStringAttr(name));
    list.set(HamKaasDialect::regionAttrName,
             MemoryRegionAttr::get(builder.getContext(), region));
    return list.getDictionary(builder.getContext());
  }

  Builder builder;
  SmallVector<Type> inputs, results;
  SmallVector<DictionaryAttr> inputAttributes, resultAttributes;
};

} // namespace

static func::FuncOp createFunction(ScanOp scan, StringRef name) {
  LoopSignature signature(scan.getContext());
  for (auto [i, input] : llvm::enumerate(scan.getInputs()))
    signature.addInput(ScanOp::getRowType(input.getType()), "row" + Twine(i));
  for (auto [i, value] : llvm::enumerate(scan.getValues()))
    signature.addInput(value.getType(), "value" + Twine(i));
  for (auto [i, init] : llvm::enumerate(scan.getInits()))
    signature.addCarried(init.getType(), "carried" + Twine(i));
  for (auto [i, output] : llvm::enumerate(scan.getOutputs()))
    signature.addOutput(ScanOp::getRowType(output.getType()),
                        "output" + Twine(i));
  OpBuilder builder(scan->getParentOfType<func::FuncOp>());
  return signature.createFunction(builder, scan.getLoc(), name);
}

/// Moves the body of `scan`, whose first arguments are the iter args.
static void moveBody(ScanOp scan, func::FuncOp function) {
  Block &body = scan.getBody().front(), &entry = function.getBody().front();
  unsigned carried = scan.getInits().size();
  unsigned others = body.getNumArguments() - carried;
  for (BlockArgument argument : body.getArguments()) {
    unsigned i = argument.getArgNumber();
    argument.replaceAllUsesWith(
        entry.getArgument(i < carried ? others + i : i - carried));
  }
  entry.getOperations().splice(entry.end(), body.getOperations());
  Operation *yield = &entry.back();
  OpBuilder builder(yield);
  func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
}

void hamkaas::outlineLoops(ModuleOp module) {
  SmallVector<ScanOp> scans;
  module.walk([&](ScanOp scan) { scans.push_back(scan); });
  for (auto [i, scan] : llvm::enumerate(scans)) {
    std::string name = ("loop" + Twine(i)).str();
    moveBody(scan, createFunction(scan, name));
    OpBuilder builder(scan);
    SmallVector<Value> outputs;
    for (Value output : scan.getOutputs()) {
      auto type = cast<RankedTensorType>(output.getType());
      outputs.push_back(tensor::EmptyOp::create(
          builder, scan.getLoc(), type.getShape(), type.getElementType()));
    }
    auto repeat = RepeatOp::create(
        builder, scan.getLoc(), scan.getResultTypes(), scan.getSteps(), name,
        scan.getReversed(), scan.getInputs(), scan.getValues(), scan.getInits(),
        outputs, /*workspace=*/Value());
    scan.replaceAllUsesWith(repeat);
    scan.erase();
  }
}
