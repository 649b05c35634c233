//===- ProgramLowering.cpp - @main and @prepare to LLVM ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramLowering.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "hamkaas-c/Program.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;
using namespace hamkaas;

ProgramLowering::ProgramLowering(func::FuncOp program, SymbolTable &symbols,
                                 bool reportsCalls)
    : program(program), symbols(symbols), reportsCalls(reportsCalls),
      builder(program.getLoc(), program) {
  pointer = LLVM::LLVMPointerType::get(builder.getContext());
}

LogicalResult ProgramLowering::lower(StringRef name) {
  ProgramSignature signature = *getProgramSignature(program);
  SmallVector<Type> types(
      1 + signature.tables.size() + signature.regions.size(), pointer);
  auto function = LLVM::LLVMFuncOp::create(
      builder, name, LLVM::LLVMFunctionType::get(builder.getI32Type(), types),
      isLoop() ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  bindArguments(function, signature);

  Block &body = program.getBody().front();
  for (auto view : body.getOps<memref::ViewOp>())
    if (failed(lowerView(view)))
      return failure();
  for (auto global : body.getOps<memref::GetGlobalOp>())
    places[global] = {emitGlobal(global), std::nullopt, 0};
  // The kernels in the body of a loop check what they read themselves.
  if (!isLoop())
    lowerChecks();
  for (Operation &op : body)
    if (failed(lowerOp(op)))
      return failure();
  program.erase();
  return success();
}

/// Returns whether a kernel has code for a feature of the processor.
bool ProgramLowering::readsFeatures() const {
  return symbols.getOp()
      ->walk([](HasCpuFeatureOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void ProgramLowering::bindArguments(LLVM::LLVMFuncOp function,
                                    const ProgramSignature &signature) {
  execution = function.getArgument(0);
  unsigned operands = 1;
  for (Operation &op : program.getBody().front())
    if (isa<func::CallOp, RepeatOp>(op))
      operands = std::max(operands, op.getNumOperands());
  bool hasFeatures = readsFeatures();
  arguments = LLVM::AllocaOp::create(builder, pointer, pointer,
                                     constant(operands + hasFeatures));
  if (hasFeatures) {
    Value features =
        loadPointer(execution, offsetof(HamKaasExecution, features));
    LLVM::StoreOp::create(builder, features, arguments);
    arguments = offsetAddress(arguments, sizeof(void *));
  }

  std::map<MemoryRegion, Value> bases;
  for (auto [i, region] : llvm::enumerate(llvm::concat<const MemoryRegion>(
           signature.tables, signature.regions)))
    bases[region] = function.getArgument(1 + i);
  std::map<MemoryRegion, int64_t> counts;
  for (BlockArgument argument : program.getArguments()) {
    MemoryRegion region = *getRegion(argument);
    places[argument] = {bases.at(region), std::nullopt, 0};
    if (signature.hasTable(region))
      places[argument].entry = counts[region]++;
  }
}

/// The region that `buffer` is a part of; nothing for a global.
static std::optional<MemoryRegion> findRegion(Value buffer) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  return view ? getRegion(cast<BlockArgument>(view.getSource())) : std::nullopt;
}

/// Returns whether what the checks of `call` read has its value when the run
/// begins.
bool ProgramLowering::isKnownBefore(func::CallOp call, bool stateWritten) {
  return llvm::all_of(getChecked(call), [&](int64_t argument) {
    return hamkaas::isKnownBefore(findRegion(call.getOperand(argument)),
                                  stateWritten);
  });
}

/// The kernel of a call, which has another name once it has an entry.
static func::FuncOp findKernel(func::CallOp call, const SymbolTable &symbols) {
  if (auto kernel = symbols.lookup<func::FuncOp>(call.getCallee()))
    return kernel;
  return symbols.lookup<func::FuncOp>(
      (call.getCallee() + kernelBodySuffix).str());
}

/// Runs the checks before anything is written, so that a run that fails leaves
/// state and outputs as they were. What depends on values that the run itself
/// computes is checked by the kernel alone.
void ProgramLowering::lowerChecks() {
  bool stateWritten = false;
  auto isState = [](Value buffer) {
    return findRegion(buffer) == MemoryRegion::State;
  };
  for (Operation &op : program.getBody().front()) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      stateWritten |= isState(copy.getTarget());
    if (auto repeat = dyn_cast<RepeatOp>(op))
      stateWritten |= llvm::any_of(repeat.getDpsInits(), isState);
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      continue;
    if (hasChecks(call) && isKnownBefore(call, stateWritten)) {
      builder.setLoc(call.getLoc());
      storeArguments(call);
      emitChecks(call);
      checkedBefore.insert(call);
    }
    stateWritten |=
        llvm::any_of(getWritten(call, findKernel(call, symbols)), isState);
  }
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
  Place place = places.at(view.getSource());
  place.offset += offset.getSExtValue();
  places[view] = place;
  return success();
}

/// Emits the address at each use. Computed up front, all addresses would be
/// live at once, and LLVM would spend its time on spilling them.
Value ProgramLowering::getAddress(Value buffer) {
  auto [base, entry, offset] = places.at(buffer);
  if (entry)
    base = loadPointer(base, *entry * sizeof(void *));
  return offsetAddress(base, offset);
}

void ProgramLowering::lowerCopy(memref::CopyOp copy) {
  Value target = getAddress(copy.getTarget());
  Value source = getAddress(copy.getSource());
  emitCopy(target, source, constant(getByteCount(copy.getSource().getType())));
}

void ProgramLowering::storeArguments(func::CallOp call) {
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    storeArgument(getAddress(operand), i);
}

void ProgramLowering::lowerCall(func::CallOp call) {
  storeArguments(call);
  emitCall(call, checkedBefore.contains(call));
}

void ProgramLowering::emitEngineCall(func::CallOp call, func::FuncOp kernel,
                                     ArrayRef<func::FuncOp> engineKernels) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i32, pointer, i64});
  Value callEngine =
      loadPointer(execution, offsetof(HamKaasExecution, callEngine));
  Value number = LLVM::ConstantOp::create(
      builder, i32,
      std::distance(engineKernels.begin(), llvm::find(engineKernels, kernel)));
  Value index = constant(reportsCalls ? getCallIndex(call) : -1);
  // The runtime has a message; no check failed.
  returnOnFailure(LLVM::CallOp::create(builder, type,
                                       ValueRange{callEngine, execution, number,
                                                  arguments, index})
                      .getResult());
}

