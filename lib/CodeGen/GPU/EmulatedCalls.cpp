//===- EmulatedCalls.cpp - Calls of the emulator of GPUs --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedCalls.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hamkaas;
using emulation::EmulatedFunctions;
using emulation::EmulatedThread;

EmulatedCalls::EmulatedCalls(func::FuncOp kernel, Value context,
                             ArrayRef<Operation *> ops,
                             EmulatedImageBuilder &image)
    : builder(kernel.getLoc(),
              OpBuilder::atBlockBegin(&kernel.getBody().front())),
      context(context),
      pointer(LLVM::LLVMPointerType::get(kernel.getContext())), image(image) {
  llvm::DenseMap<OperationName, int64_t> counts;
  for (Operation *op : ops)
    numbers[op] = ++counts[op->getName()];
}

void EmulatedCalls::loadMembers() {
  thread = loadIndex(offsetof(EmulatedThread, thread));
  threads = loadIndex(offsetof(EmulatedThread, threads));
  block = loadIndex(offsetof(EmulatedThread, block));
  blocks = loadIndex(offsetof(EmulatedThread, blocks));
  shared = member(context, offsetof(EmulatedThread, shared), pointer);
  functions = member(context, offsetof(EmulatedThread, functions), pointer);
}

//===----------------------------------------------------------------------===//
// Values and addresses
//===----------------------------------------------------------------------===//

Value EmulatedCalls::integer(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(builder, value, bits);
}

Value EmulatedCalls::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value EmulatedCalls::offset(Value base, Value bytes) {
  return LLVM::GEPOp::create(builder, pointer, builder.getI8Type(), base,
                             bytes);
}

Value EmulatedCalls::member(Value base, int64_t offset, Type type) {
  Value place =
      LLVM::GEPOp::create(builder, pointer, builder.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(offset)));
  return LLVM::LoadOp::create(builder, type, place);
}

Value EmulatedCalls::loadIndex(int64_t offset) {
  return arith::IndexCastOp::create(
      builder, builder.getIndexType(),
      member(context, offset, builder.getI64Type()));
}

int64_t hamkaas::getElementBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getElementBytes(vector.getElementType());
  if (type.isIndex())
    return sizeof(int64_t);
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

Value EmulatedCalls::address(Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  Value element = metadata.getOffset();
  for (auto [i, value] : llvm::enumerate(indices))
    element = arith::AddIOp::create(
        builder, element,
        arith::MulIOp::create(builder, value, metadata.getStrides()[i]));
  Value bytes = arith::MulIOp::create(
      builder, element, index(getElementBytes(type.getElementType())));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, memref);
  Value sum = arith::AddIOp::create(builder, base, bytes);
  Value bits = arith::IndexCastOp::create(builder, builder.getI64Type(), sum);
  return LLVM::IntToPtrOp::create(builder, pointer, bits);
}

Value EmulatedCalls::memrefAt(MemRefType type, Value address) {
  LLVMTypeConverter converter(builder.getContext());
  Value descriptor = MemRefDescriptor::fromStaticShape(
      builder, builder.getLoc(), converter, type, address);
  return UnrealizedConversionCastOp::create(builder, type, descriptor)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static std::string describe(Operation *op, int64_t number) {
  std::string text =
      (op->getName().getStringRef() + " #" + Twine(number)).str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (" (" + loc.getFilename().getValue() + ":" + Twine(loc.getLine()) +
             ":" + Twine(loc.getColumn()) + ")")
                .str();
  return text;
}

Value EmulatedCalls::place(Operation *op) {
  std::string text = describe(op, numbers.lookup(op));
  return LLVM::AddressOfOp::create(builder, pointer, image.addText(text));
}

/// A call of the function at that offset of EmulatedFunctions. Null for one
/// without a result.
Value EmulatedCalls::call(int64_t function, Type result, ValueRange arguments) {
  SmallVector<Value> operands = {member(functions, function, pointer), context};
  llvm::append_range(operands, arguments);
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(builder.getContext()),
      llvm::to_vector(TypeRange(operands).drop_front()));
  auto op = LLVM::CallOp::create(builder, type, operands);
  return result ? op.getResult() : Value();
}

void EmulatedCalls::barrier(Operation *op) {
  call(offsetof(EmulatedFunctions, barrier), Type(), place(op));
}

void EmulatedCalls::syncWarp(Operation *op, Value mask) {
  call(offsetof(EmulatedFunctions, syncWarp), Type(), {mask, place(op)});
}

std::pair<Value, Value> EmulatedCalls::shuffle(Operation *op, Value value,
                                               emulation::ShuffleKind kind,
                                               Value mask, Value operand,
                                               Value clamp) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integerType = builder.getIntegerType(bits), i64 = builder.getI64Type();
  if (type != integerType)
    value = arith::BitcastOp::create(builder, integerType, value);
  if (bits < 64)
    value = arith::ExtUIOp::create(builder, i64, value);
  Value result =
      call(offsetof(EmulatedFunctions, shuffle), i64,
           {value, integer(kind, 32), mask, operand, clamp, place(op)});
  if (bits < 64)
    result = arith::TruncIOp::create(builder, integerType, result);
  if (type != integerType)
    result = arith::BitcastOp::create(builder, type, result);
  Value isValid = arith::TruncIOp::create(
      builder, builder.getI1Type(),
      member(context, offsetof(EmulatedThread, isShuffleValid),
             builder.getI32Type()));
  return {result, isValid};
}

Value EmulatedCalls::getRegisters() {
  if (productMemory)
    return productMemory;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(functions);
  return productMemory =
             LLVM::AllocaOp::create(builder, pointer, builder.getI32Type(),
                                    integer(emulation::productRegisters, 32));
}

SmallVector<Value> EmulatedCalls::addProduct(Operation *op,
                                             emulation::ProductKind kind,
                                             ArrayRef<Value> registers) {
  Value memory = getRegisters();
  auto place = [&](int64_t number) {
    return offset(memory, integer(number * sizeof(uint32_t), 64));
  };
  for (auto [i, value] : llvm::enumerate(registers))
    LLVM::StoreOp::create(builder, value, place(i));
  call(offsetof(EmulatedFunctions, addProduct), Type(),
       {integer(kind, 32), memory, this->place(op)});
  SmallVector<Value> sums;
  for (int64_t i = emulation::firstSumRegister; i < emulation::productRegisters;
       ++i)
    sums.push_back(
        LLVM::LoadOp::create(builder, builder.getF32Type(), place(i)));
  return sums;
}

void EmulatedCalls::access(Operation *op, Value address, int64_t bytes,
                           int64_t alignment, emulation::AccessKind kind) {
  call(offsetof(EmulatedFunctions, access), Type(),
       {address, integer(bytes, 64), integer(alignment, 64), integer(kind, 32),
        place(op)});
}

void EmulatedCalls::copyLater(Operation *op, Value to, int64_t bytes,
                              Value from, Value fromBytes) {
  call(offsetof(EmulatedFunctions, copyLater), Type(),
       {to, integer(bytes, 64), from, fromBytes, place(op)});
}

void EmulatedCalls::commitCopies() {
  call(offsetof(EmulatedFunctions, commitCopies), Type(), {});
}

void EmulatedCalls::waitForCopies(int64_t pending) {
  call(offsetof(EmulatedFunctions, waitForCopies), Type(),
       integer(pending, 64));
}
