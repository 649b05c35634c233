//===- OutlineKernels.cpp - Makes each group a function ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destinations.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "OutlineLoops.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace hamkaas {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Two kernels are the same if they differ in names and locations only.
struct EqualBodies : llvm::DenseMapInfo<Operation *> {
  static constexpr auto flags = OperationEquivalence::IgnoreLocations;

  static unsigned getHashValue(const Operation *op) {
    auto kernel = cast<func::FuncOp>(const_cast<Operation *>(op));
    llvm::hash_code hash = hash_value(kernel.getFunctionType());
    // Ignore the identity of operands here; the comparison checks it.
    kernel.getBody().walk([&](Operation *inner) {
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(
                    inner, OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::ignoreHashValue, flags));
    });
    return hash;
  }

  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    if (lhs == rhs)
      return true;
    for (const Operation *op : {lhs, rhs})
      if (op == getEmptyKey() || op == getTombstoneKey())
        return false;
    auto a = cast<func::FuncOp>(const_cast<Operation *>(lhs));
    auto b = cast<func::FuncOp>(const_cast<Operation *>(rhs));
    auto isAlike = [&](StringRef name) {
      return a->getAttr(name) == b->getAttr(name);
    };
    return a.getFunctionType() == b.getFunctionType() &&
           isAlike(HamKaasDialect::kernelAttrName) && isAlike(knobsAttrName) &&
           OperationEquivalence::isRegionEquivalentTo(&a.getBody(),
                                                      &b.getBody(), flags);
  }
};

struct OutlineKernels : hamkaas::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    outlineLoops(getOperation());
    SmallVector<func::FuncOp> programs(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp program : programs)
      if (!isDeclaredOnly(program) && failed(outlineFrom(program)))
        return signalPassFailure();
  }

private:
  LogicalResult outlineFrom(func::FuncOp program) {
    if (failed(verifyStraightLine(program)))
      return failure();
    FailureOr<Destinations> destinations = Destinations::create(program);
    if (failed(destinations))
      return failure();
    for (GroupOp group : llvm::make_early_inc_range(
             program.getBody().front().getOps<GroupOp>())) {
      if (group.getNumResults() != 1)
        return group.emitError("expected a group with one result, got ")
               << group.getNumResults();
      outline(group, *destinations);
    }
    for (auto repeat : program.getBody().front().getOps<RepeatOp>())
      writeOutputs(repeat, *destinations);
    destinations->writeResults();
    return success();
  }

  /// Places the row outputs of `repeat` in the buffers that are returned.
  static void writeOutputs(RepeatOp repeat, const Destinations &destinations) {
    // One of buffers has no results.
    if (repeat.getNumResults() == 0)
      return;
    OpBuilder builder(repeat);
    auto results = repeat.getResults().drop_front(repeat.getCarried().size());
    for (auto [operand, result] :
         llvm::zip_equal(repeat.getOutputsMutable(), results))
      if (Value destination = destinations.lookup(result))
        operand.set(reshape(builder, repeat.getLoc(), destination,
                            cast<RankedTensorType>(result.getType())));
  }

  /// The storage for the result of `group`: that of a result of the function if
  /// it becomes one, otherwise a new tensor.
  static Value getStorage(GroupOp group, const Destinations &destinations,
                          OpBuilder &builder) {
    Value value = group.getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    if (Value destination = destinations.lookup(value))
      return reshape(builder, group.getLoc(), destination, type);
    return tensor::EmptyOp::create(builder, group.getLoc(), type.getShape(),
                                   type.getElementType());
  }

  /// An engine's workspace is memory of the program.
  static void addWorkspace(GroupOp group, OpBuilder &builder,
                           SmallVectorImpl<Value> &operands) {
    for (auto call : group.getBody().getOps<EngineCallOp>())
      for (Value init : call.getInits().drop_back()) {
        auto type = cast<RankedTensorType>(init.getType());
        operands.push_back(tensor::EmptyOp::create(
            builder, group.getLoc(), type.getShape(), type.getElementType()));
      }
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

  void outline(GroupOp group, const Destinations &destinations) {
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
    addWorkspace(group, builder, ordered);
    if (!updated)
      ordered.push_back(getStorage(group, destinations, builder));

    func::FuncOp kernel = getKernel(group, order, ValueRange(ordered));
    auto call = func::CallOp::create(builder, group.getLoc(), kernel, ordered);
    for (StringRef name :
         {HamKaasDialect::opsAttrName, HamKaasDialect::flopsAttrName,
          HamKaasDialect::copyAttrName})
      if (Attribute attribute = group->getAttr(name))
        call->setAttr(name, attribute);
    group.replaceAllUsesWith(call);
    group.erase();
  }

  /// Returns a kernel equal to `group`, created if there is none. `order` are
  /// the indices of the inputs in the order of the kernel's arguments.
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
    setKnobs(kernel, getKnobs(group));
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

    auto [it, isNew] = kernels.insert(kernel);
    if (isNew) {
      kernel.setSymName(("k" + Twine(kernels.size() - 1)).str());
      return kernel;
    }
    kernel.erase();
    return cast<func::FuncOp>(*it);
  }

  llvm::DenseSet<Operation *, EqualBodies> kernels;
};

} // namespace
