//===- DeviceFunctions.cpp - Kernels as functions of a GPU ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Warps of a block: enough that 16 blocks fill a multiprocessor.
static constexpr int64_t maxWarps = 4;
/// Blocks of a grid that should be there before a block has several warps: two
/// for each multiprocessor of the largest GPUs.
static constexpr int64_t wantedBlocks = 264;
/// Shared memory of a block that every GPU gives without being asked, and that
/// which those from sm_80 on have.
static constexpr int64_t usualSharedBytes = 48 << 10;
static constexpr int64_t maxSharedBytes = 99 << 10;
/// Of each buffer in it.
static constexpr int64_t sharedAlignment = 16;

gpu::GPUFuncOp hamkaas::createDeviceFunction(OpBuilder &builder,
                                             func::FuncOp kernel,
                                             StringRef name,
                                             const Launch &launch) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.push_back(MemRefType::get(5, builder.getI64Type()));
  types.push_back(builder.getI64Type());
  auto function = gpu::GPUFuncOp::create(builder, kernel.getLoc(), name,
                                         builder.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(launch.threads), 1, 1});
  function.setKnownGridSize(
      ArrayRef<int32_t>{static_cast<int32_t>(launch.blocks), 1, 1});
  function->setAttr(HamKaasDialect::sharedBytesAttrName,
                    builder.getI64IntegerAttr(launch.sharedBytes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&function.getBody().front());
  gpu::ReturnOp::create(builder, kernel.getLoc());
  return function;
}

Value hamkaas::isWithoutFailure(OpBuilder &builder, gpu::GPUFuncOp function) {
  Location loc = function.getLoc();
  Value failure = function.getArgument(function.getNumArguments() - 2);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value failed = memref::LoadOp::create(builder, loc, failure, first);
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 64);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, failed,
                               none);
}

namespace {
class TileFunction {
public:
  TileFunction(OpBuilder &builder, func::FuncOp kernel)
      : builder(kernel.getLoc(), builder), kernel(kernel),
        tiles(kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName)
                  .getInt()),
        isWarp(kernel->getAttrOfType<StringAttr>(tileRunnerAttrName) ==
               "warp") {}

  LogicalResult add(bool asksFailure);

private:
  LogicalResult chooseLaunch();
  Value getThread();
  Value getTile(Value thread);
  void placeScratch(Value thread);
  void moveBody(Value tile, Block *target);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  ImplicitLocOpBuilder builder;
  func::FuncOp kernel;
  int64_t tiles;
  bool isWarp;
  Launch launch;
  int64_t tilesOfBlock = 1, scratchBytes = 0;
};
} // namespace

static int64_t getScratchBytes(memref::AllocaOp op) {
  return llvm::alignTo(getByteCount(op.getType()), sharedAlignment);
}

LogicalResult TileFunction::chooseLaunch() {
  for (auto scratch : kernel.getOps<memref::AllocaOp>())
    scratchBytes += getScratchBytes(scratch);
  if (scratchBytes > maxSharedBytes)
    return kernel.emitError("expected at most ")
           << maxSharedBytes << " bytes of scratch memory for a warp, got "
           << scratchBytes;
  int64_t runners = isWarp ? maxWarps : maxWarps * warpSize;
  int64_t fewest = isWarp ? 1 : warpSize;
  while (runners > fewest && (llvm::divideCeil(tiles, runners) < wantedBlocks ||
                              runners * scratchBytes > usualSharedBytes))
    runners /= 2;
  tilesOfBlock = runners;
  launch.threads = isWarp ? runners * warpSize : runners;
  launch.blocks = llvm::divideCeil(tiles, runners);
  launch.sharedBytes = isWarp ? runners * scratchBytes : 0;
  if (launch.blocks > std::numeric_limits<int32_t>::max())
    return kernel.emitError("expected at most ")
           << std::numeric_limits<int32_t>::max() << " blocks of threads, got "
           << launch.blocks;
  return success();
}

