//===- DeviceContraction.cpp - Contractions on a GPU ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceContraction.h"
#include "HamKaas/CodeGen/GPU/Passes.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Adds `factor` times the factor of each loop in result `dim` of `map`; false
/// if there is also a constant.
static bool addFactors(AffineMap map, unsigned dim, int64_t factor,
                       MutableArrayRef<int64_t> factors) {
  SmallVector<int64_t> own = getFactors(map, dim);
  for (auto [i, sum] : llvm::enumerate(factors))
    sum += factor * own[i];
  return own.back() == 0;
}

/// The bfloat16 tensor of which `value` has the same numbers as float32; null
/// if there is none.
static Value getWidened(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Block &body = *generic.getBody();
  auto extension = dyn_cast<arith::ExtFOp>(body.front());
  if (!extension || extension.getIn() != body.getArgument(0) ||
      !extension.getIn().getType().isBF16() ||
      body.getTerminator()->getOperand(0) != extension.getResult())
    return nullptr;
  return generic.getDpsInputs().front();
}

bool OperandLayout::isAligned(const ContractionLoops &loops,
                              int64_t loop) const {
  int64_t count = 16 / elementBytes();
  for (auto [other, factor] : llvm::enumerate(factors))
    if (int64_t(other) != loop && factor % count)
      return false;
  return loops.extents[loop] % count == 0;
}

std::optional<OperandLayout> OperandLayout::match(linalg::LinalgOp op,
                                                  OpOperand &operand,
                                                  int64_t columnLoop,
                                                  bool isComputed) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  OperandLayout layout;
  layout.tensor = operand.get();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
  int64_t panelDim = -1;
  if (auto unpack = operand.get().getDefiningOp<linalg::UnPackOp>()) {
    if (unpack.getInnerDimsPos().size() != 1)
      return std::nullopt;
    panelDim = unpack.getInnerDimsPos().front();
    if (map.getResult(panelDim) !=
        getAffineDimExpr(columnLoop, map.getContext()))
      return std::nullopt;
    layout.tensor = unpack.getSource();
    layout.panelWidth = unpack.getStaticInnerTiles().front();
    if (!unpack.getOuterDimsPerm().empty())
      order.assign(unpack.getOuterDimsPerm().begin(),
                   unpack.getOuterDimsPerm().end());
  }
  if (Value widened = isComputed ? Value() : getWidened(operand.get())) {
    layout.tensor = widened;
    layout.isBF16 = true;
  }
  auto type = dyn_cast<RankedTensorType>(layout.tensor.getType());
  if (isa<BlockArgument>(layout.tensor) == isComputed || !type ||
      !(type.getElementType().isF32() || layout.isBF16) || !isLinear(map))
    return std::nullopt;

  layout.factors.assign(op.getNumLoops(), 0);
  int64_t stride = layout.panelWidth ? layout.panelWidth : 1;
  for (int64_t dim = order.size() - 1; dim >= 0; --dim) {
    if (order[dim] == panelDim)
      layout.panelFactor = stride;
    else if (!addFactors(map, order[dim], stride, layout.factors))
      return std::nullopt;
    stride *= type.getDimSize(dim);
  }
  return layout;
}

bool OperandLayout::isOneDepth(const ContractionLoops &loops) const {
  int64_t factor = factors[loops.depth];
  int64_t stride = factor * loops.extents[loops.depth];
  for (int64_t loop : llvm::reverse(loops.window)) {
    if (factors[loop] != stride)
      return false;
    stride *= loops.extents[loop];
  }
  return true;
}

