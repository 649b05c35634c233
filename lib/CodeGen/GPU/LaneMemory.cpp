//===- LaneMemory.cpp - Vectors in memory, a lane a thread ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

bool LaneDistributor::ActiveLanes::isAll() const { return count == warpSize; }

/// The active lanes of a vector of `lanes`: where `mask` holds, or all if it is
/// null.
LaneDistributor::ActiveLanes LaneDistributor::getActive(Value mask,
                                                        int64_t lanes) {
  if (!mask)
    return {lanes, nullptr};
  if (auto known = setLanes.find(mask); known != setLanes.end())
    return {std::min(lanes, known->second), nullptr};
  if (lanes < warpSize)
    mask = arith::AndIOp::create(builder, loc, mask, isBelow(lanes));
  return {std::nullopt, mask};
}

SmallVector<Value> hamkaas::moveBy(OpBuilder &builder, Location loc,
                                   ValueRange first, Value by) {
  SmallVector<Value> indices(first);
  indices.back() = arith::AddIOp::create(builder, loc, indices.back(), by,
                                         arith::IntegerOverflowFlags::nsw);
  return indices;
}

/// Returns whether the kernel may write to the buffer that it reads.
bool LaneDistributor::isWritten(Value memref) {
  auto argument = dyn_cast<BlockArgument>(getBuffer(memref));
  return !argument || argument == kernel.getArguments().back() ||
         kernel.getArgAttr(argument.getArgNumber(),
                           HamKaasDialect::inPlaceAttrName);
}

/// Loads the element of each active lane; the others get `inactive`, or
/// anything if that is null. Where the active lanes are known, the others read
/// an element of an active one, without a branch, unless the buffer may be
/// written.
Value LaneDistributor::loadLane(Value memref, ValueRange first,
                                const ActiveLanes &active, Value inactive) {
  auto load = [&](Value by) -> Value {
    return memref::LoadOp::create(builder, loc, memref,
                                  moveBy(builder, loc, first, by));
  };
  if (active.isAll())
    return load(lane());
  if (active.count == 0)
    return inactive;
  if (active.count && !isWritten(memref)) {
    Value element = load(laneBelow(*active.count));
    return inactive
               ? arith::SelectOp::create(builder, loc, isBelow(*active.count),
                                         element, inactive)
               : element;
  }
  if (!inactive)
    inactive = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(getElementTypeOrSelf(memref)));
  return loadWhere(active, inactive, [&] { return load(lane()); });
}

/// Loads in the active lanes; the others have `inactive`.
Value LaneDistributor::loadWhere(const ActiveLanes &active, Value inactive,
                                 function_ref<Value()> load) {
  auto branch =
      scf::IfOp::create(builder, loc, inactive.getType(),
                        active.count ? isBelow(*active.count) : active.mask,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, inactive);
  return branch.getResult(0);
}

