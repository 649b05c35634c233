//===- LowerDeviceProgram.cpp - @main and @prepare for a GPU ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "ProgramLowering.h"
#include "hamkaas-c/Program.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERDEVICEPROGRAM
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Describes launches and copies to the device.
class DeviceProgramLowering : public ProgramLowering {
public:
  DeviceProgramLowering(func::FuncOp program, SymbolTable &symbols,
                        ArrayRef<func::FuncOp> engineKernels, bool reportsCalls)
      : ProgramLowering(program, symbols, reportsCalls),
        engineKernels(engineKernels) {}

private:
  void emitCall(func::CallOp call, bool wasChecked) override;
  void emitChecks(func::CallOp call) override;
  void emitCopy(Value target, Value source, Value bytes) override;
  Value emitGlobal(memref::GetGlobalOp op) override;
  bool hasChecks(func::CallOp call) override {
    DeviceKernelAttr kernel = getDeviceKernel(call);
    return kernel && kernel.hasChecks();
  }
  SmallVector<int64_t> getChecked(func::CallOp call) override;
  std::unique_ptr<ProgramLowering> createForLoop(func::FuncOp body) override {
    return std::make_unique<DeviceProgramLowering>(body, symbols, engineKernels,
                                                   reportsCalls);
  }

  func::FuncOp getKernel(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }
  /// Null if an engine computes the kernel.
  DeviceKernelAttr getDeviceKernel(func::CallOp call) const {
    return getKernel(call)->getAttrOfType<DeviceKernelAttr>(
        HamKaasDialect::deviceKernelAttrName);
  }
  void launch(func::CallOp call, int64_t number);
  Value callRuntime(Type result, size_t function, ValueRange operands);

  ArrayRef<func::FuncOp> engineKernels;
};

} // namespace

/// Calls the function at that offset in the execution for its device.
Value DeviceProgramLowering::callRuntime(Type result, size_t function,
                                         ValueRange operands) {
  SmallVector<Value> all = {
      loadPointer(execution, function),
      loadPointer(execution, offsetof(HamKaasExecution, device))};
  all.append(operands.begin(), operands.end());
  SmallVector<Type> types(ValueRange(all).drop_front().getTypes());
  return LLVM::CallOp::create(builder,
                              LLVM::LLVMFunctionType::get(result, types), all)
      .getResult();
}

/// Launches that function of the device code.
void DeviceProgramLowering::launch(func::CallOp call, int64_t number) {
  Type i32 = builder.getI32Type();
  Value kernel = LLVM::ConstantOp::create(builder, i32, number);
  Value index = constant(reportsCalls ? getCallIndex(call) : -1);
  returnOnFailure(callRuntime(i32, offsetof(HamKaasExecution, launch),
                              {kernel, arguments, index}));
}

void DeviceProgramLowering::emitChecks(func::CallOp call) {
  launch(call, getDeviceKernel(call).getChecks());
}

void DeviceProgramLowering::emitCall(func::CallOp call, bool wasChecked) {
  if (func::FuncOp kernel = getKernel(call); getEngine(kernel))
    return emitEngineCall(call, kernel, engineKernels);
  if (hasChecks(call) && !wasChecked)
    emitChecks(call);
  launch(call, getDeviceKernel(call).getFunction());
}

SmallVector<int64_t> DeviceProgramLowering::getChecked(func::CallOp call) {
  return llvm::to_vector(getDeviceKernel(call).getChecked());
}

void DeviceProgramLowering::emitCopy(Value target, Value source, Value bytes) {
  returnOnFailure(callRuntime(builder.getI32Type(),
                              offsetof(HamKaasExecution, copy),
                              {target, source, bytes}));
}

Value DeviceProgramLowering::emitGlobal(memref::GetGlobalOp op) {
  std::string name = ("name_" + op.getName()).str();
  if (!symbols.lookup(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(program);
    std::string text = op.getName().str() + '\0';
    auto data = LLVM::GlobalOp::create(
        builder, LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        builder.getStringAttr(text));
    symbols.insert(data);
  }
  Value address = LLVM::AddressOfOp::create(builder, pointer, name);
  return callRuntime(pointer, offsetof(HamKaasExecution, findConstant),
                     address);
}

namespace {

struct LowerDeviceProgram
    : hamkaas::impl::LowerDeviceProgramBase<LowerDeviceProgram> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> engineKernels = findEngineKernels(getOperation());
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries) || failed(verifyPrograms()) ||
        failed(verifyKernels(symbols)))
      return signalPassFailure();
    if (auto prepare = symbols.lookup<func::FuncOp>(prepareName))
      if (failed(DeviceProgramLowering(prepare, symbols, engineKernels,
                                       /*reportsCalls=*/false)
                     .lower(devicePrepareSymbol)))
        return signalPassFailure();
    for (auto [i, entry] : llvm::enumerate(*entries))
      if (failed(DeviceProgramLowering(entry, symbols, engineKernels,
                                       /*reportsCalls=*/true)
                     .lower(getRunSymbol(deviceRunSymbol, i))))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (isa<memref::GlobalOp, func::FuncOp>(op))
        op.erase();
  }

private:
  /// Conditions that the lowering relies on. It refuses operations that it does
  /// not know.
  /// NOTE: not the form PLANNED as a whole, as kernels have no body here, and
  /// their operands may be other views by now.
  LogicalResult verifyPrograms() {
    for (auto program : getOperation().getOps<func::FuncOp>())
      if (getProgramSignature(program) && failed(verifyProgram(program)))
        return failure();
    return success();
  }

  static LogicalResult verifyProgram(func::FuncOp program) {
    if (!program.getBody().hasOneBlock())
      return program.emitError("expected one block");
    for (BlockArgument argument : program.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type || !type.getElementType().isInteger(8) || !getRegion(argument))
        return program.emitError("expected argument ")
               << argument.getArgNumber()
               << " to be the bytes of a region, got " << argument.getType();
    }
    return success();
  }

  static bool isOfDevice(func::FuncOp kernel) {
    return kernel->hasAttr(HamKaasDialect::deviceKernelAttrName) ||
           getEngine(kernel);
  }

  LogicalResult verifyKernels(const SymbolTable &symbols) {
    WalkResult result = getOperation().walk([&](func::CallOp call) {
      if (call->getParentOfType<func::FuncOp>()->hasAttr(
              HamKaasDialect::kernelAttrName))
        return WalkResult::advance();
      auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
      bool isNumbered = call->hasAttr(HamKaasDialect::callIndexAttrName);
      if (kernel && isOfDevice(kernel) && isNumbered)
        return WalkResult::advance();
      if (isNumbered)
        call.emitError("expected @")
            << call.getCallee() << " to be a kernel of the device code";
      else
        call.emitError("expected the attribute ")
            << HamKaasDialect::callIndexAttrName << " on the call of @"
            << call.getCallee();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
