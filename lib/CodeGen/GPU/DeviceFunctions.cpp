//===- DeviceFunctions.cpp - Kernels as functions of a GPU ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "AccessOrder.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

/// Warps of a block: enough that 16 blocks fill a multiprocessor.
static constexpr int64_t maxWarps = 4;

/// Smallest grid before a block gets several warps: two blocks per
/// multiprocessor.
static int64_t getWantedBlocks() { return 2 * gpuFacts.processors; }

/// Shared memory of a multiprocessor; of sm_80, among those that run several
/// large blocks.
static constexpr int64_t processorSharedBytes = 164 * 1024;

/// Alignment of buffers in shared memory: that of the widest access.
static int64_t getSharedAlignment() { return gpuFacts.accessBytes; }

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
  TileFunction(OpBuilder &builder, func::FuncOp kernel,
               ArrayRef<ArgumentFacts> facts)
      : builder(kernel.getLoc(), builder), kernel(kernel), facts(facts),
        tiles(kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName)
                  .getInt()),
        isWarp(kernel
                   ->getAttrOfType<TileRunnerAttr>(
                       HamKaasDialect::tileRunnerAttrName)
                   .getValue() == TileRunner::Warp) {}

  LogicalResult chooseLaunch();
  LogicalResult useThreads(int64_t threads);
  /// Returns whether the number of threads is part of the kernel.
  bool hasFixedThreads() const {
    return kernel->hasAttr(HamKaasDialect::blockWarpsAttrName);
  }
  const Launch &getLaunch() const { return launch; }
  void addTo(gpu::GPUFuncOp function, Block *target, Value block);
  void finish(gpu::GPUFuncOp function);

private:
  Value getThread();
  Value getTile(Value block, Value thread);
  void placeScratch(Value thread);
  void simplifyTile(Value tile, Value block, Value thread);
  void moveBody(Value tile, Block *target);
  void tellFacts(gpu::GPUFuncOp function);
  void splitCopies(gpu::GPUFuncOp function);
  void alignAccesses(gpu::GPUFuncOp function);
  int64_t getAlignment(Value memref, ValueRange indices, VectorType type) const;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  ImplicitLocOpBuilder builder;
  func::FuncOp kernel;
  ArrayRef<ArgumentFacts> facts;
  int64_t tiles;
  bool isWarp;
  Launch launch;
  int64_t tilesOfBlock = 1;
  /// Scratch memory of each warp, and of the block.
  int64_t scratchBytes = 0, sharedBytes = 0;
};
} // namespace

/// Returns whether the warps of a block share the buffer.
static bool isOfBlock(memref::AllocaOp op) {
  return op.getType().getMemorySpace() != nullptr;
}

static int64_t getScratchBytes(memref::AllocaOp op) {
  return llvm::alignTo(getByteCount(op.getType()), getSharedAlignment());
}

LogicalResult TileFunction::chooseLaunch() {
  for (auto scratch : kernel.getOps<memref::AllocaOp>())
    (isOfBlock(scratch) ? sharedBytes : scratchBytes) +=
        getScratchBytes(scratch);
  int64_t maxSharedBytes = gpuFacts.maxSharedBytes;
  if (scratchBytes + sharedBytes > maxSharedBytes)
    return kernel.emitError("expected at most ")
           << maxSharedBytes << " bytes of scratch memory for a warp, got "
           << scratchBytes + sharedBytes;
  int64_t runners = isWarp ? maxWarps : maxWarps * warpSize;
  int64_t fewest = isWarp ? 1 : warpSize;
  // A kernel written for a thread block has its warps.
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(
          HamKaasDialect::blockWarpsAttrName))
    runners = fewest = warps.getInt();
  auto isTooMany = [&] {
    int64_t blocks = llvm::divideCeil(tiles, runners);
    return blocks < getWantedBlocks() ||
           runners * scratchBytes > gpuFacts.sharedBytes;
  };
  while (runners > fewest && isTooMany())
    runners /= 2;
  tilesOfBlock = runners;
  launch.threads = isWarp ? runners * warpSize : runners;
  launch.blocks = llvm::divideCeil(tiles, runners);
  launch.sharedBytes = isWarp ? sharedBytes + runners * scratchBytes : 0;
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