/// The number of the warp, or of the thread, in its block.
Value TileFunction::getThread() {
  Value thread = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
  if (!isWarp)
    return thread;
  if (tilesOfBlock == 1)
    return constant(0);
  return arith::DivUIOp::create(builder, thread, constant(warpSize));
}

Value TileFunction::getTile(Value thread) {
  Value block = gpu::BlockIdOp::create(builder, gpu::Dimension::x);
  if (tilesOfBlock == 1)
    return block;
  auto noWrap = arith::IntegerOverflowFlags::nsw;
  Value first =
      arith::MulIOp::create(builder, block, constant(tilesOfBlock), noWrap);
  return arith::AddIOp::create(builder, first, thread, noWrap);
}

/// Gives the users of `from` a buffer in shared memory instead.
static void replaceBuffer(Value from, Value to) {
  for (Operation *user : llvm::make_early_inc_range(from.getUsers()))
    if (auto collapse = dyn_cast<memref::CollapseShapeOp>(user)) {
      OpBuilder builder(collapse);
      Value view = memref::CollapseShapeOp::create(
          builder, collapse.getLoc(), to, collapse.getReassociationIndices());
      replaceBuffer(collapse, view);
      collapse.erase();
    }
  from.replaceAllUsesWith(to);
}

/// Each warp has a part of the shared memory.
void TileFunction::placeScratch(Value warp) {
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto bytesType = MemRefType::get(ShapedType::kDynamic, builder.getI8Type(),
                                   MemRefLayoutAttrInterface(), space);
  auto noWrap = arith::IntegerOverflowFlags::nsw;
  Value shared = gpu::DynamicSharedMemoryOp::create(builder, bytesType);
  Value first =
      arith::MulIOp::create(builder, warp, constant(scratchBytes), noWrap);
  int64_t offset = 0;
  for (auto scratch : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<memref::AllocaOp>())) {
    MemRefType type = scratch.getType();
    Value place =
        arith::AddIOp::create(builder, first, constant(offset), noWrap);
    Value view = memref::ViewOp::create(
        builder,
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), space),
        shared, place, ValueRange());
    replaceBuffer(scratch, view);
    offset += getScratchBytes(scratch);
    scratch.erase();
  }
}

/// Moves the kernel's operations, and those of its loop over the tiles in the
/// place of that loop. The loop of a single tile may have been simplified away.
void TileFunction::moveBody(Value tile, Block *target) {
  Block &body = kernel.getBody().front();
  Operation *end = target->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop->hasAttr(tileLoopAttrName)) {
      op.moveBefore(end);
      continue;
    }
    loop.getInductionVar().replaceAllUsesWith(tile);
    for (Operation &inner :
         llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      inner.moveBefore(end);
    loop.erase();
  }
}

LogicalResult TileFunction::add(bool asksFailure) {
  if (failed(chooseLaunch()))
    return failure();
  gpu::GPUFuncOp function =
      createDeviceFunction(builder, kernel, kernel.getSymName(), launch);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    from.replaceAllUsesWith(to);

  Value thread = getThread();
  Value tile = getTile(thread);
  Value condition;
  if (asksFailure)
    condition = isWithoutFailure(builder, function);
  if (launch.blocks * tilesOfBlock != tiles) {
    Value exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         tile, constant(tiles));
    condition =
        condition ? arith::AndIOp::create(builder, condition, exists) : exists;
  }
  if (scratchBytes > 0)
    placeScratch(thread);
  Block *target = &function.getBody().front();
  if (condition)
    target = scf::IfOp::create(builder, condition).thenBlock();
  moveBody(tile, target);
  return success();
}

LogicalResult hamkaas::addTileFunction(OpBuilder &builder, func::FuncOp kernel,
                                       bool asksFailure) {
  return TileFunction(builder, kernel).add(asksFailure);
}