bool DeviceContraction::matchOperands(bool computesRow) {
  StringRef reason;
  FailureOr<ContractionLoops> matched = ContractionLoops::match(root, reason);
  if (failed(matched) ||
      !root.getDpsInits().front().getDefiningOp<linalg::FillOp>())
    return false;
  loops = *matched;
  rowLoops = loops.shared;
  if (loops.row)
    rowLoops.push_back(*loops.row);
  depthLoops = loops.window;
  depthLoops.push_back(loops.depth);
  rowCount = loops.count(rowLoops);
  columnCount = loops.columnCount();
  depthCount = loops.productCount();
  at.assign(loops.extents.size(), {});
  OpOperand &leftOperand = *root.getDpsInputOperand(0);
  if (computesRow && rowCount == 1 && loops.batch.empty() &&
      loops.window.empty())
    computedRow = ComputedRow::match(leftOperand.get());
  auto matchedLeft =
      OperandLayout::match(root, leftOperand, /*columnLoop=*/-1,
                           /*isComputed=*/computedRow.has_value());
  auto matchedRight =
      OperandLayout::match(root, *root.getDpsInputOperand(1), loops.column);
  if (!matchedLeft || !matchedRight || matchedLeft->panelWidth ||
      ((matchedLeft->isBF16 || matchedRight->isBF16) && !takesBF16))
    return false;
  left = *matchedLeft;
  right = *matchedRight;
  // The right side is a depth x columns matrix.
  return left.factors[loops.depth] == 1 && right.isOneDepth(loops) &&
         (right.panelWidth || right.factors[loops.column] == 1);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<int64_t>
DeviceContraction::getShape(ArrayRef<int64_t> group) const {
  SmallVector<int64_t> shape;
  for (int64_t loop : group)
    shape.push_back(loops.extents[loop]);
  return shape;
}

void DeviceContraction::moveToBatch(Value index) {
  for (auto [loop, i] : llvm::zip_equal(
           loops.batch, kernel.delinearize(index, getShape(loops.batch))))
    at[loop] = {i};
}

Value DeviceContraction::batchOffset(const OperandLayout &layout) {
  Value offset = kernel.constant(0);
  for (int64_t loop : loops.batch)
    offset = kernel.add(offset,
                        kernel.multiply(at[loop].index, layout.factors[loop]));
  return offset;
}

Value DeviceContraction::rowOffset(Value row) {
  Value offset = kernel.constant(0);
  for (auto [loop, index] :
       llvm::zip_equal(rowLoops, kernel.delinearize(row, getShape(rowLoops))))
    offset = kernel.add(offset, kernel.multiply(index, left.factors[loop]));
  return offset;
}

Value DeviceContraction::depthOffset(const OperandLayout &layout, Value depth) {
  if (layout.isOneDepth(loops))
    return kernel.multiply(depth, layout.factors[loops.depth]);
  Value offset = kernel.constant(0);
  for (auto [loop, index] : llvm::zip_equal(
           depthLoops, kernel.delinearize(depth, getShape(depthLoops))))
    offset = kernel.add(offset, kernel.multiply(index, layout.factors[loop]));
  return offset;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value DeviceContraction::getStart() {
  auto fill = root.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  return fill.getInputs().front();
}

Value DeviceContraction::getStart(int64_t lanes) {
  return kernel.broadcast(getStart(), lanes);
}

void DeviceContraction::finishRow(ValueRange sums, Value row, Value column,
                                  int64_t lastActive) {
  for (auto [loop, index] :
       llvm::zip_equal(rowLoops, kernel.delinearize(row, getShape(rowLoops))))
    at[loop] = {index};
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  int64_t lanes = cast<VectorType>(sums.front().getType()).getNumElements();
  for (auto [v, sum] : llvm::enumerate(sums)) {
    Value vector = sum;
    int64_t active = v + 1 < sums.size() ? lanes : lastActive;
    TreeEmitter tree(kernel, lanes, active, [&](Value tensor, PointRef) {
      return tensor == root->getResult(0) ? vector : Value();
    });
    at[loops.column] = {kernel.add(column, v * lanes), /*step=*/1};
    Point point = applyLinear(kernel, map, at);
    SmallVector<Value> indices;
    for (Coordinate coordinate : point)
      indices.push_back(coordinate.index);
    tree.setWritten(point);
    kernel.store(tree.evaluateVector(result, point), indices, active);
  }
}
