//===- LateChecks.cpp - Until when a run may fail ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateChecks.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

using namespace mlir;
using namespace hamkaas;

namespace {

class LateCheckFinder {
public:
  LateCheckFinder(const ProgramBuffers &buffers, const SymbolTable &symbols)
      : buffers(buffers), symbols(symbols) {}

  std::optional<size_t> findLast(StateChecks stateChecks);

private:
  /// A kernel and the places of what its checks read.
  using Check =
      std::pair<Operation *, std::vector<std::pair<const void *, int64_t>>>;

  struct Kernel {
    bool hasChecks = false;
    SmallVector<int64_t> checked = {};
  };

  const Kernel &getKernel(func::CallOp call);
  bool isLate(func::CallOp call, const Kernel &kernel) const;
  bool isLate(size_t step);
  bool wasMade(size_t step, func::CallOp call, const Kernel &kernel);
  bool hasChecks(RepeatOp repeat);
  void noteWrites(size_t step);

  const ProgramBuffers &buffers;
  const SymbolTable &symbols;
  bool stateWritten = false;
  DenseMap<Operation *, Kernel> kernels;
  /// The step that made each check last, and that wrote each buffer last.
  std::map<Check, size_t> made;
  DenseMap<Value, size_t> written;
};

} // namespace

static std::optional<MemoryRegion> findRegion(Value buffer) {
  if (buffer.getDefiningOp<memref::GetGlobalOp>())
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(buffer);
  std::optional<MemoryRegion> region;
  if (argument)
    region = getRegion(argument);
  return region ? region : MemoryRegion::Workspace;
}

const LateCheckFinder::Kernel &LateCheckFinder::getKernel(func::CallOp call) {
  auto function = symbols.lookup<func::FuncOp>(call.getCallee());
  auto [it, isNew] = kernels.try_emplace(function);
  if (isNew && function && !function.isExternal() &&
      hamkaas::hasChecks(function))
    it->second = {/*hasChecks=*/true,
                  llvm::to_vector(getCheckedArguments(function))};
  return it->second;
}

bool LateCheckFinder::isLate(func::CallOp call, const Kernel &kernel) const {
  return llvm::any_of(kernel.checked, [&](int64_t argument) {
    Value buffer = buffers.getView(call.getOperand(argument)).buffer;
    return !isKnownBefore(findRegion(buffer), stateWritten);
  });
}

/// Returns whether the same kernel has checked the same values at a step
/// before. Notes that it has now.
bool LateCheckFinder::wasMade(size_t step, func::CallOp call,
                              const Kernel &kernel) {
  Check check{symbols.lookup(call.getCallee()), {}};
  size_t lastWrite = 0;
  for (int64_t argument : kernel.checked) {
    const BufferView &view = buffers.getView(call.getOperand(argument));
    check.second.emplace_back(view.buffer.getAsOpaquePointer(), view.offset);
    if (auto it = written.find(view.buffer); it != written.end())
      lastWrite = std::max(lastWrite, it->second + 1);
  }
  auto [it, isNew] = made.try_emplace(std::move(check), step);
  bool isSame = !isNew && it->second >= lastWrite;
  it->second = step;
  return isSame;
}

bool LateCheckFinder::hasChecks(RepeatOp repeat) {
  auto body = symbols.lookup<func::FuncOp>(repeat.getCallee());
  return body && failed(forEachCall(body, symbols, [&](func::CallOp call) {
           return failure(getKernel(call).hasChecks);
         }));
}

bool LateCheckFinder::isLate(size_t step) {
  Operation *op = buffers.getSteps()[step];
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return hasChecks(repeat);
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return false;
  const Kernel &kernel = getKernel(call);
  return kernel.hasChecks && !wasMade(step, call, kernel) &&
         isLate(call, kernel);
}

void LateCheckFinder::noteWrites(size_t step) {
  for (OpOperand &operand : buffers.getSteps()[step]->getOpOperands()) {
    if (!writesTo(operand))
      continue;
    Value buffer = buffers.getView(operand.get()).buffer;
    written[buffer] = step;
    stateWritten |= findRegion(buffer) == MemoryRegion::State;
  }
}

std::optional<size_t> LateCheckFinder::findLast(StateChecks stateChecks) {
  stateWritten = stateChecks == StateChecks::Late;
  std::optional<size_t> last;
  for (size_t step = 0; step < buffers.getSteps().size(); ++step) {
    if (isLate(step))
      last = step;
    noteWrites(step);
  }
  return last;
}

std::optional<size_t> hamkaas::findLastLateCheck(const ProgramBuffers &buffers,
                                                 const SymbolTable &symbols,
                                                 StateChecks stateChecks) {
  return LateCheckFinder(buffers, symbols).findLast(stateChecks);
}

bool hamkaas::checksBeforeItWrites(Operation *step) { return !isLoop(step); }

bool hamkaas::mayFail(func::FuncOp entry, const SymbolTable &symbols) {
  return failed(forEachCall(entry, symbols, [&](func::CallOp call) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    return failure(kernel && !kernel.isExternal() && hasChecks(kernel));
  }));
}

static bool isOfGpuEngine(func::FuncOp kernel) {
  EngineAttr engine = kernel ? getEngine(kernel) : EngineAttr();
  return engine && isOnGpu(engine);
}

bool hamkaas::writesAfterFailure(Operation *step, const SymbolTable &symbols) {
  if (auto call = dyn_cast<func::CallOp>(step))
    return isOfGpuEngine(symbols.lookup<func::FuncOp>(call.getCallee()));
  auto repeat = dyn_cast<RepeatOp>(step);
  auto body = repeat ? symbols.lookup<func::FuncOp>(repeat.getCallee())
                     : func::FuncOp();
  return body && failed(forEachCall(body, symbols, [&](func::CallOp call) {
           return failure(
               isOfGpuEngine(symbols.lookup<func::FuncOp>(call.getCallee())));
         }));
}
