//===- DistributeToThreads.cpp - Vectors to threads of a warp ---*- C++ -*-===//
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream also distributes vectors, by patterns that move operations out of a
// `gpu.warp_execute_on_lane_0`, one by one from its end. They do not fit,
// because kernels here are whole functions of many loops. The patterns keep the
// order of reads and writes only where they are "adjacent to the yield", as
// their documentation says; leave scalars to the first lane and broadcast each
// through memory; and need vectors of a multiple of the warp size. Kernels here
// need none of that: all threads compute scalars, and an operation on a vector
// of at most 32 lanes is one per lane.
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hamkaas {
#define GEN_PASS_DEF_DISTRIBUTETOTHREADS
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

LaneDistributor::LaneDistributor(func::FuncOp kernel)
    : kernel(kernel), builder(kernel.getContext()), loc(kernel.getLoc()) {}

static bool isVector(Type type) { return isa<VectorType>(type); }

/// A thread has one element of a vector, or two or four.
static bool isDistributable(VectorType type) {
  int64_t lanes = type.getNumElements();
  return type.getRank() == 1 && !type.isScalable() &&
         (lanes <= warpSize || lanes == 2 * warpSize || lanes == 4 * warpSize);
}

/// Returns whether the operation is already per thread: its vectors are
/// registers of a thread.
static bool isOfThread(Operation *op) {
  return isa_and_present<LLVM::LLVMDialect, NVVM::NVVMDialect>(
      op->getDialect());
}

/// Checks the vectors of the kernel, and notes how many lanes operands have.
LogicalResult LaneDistributor::noteLanes() {
  auto check = [](Operation *op, TypeRange types) {
    for (Type type : types) {
      auto vector = dyn_cast<VectorType>(type);
      if (vector && !isDistributable(vector))
        return op->emitError("expected vectors of one dimension and at most ")
               << warpSize << ", or " << 2 * warpSize << " or " << 4 * warpSize
               << ", lanes, got " << type;
    }
    return InFlightDiagnostic();
  };
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (isOfThread(op))
      return WalkResult::advance();
    if (failed(check(op, op->getOperandTypes())) ||
        failed(check(op, op->getResultTypes())))
      return WalkResult::interrupt();
    for (Type type : op->getOperandTypes())
      if (auto vector = dyn_cast<VectorType>(type)) {
        lanesOf[op] = vector.getNumElements();
        break;
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LaneDistributor::run() {
  SetVector<Operation *> waits = AccessOrder(kernel).findWaits();
  if (failed(noteLanes()))
    return failure();
  for (Operation *op : waits) {
    OpBuilder before(op);
    Value all = arith::ConstantIntOp::create(before, op->getLoc(), -1, 32);
    NVVM::SyncWarpOp::create(before, op->getLoc(), all);
  }
  return distributeBlock(kernel.getBody().front());
}

LogicalResult LaneDistributor::distributeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    loc = op.getLoc();
    if (failed(distribute(&op)))
      return failure();
  }
  return success();
}

Type LaneDistributor::getThreadType(VectorType type) {
  int64_t share = getLaneShare(type);
  Type element = type.getElementType();
  return share == 1 ? element : VectorType::get(share, element);
}

/// Replaces the type of a vector by that of a thread's share.
static void takeLane(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    value.setType(LaneDistributor::getThreadType(vector));
}

LogicalResult LaneDistributor::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

/// Loops and branches, whose iter args become lanes.
LogicalResult LaneDistributor::distributeRegions(Operation *op) {
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return op->emitError("expected only loops and branches of scf around other "
                         "operations in a kernel, got ")
           << op->getName();
  for (Value result : op->getResults())
    takeLane(result);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        takeLane(argument);
      if (failed(distributeBlock(block)))
        return failure();
    }
  return success();
}

bool LaneDistributor::isWide(Operation *op) const {
  return lanesOf.lookup(op) > warpSize ||
         llvm::any_of(op->getResultTypes(), [](Type type) {
           auto vector = dyn_cast<VectorType>(type);
           return vector && vector.getNumElements() > warpSize;
         });
}

/// Operations that act on each lane as on a scalar.
LogicalResult LaneDistributor::distributeElementwise(Operation *op) {
  bool hasVectors =
      lanesOf.contains(op) || llvm::any_of(op->getResultTypes(), isVector);
  if (hasVectors && !OpTrait::hasElementwiseMappableTraits(op) &&
      !op->hasTrait<OpTrait::IsTerminator>())
    return op->emitError("expected an operation that works on the lanes of a "
                         "warp, got ")
           << op->getName();
  for (Value result : op->getResults())
    takeLane(result);
  return success();
}

LogicalResult LaneDistributor::distribute(Operation *op) {
  if (isOfThread(op))
    return success();
  if (op->getNumRegions() > 0)
    return distributeRegions(op);
  if (isWide(op))
    return distributeWide(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::TransferReadOp op) { return distributeRead(op); })
      .Case([&](vector::TransferWriteOp op) { return distributeWrite(op); })
      .Case([&](vector::LoadOp op) { return distributeLoad(op); })
      .Case([&](vector::StoreOp op) { return distributeStore(op); })
      .Case([&](vector::MaskedLoadOp op) { return distributeMaskedLoad(op); })
      .Case([&](vector::MaskedStoreOp op) { return distributeMaskedStore(op); })
      .Case([&](vector::GatherOp op) { return distributeGather(op); })
      .Case([&](vector::ScatterOp op) { return distributeScatter(op); })
      .Case<memref::StoreOp>(
          [&](Operation *op) { return distributeScalarStore(op); })
      .Case<arith::ConstantOp>(
          [&](Operation *op) { return distributeConstant(op); })
      .Case(
          [&](vector::ConstantMaskOp op) { return distributeConstantMask(op); })
      .Case([&](vector::CreateMaskOp op) { return distributeCreateMask(op); })
      .Case([&](vector::StepOp op) { return replace(op, lane()); })
      .Case([&](vector::ShuffleOp op) { return distributeShuffle(op); })
      .Case([&](vector::ExtractOp op) { return distributeExtract(op); })
      .Case([&](vector::InsertOp op) { return distributeInsert(op); })
      .Case([&](vector::ExtractStridedSliceOp op) {
        return distributeExtractSlice(op);
      })
      .Case([&](vector::ReductionOp op) { return distributeReduction(op); })
      .Case([&](vector::BroadcastOp op) { return distributeBroadcast(op); })
      .Case([&](vector::FromElementsOp op) { return distributeElements(op); })
      .Case([&](vector::FMAOp op) {
        return replace(op, math::FmaOp::create(
                               builder, loc, threadValue(op.getLhsMutable()),
                               threadValue(op.getRhsMutable()),
                               threadValue(op.getAccMutable())));
      })
      .Default([&](Operation *op) { return distributeElementwise(op); });
}

bool hamkaas::usesLanes(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool found = isa<memref::AllocaOp>(op) ||
                     llvm::any_of(op->getOperandTypes(), isVector) ||
                     llvm::any_of(op->getResultTypes(), isVector);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct DistributeToThreadsPass
    : hamkaas::impl::DistributeToThreadsBase<DistributeToThreadsPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(HamKaasDialect::tilesAttrName) ||
        kernel.isExternal() || getEngine(kernel))
      return;
    bool isWarp = usesLanes(kernel);
    kernel->setAttr(
        HamKaasDialect::tileRunnerAttrName,
        TileRunnerAttr::get(&getContext(),
                            isWarp ? TileRunner::Warp : TileRunner::Thread));
    if (isWarp && failed(LaneDistributor(kernel).run()))
      signalPassFailure();
  }
};
} // namespace
