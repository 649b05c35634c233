//===- OutlineKernels.cpp - Makes each group a function -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "HamKaas/Dialect/HamKaas/Transforms/TensorViews.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace hamkaas {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct OutlineKernels : hamkaas::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> programs(llvm::make_filter_range(
        getOperation().getOps<func::FuncOp>(),
        [](func::FuncOp function) { return !function.isExternal(); }));
    for (func::FuncOp program : programs) {
      if (failed(verifyProgram(program)))
        return signalPassFailure();
      passDestinations(program);
      for (GroupOp group : llvm::make_early_inc_range(
               program.getBody().front().getOps<GroupOp>()))
        outline(group);
      finishResults(program);
    }
  }

private:
  static LogicalResult verifyProgram(func::FuncOp program) {
    for (auto group : program.getBody().front().getOps<GroupOp>())
      if (group.getNumResults() != 1)
        return group.emitError("expected a group with one result, got ")
               << group.getNumResults();
    for (unsigned i = 0; i < program.getNumResults(); ++i) {
      Attribute name = program.getResultAttr(i, HamKaasDialect::nameAttrName);
      if (isState(program.getResultAttrDict(i)) &&
          !getStateArgument(program, name))
        return program.emitError("expected result ")
               << i << " of @" << program.getSymName()
               << " to be a state that is an argument, got " << name;
    }
    return success();
  }

  static bool isState(DictionaryAttr attributes) {
    auto region = attributes ? attributes.getAs<StringAttr>(
                                   HamKaasDialect::regionAttrName)
                             : StringAttr();
    return region && region.getValue() == "state";
  }

  //===--------------------------------------------------------------------===//
  // Destinations
  //===--------------------------------------------------------------------===//

  /// Finds or makes the argument that each result is written to.
  void passDestinations(func::FuncOp program) {
    destinations.clear();
    for (unsigned i = 0; i < program.getNumResults(); ++i)
      destinations.push_back(getDestination(program, i));
  }

  Value getDestination(func::FuncOp program, unsigned result) {
    Builder builder(&getContext());
    DictionaryAttr attributes = program.getResultAttrDict(result);
    if (isState(attributes))
      return getStateArgument(
          program, attributes.get(HamKaasDialect::nameAttrName));

    NamedAttrList destinationAttrs(attributes);
    if (!destinationAttrs.get(HamKaasDialect::regionAttrName))
      destinationAttrs.set(HamKaasDialect::regionAttrName,
                           builder.getStringAttr("output"));
    destinationAttrs.set(bufferization::BufferizationDialect::kWritableAttrName,
                         builder.getBoolAttr(true));
    unsigned index = program.getNumArguments();
    (void)program.insertArgument(index, program.getResultTypes()[result],
                                 destinationAttrs.getDictionary(&getContext()),
                                 program.getLoc());
    return program.getArgument(index);
  }

  static Value getStateArgument(func::FuncOp program, Attribute name) {
    for (BlockArgument argument : program.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (isState(program.getArgAttrDict(i)) &&
          program.getArgAttr(i, HamKaasDialect::nameAttrName) == name)
        return argument;
    }
    return nullptr;
  }

  /// The storage for the result of `group`: that of a result of the function if
  /// it becomes one, perhaps reshaped, otherwise a new tensor.
  Value getStorage(GroupOp group, OpBuilder &builder) {
    Value value = group.getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    Operation *terminator = group->getBlock()->getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value destination = destinations[operand.getOperandNumber()];
      // A state's old value may still be read by others: left to bufferization.
      bool isState =
          llvm::count(destinations, destination) != 1 ||
          !cast<BlockArgument>(destination).use_empty();
      if (getReshapedTensor(operand.get()) == value && !isState)
        return reshape(builder, group.getLoc(), destination, type);
    }
    return tensor::EmptyOp::create(builder, group.getLoc(), type.getShape(),
                                   type.getElementType());
  }

  /// Follows reshapes, not slices, back.
  static Value getReshapedTensor(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  static Value reshape(OpBuilder &builder, Location loc, Value value,
                       RankedTensorType type) {
    if (value.getType() == type)
      return value;
    auto op = ReshapeOp::create(builder, loc, type, value);
    Value result = cast<LinalgLoweringOpInterface>(op.getOperation())
                       .lowerToLinalg(builder, value);
    op.erase();
    return result;
  }

  /// What a result is must lie in its destination when the function returns.
  /// Where the value was computed there, nothing is copied.
  void finishResults(func::FuncOp program) {
    Operation *terminator = program.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    for (OpOperand &operand : terminator->getOpOperands()) {
      auto materialize = bufferization::MaterializeInDestinationOp::create(
          builder, terminator->getLoc(), operand.get().getType(), operand.get(),
          destinations[operand.getOperandNumber()]);
      operand.set(materialize.getResult());
    }
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  void outline(GroupOp group) {
    OpBuilder builder(group);
    // Inputs first, the storage of the result last.
    SmallVector<Value> operands(group.getInputs());
    SmallVector<unsigned> order;
    std::optional<int64_t> updated = group.getUpdated();
    for (unsigned i = 0; i < operands.size(); ++i)
      if (i != updated)
        order.push_back(i);
    if (updated)
      order.push_back(*updated);
    SmallVector<Value> ordered;
    for (unsigned i : order)
      ordered.push_back(operands[i]);
    if (!updated)
      ordered.push_back(getStorage(group, builder));

    func::FuncOp kernel = getKernel(group, order, ValueRange(ordered));
    auto call = func::CallOp::create(builder, group.getLoc(), kernel, ordered);
    for (StringRef name :
         {HamKaasDialect::opsAttrName, HamKaasDialect::flopsAttrName})
      if (Attribute attribute = group->getAttr(name))
        call->setAttr(name, attribute);
    group.replaceAllUsesWith(call);
    group.erase();
  }

  /// A kernel equal to `group`, made if there is none yet. `order` are the
  /// indices of the inputs in the order of the kernel's arguments.
  func::FuncOp getKernel(GroupOp group, ArrayRef<unsigned> order,
                         ValueRange operands) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto kernel = func::FuncOp::create(
        builder, group.getLoc(), "kernel",
        builder.getFunctionType(operands.getTypes(), group.getResultTypes()));
    kernel.setPrivate();
    kernel->setAttr(HamKaasDialect::kernelAttrName,
                    KernelAttr::get(&getContext(), group.getFamily(), {}));
    Block *entry = kernel.addEntryBlock();
    IRMapping mapping;
    Block &body = group.getBody().front();
    for (auto [i, input] : llvm::enumerate(order))
      mapping.map(body.getArgument(input), entry->getArgument(i));
    builder.setInsertionPointToStart(entry);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    func::ReturnOp::create(builder, group.getLoc(), results);

    // The text without locations says whether two kernels are equal.
    std::string text;
    llvm::raw_string_ostream stream(text);
    kernel->print(stream);
    auto [it, isNew] = kernels.try_emplace(text, kernel);
    if (isNew)
      kernel.setSymName(("k" + Twine(kernels.size() - 1)).str());
    else
      kernel.erase();
    return it->second;
  }

  /// The destination of each result of the current function.
  SmallVector<Value> destinations;
  llvm::StringMap<func::FuncOp> kernels;
};

} // namespace
