//===- AccessOrder.cpp - Memory that the threads of a warp share *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace hamkaas;

Value hamkaas::getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

int64_t hamkaas::getLaneShare(VectorType type) {
  return std::max<int64_t>(1, type.getNumElements() / warpSize);
}

bool hamkaas::isMultipleOf(Value index, int64_t number) {
  if (number == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % number == 0;
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return isMultipleOf(sum.getLhs(), number) &&
           isMultipleOf(sum.getRhs(), number);
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    return isMultipleOf(product.getLhs(), number) ||
           isMultipleOf(product.getRhs(), number);
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && argument == loop.getInductionVar() &&
         isMultipleOf(loop.getLowerBound(), number) &&
         isMultipleOf(loop.getStep(), number);
}

namespace {
struct Access {
  Value memref;
  bool writes;
  bool isAligned;
  /// Elements of a thread.
  int64_t share = 1;
};
} // namespace

/// Consecutive lanes from `indices` on.
static Access getLaneAccess(Value memref, ValueRange indices, VectorType vector,
                            bool writes) {
  auto type = cast<MemRefType>(memref.getType());
  auto whole = cast<MemRefType>(getBuffer(memref).getType());
  int64_t share = getLaneShare(vector);
  bool isAligned = type.getShape() == whole.getShape() && !indices.empty() &&
                   isMultipleOf(indices.back(), share * warpSize);
  return {memref, writes, isAligned, share};
}

/// The reads and writes of `op`.
static SmallVector<Access, 2> getAccesses(Operation *op) {
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return {getLaneAccess(read.getBase(), read.getIndices(),
                          read.getVectorType(), false)};
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return {getLaneAccess(write.getBase(), write.getIndices(),
                          write.getVectorType(), true)};
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return {getLaneAccess(load.getBase(), load.getIndices(),
                          load.getVectorType(), false)};
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return {getLaneAccess(store.getBase(), store.getIndices(),
                          store.getVectorType(), true)};
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
    return {getLaneAccess(load.getBase(), load.getIndices(),
                          load.getVectorType(), false)};
  if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
    return {getLaneAccess(store.getBase(), store.getIndices(),
                          store.getVectorType(), true)};
  if (auto gather = dyn_cast<vector::GatherOp>(op))
    return {{gather.getBase(), false, false}};
  if (auto scatter = dyn_cast<vector::ScatterOp>(op))
    return {{scatter.getBase(), true, false}};
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {{load.getMemRef(), false, false}};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return {{store.getMemRef(), true, false}};
  return {};
}

bool AccessOrder::conflicts(unsigned before, Event event) {
  switch (event) {
  case AlignedRead:
    return before & (OwnWrite | OtherWrite);
  case OtherRead:
    return before & (AlignedWrite | OwnWrite | OtherWrite);
  case AlignedWrite:
    return before & (OtherRead | OwnWrite | OtherWrite);
  case OwnWrite:
    return before & ~OwnWrite;
  case OtherWrite:
    return before != 0;
  }
  llvm_unreachable("no other event");
}

/// Joins the state of another path; true if the state grows.
bool AccessOrder::join(State &state, const State &other) {
  bool grows = false;
  for (auto [buffer, events] : other) {
    unsigned &known = state[buffer];
    grows |= (known | events) != known;
    known |= events;
  }
  return grows;
}

void AccessOrder::visitAccess(Operation *op, State &state) {
  if (isa<gpu::BarrierOp, NVVM::SyncWarpOp>(op))
    return state.clear();
  SmallVector<Access, 2> accesses = getAccesses(op);
  auto getEvent = [&](const Access &access) {
    if (access.writes && op->hasAttr(HamKaasDialect::laneStoreAttrName))
      return OwnWrite;
    bool isAligned =
        access.isAligned && !mixed.contains(getBuffer(access.memref));
    if (access.writes)
      return isAligned ? AlignedWrite : OtherWrite;
    return isAligned ? AlignedRead : OtherRead;
  };
  for (const Access &access : accesses)
    if (conflicts(state.lookup(getBuffer(access.memref)), getEvent(access)))
      waits.insert(op);
  if (waits.contains(op))
    state.clear();
  for (const Access &access : accesses)
    state[getBuffer(access.memref)] |= getEvent(access);
}

void AccessOrder::visitRegions(Operation *op, State &state) {
  bool repeats = isa<LoopLikeOpInterface>(op);
  State after = state;
  State before = state;
  do {
    for (Region &region : op->getRegions()) {
      State inside = before;
      for (Block &block : region)
        visit(block, inside);
      join(after, inside);
    }
    // The state at the end of an iteration is that at the start of the next.
  } while (repeats && join(before, after));
  state = std::move(after);
}

void AccessOrder::visit(Block &block, State &state) {
  for (Operation &op : block) {
    if (op.getNumRegions() > 0)
      visitRegions(&op, state);
    else
      visitAccess(&op, state);
  }
}

/// Returns whether a buffer is both read and written, or written by single
/// threads.
bool AccessOrder::sharesMemory() {
  SmallPtrSet<Value, 4> read, written;
  llvm::SmallDenseMap<Value, int64_t> shares;
  bool found = false;
  kernel.walk([&](Operation *op) {
    for (const Access &access : getAccesses(op)) {
      Value buffer = getBuffer(access.memref);
      if (shares.try_emplace(buffer, access.share).first->second !=
          access.share)
        mixed.insert(buffer);
      (access.writes ? written : read).insert(buffer);
      found |= (access.writes && !access.isAligned) ||
               (read.contains(buffer) && written.contains(buffer));
    }
  });
  return found;
}

llvm::SetVector<Operation *> AccessOrder::findWaits() {
  if (!sharesMemory())
    return {};
  State state;
  visit(kernel.getBody().front(), state);
  SetVector<Operation *> ordered;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (waits.contains(op))
      ordered.insert(op);
  });
  return ordered;
}
