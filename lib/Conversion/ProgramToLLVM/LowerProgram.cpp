//===- LowerProgram.cpp - The program as LLVM functions ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "hamkaas-c/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERPROGRAM
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Lowers one of the functions `@main` and `@prepare`.
class ProgramLowering {
public:
  /// `reportsCalls` if the calls of `program` are those of the program's table,
  /// from `firstCall` on.
  ProgramLowering(func::FuncOp program, SymbolTable &symbols,
                  int64_t threadFlops, int64_t threadBytes, bool reportsCalls,
                  int64_t firstCall = 0)
      : program(program), symbols(symbols), threadFlops(threadFlops),
        threadBytes(threadBytes), reportsCalls(reportsCalls),
        builder(program.getLoc(), program), callIndex(firstCall) {
    pointer = LLVM::LLVMPointerType::get(builder.getContext());
  }

  /// `tables` and `regions` are the values of `hamkaas.region` that the
  /// function's arguments stand for, after the execution: first those with one
  /// address a tensor, then those with one address.
  LogicalResult lower(StringRef name, ArrayRef<StringRef> tables,
                      ArrayRef<StringRef> regions);

  /// Index of the next call in the program's table.
  int64_t getCallIndex() const { return callIndex; }

private:
  void bindArguments(LLVM::LLVMFuncOp function, ArrayRef<StringRef> tables,
                     ArrayRef<StringRef> regions);
  void lowerChecks();
  bool isKnownBefore(func::CallOp call, bool stateWritten);
  LogicalResult lowerOp(Operation &op);
  LogicalResult lowerView(memref::ViewOp view);
  void lowerGlobal(memref::GetGlobalOp op);
  void lowerCopy(memref::CopyOp copy);
  void lowerCall(func::CallOp call);
  LogicalResult lowerRepeat(RepeatOp repeat);
  void repeatBody(RepeatOp repeat, StringRef body);
  void callBody(RepeatOp repeat, StringRef body, Value step);
  int64_t countCalls(func::FuncOp function) const;
  func::FuncOp getKernel(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>((call.getCallee() + "_body").str());
  }
  StringRef getRegion(Value buffer);
  void storeArguments(func::CallOp call);
  void returnOnFailure(Value status, bool wasNoted = false);
  void reportCallDone();

  bool isWorthThreads(func::CallOp call, int64_t tiles) const;
  static bool hasCheck(func::FuncOp kernel);
  bool isLoop() const { return program->hasAttr(HamKaasDialect::loopAttrName); }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, builder.getI64Type(), value);
  }
  Value offsetAddress(Value base, int64_t bytes) {
    return bytes == 0
               ? base
               : LLVM::GEPOp::create(builder, pointer, builder.getI8Type(),
                                     base, constant(bytes));
  }
  Value loadPointer(Value base, int64_t bytes) {
    return LLVM::LoadOp::create(builder, pointer, offsetAddress(base, bytes));
  }

  func::FuncOp program;
  SymbolTable &symbols;
  int64_t threadFlops, threadBytes;
  bool reportsCalls;
  ImplicitLocOpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Value execution, values, arguments;
  /// Address of each buffer.
  DenseMap<Value, Value> addresses;
  int64_t callIndex;
};

} // namespace

