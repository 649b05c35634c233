//===- LowerProgram.cpp - @main and @prepare for the CPU --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "ProgramLowering.h"
#include "hamkaas-c/Program.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERPROGRAM
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Calls kernels as functions, or lets the thread pool run their tiles.
class CpuProgramLowering : public ProgramLowering {
public:
  CpuProgramLowering(func::FuncOp program, SymbolTable &symbols,
                     int64_t threadFlops, int64_t threadBytes,
                     ArrayRef<func::FuncOp> engineKernels, bool reportsCalls)
      : ProgramLowering(program, symbols, reportsCalls),
        threadFlops(threadFlops), threadBytes(threadBytes),
        engineKernels(engineKernels) {}

private:
  void emitCall(func::CallOp call, bool wasChecked) override;
  void emitChecks(func::CallOp call) override;
  void emitCopy(Value target, Value source, Value bytes) override;
  Value emitGlobal(memref::GetGlobalOp op) override;
  bool hasChecks(func::CallOp call) override;
  SmallVector<int64_t> getChecked(func::CallOp call) override;
  std::unique_ptr<ProgramLowering> createForLoop(func::FuncOp body) override {
    return std::make_unique<CpuProgramLowering>(
        body, symbols, threadFlops, threadBytes, engineKernels, reportsCalls);
  }

  func::FuncOp getKernel(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(
        (call.getCallee() + kernelBodySuffix).str());
  }
  bool isWorthThreads(func::CallOp call, int64_t tiles) const;
  /// Where a check that fails leaves its values.
  Value getFailedValues() {
    return offsetAddress(execution, offsetof(HamKaasExecution, failure) +
                                        offsetof(HamKaasFailure, values));
  }
  void emitTiles(func::CallOp call, bool wasChecked);
  void reportCallDone(func::CallOp call);

  int64_t threadFlops, threadBytes;
  ArrayRef<func::FuncOp> engineKernels;
};

} // namespace

Value CpuProgramLowering::emitGlobal(memref::GetGlobalOp op) {
  auto global = symbols.lookup<memref::GlobalOp>(op.getName());
  std::string name = ("constant_" + op.getName()).str();
  if (!symbols.lookup(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(global);
    MemRefType type = global.getType();
    auto elements = cast<DenseElementsAttr>(*global.getInitialValue())
                        .reshape(RankedTensorType::get(type.getNumElements(),
                                                       type.getElementType()));
    auto data = LLVM::GlobalOp::create(
        builder,
        LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, elements);
    symbols.insert(data);
  }
  return LLVM::AddressOfOp::create(builder, pointer, name);
}

void CpuProgramLowering::emitCopy(Value target, Value source, Value bytes) {
  LLVM::MemcpyOp::create(builder, target, source, bytes, /*isVolatile=*/false);
}

bool CpuProgramLowering::hasChecks(func::CallOp call) {
  return !getKernel(call).getOps<CheckOp>().empty();
}

SmallVector<int64_t> CpuProgramLowering::getChecked(func::CallOp call) {
  return llvm::to_vector(getCheckedArguments(getKernel(call)));
}

/// A call for no tiles runs the checks alone.
void CpuProgramLowering::emitChecks(func::CallOp call) {
  Value none = constant(0);
  returnOnFailure(
      LLVM::CallOp::create(builder, builder.getI32Type(), call.getCallee(),
                           ValueRange{arguments, none, none, getFailedValues()})
          .getResult(),
      call);
}

/// Returns whether the checks of `kernel` go through many values.
static bool hasCheckLoops(func::FuncOp kernel) {
  return llvm::any_of(getCheckSlice(kernel),
                      [](Operation *op) { return isa<scf::ForOp>(op); });
}

void CpuProgramLowering::emitCall(func::CallOp call, bool wasChecked) {
  if (func::FuncOp kernel = getKernel(call); getEngine(kernel))
    emitEngineCall(call, kernel, engineKernels);
  else
    emitTiles(call, wasChecked);
  if (reportsCalls)
    reportCallDone(call);
}

/// Checks of many values are made once, not in each call for some tiles.
void CpuProgramLowering::emitTiles(func::CallOp call, bool wasChecked) {
  bool checksFirst = hasChecks(call) && hasCheckLoops(getKernel(call));
  if (checksFirst && !wasChecked)
    emitChecks(call);
  Type i32 = builder.getI32Type();
  auto tilesAttr = getKernel(call)->getAttrOfType<IntegerAttr>(
      HamKaasDialect::tilesAttrName);
  int64_t tiles = tilesAttr ? tilesAttr.getInt() : 1;
  Value count = constant(tiles);
  Value values =
      checksFirst ? LLVM::ZeroOp::create(builder, pointer) : getFailedValues();
  Value status;
  if (isWorthThreads(call, tiles)) {
    auto type = LLVM::LLVMFunctionType::get(
        i32, {pointer, pointer, pointer, count.getType(), pointer});
    Value address =
        LLVM::AddressOfOp::create(builder, pointer, call.getCallee());
    Value parallelFor =
        loadPointer(execution, offsetof(HamKaasExecution, parallelFor));
    Value pool = loadPointer(execution, offsetof(HamKaasExecution, pool));
    status = LLVM::CallOp::create(builder, type,
                                  ValueRange{parallelFor, pool, address,
                                             arguments, count, values})
                 .getResult();
  } else {
    status =
        LLVM::CallOp::create(builder, i32, call.getCallee(),
                             ValueRange{arguments, constant(0), count, values})
            .getResult();
  }
  if (hasChecks(call) && !checksFirst)
    returnOnFailure(status, call);
}

/// A load and a branch a call, which a profile needs and nobody else notices.
void CpuProgramLowering::reportCallDone(func::CallOp call) {
  Value callDone = loadPointer(execution, offsetof(HamKaasExecution, callDone));
  Block *current = builder.getInsertionBlock();
  Region *region = current->getParent();
  Block *report = builder.createBlock(region);
  Block *rest = builder.createBlock(region);

  builder.setInsertionPointToEnd(current);
  Value null = LLVM::ZeroOp::create(builder, pointer);
  Value isWanted =
      LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, callDone, null);
  LLVM::CondBrOp::create(builder, isWanted, report, rest);

  builder.setInsertionPointToStart(report);
  Value profile = loadPointer(execution, offsetof(HamKaasExecution, profile));
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, builder.getI64Type()});
  LLVM::CallOp::create(
      builder, type,
      ValueRange{callDone, profile, constant(getCallIndex(call))});
  LLVM::BrOp::create(builder, rest);
  builder.setInsertionPointToStart(rest);
}