Value TileFunction::getTile(Value block, Value thread) {
  if (tilesOfBlock == 1)
    return block;
  auto noWrap = arith::IntegerOverflowFlags::nsw;
  Value first =
      arith::MulIOp::create(builder, block, constant(tilesOfBlock), noWrap);
  return arith::AddIOp::create(builder, first, thread, noWrap);
}

/// Replaces `from` by a buffer in shared memory.
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

/// Each warp has its own part of shared memory, behind that of the block.
void TileFunction::placeScratch(Value warp) {
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto bytesType = MemRefType::get(ShapedType::kDynamic, builder.getI8Type(),
                                   MemRefLayoutAttrInterface(), space);
  auto noWrap = arith::IntegerOverflowFlags::nsw;
  Value shared = gpu::DynamicSharedMemoryOp::create(builder, bytesType);
  Value first =
      arith::MulIOp::create(builder, warp, constant(scratchBytes), noWrap);
  int64_t offset = sharedBytes, offsetOfBlock = 0;
  for (auto scratch : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<memref::AllocaOp>())) {
    MemRefType type = scratch.getType();
    int64_t &next = isOfBlock(scratch) ? offsetOfBlock : offset;
    Value place = constant(next);
    if (!isOfBlock(scratch))
      place = arith::AddIOp::create(builder, first, place, noWrap);
    Value view = memref::ViewOp::create(
        builder,
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), space),
        shared, place, ValueRange());
    replaceBuffer(scratch, view);
    next += getScratchBytes(scratch);
    scratch.erase();
  }
}

/// Block kernels decompose the tile index themselves.
void TileFunction::simplifyTile(Value tile, Value block, Value thread) {
  for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
    if (user->getNumOperands() != 2 || user->getOperand(0) != tile ||
        getConstantIntValue(user->getOperand(1)) != tilesOfBlock)
      continue;
    if (isa<arith::DivUIOp>(user))
      user->getResult(0).replaceAllUsesWith(block);
    if (isa<arith::RemUIOp>(user))
      user->getResult(0).replaceAllUsesWith(thread);
  }
}

/// Moves the kernel's operations, replacing the tile loop by its body. The loop
/// of a single tile may have been simplified away.
void TileFunction::moveBody(Value tile, Block *target) {
  Block &body = kernel.getBody().front();
  Operation *end = target->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop->hasAttr(HamKaasDialect::tileLoopAttrName)) {
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

/// Gives LLVM the facts about the arguments, so that it may reorder accesses
/// and use the full alignment.
void TileFunction::tellFacts(gpu::GPUFuncOp function) {
  auto unit = builder.getUnitAttr();
  for (auto [i, fact] : llvm::enumerate(facts)) {
    auto type = cast<MemRefType>(function.getArgument(i).getType());
    if (8 * fact.alignment > type.getElementTypeBitWidth())
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(fact.alignment));
    if (!fact.isApart)
      continue;
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
    if (!fact.isWritten)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), unit);
  }
}

/// Copies of several elements need alignment; without it, elements are copied
/// one by one.
void TileFunction::splitCopies(gpu::GPUFuncOp function) {
  function.walk([&](nvgpu::DeviceAsyncCopyOp copy) {
    int64_t elements = copy.getDstElements().getSExtValue();
    auto source = cast<BlockArgument>(getBuffer(copy.getSrc()));
    int64_t width =
        cast<MemRefType>(copy.getSrc().getType()).getElementTypeBitWidth() / 8;
    if (elements == 1 ||
        facts[source.getArgNumber()].alignment % (elements * width) == 0)
      return;
    ImplicitLocOpBuilder split(copy.getLoc(), copy);
    Value one = arith::ConstantIndexOp::create(split, 1);
    Value count = copy.getSrcElements();
    if (count)
      count = arith::MinUIOp::create(split, count, one);
    for (int64_t i = 0; i < elements; ++i) {
      Value by = arith::ConstantIndexOp::create(split, i);
      SmallVector<Value> from(copy.getSrcIndices()), to(copy.getDstIndices());
      for (SmallVector<Value> *indices : {&from, &to})
        indices->back() = arith::AddIOp::create(split, indices->back(), by);
      nvgpu::DeviceAsyncCopyOp::create(split, copy.getType(), copy.getDst(), to,
                                       copy.getSrc(), from,
                                       split.getIndexAttr(1), count,
                                       /*bypassL1=*/nullptr);
    }
    copy.erase();
  });
}