LogicalResult ProgramLowering::lower(StringRef name, ArrayRef<StringRef> tables,
                                     ArrayRef<StringRef> regions) {
  SmallVector<Type> types(1 + tables.size() + regions.size(), pointer);
  auto function = LLVM::LLVMFuncOp::create(
      builder, name, LLVM::LLVMFunctionType::get(builder.getI32Type(), types),
      isLoop() ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  bindArguments(function, tables, regions);

  Block &body = program.getBody().front();
  for (auto view : body.getOps<memref::ViewOp>())
    if (failed(lowerView(view)))
      return failure();
  for (auto global : body.getOps<memref::GetGlobalOp>())
    lowerGlobal(global);
  // The kernels in the body of a loop check what they read themselves.
  if (!isLoop())
    lowerChecks();
  for (Operation &op : body)
    if (failed(lowerOp(op)))
      return failure();
  program.erase();
  return success();
}

void ProgramLowering::bindArguments(LLVM::LLVMFuncOp function,
                                    ArrayRef<StringRef> tables,
                                    ArrayRef<StringRef> regions) {
  execution = function.getArgument(0);
  values = offsetAddress(execution, offsetof(HamKaasExecution, failure) +
                                        offsetof(HamKaasFailure, values));
  unsigned operands = 1;
  for (Operation &op : program.getBody().front())
    if (isa<func::CallOp, RepeatOp>(op))
      operands = std::max(operands, op.getNumOperands());
  arguments =
      LLVM::AllocaOp::create(builder, pointer, pointer, constant(operands));

  llvm::StringMap<Value> bases;
  for (auto [i, region] :
       llvm::enumerate(llvm::concat<const StringRef>(tables, regions)))
    bases[region] = function.getArgument(1 + i);
  llvm::StringMap<int64_t> counts;
  for (BlockArgument argument : program.getArguments()) {
    StringRef region =
        program
            .getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                          HamKaasDialect::regionAttrName)
            .getValue();
    Value base = bases.at(region);
    addresses[argument] =
        llvm::is_contained(tables, region)
            ? loadPointer(base, counts[region]++ * sizeof(void *))
            : base;
  }
}

/// The value of `hamkaas.region` of the argument that `buffer` is a part of;
/// empty for a global.
StringRef ProgramLowering::getRegion(Value buffer) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  if (!view)
    return "";
  auto argument = cast<BlockArgument>(view.getSource());
  return program
      .getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                    HamKaasDialect::regionAttrName)
      .getValue();
}

/// Whether what the checks of `call` read has its value when the run begins.
bool ProgramLowering::isKnownBefore(func::CallOp call, bool stateWritten) {
  func::FuncOp kernel = getKernel(call);
  return llvm::all_of(getCheckedArguments(kernel), [&](int64_t argument) {
    StringRef region = getRegion(call.getOperand(argument));
    return region.empty() || region == "input" || region == "constants" ||
           (region == "state" && !stateWritten);
  });
}

/// Runs the checks before anything is written, so that a run that fails leaves
/// state and outputs as they were. What depends on values that the run itself
/// computes is checked by the kernel alone.
void ProgramLowering::lowerChecks() {
  bool stateWritten = false;
  callIndex = 0;
  for (Operation &op : program.getBody().front()) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      stateWritten |= getRegion(copy.getTarget()) == "state";
    if (auto repeat = dyn_cast<RepeatOp>(op)) {
      for (Value written : repeat.getDpsInits())
        stateWritten |= getRegion(written) == "state";
      callIndex +=
          countCalls(symbols.lookup<func::FuncOp>(repeat.getCallee()));
    }
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      continue;
    if (hasCheck(getKernel(call)) && isKnownBefore(call, stateWritten)) {
      builder.setLoc(call.getLoc());
      storeArguments(call);
      Value none = constant(0);
      returnOnFailure(
          LLVM::CallOp::create(builder, builder.getI32Type(), call.getCallee(),
                               ValueRange{arguments, none, none, values})
              .getResult());
    }
    stateWritten |= getRegion(call.getOperands().back()) == "state";
    ++callIndex;
  }
  callIndex = 0;
}

LogicalResult ProgramLowering::lowerOp(Operation &op) {
  builder.setLoc(op.getLoc());
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    lowerCopy(copy);
  else if (auto call = dyn_cast<func::CallOp>(op))
    lowerCall(call);
  else if (auto repeat = dyn_cast<RepeatOp>(op))
    return lowerRepeat(repeat);
  else if (isa<func::ReturnOp>(op))
    LLVM::ReturnOp::create(
        builder, Value(LLVM::ConstantOp::create(builder, builder.getI32Type(),
                                                int64_t(0))));
  else if (!isa<memref::ViewOp, memref::GetGlobalOp>(op) &&
           !matchPattern(&op, m_Constant()))
    return op.emitError("expected the form PLANNED, got ") << op.getName();
  return success();
}

