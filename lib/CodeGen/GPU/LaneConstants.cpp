//===- LaneConstants.cpp - What is known of a lane's number -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/Passes.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hamkaas;

OpBuilder LaneDistributor::atTop() {
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  if (lastAtTop)
    top.setInsertionPointAfter(lastAtTop);
  return top;
}

Value LaneDistributor::keepAtTop(Value value) {
  lastAtTop = value.getDefiningOp();
  return value;
}

Value LaneDistributor::lane() {
  if (!laneIndex) {
    OpBuilder top = atTop();
    laneIndex = keepAtTop(gpu::LaneIdOp::create(top, kernel.getLoc(),
                                                /*upper_bound=*/nullptr));
  }
  return laneIndex;
}

Value LaneDistributor::lane32() {
  if (!laneInteger) {
    Value number = lane();
    OpBuilder top = atTop();
    laneInteger = keepAtTop(arith::IndexCastOp::create(
        top, kernel.getLoc(), top.getI32Type(), number));
  }
  return laneInteger;
}

Value LaneDistributor::index(int64_t value) {
  Value &known = indices[value];
  if (!known) {
    OpBuilder top = atTop();
    known =
        keepAtTop(arith::ConstantIndexOp::create(top, kernel.getLoc(), value));
  }
  return known;
}

Value LaneDistributor::integer(int64_t value) {
  Value &known = integers[value];
  if (!known) {
    OpBuilder top = atTop();
    known = keepAtTop(arith::ConstantIntOp::create(
        top, kernel.getLoc(), static_cast<int32_t>(value), 32));
  }
  return known;
}

Value LaneDistributor::laneBelow(int64_t count) {
  Value &known = clampedLanes[count];
  if (!known) {
    Value number = lane(), last = index(count - 1);
    OpBuilder top = atTop();
    known =
        keepAtTop(arith::MinUIOp::create(top, kernel.getLoc(), number, last));
  }
  return known;
}

Value LaneDistributor::isBelow(int64_t count) {
  Value &known = belowLanes[count];
  if (!known) {
    Value number = lane(), bound = index(count);
    OpBuilder top = atTop();
    known = keepAtTop(arith::CmpIOp::create(
        top, kernel.getLoc(), arith::CmpIPredicate::ult, number, bound));
  }
  return known;
}

/// Returns whether the bit of the lane is set in `word`.
static Value getBit(OpBuilder &builder, Location loc, Value word, Value lane) {
  Value shifted = arith::ShRUIOp::create(builder, loc, word, lane);
  return arith::TruncIOp::create(builder, loc, builder.getI1Type(), shifted);
}

Value LaneDistributor::bitTable(ArrayRef<std::optional<bool>> bits) {
  uint32_t word = 0;
  for (auto [lane, bit] : llvm::enumerate(bits))
    word |= uint32_t(bit.value_or(false)) << lane;
  return getBit(builder, loc, integer(word), lane32());
}

/// Packs bit i of all lanes' numbers into one word.
Value LaneDistributor::laneTable(ArrayRef<std::optional<int64_t>> numbers) {
  Value result;
  for (int64_t place = 0; (int64_t(1) << place) < warpSize; ++place) {
    uint32_t word = 0;
    for (auto [lane, number] : llvm::enumerate(numbers))
      word |= uint32_t((number.value_or(0) >> place) & 1) << lane;
    if (word == 0)
      continue;
    Value bit = getBit(builder, loc, integer(word), lane32());
    bit = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), bit);
    bit = arith::ShLIOp::create(builder, loc, bit, integer(place));
    result = result ? arith::OrIOp::create(builder, loc, result, bit) : bit;
  }
  return result ? result : integer(0);
}

LogicalResult LaneDistributor::distributeConstant(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements)
    return success();
  auto create = [&](Attribute element) -> Value {
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(element));
  };
  Type type = elements.getElementType();
  if (elements.isSplat()) {
    Value value = create(elements.getSplatValue<Attribute>());
    // A mask of all lanes.
    if (type.isInteger(1) && elements.getSplatValue<bool>())
      setLanes[value] = elements.getNumElements();
    return replace(op, value);
  }
  if (type.isInteger(1)) {
    SmallVector<std::optional<bool>> bits;
    for (bool bit : elements.getValues<bool>())
      bits.push_back(bit);
    return replace(op, bitTable(bits));
  }
  Value value;
  auto values = llvm::to_vector(elements.getValues<Attribute>());
  for (auto [i, element] : llvm::enumerate(llvm::reverse(values))) {
    int64_t count = elements.getNumElements() - i;
    Value next = create(element);
    value = value ? arith::SelectOp::create(builder, loc, isBelow(count), next,
                                            value)
                  : next;
  }
  return replace(op, value);
}

LogicalResult
LaneDistributor::distributeConstantMask(vector::ConstantMaskOp op) {
  int64_t count = op.getMaskDimSizes().front();
  Value mask = isBelow(count);
  setLanes[mask] = count;
  return replace(op, mask);
}

LogicalResult LaneDistributor::distributeCreateMask(vector::CreateMaskOp op) {
  Value count = op.getOperands().front();
  return replace(op,
                 arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       lane(), count));
}
