//===- LaneShares.cpp - Several elements a thread ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Numbers of elements
//===----------------------------------------------------------------------===//

Value LaneDistributor::firstOfShare(int64_t share) {
  Value &known = firstElements[share];
  if (!known) {
    Value number = lane(), factor = index(share);
    OpBuilder top = atTop();
    known =
        keepAtTop(arith::MulIOp::create(top, kernel.getLoc(), number, factor,
                                        arith::IntegerOverflowFlags::nsw));
  }
  return known;
}

Value LaneDistributor::numbersOfShare(int64_t share) {
  Value &known = shareNumbers[share];
  if (!known) {
    Value first = firstOfShare(share);
    Location loc = kernel.getLoc();
    OpBuilder top = atTop();
    SmallVector<int64_t> numbers =
        llvm::to_vector(llvm::seq<int64_t>(0, share));
    auto type = VectorType::get(share, top.getIndexType());
    Value own = arith::ConstantOp::create(
        top, loc, DenseIntElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
    known = keepAtTop(arith::AddIOp::create(
        top, loc, vector::BroadcastOp::create(top, loc, type, first), own,
        arith::IntegerOverflowFlags::nsw));
  }
  return known;
}

Value LaneDistributor::isShareBelow(int64_t count, int64_t share) {
  Value &known = belowShares[{count, share}];
  if (!known) {
    Value numbers = numbersOfShare(share);
    OpBuilder top = atTop();
    Value bound = arith::ConstantOp::create(
        top, kernel.getLoc(),
        DenseIntElementsAttr::get(cast<VectorType>(numbers.getType()), count));
    known = keepAtTop(arith::CmpIOp::create(
        top, kernel.getLoc(), arith::CmpIPredicate::ult, numbers, bound));
  }
  return known;
}

Value LaneDistributor::getElement(Value share, int64_t number) {
  return vector::ExtractOp::create(builder, loc, share, number);
}

Value LaneDistributor::repeat(Value value, int64_t share) {
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(share, value.getType()), value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void LaneDistributor::storeWhere(Value condition, function_ref<void()> store) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  store();
}

/// Like loadLane. If the active range ends within a share, its elements are
/// read one by one.
Value LaneDistributor::loadShare(VectorType type, Value memref,
                                 ValueRange first, const ActiveLanes &active,
                                 Value inactive) {
  int64_t share = type.getNumElements();
  auto load = [&](Value by) -> Value {
    return vector::LoadOp::create(builder, loc, type, memref,
                                  moveBy(builder, loc, first, by));
  };
  if (active.count == share * warpSize)
    return load(firstOfShare(share));
  if (active.count == 0)
    return inactive;
  if (!inactive)
    inactive =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (active.count && *active.count % share == 0) {
    int64_t threads = *active.count / share;
    if (isWritten(memref))
      return loadWhere({threads, nullptr}, inactive,
                       [&] { return load(firstOfShare(share)); });
    Value by =
        arith::MulIOp::create(builder, loc, laneBelow(threads), index(share),
                              arith::IntegerOverflowFlags::nsw);
    return arith::SelectOp::create(builder, loc, isBelow(threads), load(by),
                                   inactive);
  }
  Value mask = active.count ? isShareBelow(*active.count, share) : active.mask;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < share; ++i)
    elements.push_back(loadWhere(
        {std::nullopt, getElement(mask, i)}, getElement(inactive, i), [&] {
          Value by = getElement(numbersOfShare(share), i);
          return memref::LoadOp::create(builder, loc, memref,
                                        moveBy(builder, loc, first, by));
        }));
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

void LaneDistributor::storeShare(Value value, Value memref, ValueRange first,
                                 const ActiveLanes &active) {
  int64_t share = cast<VectorType>(value.getType()).getNumElements();
  auto store = [&] {
    vector::StoreOp::create(builder, loc, value, memref,
                            moveBy(builder, loc, first, firstOfShare(share)));
  };
  if (active.count == 0)
    return;
  if (active.count == share * warpSize)
    return store();
  if (active.count && *active.count % share == 0)
    return storeWhere(isBelow(*active.count / share), store);
  Value mask = active.count ? isShareBelow(*active.count, share) : active.mask;
  for (int64_t i = 0; i < share; ++i)
    storeWhere(getElement(mask, i), [&] {
      Value by = getElement(numbersOfShare(share), i);
      memref::StoreOp::create(builder, loc, getElement(value, i), memref,
                              moveBy(builder, loc, first, by));
    });
}

LogicalResult LaneDistributor::distributeWideMemory(Operation *op) {
  auto read = [&](VectorType vector, Value memref, ValueRange first, Value mask,
                  Value padding) {
    auto type = cast<VectorType>(getThreadType(vector));
    Value inactive = mask ? repeat(padding, type.getNumElements()) : Value();
    ActiveLanes active = getActive(mask, vector.getNumElements());
    return replace(op, loadShare(type, memref, first, active, inactive));
  };
  auto write = [&](Value value, Value memref, ValueRange first, Value mask) {
    storeShare(value, memref, first, getActive(mask, lanesOf.at(op)));
    op->erase();
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::TransferReadOp op) -> LogicalResult {
        if (failed(verifyTransfer(op)))
          return failure();
        return read(op.getVectorType(), op.getBase(), op.getIndices(),
                    threadValue(op.getMaskMutable()), op.getPadding());
      })
      .Case([&](vector::TransferWriteOp op) -> LogicalResult {
        if (failed(verifyTransfer(op)))
          return failure();
        return write(threadValue(op.getValueToStoreMutable()), op.getBase(),
                     op.getIndices(), threadValue(op.getMaskMutable()));
      })
      .Case([&](vector::LoadOp op) {
        return read(op.getVectorType(), op.getBase(), op.getIndices(), nullptr,
                    nullptr);
      })
      .Case([&](vector::StoreOp op) {
        return write(threadValue(op.getValueToStoreMutable()), op.getBase(),
                     op.getIndices(), nullptr);
      });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult LaneDistributor::distributeWideConstant(arith::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (!elements.isSplat())
    return op->emitError("expected the same number in all of more than ")
           << warpSize << " lanes";
  auto vector = cast<VectorType>(op.getType());
  auto type = cast<VectorType>(getThreadType(vector));
  Value value =
      arith::ConstantOp::create(builder, loc, elements.resizeSplat(type));
  if (type.getElementType().isInteger(1) && elements.getSplatValue<bool>())
    setLanes[value] = vector.getNumElements();
  return replace(op, value);
}

/// Neighbours are in the same thread.
LogicalResult
LaneDistributor::distributeDeinterleave(vector::DeinterleaveOp op) {
  int64_t share = lanesOf.at(op) / warpSize;
  for (int64_t first = 0; first < 2; ++first) {
    SmallVector<Value> elements;
    for (int64_t i = first; i < share; i += 2)
      elements.push_back(getElement(threadValue(op.getSourceMutable()), i));
    Value half = elements.front();
    if (share > 2)
      half = vector::FromElementsOp::create(
          builder, loc, VectorType::get(share / 2, half.getType()), elements);
    op->getResult(first).replaceAllUsesWith(half);
  }
  op->erase();
  return success();
}

LogicalResult LaneDistributor::distributeInterleave(vector::InterleaveOp op) {
  int64_t share = getLaneShare(cast<VectorType>(op.getType()));
  if (share < 2 || lanesOf.at(op) % warpSize)
    return op->emitError("expected to interleave whole warps");
  SmallVector<Value> elements;
  for (int64_t i = 0; i < share / 2; ++i)
    for (Value half :
         {threadValue(op.getLhsMutable()), threadValue(op.getRhsMutable())})
      elements.push_back(share == 2 ? half : getElement(half, i));
  auto type = cast<VectorType>(getThreadType(cast<VectorType>(op.getType())));
  return replace(op,
                 vector::FromElementsOp::create(builder, loc, type, elements));
}

LogicalResult LaneDistributor::distributeWideElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) &&
      !op->hasTrait<OpTrait::IsTerminator>())
    return op->emitError("expected an operation on vectors of at most ")
           << warpSize << " lanes, got " << op->getName();
  for (Value result : op->getResults())
    if (auto vector = dyn_cast<VectorType>(result.getType()))
      result.setType(getThreadType(vector));
  return success();
}