/// Alignment of an access in bytes, at most its size.
int64_t TileFunction::getAlignment(Value memref, ValueRange indices,
                                   VectorType type) const {
  auto memrefType = cast<MemRefType>(memref.getType());
  int64_t width = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  int64_t alignment = width;
  auto argument = dyn_cast<BlockArgument>(getBuffer(memref));
  if (argument && argument.getArgNumber() < facts.size())
    alignment = facts[argument.getArgNumber()].alignment;
  else if (memrefType.getMemorySpace())
    alignment = getSharedAlignment();
  alignment = std::gcd(alignment, width * type.getNumElements());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memrefType.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return width;
  auto isMultiple = [&](int64_t bytes) {
    if (offset * width % bytes)
      return false;
    for (auto [stride, index] : llvm::zip_equal(strides, indices))
      if (ShapedType::isDynamic(stride) ||
          !isMultipleOf(index, bytes / std::gcd(bytes, stride * width)))
        return false;
    return true;
  };
  while (alignment > width && !isMultiple(alignment))
    alignment /= 2;
  return std::max(alignment, width);
}

/// Annotates accesses of several elements with their alignment: LLVM looks only
/// a few steps into an address.
void TileFunction::alignAccesses(gpu::GPUFuncOp function) {
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      load.setAlignment(getAlignment(load.getBase(), load.getIndices(),
                                     load.getVectorType()));
    if (auto store = dyn_cast<vector::StoreOp>(op))
      store.setAlignment(getAlignment(store.getBase(), store.getIndices(),
                                      store.getVectorType()));
  });
}

/// Register limit of a thread: none where a warp computes sums by itself, lower
/// where warps cooperate and several blocks should be resident. 0 leaves it to
/// ptxas, which prefers many blocks.
static int64_t getRegisters(func::FuncOp kernel, int64_t threads) {
  if (kernel->hasAttr(HamKaasDialect::blockWarpsAttrName))
    return threads > 128 ? 128 : 168;
  return getKernelFamily(kernel) == KernelFamily::Contraction ? 255 : 0;
}

/// Sets the minimum of resident blocks per multiprocessor, which implies the
/// register limit. Blocks with much shared memory are few at a time anyway. On
/// its own, ptxas gives some contractions fewer registers, for more blocks, and
/// spills.
static void stateBlocks(ArrayRef<func::FuncOp> kernels, gpu::GPUFuncOp function,
                        const Launch &launch) {
  int64_t registers = 0;
  for (func::FuncOp kernel : kernels)
    registers = std::max(registers, getRegisters(kernel, launch.threads));
  if (registers == 0)
    return;
  int64_t blocks = gpuFacts.processorRegisters / (launch.threads * registers);
  if (launch.sharedBytes > 0)
    blocks = std::min(blocks, processorSharedBytes / launch.sharedBytes);
  blocks = std::max<int64_t>(blocks, 1);
  function->setAttr(
      NVVM::NVVMDialect::getMinctasmAttrName(),
      IntegerAttr::get(IntegerType::get(function.getContext(), 32), blocks));
}