int64_t ProgramLowering::getCallIndex(func::CallOp call) {
  auto index =
      call->getAttrOfType<IntegerAttr>(HamKaasDialect::callIndexAttrName);
  assert(index && "hamkaas-plan-memory numbers all calls");
  return index.getInt();
}

/// The argument that `buffer` is all of, if any.
static BlockArgument getWhole(Value buffer) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  if (!view || !matchPattern(view.getByteShift(), m_Zero()) ||
      getByteCount(view.getType()) != getByteCount(view.getSource().getType()))
    return {};
  return dyn_cast<BlockArgument>(view.getSource());
}

/// Returns whether the step of `use` may write to it.
static bool mayWriteTo(OpOperand &use, const SymbolTable &symbols) {
  auto call = dyn_cast<func::CallOp>(use.getOwner());
  return !call || llvm::is_contained(
                      getWritten(call, findKernel(call, symbols)), use.get());
}

/// Returns whether `copy` is the last step of a loop's body that uses its
/// operands, and the only one that writes to its target.
static bool isLastUse(memref::CopyOp copy, BlockArgument source,
                      BlockArgument target, const SymbolTable &symbols) {
  auto uses = [](BlockArgument argument) {
    SmallVector<OpOperand *> found;
    for (Operation *view : argument.getUsers())
      for (OpOperand &use : view->getUses())
        found.push_back(&use);
    return found;
  };
  auto isBefore = [&](OpOperand *use) {
    return use->getOwner() == copy || use->getOwner()->isBeforeInBlock(copy);
  };
  return llvm::all_of(uses(source), isBefore) &&
         llvm::all_of(uses(target), [&](OpOperand *use) {
           return isBefore(use) &&
                  (use->getOwner() == copy || !mayWriteTo(*use, symbols));
         });
}