void LaneDistributor::storeLane(Value value, Value memref, ValueRange first,
                                const ActiveLanes &active) {
  if (active.count == 0)
    return;
  OpBuilder::InsertionGuard guard(builder);
  if (!active.isAll()) {
    auto branch = scf::IfOp::create(
        builder, loc, active.count ? isBelow(*active.count) : active.mask);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  memref::StoreOp::create(builder, loc, value, memref,
                          moveBy(builder, loc, first, lane()));
}

/// NOTE: the written value already has the type of a thread's share, which the
/// interface does not expect; map and bounds are attributes.
template <typename TransferOp>
static LogicalResult verifyAlongLast(TransferOp op) {
  auto bounds = op.getInBounds().template getAsValueRange<BoolAttr>();
  if (isa<MemRefType>(op.getBase().getType()) &&
      !llvm::is_contained(bounds, false) &&
      op.getPermutationMap().isMinorIdentity() &&
      op.getPermutationMap().getNumResults() == 1)
    return success();
  return op->emitError("expected a transfer of elements along the last "
                       "dimension of a buffer, within its bounds");
}

LogicalResult hamkaas::verifyTransfer(vector::TransferReadOp op) {
  return verifyAlongLast(op);
}

LogicalResult hamkaas::verifyTransfer(vector::TransferWriteOp op) {
  return verifyAlongLast(op);
}

LogicalResult LaneDistributor::distributeRead(vector::TransferReadOp op) {
  if (failed(verifyTransfer(op)))
    return failure();
  int64_t lanes = op.getVectorType().getNumElements();
  ActiveLanes active = getActive(threadValue(op.getMaskMutable()), lanes);
  return replace(op, loadLane(op.getBase(), op.getIndices(), active,
                              threadValue(op.getMaskMutable()) ? op.getPadding()
                                                               : Value()));
}

LogicalResult LaneDistributor::distributeWrite(vector::TransferWriteOp op) {
  if (failed(verifyTransfer(op)))
    return failure();
  storeLane(threadValue(op.getValueToStoreMutable()), op.getBase(),
            op.getIndices(),
            getActive(threadValue(op.getMaskMutable()), lanesOf.at(op)));
  op->erase();
  return success();
}

LogicalResult LaneDistributor::distributeLoad(vector::LoadOp op) {
  ActiveLanes active = getActive(nullptr, op.getVectorType().getNumElements());
  return replace(op, loadLane(op.getBase(), op.getIndices(), active, nullptr));
}

LogicalResult LaneDistributor::distributeStore(vector::StoreOp op) {
  storeLane(threadValue(op.getValueToStoreMutable()), op.getBase(),
            op.getIndices(), getActive(nullptr, lanesOf.at(op)));
  op->erase();
  return success();
}

/// Gathers and scatters of neighbours are simplified to these.
LogicalResult LaneDistributor::distributeMaskedLoad(vector::MaskedLoadOp op) {
  ActiveLanes active =
      getActive(threadValue(op.getMaskMutable()), lanesOf.at(op));
  return replace(op, loadLane(op.getBase(), op.getIndices(), active,
                              threadValue(op.getPassThruMutable())));
}

LogicalResult LaneDistributor::distributeMaskedStore(vector::MaskedStoreOp op) {
  storeLane(threadValue(op.getValueToStoreMutable()), op.getBase(),
            op.getIndices(),
            getActive(threadValue(op.getMaskMutable()), lanesOf.at(op)));
  op->erase();
  return success();
}

Value hamkaas::toIndex(OpBuilder &builder, Location loc, Value number) {
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    number);
}

/// Inactive lanes read the first element, unless it may be written.
LogicalResult LaneDistributor::distributeGather(vector::GatherOp op) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return op->emitError("expected to gather from a buffer");
  int64_t lanes = op.getVectorType().getNumElements();
  ActiveLanes active = getActive(threadValue(op.getMaskMutable()), lanes);
  Value offset = toIndex(builder, loc, threadValue(op.getIndicesMutable()));
  auto load = [&]() -> Value {
    return memref::LoadOp::create(
        builder, loc, op.getBase(),
        moveBy(builder, loc, op.getOffsets(), offset));
  };
  if (!active.isAll() && isWritten(op.getBase()))
    return replace(
        op, loadWhere(active, threadValue(op.getPassThruMutable()), load));
  Value condition = active.count ? isBelow(*active.count) : active.mask;
  if (!active.isAll())
    offset = arith::SelectOp::create(builder, loc, condition, offset, index(0));
  Value element = load();
  if (active.count != lanes)
    element = arith::SelectOp::create(builder, loc, condition, element,
                                      threadValue(op.getPassThruMutable()));
  return replace(op, element);
}

LogicalResult LaneDistributor::distributeScatter(vector::ScatterOp op) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !llvm::all_of(op.getOffsets(), isZeroInteger))
    return op->emitError("expected to scatter to a whole buffer");
  Value offset = toIndex(builder, loc, threadValue(op.getIndicesMutable()));
  int64_t elements = type.getNumElements();
  Value row = memref::ReinterpretCastOp::create(
      builder, loc,
      MemRefType::get(elements, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      op.getBase(), /*offset=*/0, /*sizes=*/ArrayRef(elements),
      /*strides=*/ArrayRef<int64_t>(1));
  ActiveLanes active =
      getActive(threadValue(op.getMaskMutable()), lanesOf.at(op));
  OpBuilder::InsertionGuard guard(builder);
  if (!active.isAll()) {
    auto branch = scf::IfOp::create(
        builder, loc, active.count ? isBelow(*active.count) : active.mask);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  memref::StoreOp::create(
      builder, loc, threadValue(op.getValueToStoreMutable()), row, offset);
  op->erase();
  return success();
}

LogicalResult LaneDistributor::distributeScalarStore(Operation *op) {
  if (op->removeAttr(HamKaasDialect::laneStoreAttrName))
    return success();
  auto branch = scf::IfOp::create(builder, loc, isBelow(1));
  op->moveBefore(branch.thenBlock()->getTerminator());
  return success();
}