/// Takes the threads of the other kernels of the launch.
LogicalResult TileFunction::useThreads(int64_t threads) {
  if (threads == launch.threads)
    return success();
  if (hasFixedThreads())
    return kernel.emitError("expected blocks of ")
           << threads << " threads as in the same launch, got "
           << launch.threads;
  launch.threads = threads;
  tilesOfBlock = isWarp ? threads / warpSize : threads;
  launch.blocks = llvm::divideCeil(tiles, tilesOfBlock);
  if (isWarp)
    launch.sharedBytes = sharedBytes + tilesOfBlock * scratchBytes;
  return success();
}

/// Adds the tiles to `target`, run by the blocks from 0 on that `block` counts.
void TileFunction::addTo(gpu::GPUFuncOp function, Block *target, Value block) {
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    from.replaceAllUsesWith(to);
  builder.setInsertionPoint(target->getTerminator());
  Value thread = getThread();
  Value tile = getTile(block, thread);
  if (scratchBytes + sharedBytes > 0)
    placeScratch(thread);
  if (launch.blocks * tilesOfBlock != tiles) {
    Value exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         tile, constant(tiles));
    target = scf::IfOp::create(builder, exists).thenBlock();
  }
  moveBody(tile, target);
  if (tilesOfBlock > 1)
    simplifyTile(tile, block, thread);
}

/// Tells what holds in all of the function.
void TileFunction::finish(gpu::GPUFuncOp function) {
  tellFacts(function);
  splitCopies(function);
  alignAccesses(function);
}

/// The launch of all `parts`, whose blocks follow each other. They get the
/// threads of one that is written for blocks, or of the largest block.
static FailureOr<Launch> chooseLaunch(MutableArrayRef<TileFunction> parts) {
  Launch all = {/*blocks=*/0};
  bool isFixed = false;
  for (TileFunction &part : parts) {
    if (failed(part.chooseLaunch()))
      return failure();
    int64_t threads = part.getLaunch().threads;
    if (!isFixed && (part.hasFixedThreads() || threads > all.threads))
      all.threads = threads;
    isFixed |= part.hasFixedThreads();
  }
  for (TileFunction &part : parts) {
    if (failed(part.useThreads(all.threads)))
      return failure();
    all.blocks += part.getLaunch().blocks;
    all.sharedBytes = std::max(all.sharedBytes, part.getLaunch().sharedBytes);
  }
  return all;
}

LogicalResult hamkaas::addTileFunction(OpBuilder &builder, StringRef name,
                                       ArrayRef<func::FuncOp> kernels,
                                       ArrayRef<ArgumentFacts> facts,
                                       bool asksFailure) {
  SmallVector<TileFunction> parts;
  for (func::FuncOp kernel : kernels)
    parts.emplace_back(builder, kernel, facts);
  FailureOr<Launch> launch = chooseLaunch(parts);
  if (failed(launch))
    return failure();
  func::FuncOp first = kernels.front();
  gpu::GPUFuncOp function = createDeviceFunction(builder, first, name, *launch);
  stateBlocks(kernels, function, *launch);
  ImplicitLocOpBuilder body(first.getLoc(), builder);
  Block *target = &function.getBody().front();
  body.setInsertionPointToStart(target);
  Value block = gpu::BlockIdOp::create(body, gpu::Dimension::x);
  if (asksFailure)
    target =
        scf::IfOp::create(body, isWithoutFailure(body, function)).thenBlock();
  for (TileFunction &part : MutableArrayRef(parts).drop_back()) {
    body.setInsertionPoint(target->getTerminator());
    Value count = arith::ConstantIndexOp::create(body, part.getLaunch().blocks);
    Value isOfPart =
        arith::CmpIOp::create(body, arith::CmpIPredicate::ult, block, count);
    auto branch = scf::IfOp::create(body, isOfPart, /*withElseRegion=*/true);
    part.addTo(function, branch.thenBlock(), block);
    target = branch.elseBlock();
    body.setInsertionPointToStart(target);
    block = arith::SubIOp::create(body, block, count);
  }
  parts.back().addTo(function, target, block);
  parts.front().finish(function);
  return success();
}
