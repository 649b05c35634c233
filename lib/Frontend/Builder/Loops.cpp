//===- Loops.cpp - Builds loops ---------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

/// A single step is part of the graph.
static Tensors inlineStep(GraphBuilder &b, const LoopInputs &loop,
                          GraphBuilder::LoopBody body) {
  Tensors rows;
  for (const Tensor &input : loop.inputs)
    rows.push_back(b.reshape(input, input.shape().drop_front()));
  Tensors results = body(loop.inits, rows);
  if (b.hasFailed() || results.empty())
    return {};
  for (Tensor &output : llvm::drop_begin(results, loop.inits.size())) {
    Shape shape{1};
    llvm::append_range(shape, output.shape());
    output = b.reshape(output, shape);
  }
  return results;
}

/// Returns whether `region` is `inner` or around it. Of a body that is being
/// built no operation holds the region yet, which Region::isAncestor cannot
/// take.
static bool isAround(Region &region, Region *inner) {
  while (inner && inner != &region) {
    Operation *parent = inner->getParentOp();
    inner = parent ? parent->getParentRegion() : nullptr;
  }
  return inner;
}

/// Gives `scan` what its body reads from around it. Numbers are copied into the
/// body, where they become part of the code.
static void isolate(ScanOp scan) {
  Region &region = scan.getBody();
  OpBuilder builder(&region);
  SmallVector<OpOperand *> captured;
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!isAround(region, operand.get().getParentRegion()))
        captured.push_back(&operand);
  });
  llvm::DenseMap<Value, Value> inside;
  for (OpOperand *operand : captured) {
    Value outside = operand->get();
    Value &value = inside[outside];
    DenseElementsAttr elements;
    if (!value && matchPattern(outside, m_Constant(&elements)) &&
        elements.isSplat())
      value = builder.clone(*outside.getDefiningOp())->getResult(0);
    else if (!value)
      value = scan.addValue(outside);
    operand->set(value);
  }
}

std::optional<SmallVector<Value>>
GraphBuilder::buildBody(const LoopInputs &loop, LoopBody body, Block &block) {
  Tensors carried, rows;
  for (const Tensor &init : loop.inits)
    carried.push_back(Tensor(block.addArgument(init.type(), location)));
  for (const Tensor &input : loop.inputs)
    rows.push_back(
        Tensor(block.addArgument(ScanOp::getRowType(input.type()), location)));
  Location outer = location;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  Tensors results = body(carried, rows);
  location = outer;
  if (hasFailed() || results.size() < carried.size())
    return std::nullopt;
  SmallVector<Value> values;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!result)
      return std::nullopt;
    if (result.isEmpty())
      fail("tensors without elements are not supported in loops");
    else if (i < carried.size() && result.type() != carried[i].type())
      fail("loops that carry a value whose type changes are not supported");
    values.push_back(materialize(result));
  }
  if (hasFailed())
    return std::nullopt;
  YieldOp::create(builder, location, values);
  return values;
}

Tensors GraphBuilder::scan(const LoopInputs &loop, LoopBody body) {
  if (hasFailed())
    return {};
  for (const Tensor &tensor :
       llvm::concat<const Tensor>(loop.inits, loop.inputs)) {
    if (!tensor) {
      fail("expected all values that a loop carries or reads to be given");
      return {};
    }
    if (tensor.isEmpty()) {
      fail("tensors without elements are not supported in loops");
      return {};
    }
  }
  if (loop.steps == 1)
    return inlineStep(*this, loop, body);
  Region region;
  auto yielded = buildBody(loop, body, region.emplaceBlock());
  if (!yielded)
    return {};
  SmallVector<Type> types;
  SmallVector<Value> inits, inputs;
  for (auto [i, value] : llvm::enumerate(*yielded)) {
    auto type = cast<RankedTensorType>(value.getType());
    Shape shape{loop.steps};
    llvm::append_range(shape, type.getShape());
    types.push_back(i < loop.inits.size() ? type : type.clone(shape));
  }
  for (const Tensor &init : loop.inits)
    inits.push_back(materialize(init));
  for (const Tensor &input : loop.inputs)
    inputs.push_back(materialize(input));
  auto op = ScanOp::create(builder, location, types, loop.steps,
                           loop.isReversed, inits, inputs, ValueRange());
  op.getBody().takeBody(region);
  isolate(op);
  Tensors results;
  for (Value result : op.getResults())
    results.push_back(Tensor(result));
  return results;
}