/// Erases copies at the end of `body` from rows of outputs to carried values,
/// which are then the rows of the step before.
static SmallVector<std::pair<unsigned, OpOperand *>>
forwardRows(RepeatOp repeat, func::FuncOp body, const SymbolTable &symbols) {
  SmallVector<std::pair<unsigned, OpOperand *>> forwarded;
  for (auto copy :
       llvm::make_early_inc_range(body.getBody().getOps<memref::CopyOp>())) {
    BlockArgument source = getWhole(copy.getSource());
    BlockArgument target = getWhole(copy.getTarget());
    if (!source || !target || getRegion(source) != MemoryRegion::Output ||
        getRegion(target) != MemoryRegion::State ||
        !isLastUse(copy, source, target, symbols))
      continue;
    forwarded.push_back(
        {target.getArgNumber(), &repeat->getOpOperand(source.getArgNumber())});
    copy->erase();
  }
  return forwarded;
}

LogicalResult ProgramLowering::lowerRepeat(RepeatOp repeat) {
  auto body = symbols.lookup<func::FuncOp>(repeat.getCallee());
  assert(body && "a loop is lowered once, by its only repeat");
  forwarded = forwardRows(repeat, body, symbols);
  std::string name = ("hamkaas_" + repeat.getCallee()).str();
  std::unique_ptr<ProgramLowering> lowering = createForLoop(body);
  if (failed(lowering->lower(name)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(repeat->getOpOperands()))
    if (!repeat.isRow(operand))
      storeArgument(getAddress(operand.get()), i);
  repeatBody(repeat, name);
  Value last = constant(repeat.getReversed() ? 0 : repeat.getSteps() - 1);
  for (auto [number, output] : forwarded) {
    Value carried = repeat->getOperand(number);
    Value target = getAddress(carried);
    Value source = getRow(repeat, *output, last);
    emitCopy(target, source, constant(getByteCount(carried.getType())));
  }
  return success();
}

/// The address of row number `row` of an operand.
Value ProgramLowering::getRow(RepeatOp repeat, OpOperand &operand, Value row) {
  uint64_t bytes = getByteCount(operand.get().getType());
  assert(bytes % repeat.getSteps() == 0 && "each step has a row of its own");
  Value offset =
      LLVM::MulOp::create(builder, row, constant(bytes / repeat.getSteps()));
  return LLVM::GEPOp::create(builder, pointer, builder.getI8Type(),
                             getAddress(operand.get()), offset);
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
  for (auto [i, operand] : llvm::enumerate(repeat->getOpOperands()))
    if (repeat.isRow(operand))
      storeArgument(getRow(repeat, operand, row), i);
  if (!forwarded.empty()) {
    Value isFirst = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::eq, step,
                                         constant(0));
    Value before = LLVM::AddOp::create(builder, row,
                                       constant(repeat.getReversed() ? 1 : -1));
    for (auto [number, output] : forwarded) {
      Value carried = getAddress(repeat->getOperand(number));
      Value rowBefore = getRow(repeat, *output, before);
      storeArgument(
          LLVM::SelectOp::create(builder, isFirst, carried, rowBefore), number);
    }
  }
  size_t inputs = repeat.getRows().size() + repeat.getValues().size();
  size_t states = inputs + repeat.getCarried().size();
  returnOnFailure(
      LLVM::CallOp::create(
          builder, builder.getI32Type(), body,
          ValueRange{execution, arguments,
                     offsetAddress(arguments, inputs * sizeof(void *)),
                     offsetAddress(arguments, states * sizeof(void *)),
                     getAddress(repeat.getWorkspace())})
          .getResult());
}

void ProgramLowering::returnOnFailure(Value status, func::CallOp call) {
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
  if (call)
    LLVM::StoreOp::create(
        builder, constant(getCallIndex(call)),
        offsetAddress(execution, offsetof(HamKaasExecution, failure) +
                                     offsetof(HamKaasFailure, call)));
  LLVM::ReturnOp::create(builder, status);
  builder.setInsertionPointToStart(rest);
}
