//===- EmulateDeviceCode.cpp - GPU kernels as CPU code ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedCalls.h"
#include "EmulatedImageBuilder.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_EMULATEDEVICECODE
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

static Type dropMemorySpace(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return MemRefType::Builder(memref).setMemorySpace(Attribute());
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  return type;
}

/// There is one memory. Casts between spaces vanish.
static void dropMemorySpaces(Operation *root) {
  root->walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(dropMemorySpace(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(dropMemorySpace(argument.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(dropMemorySpace(argument.getType()));
  });
  root->walk([](Operation *op) {
    if (isa<memref::MemorySpaceCastOp, LLVM::AddrSpaceCastOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  });
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

namespace {

/// Makes the function that emulates one kernel.
class KernelEmulation {
public:
  KernelEmulation(gpu::GPUFuncOp kernel, EmulatedImageBuilder &image)
      : kernel(kernel), image(image) {}

  LogicalResult emulate(bool checkAccesses);

private:
  LogicalResult checkArguments();
  LogicalResult checkMemory();
  func::FuncOp createFunction();
  void bindArguments(EmulatedCalls &calls, Block &entry, Value table);
  void bindMemory(EmulatedCalls &calls, Block &entry);

  gpu::GPUFuncOp kernel;
  EmulatedImageBuilder &image;
  StringRef symbol; ///< Of what emulates it.
  SmallVector<int64_t> argumentBytes;
  int64_t sharedBytes = 0;
};

} // namespace

static bool isStatic(MemRefType type) {
  return type && type.hasStaticShape() && type.getLayout().isIdentity();
}

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

LogicalResult KernelEmulation::checkArguments() {
  for (Type type : kernel.getFunctionType().getInputs()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (isStatic(memref))
      argumentBytes.push_back(getBytes(memref));
    else if (type.isIntOrIndexOrFloat() && getElementBytes(type) <= 8)
      argumentBytes.push_back(-1);
    else
      return kernel.emitError("expected dense memrefs of static shape and "
                              "numbers as arguments, got ")
             << type;
  }
  return success();
}

LogicalResult KernelEmulation::checkMemory() {
  for (BlockArgument memory :
       kernel.getBody().getArguments().drop_front(argumentBytes.size()))
    if (!isStatic(dyn_cast<MemRefType>(memory.getType())))
      return kernel.emitError("expected dense memory of static shape for a "
                              "block or a thread, got ")
             << memory.getType();
  return success();
}

/// Reads the arguments of the kernel from the table.
void KernelEmulation::bindArguments(EmulatedCalls &calls, Block &entry,
                                    Value table) {
  ImplicitLocOpBuilder &builder = calls.builder;
  Type pointer = table.getType();
  for (size_t i = 0; i < argumentBytes.size(); ++i) {
    Type type = entry.getArgument(i).getType();
    Value place = calls.offset(table, calls.integer(8 * int64_t(i), 64));
    Value value;
    if (auto memref = dyn_cast<MemRefType>(type))
      value =
          calls.memrefAt(memref, LLVM::LoadOp::create(builder, pointer, place));
    else if (type.isIndex())
      value = arith::IndexCastOp::create(
          builder, type,
          LLVM::LoadOp::create(builder, builder.getI64Type(), place));
    else
      value = LLVM::LoadOp::create(builder, type, place);
    entry.getArgument(i).replaceAllUsesWith(value);
  }
}

/// Lays out the shared memory of a block; private memory of a thread is on its
/// stack.
void KernelEmulation::bindMemory(EmulatedCalls &calls, Block &entry) {
  unsigned first = argumentBytes.size();
  unsigned shared = kernel.getNumWorkgroupAttributions();
  unsigned count = shared + kernel.getNumPrivateAttributions();
  for (auto [i, memory] :
       llvm::enumerate(entry.getArguments().slice(first, count))) {
    auto type = cast<MemRefType>(memory.getType());
    if (i >= shared) {
      memory.replaceAllUsesWith(memref::AllocaOp::create(calls.builder, type));
      continue;
    }
    Value address = calls.offset(calls.shared, calls.integer(sharedBytes, 64));
    memory.replaceAllUsesWith(calls.memrefAt(type, address));
    sharedBytes =
        llvm::alignTo(sharedBytes + getBytes(type), emulation::sharedAlignment);
  }
}

/// Declares the function and returns its body, which is a separate function
/// until it is lowered.
func::FuncOp KernelEmulation::createFunction() {
  auto module = kernel->getParentOfType<ModuleOp>();
  ImplicitLocOpBuilder builder(kernel.getLoc(), module);
  builder.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto declaration = LLVM::LLVMFuncOp::create(
      builder, (kernel.getName() + "_emulated").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, pointer}));
  symbol = image.getSymbols().insert(declaration).getValue();
  auto function =
      func::FuncOp::create(builder, (symbol + kernelBodySuffix).str(),
                           builder.getFunctionType({pointer, pointer}, {}));
  image.getSymbols().insert(function);
  // For `hamkaas-kernels-to-llvm`; the number is of no interest.
  function->setAttr(HamKaasDialect::tilesAttrName,
                    builder.getI64IntegerAttr(1));
  IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  dropMemorySpaces(function);
  return function;
}

LogicalResult KernelEmulation::emulate(bool checkAccesses) {
  if (failed(checkArguments()) || failed(checkMemory()))
    return failure();
  func::FuncOp function = createFunction();
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  ops.pop_back(); // The function itself.

  Block &entry = function.getBody().front();
  unsigned oldCount = entry.getNumArguments();
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  Value table = entry.addArgument(pointer, kernel.getLoc());
  Value context = entry.addArgument(pointer, kernel.getLoc());
  EmulatedCalls calls(function, context, ops, image);
  calls.loadMembers();
  bindArguments(calls, entry, table);
  bindMemory(calls, entry);
  calls.sharedBytes = sharedBytes;
  entry.eraseArguments(0, oldCount);
  if (checkAccesses && failed(addAccessCalls(ops, calls)))
    return failure();
  // Users first: an asynchronous copy has no replacement value.
  for (Operation *op : llvm::reverse(ops))
    if (failed(replaceDeviceOp(op, calls, image)))
      return failure();
  image.addKernel(kernel.getName(), symbol, argumentBytes, sharedBytes);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Moves a constant of the device to the program.
static LogicalResult moveGlobal(memref::GlobalOp global,
                                EmulatedImageBuilder &image) {
  auto elements =
      dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
  MemRefType type = global.getType();
  if (!global.getConstant() || !elements || !isStatic(type))
    return global.emitError("expected a constant");
  std::string name = global.getSymName().str();
  ImplicitLocOpBuilder builder(global.getLoc(), global->getContext());
  builder.setInsertionPointToStart(
      global->getParentOfType<ModuleOp>().getBody());
  auto flat = elements.reshape(
      RankedTensorType::get(type.getNumElements(), type.getElementType()));
  auto data = LLVM::GlobalOp::create(
      builder,
      LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name, flat,
      /*alignment=*/emulation::sharedAlignment);
  StringRef symbol = image.getSymbols().insert(data).getValue();
  image.addConstant(name, symbol, getBytes(type));
  return success();
}

namespace {

struct EmulateDeviceCodePass
    : hamkaas::impl::EmulateDeviceCodeBase<EmulateDeviceCodePass> {
  using EmulateDeviceCodeBase::EmulateDeviceCodeBase;

  void runOnOperation() override {
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    EmulatedImageBuilder image(getOperation());
    for (gpu::GPUModuleOp module : modules) {
      if (failed(emulate(module, image)))
        return signalPassFailure();
      module.erase();
    }
    image.finish(deviceImageSymbol);
  }

private:
  LogicalResult emulate(gpu::GPUModuleOp module, EmulatedImageBuilder &image) {
    for (auto global : module.getOps<memref::GlobalOp>())
      if (failed(moveGlobal(global, image)))
        return failure();
    for (Operation &op : *module.getBody()) {
      auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
      if (!isa<memref::GlobalOp>(op) && !(kernel && kernel.isKernel()))
        return op.emitError("expected kernels and constants, got '")
               << op.getName() << "'";
      if (kernel &&
          failed(KernelEmulation(kernel, image).emulate(checkAccesses)))
        return failure();
    }
    return success();
  }
};

} // namespace