LogicalResult LaneDistributor::distributeWide(Operation *op) {
  auto getShare = [](Value result) {
    return getLaneShare(cast<VectorType>(result.getType()));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp,
            vector::StoreOp>(
          [&](Operation *op) { return distributeWideMemory(op); })
      .Case([&](arith::ConstantOp op) { return distributeWideConstant(op); })
      .Case([&](vector::ConstantMaskOp op) {
        int64_t count = op.getMaskDimSizes().front();
        Value mask = isShareBelow(count, getShare(op));
        setLanes[mask] = count;
        return replace(op, mask);
      })
      .Case([&](vector::CreateMaskOp op) {
        int64_t share = getShare(op);
        return replace(
            op, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      numbersOfShare(share),
                                      repeat(op.getOperands().front(), share)));
      })
      .Case([&](vector::StepOp op) {
        return replace(op, numbersOfShare(getShare(op)));
      })
      .Case([&](vector::BroadcastOp op) -> LogicalResult {
        if (isa<VectorType>(op.getSource().getType()) || lanesOf.contains(op))
          return op->emitError("expected a scalar for more than ")
                 << warpSize << " lanes";
        return replace(op, repeat(op.getSource(), getShare(op)));
      })
      .Case(
          [&](vector::DeinterleaveOp op) { return distributeDeinterleave(op); })
      .Case([&](vector::InterleaveOp op) { return distributeInterleave(op); })
      .Case([&](vector::FMAOp op) {
        return replace(op, math::FmaOp::create(
                               builder, loc, threadValue(op.getLhsMutable()),
                               threadValue(op.getRhsMutable()),
                               threadValue(op.getAccMutable())));
      })
      .Default([&](Operation *op) { return distributeWideElementwise(op); });
}
