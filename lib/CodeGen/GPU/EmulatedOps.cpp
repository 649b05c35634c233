//===- EmulatedOps.cpp - Operations that only a GPU has ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// Replaces one operation.
class DeviceOpReplacement {
public:
  DeviceOpReplacement(Operation *op, EmulatedCalls &calls,
                      const EmulatedImageBuilder &image)
      : op(op), calls(calls), builder(calls.builder), image(image) {}

  LogicalResult replace();

private:
  /// True if the operation is gone now.
  using Replaced = FailureOr<bool>;

  bool replaceBy(ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
    return true;
  }
  Value divide(Value value, int64_t divisor) {
    return arith::DivUIOp::create(builder, value, calls.index(divisor));
  }

  /// Blocks and grids have one dimension.
  bool replaceDimension(gpu::Dimension dimension, Value x, int64_t other) {
    return replaceBy(dimension == gpu::Dimension::x ? x : calls.index(other));
  }
  Value makeGlobalId();
  Value makeDynamicShared(MemRefType type);
  Replaced replaceShuffle(gpu::ShuffleOp shuffle);
  Replaced replaceShuffle(NVVM::ShflOp shuffle);
  Replaced replaceCopy(nvgpu::DeviceAsyncCopyOp copy);
  Replaced replaceCopy(NVVM::CpAsyncOp copy);
  Replaced replaceConstant(memref::GetGlobalOp get);
  Value roundBits(Value number, int64_t dropped, bool tiesToEven);
  Replaced replaceConversion(NVVM::ConvertFloatToTF32Op convert);
  Replaced replaceConversion(NVVM::ConvertF32x2ToBF16x2Op convert);
  Replaced replaceMatrixProduct(NVVM::MmaOp product);
  Replaced replaceTensorOp();
  Replaced replaceIndex();
  Replaced replaceSync();
  Replaced replaceMemory();

  Operation *op;
  EmulatedCalls &calls;
  ImplicitLocOpBuilder &builder;
  const EmulatedImageBuilder &image;
};

} // namespace

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value DeviceOpReplacement::makeGlobalId() {
  return arith::AddIOp::create(
      builder, arith::MulIOp::create(builder, calls.block, calls.threads),
      calls.thread);
}

DeviceOpReplacement::Replaced DeviceOpReplacement::replaceIndex() {
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return replaceDimension(id.getDimension(), calls.thread, 0);
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return replaceDimension(id.getDimension(), calls.block, 0);
  if (auto size = dyn_cast<gpu::BlockDimOp>(op))
    return replaceDimension(size.getDimension(), calls.threads, 1);
  if (auto size = dyn_cast<gpu::GridDimOp>(op))
    return replaceDimension(size.getDimension(), calls.blocks, 1);
  if (auto id = dyn_cast<gpu::GlobalIdOp>(op))
    return replaceDimension(id.getDimension(), makeGlobalId(), 0);
  if (isa<gpu::LaneIdOp>(op))
    return replaceBy(Value(arith::RemUIOp::create(
        builder, calls.thread, calls.index(emulation::warpSize))));
  if (isa<gpu::SubgroupIdOp>(op))
    return replaceBy(divide(calls.thread, emulation::warpSize));
  if (isa<gpu::SubgroupSizeOp>(op))
    return replaceBy(calls.index(emulation::warpSize));
  if (isa<gpu::NumSubgroupsOp>(op))
    return replaceBy(
        divide(arith::AddIOp::create(builder, calls.threads,
                                     calls.index(emulation::warpSize - 1)),
               emulation::warpSize));
  return false;
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

static emulation::ShuffleKind getKind(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return emulation::ShuffleXor;
  case gpu::ShuffleMode::UP:
    return emulation::ShuffleUp;
  case gpu::ShuffleMode::DOWN:
    return emulation::ShuffleDown;
  case gpu::ShuffleMode::IDX:
    return emulation::ShuffleIndex;
  }
  llvm_unreachable("a mode of shuffles");
}

static emulation::ShuffleKind getKind(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return emulation::ShuffleXor;
  case NVVM::ShflKind::up:
    return emulation::ShuffleUp;
  case NVVM::ShflKind::down:
    return emulation::ShuffleDown;
  case NVVM::ShflKind::idx:
    return emulation::ShuffleIndex;
  }
  llvm_unreachable("a kind of shuffles");
}