/// A kernel of 10 µs gains from a second thread, one of 2 µs loses. Decided
/// here, so that the same program does the same on every run.
bool CpuProgramLowering::isWorthThreads(func::CallOp call,
                                        int64_t tiles) const {
  if (tiles < 2)
    return false;
  int64_t bytes = 0;
  for (Value operand : call.getOperands())
    bytes += getByteCount(operand.getType());
  auto flops = call->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName);
  return bytes >= threadBytes || (flops && flops.getInt() >= threadFlops);
}

namespace {

struct LowerProgram : hamkaas::impl::LowerProgramBase<LowerProgram> {
  using LowerProgramBase::LowerProgramBase;

  void runOnOperation() override {
    // Everything below relies on the form.
    OpPassManager check(ModuleOp::getOperationName());
    check.addPass(createVerifyPlanned());
    if (failed(runPipeline(check, getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> engineKernels = findEngineKernels(getOperation());
    markPrepared();
    declareKernels();
    SymbolTable symbols(getOperation());
    if (auto prepare = symbols.lookup<func::FuncOp>(prepareName))
      if (failed(CpuProgramLowering(prepare, symbols, threadFlops, threadBytes,
                                    engineKernels, /*reportsCalls=*/false)
                     .lower(prepareSymbol)))
        return signalPassFailure();
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return signalPassFailure();
    for (auto [i, entry] : llvm::enumerate(*entries))
      if (failed(CpuProgramLowering(entry, symbols, threadFlops, threadBytes,
                                    engineKernels, /*reportsCalls=*/true)
                     .lower(getRunSymbol(runSymbol, i))))
        return signalPassFailure();
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      global.erase();
    // The library has their code.
    for (func::FuncOp kernel : engineKernels)
      kernel.erase();
  }

private:
  /// Marks the kernels that @prepare alone calls: there, compile time counts
  /// more than run time.
  void markPrepared() {
    llvm::DenseSet<StringAttr> prepared, others;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto &callees = function.getSymName() == prepareName ? prepared : others;
      function.walk([&](func::CallOp call) {
        callees.insert(call.getCalleeAttr().getAttr());
      });
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (prepared.contains(kernel.getSymNameAttr()) &&
          !others.contains(kernel.getSymNameAttr()))
        kernel->setAttr(HamKaasDialect::runsOnceAttrName,
                        UnitAttr::get(&getContext()));
  }

  void declareKernels() {
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i64, i64, pointer});
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp kernel : functions) {
      if (!kernel->hasAttr(HamKaasDialect::kernelAttrName))
        continue;
      std::string name = kernel.getSymName().str();
      kernel.setSymName((name + kernelBodySuffix).str());
      if (!getEngine(kernel))
        LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
    }
  }
};

} // namespace