LogicalResult ProgramLowering::lowerView(memref::ViewOp view) {
  builder.setLoc(view.getLoc());
  APInt offset;
  if (!matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
    return view.emitError("expected a constant offset");
  addresses[view] =
      offsetAddress(addresses.at(view.getSource()), offset.getSExtValue());
  return success();
}

void ProgramLowering::lowerGlobal(memref::GetGlobalOp op) {
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
  addresses[op] = LLVM::AddressOfOp::create(builder, pointer, name);
}

void ProgramLowering::lowerCopy(memref::CopyOp copy) {
  int64_t bytes = getByteCount(copy.getSource().getType());
  LLVM::MemcpyOp::create(builder, addresses.at(copy.getTarget()),
                         addresses.at(copy.getSource()), constant(bytes),
                         /*isVolatile=*/false);
}

void ProgramLowering::storeArguments(func::CallOp call) {
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    LLVM::StoreOp::create(builder, addresses.at(operand),
                          offsetAddress(arguments, i * sizeof(void *)));
}

void ProgramLowering::lowerCall(func::CallOp call) {
  func::FuncOp kernel = getKernel(call);
  storeArguments(call);
  Type i32 = builder.getI32Type();
  auto tilesAttr =
      kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName);
  int64_t tiles = tilesAttr ? tilesAttr.getInt() : 1;
  Value count = constant(tiles);
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
  if (hasCheck(kernel))
    returnOnFailure(status);
  if (reportsCalls)
    reportCallDone();
  ++callIndex;
}

/// The calls in `function` and in the loops it repeats.
int64_t ProgramLowering::countCalls(func::FuncOp function) const {
  int64_t count = 0;
  for (Operation &op : function.getBody().front()) {
    count += isa<func::CallOp>(op);
    if (auto repeat = dyn_cast<RepeatOp>(op))
      count += countCalls(symbols.lookup<func::FuncOp>(repeat.getCallee()));
  }
  return count;
}

LogicalResult ProgramLowering::lowerRepeat(RepeatOp repeat) {
  auto body = symbols.lookup<func::FuncOp>(repeat.getCallee());
  std::string name = ("hamkaas_" + repeat.getCallee()).str();
  ProgramLowering lowering(body, symbols, threadFlops, threadBytes,
                           reportsCalls, callIndex);
  if (failed(lowering.lower(name, {"input", "state", "output"}, {"workspace"})))
    return failure();
  callIndex = lowering.getCallIndex();
  for (auto [i, operand] : llvm::enumerate(repeat->getOpOperands()))
    if (!repeat.isRow(operand))
      LLVM::StoreOp::create(builder, addresses.at(operand.get()),
                            offsetAddress(arguments, i * sizeof(void *)));
  repeatBody(repeat, name);
  return success();
}

/// A loop over the steps, at least one of them.
void ProgramLowering::repeatBody(RepeatOp repeat, StringRef body) {
  Block *current = builder.getInsertionBlock();
  Region *region = current->getParent();
  Block *loop = builder.createBlock(region, region->end(), builder.getI64Type(),
                                    repeat.getLoc());
  Block *rest = builder.createBlock(region);
  builder.setInsertionPointToEnd(current);
  LLVM::BrOp::create(builder, constant(0), loop);

  builder.setInsertionPointToStart(loop);
  Value step = loop->getArgument(0);
  callBody(repeat, body, step);
  Value next = LLVM::AddOp::create(builder, step, constant(1));
  Value goesOn = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, next,
                                      constant(repeat.getSteps()));
  LLVM::CondBrOp::create(builder, goesOn, loop, next, rest, ValueRange());
  builder.setInsertionPointToStart(rest);
}

