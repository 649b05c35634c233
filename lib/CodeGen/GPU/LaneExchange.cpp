//===- LaneExchange.cpp - What other threads of a warp hold -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/Passes.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace hamkaas;

using Sources = SmallVector<std::optional<int64_t>>;

/// NOTE: 32 bits at a time, as the hardware does: upstream lowers nothing else.
Value LaneDistributor::exchange(Value value, gpu::ShuffleMode mode,
                                Value offset) {
  Type type = value.getType(), i32 = builder.getI32Type();
  if (type.isF32() || type == i32)
    return gpu::ShuffleOp::create(builder, loc, value, offset,
                                  integer(warpSize), mode)
        .getShuffleResult();
  if (type.isIndex()) {
    Value bits =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, type,
                                      exchange(bits, mode, offset));
  }
  if (isa<FloatType>(type)) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(builder, loc, bits, value);
    return arith::BitcastOp::create(builder, loc, type,
                                    exchange(value, mode, offset));
  }
  if (type.getIntOrFloatBitWidth() < 32) {
    value = arith::ExtUIOp::create(builder, loc, i32, value);
    return arith::TruncIOp::create(builder, loc, type,
                                   exchange(value, mode, offset));
  }
  Value shift = arith::ConstantIntOp::create(builder, loc, 32, 64);
  Value upper = arith::ShRUIOp::create(builder, loc, value, shift);
  auto half = [&](Value bits) -> Value {
    bits = arith::TruncIOp::create(builder, loc, i32, bits);
    return arith::ExtUIOp::create(builder, loc, type,
                                  exchange(bits, mode, offset));
  };
  upper = arith::ShLIOp::create(builder, loc, half(upper), shift);
  return arith::OrIOp::create(builder, loc, upper, half(value));
}

/// The number such that `combine` of the lane and it gives each source, if one
/// number does for all.
static std::optional<int64_t>
findCommon(ArrayRef<std::optional<int64_t>> sources,
           function_ref<int64_t(int64_t source, int64_t lane)> getNumber) {
  std::optional<int64_t> common;
  for (auto [lane, source] : llvm::enumerate(sources)) {
    if (!source)
      continue;
    int64_t number = getNumber(*source, lane);
    if (common.value_or(number) != number)
      return std::nullopt;
    common = number;
  }
  return common;
}

Value LaneDistributor::take(Value value,
                            ArrayRef<std::optional<int64_t>> sources) {
  auto distance = findCommon(
      sources, [](int64_t source, int64_t lane) { return source - lane; });
  if (distance == 0)
    return value;
  auto mask = findCommon(
      sources, [](int64_t source, int64_t lane) { return source ^ lane; });
  if (mask)
    return exchange(value, gpu::ShuffleMode::XOR, integer(*mask));
  auto same =
      findCommon(sources, [](int64_t source, int64_t) { return source; });
  Value from;
  if (same) {
    from = integer(*same);
  } else if (distance) {
    // Lanes without a source must name a valid one.
    from = arith::AddIOp::create(builder, loc, lane32(), integer(*distance));
    from = arith::AndIOp::create(builder, loc, from, integer(warpSize - 1));
  } else {
    from = laneTable(sources);
  }
  return exchange(value, gpu::ShuffleMode::IDX, from);
}