/// With the operands that the lowering to NVVM gives it.
DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceShuffle(gpu::ShuffleOp shuffle) {
  Type type = shuffle.getValue().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return op->emitError("expected a number of at most 64 bits, got ") << type;
  Value width = shuffle.getWidth();
  Value absent = arith::SubIOp::create(
      builder, calls.integer(emulation::warpSize, 32), width);
  Value mask = arith::ShRUIOp::create(builder, calls.integer(-1, 32), absent);
  Value clamp = absent;
  if (shuffle.getMode() != gpu::ShuffleMode::UP)
    clamp = arith::SubIOp::create(builder, width, calls.integer(1, 32));
  auto [result, isValid] =
      calls.shuffle(op, shuffle.getValue(), getKind(shuffle.getMode()), mask,
                    shuffle.getOffset(), clamp);
  return replaceBy({result, isValid});
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceShuffle(NVVM::ShflOp shuffle) {
  auto [result, isValid] = calls.shuffle(
      op, shuffle.getVal(), getKind(shuffle.getKind()), shuffle.getThreadMask(),
      shuffle.getOffset(), shuffle.getMaskAndClamp());
  if (!shuffle.getReturnValueAndIsValid())
    return replaceBy(result);
  Value both = LLVM::PoisonOp::create(builder, shuffle.getType());
  both = LLVM::InsertValueOp::create(builder, both, result, int64_t(0));
  both = LLVM::InsertValueOp::create(builder, both, isValid, int64_t(1));
  return replaceBy(both);
}

DeviceOpReplacement::Replaced DeviceOpReplacement::replaceSync() {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op);
      barrier && barrier->getNumOperands() > 0)
    return false;
  if (isa<gpu::BarrierOp, NVVM::Barrier0Op, NVVM::BarrierOp>(op)) {
    calls.barrier(op);
    return replaceBy({});
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    calls.syncWarp(op, sync.getMask());
    return replaceBy({});
  }
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    return replaceShuffle(shuffle);
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
    return replaceShuffle(shuffle);
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceCopy(nvgpu::DeviceAsyncCopyOp copy) {
  if (!op->use_empty())
    return op->emitError("expected a token for groups and waits alone");
  int64_t element = getElementBytes(copy.getDst().getType().getElementType());
  int64_t bytes = copy.getDstElements().getSExtValue() * element;
  Value fromBytes = calls.integer(bytes, 64);
  if (Value elements = copy.getSrcElements())
    fromBytes = arith::IndexCastOp::create(
        builder, builder.getI64Type(),
        arith::MulIOp::create(builder, elements, calls.index(element)));
  calls.copyLater(op, calls.address(copy.getDst(), copy.getDstIndices()), bytes,
                  calls.address(copy.getSrc(), copy.getSrcIndices()),
                  fromBytes);
  op->erase();
  return true;
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceCopy(NVVM::CpAsyncOp copy) {
  Value fromBytes = calls.integer(copy.getSize(), 64);
  if (Value bytes = copy.getCpSize())
    fromBytes = arith::ExtUIOp::create(builder, builder.getI64Type(), bytes);
  calls.copyLater(op, copy.getDst(), copy.getSize(), copy.getSrc(), fromBytes);
  return replaceBy({});
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceConstant(memref::GetGlobalOp get) {
  StringRef global = image.lookupConstant(get.getName());
  if (global.empty())
    return op->emitError("expected a constant of the device's module, got '")
           << get.getName() << "'";
  Value address = LLVM::AddressOfOp::create(
      builder, LLVM::LLVMPointerType::get(op->getContext()), global);
  return replaceBy(calls.memrefAt(get.getType(), address));
}

Value DeviceOpReplacement::makeDynamicShared(MemRefType type) {
  Value address =
      calls.offset(calls.shared, calls.integer(calls.sharedBytes, 64));
  // NOTE: what the launch asks for is not known here; the emulator checks each
  // access.
  auto some = MemRefType::get(1, type.getElementType());
  Value memory = calls.memrefAt(some, address);
  return memref::CastOp::create(
      builder, type,
      memref::ReinterpretCastOp::create(
          builder, MemRefType::get(ShapedType::kDynamic, type.getElementType()),
          memory, builder.getIndexAttr(0),
          ArrayRef<OpFoldResult>(calls.index(INT32_MAX)),
          ArrayRef<OpFoldResult>(builder.getIndexAttr(1))));
}

DeviceOpReplacement::Replaced DeviceOpReplacement::replaceMemory() {
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return replaceCopy(copy);
  if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
    return replaceCopy(copy);
  if (isa<nvgpu::DeviceAsyncCreateGroupOp, NVVM::CpAsyncCommitGroupOp>(op)) {
    if (!op->use_empty())
      return op->emitError("expected a token for waits alone");
    calls.commitCopies();
    op->erase();
    return true;
  }
  if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op)) {
    calls.waitForCopies(wait.getNumGroups().value_or(0));
    return replaceBy({});
  }
  if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
    calls.waitForCopies(wait.getN());
    return replaceBy({});
  }
  if (auto memory = dyn_cast<gpu::DynamicSharedMemoryOp>(op))
    return replaceBy(makeDynamicShared(memory.getType()));
  if (auto get = dyn_cast<memref::GetGlobalOp>(op))
    return replaceConstant(get);
  return false;
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// The bits of a float32 rounded to the nearest number whose `dropped` lower
/// ones are zero; ties go to the one whose next bit is zero, or away from zero.
/// NaN stays one.
Value DeviceOpReplacement::roundBits(Value number, int64_t dropped,
                                     bool tiesToEven) {
  Type i32 = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, i32, number);
  Value half = calls.integer(int64_t(1) << (dropped - 1), 32);
  if (tiesToEven) {
    Value one = calls.integer(1, 32);
    Value last = arith::AndIOp::create(
        builder,
        arith::ShRUIOp::create(builder, bits, calls.integer(dropped, 32)), one);
    half = arith::AddIOp::create(
        builder, arith::SubIOp::create(builder, half, one), last);
  }
  Value sum = arith::AddIOp::create(builder, bits, half);
  Value upper = calls.integer(-(int64_t(1) << dropped), 32);
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, number, number);
  return arith::SelectOp::create(builder, isNaN, calls.integer(0x7fff0000, 32),
                                 arith::AndIOp::create(builder, sum, upper));
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceConversion(NVVM::ConvertFloatToTF32Op convert) {
  if (convert.getRnd() != NVVM::FPRoundingMode::RNA || convert.getRelu() ||
      convert.getSat() != NVVM::SaturationMode::NONE)
    return op->emitError("expected a conversion that rounds to the nearest, "
                         "ties away from zero");
  return replaceBy(
      roundBits(convert.getSrc(), /*dropped=*/13, /*tiesToEven=*/false));
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceConversion(NVVM::ConvertF32x2ToBF16x2Op convert) {
  if (convert.getRnd() != NVVM::FPRoundingMode::RN || convert.getRelu() ||
      convert.getSat() != NVVM::SaturationMode::NONE)
    return op->emitError("expected a conversion that rounds to the nearest, "
                         "ties to even");
  auto round = [&](Value number) {
    return roundBits(number, /*dropped=*/16, /*tiesToEven=*/true);
  };
  Value high = round(convert.getSrcHi());
  Value low = arith::ShRUIOp::create(builder, round(convert.getSrcLo()),
                                     calls.integer(16, 32));
  Value both = arith::OrIOp::create(builder, high, low);
  return replaceBy(
      Value(LLVM::BitcastOp::create(builder, convert.getType(), both)));
}

/// The kind of a product, if the emulator has it.
static std::optional<emulation::ProductKind> getKind(NVVM::MmaOp product) {
  NVVM::MMAShapeAttr shape = product.getShape();
  if (shape.getM() != 16 || shape.getN() != 8 ||
      product.accumPtxType() != NVVM::MMATypes::f32)
    return std::nullopt;
  if (product.getMultiplicandAPtxType() == NVVM::MMATypes::tf32 &&
      shape.getK() == 8)
    return emulation::ProductTF32;
  if (product.getMultiplicandAPtxType() == NVVM::MMATypes::bf16 &&
      shape.getK() == 16)
    return emulation::ProductBF16;
  return std::nullopt;
}

DeviceOpReplacement::Replaced
DeviceOpReplacement::replaceMatrixProduct(NVVM::MmaOp product) {
  std::optional<emulation::ProductKind> kind = getKind(product);
  if (!kind)
    return op->emitError("expected a product of 16 x 8 x 8 tf32 or of "
                         "16 x 8 x 16 bf16, with sums of float32");
  SmallVector<Value> sums =
      calls.addProduct(op, *kind, llvm::to_vector(op->getOperands()));
  Value result = LLVM::PoisonOp::create(builder, product.getType());
  for (auto [i, sum] : llvm::enumerate(sums))
    result = LLVM::InsertValueOp::create(builder, result, sum, int64_t(i));
  return replaceBy(result);
}

DeviceOpReplacement::Replaced DeviceOpReplacement::replaceTensorOp() {
  if (auto convert = dyn_cast<NVVM::ConvertFloatToTF32Op>(op))
    return replaceConversion(convert);
  if (auto convert = dyn_cast<NVVM::ConvertF32x2ToBF16x2Op>(op))
    return replaceConversion(convert);
  if (auto product = dyn_cast<NVVM::MmaOp>(op))
    return replaceMatrixProduct(product);
  return false;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

LogicalResult DeviceOpReplacement::replace() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  bool isOfDevice =
      isa_and_present<gpu::GPUDialect, NVVM::NVVMDialect, nvgpu::NVGPUDialect>(
          op->getDialect());
  if (!isOfDevice && !isa<memref::GetGlobalOp>(op))
    return success();
  if (isa<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(builder);
    op->erase();
    return success();
  }
  for (auto group :
       {&DeviceOpReplacement::replaceIndex, &DeviceOpReplacement::replaceSync,
        &DeviceOpReplacement::replaceMemory,
        &DeviceOpReplacement::replaceTensorOp}) {
    Replaced replaced = (this->*group)();
    if (failed(replaced) || *replaced)
      return replaced;
  }
  return op->emitError("expected an operation that can be emulated, got '")
         << op->getName() << "'";
}

LogicalResult hamkaas::replaceDeviceOp(Operation *op, EmulatedCalls &calls,
                                       const EmulatedImageBuilder &image) {
  return DeviceOpReplacement(op, calls, image).replace();
}