void ProgramLowering::callBody(RepeatOp repeat, StringRef body, Value step) {
  Value row = step;
  if (repeat.getReversed())
    row = LLVM::SubOp::create(builder, constant(repeat.getSteps() - 1), step);
  for (auto [i, operand] : llvm::enumerate(repeat->getOpOperands())) {
    if (!repeat.isRow(operand))
      continue;
    int64_t bytes = getByteCount(operand.get().getType()) / repeat.getSteps();
    Value offset = LLVM::MulOp::create(builder, row, constant(bytes));
    LLVM::StoreOp::create(
        builder,
        LLVM::GEPOp::create(builder, pointer, builder.getI8Type(),
                            addresses.at(operand.get()), offset),
        offsetAddress(arguments, i * sizeof(void *)));
  }
  size_t inputs = repeat.getRows().size() + repeat.getValues().size();
  size_t states = inputs + repeat.getCarried().size();
  returnOnFailure(
      LLVM::CallOp::create(
          builder, builder.getI32Type(), body,
          ValueRange{execution, arguments,
                     offsetAddress(arguments, inputs * sizeof(void *)),
                     offsetAddress(arguments, states * sizeof(void *)),
                     addresses.at(repeat.getWorkspace())})
          .getResult(),
      /*wasNoted=*/true);
}

/// A load and a branch a call, which a profile needs and nobody else notices.
void ProgramLowering::reportCallDone() {
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
  LLVM::CallOp::create(builder, type,
                       ValueRange{callDone, profile, constant(callIndex)});
  LLVM::BrOp::create(builder, rest);
  builder.setInsertionPointToStart(rest);
}

/// `wasNoted` if the failing call has left its index.
void ProgramLowering::returnOnFailure(Value status, bool wasNoted) {
  Block *current = builder.getInsertionBlock();
  Region *region = current->getParent();
  Block *failed = builder.createBlock(region);
  Block *rest = builder.createBlock(region);

  builder.setInsertionPointToEnd(current);
  Value zero =
      LLVM::ConstantOp::create(builder, builder.getI32Type(), int64_t(0));
  Value isFailure =
      LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ne, status, zero);
  LLVM::CondBrOp::create(builder, isFailure, failed, rest);

  builder.setInsertionPointToStart(failed);
  if (!wasNoted)
    LLVM::StoreOp::create(
        builder, constant(callIndex),
        offsetAddress(execution, offsetof(HamKaasExecution, failure) +
                                     offsetof(HamKaasFailure, call)));
  LLVM::ReturnOp::create(builder, status);
  builder.setInsertionPointToStart(rest);
}

/// A kernel of 10 µs gains from a second thread, one of 2 µs loses. Decided
/// here, so that the same program does the same on every run.
bool ProgramLowering::isWorthThreads(func::CallOp call, int64_t tiles) const {
  if (tiles < 2)
    return false;
  int64_t bytes = 0;
  for (Value operand : call.getOperands())
    bytes += getByteCount(operand.getType());
  auto flops = call->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName);
  return bytes >= threadBytes || (flops && flops.getInt() >= threadFlops);
}

bool ProgramLowering::hasCheck(func::FuncOp kernel) {
  return kernel.walk([](CheckOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
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
    declareKernels();
    SymbolTable symbols(getOperation());
    if (auto prepare = symbols.lookup<func::FuncOp>("prepare"))
      if (failed(ProgramLowering(prepare, symbols, threadFlops, threadBytes,
                                 /*reportsCalls=*/false)
                     .lower("hamkaas_prepare", {"parameter"},
                            {"constants", "workspace"})))
        return signalPassFailure();
    auto main = symbols.lookup<func::FuncOp>("main");
    if (failed(ProgramLowering(main, symbols, threadFlops, threadBytes,
                               /*reportsCalls=*/true)
                   .lower("hamkaas_run", {"input", "output"},
                          {"constants", "state", "workspace"})))
      return signalPassFailure();
    for (auto global :
         llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>()))
      global.erase();
  }

private:
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
      kernel.setSymName(name + "_body");
      LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
    }
  }
};

} // namespace