LogicalResult LaneDistributor::distributeShuffle(vector::ShuffleOp op) {
  // The lanes of the first operand come before those of the second.
  int64_t boundary = lanesOf.at(op);
  Sources left, right;
  SmallVector<std::optional<bool>> isRight;
  for (int64_t source : op.getMask()) {
    // Less than 0 is any lane.
    isRight.push_back(source < 0 ? std::optional<bool>()
                                 : std::optional<bool>(source >= boundary));
    left.push_back(source < 0 || source >= boundary
                       ? std::optional<int64_t>()
                       : std::optional<int64_t>(source));
    right.push_back(source < boundary
                        ? std::optional<int64_t>()
                        : std::optional<int64_t>(source - boundary));
  }
  auto isUsed = [](const Sources &sources) {
    return llvm::any_of(sources, [](auto source) { return bool(source); });
  };
  if (!isUsed(right))
    return replace(op, take(threadValue(op.getV1Mutable()), left));
  if (!isUsed(left))
    return replace(op, take(threadValue(op.getV2Mutable()), right));
  Value fromLeft = take(threadValue(op.getV1Mutable()), left),
        fromRight = take(threadValue(op.getV2Mutable()), right);
  return replace(op, arith::SelectOp::create(builder, loc, bitTable(isRight),
                                             fromRight, fromLeft));
}

LogicalResult LaneDistributor::distributeExtract(vector::ExtractOp op) {
  SmallVector<OpFoldResult> position = op.getMixedPosition();
  if (position.size() != 1)
    return op.emitError("expected to extract one lane");
  Value from;
  if (std::optional<int64_t> constant = getConstantIntValue(position.front()))
    from = integer(*constant);
  else
    from = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      cast<Value>(position.front()));
  return replace(op, exchange(threadValue(op.getSourceMutable()),
                              gpu::ShuffleMode::IDX, from));
}

LogicalResult LaneDistributor::distributeInsert(vector::InsertOp op) {
  SmallVector<OpFoldResult> position = op.getMixedPosition();
  if (position.size() != 1 || !isa<Attribute>(position.front()))
    return op.emitError("expected to insert one lane of a known number");
  Value isHere =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane(),
                            index(*getConstantIntValue(position.front())));
  return replace(
      op, arith::SelectOp::create(builder, loc, isHere,
                                  threadValue(op.getValueToStoreMutable()),
                                  threadValue(op.getDestMutable())));
}

LogicalResult
LaneDistributor::distributeExtractSlice(vector::ExtractStridedSliceOp op) {
  int64_t offset = cast<IntegerAttr>(op.getOffsets()[0]).getInt();
  int64_t size = cast<IntegerAttr>(op.getSizes()[0]).getInt();
  Sources sources;
  for (int64_t lane = 0; lane < size; ++lane)
    sources.push_back(lane + offset);
  return replace(op, take(threadValue(op.getSourceMutable()), sources));
}

/// Combines halves until the first lane has the result, then broadcasts it. The
/// order is the same in each run, and all threads have the same bits, down to
/// the sign of a zero.
LogicalResult LaneDistributor::distributeReduction(vector::ReductionOp op) {
  int64_t lanes = lanesOf.at(op);
  if (!llvm::isPowerOf2_64(lanes))
    return op.emitError("expected a power of two of lanes, got ") << lanes;
  Value value = threadValue(op.getVectorMutable());
  for (int64_t width = lanes / 2; width >= 1; width /= 2)
    value = vector::makeArithReduction(
        builder, loc, op.getKind(), value,
        exchange(value, gpu::ShuffleMode::XOR, integer(width)));
  if (Value initial = threadValue(op.getAccMutable()))
    value =
        vector::makeArithReduction(builder, loc, op.getKind(), initial, value);
  return replace(op, exchange(value, gpu::ShuffleMode::IDX, integer(0)));
}

LogicalResult LaneDistributor::distributeBroadcast(vector::BroadcastOp op) {
  Value source = op.getSource();
  if (lanesOf.lookup(op) == 1)
    source = exchange(source, gpu::ShuffleMode::IDX, integer(0));
  return replace(op, source);
}

LogicalResult LaneDistributor::distributeElements(vector::FromElementsOp op) {
  Value value;
  for (int64_t i = op.getElements().size() - 1; i >= 0; --i)
    value = value ? arith::SelectOp::create(builder, loc, isBelow(i + 1),
                                            op.getElements()[i], value)
                  : op.getElements()[i];
  return replace(op, value);
}
