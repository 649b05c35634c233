//===- PlaceCopies.cpp - Lets copies lie in one place -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "LateChecks.h"
#include "ProgramBuffers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isCopy(Operation *step) {
  return isa<memref::CopyOp>(step) ||
         step->hasAttr(HamKaasDialect::copyAttrName);
}

static bool isState(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument && getRegion(argument) == MemoryRegion::State;
}

/// Returns whether a run may write to `buffer` at any time. Inputs are the
/// caller's, and the state of a failed run must stay as it was.
static bool isWritableEarly(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return buffer.getDefiningOp<memref::AllocOp>() != nullptr;
  std::optional<MemoryRegion> region = getRegion(argument);
  return region == MemoryRegion::Output || region == MemoryRegion::Constants;
}

namespace {

/// A step's use of some elements of a buffer.
struct Access {
  size_t step;
  int64_t begin, end;
  bool isWrite;
  OpOperand *operand;
};

/// Elements of a buffer, one after the other.
struct Part {
  Value buffer;
  int64_t begin, end;
};

/// Moves buffers into those that they are copied to, or from.
class CopyPlacer {
public:
  CopyPlacer(ProgramBuffers &buffers, const SymbolTable &symbols,
             function_ref<bool(Value)> mayBeHost);

  /// Removes the copy `step`, if possible.
  void place(size_t step);
  /// The enclosing buffer, and the first element within it.
  std::pair<Value, int64_t> getPlace(Value buffer) const;
  const DenseSet<Value> &getHosts() const { return hosts; }

private:
  Part getPart(Value operand) const;
  bool mayLieIn(const Part &guest, const Part &host) const;
  bool mayChangeState(ArrayRef<Access> own) const;
  bool mayWriteOver(const Access &access, const Access &first,
                    const Part &target) const;
  bool maySourceMove(size_t step, const Part &source, const Part &target) const;
  bool mayTargetMove(size_t step, const Part &source, const Part &target) const;
  void move(const Part &guest, const Part &host);

  const ProgramBuffers &buffers;
  const SymbolTable &symbols;
  function_ref<bool(Value)> mayBeHost;
  std::optional<size_t> lastLateCheck;
  /// In the order of the steps. Those of a buffer that was moved are its
  /// host's.
  DenseMap<Value, SmallVector<Access>> accesses;
  DenseMap<Value, std::pair<Value, int64_t>> moved;
  DenseSet<Value> hosts;
};

} // namespace

CopyPlacer::CopyPlacer(ProgramBuffers &buffers, const SymbolTable &symbols,
                       function_ref<bool(Value)> mayBeHost)
    : buffers(buffers), symbols(symbols), mayBeHost(mayBeHost),
      lastLateCheck(findLastLateCheck(buffers, symbols, StateChecks::Late)) {
  for (auto [i, step] : llvm::enumerate(buffers.getSteps()))
    for (OpOperand &operand : step->getOpOperands()) {
      Part part = getPart(operand.get());
      accesses[part.buffer].push_back(
          {i, part.begin, part.end, writesTo(operand), &operand});
    }
}

std::pair<Value, int64_t> CopyPlacer::getPlace(Value buffer) const {
  int64_t offset = 0;
  for (auto it = moved.find(buffer); it != moved.end();
       it = moved.find(buffer)) {
    buffer = it->second.first;
    offset += it->second.second;
  }
  return {buffer, offset};
}

Part CopyPlacer::getPart(Value operand) const {
  const BufferView &view = buffers.getView(operand);
  auto [buffer, offset] = getPlace(view.buffer);
  int64_t begin = offset + view.offset;
  return {buffer, begin,
          begin + cast<MemRefType>(operand.getType()).getNumElements()};
}

/// Returns whether `guest` is all of a buffer that we allocate, and `host`
/// another one that it may lie in.
bool CopyPlacer::mayLieIn(const Part &guest, const Part &host) const {
  auto type = cast<MemRefType>(guest.buffer.getType());
  return guest.buffer.getDefiningOp<memref::AllocOp>() &&
         guest.buffer != host.buffer && guest.begin != guest.end &&
         guest.end - guest.begin == type.getNumElements() &&
         mayBeHost(host.buffer);
}

/// Returns whether a run that comes to the first of `own`, the accesses of what
/// a state will be, can no longer fail. Carried values of a loop's body change
/// as the loop goes on, whether it fails or not.
bool CopyPlacer::mayChangeState(ArrayRef<Access> own) const {
  size_t step = own.front().step;
  Operation *op = buffers.getSteps()[step];
  auto program = op->getParentOfType<func::FuncOp>();
  bool isLoop = program->hasAttr(HamKaasDialect::loopAttrName);
  bool isAlwaysWritten = llvm::any_of(own, [&](const Access &access) {
    return access.isWrite &&
           writesAfterFailure(access.operand->getOwner(), symbols);
  });
  if (isAlwaysWritten && (isLoop || mayFail(program, symbols)))
    return false;
  if (isLoop)
    return true;
  return !lastLateCheck || step > *lastLateCheck ||
         (step == *lastLateCheck && checksBeforeItWrites(op));
}

/// Returns whether the step that makes the source, by the operand `first`, may
/// do so in the target although it reads that, too: `access` reads each element
/// before the new one is written.
bool CopyPlacer::mayWriteOver(const Access &access, const Access &first,
                              const Part &target) const {
  auto call = dyn_cast<func::CallOp>(access.operand->getOwner());
  if (!call || access.isWrite || !first.isWrite ||
      access.begin != target.begin || access.end != target.end)
    return false;
  auto oldType = cast<MemRefType>(access.operand->get().getType());
  auto newType = cast<MemRefType>(first.operand->get().getType());
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  return kernel && oldType.getShape() == newType.getShape() &&
         oldType.getElementType() == newType.getElementType() &&
         kernel.getArgAttr(access.operand->getOperandNumber(),
                           HamKaasDialect::inPlaceAttrName);
}

/// Requires that nobody else uses the target after the first write to the
/// source, or writes to it before the last read of the source.
bool CopyPlacer::maySourceMove(size_t step, const Part &source,
                               const Part &target) const {
  if (!mayLieIn(source, target))
    return false;
  ArrayRef<Access> own = accesses.find(source.buffer)->second;
  size_t first = own.front().step, last = own.back().step;
  bool isWritable = isState(target.buffer) ? mayChangeState(own)
                                           : isWritableEarly(target.buffer);
  if (!isWritable)
    return false;
  if (first == step || llvm::any_of(own, [&](const Access &access) {
        return access.step > step && access.isWrite;
      }))
    return false;
  ArrayRef<Access> others = accesses.find(target.buffer)->second;
  const Access *from = llvm::partition_point(
      others, [&](const Access &access) { return access.step < first; });
  for (const Access *access = from; access != others.end(); ++access) {
    if (access->step > last)
      break;
    bool isUsed = access->step != step && access->begin < target.end &&
                  target.begin < access->end &&
                  (access->step < step || access->isWrite);
    bool isReplaced =
        access->step == first && mayWriteOver(*access, own.front(), target);
    if (isUsed && !isReplaced)
      return false;
  }
  return true;
}

/// Requires that only the copy writes to the target, and nobody to the source
/// before the last read of the target. Bufferization makes such copies when the
/// result of a kernel, whose layout it does not know, is reshaped.
bool CopyPlacer::mayTargetMove(size_t step, const Part &source,
                               const Part &target) const {
  if (!mayLieIn(target, source) || !isWritableEarly(source.buffer))
    return false;
  ArrayRef<Access> own = accesses.find(target.buffer)->second;
  size_t last = own.back().step;
  if (own.front().step != step || llvm::any_of(own, [&](const Access &access) {
        return access.step > step && access.isWrite;
      }))
    return false;
  ArrayRef<Access> others = accesses.find(source.buffer)->second;
  // An unwritten buffer has no place before the copy.
  if (others.front().step == step)
    return false;
  return llvm::none_of(others, [&](const Access &access) {
    return access.isWrite && access.step > step && access.step <= last &&
           access.begin < source.end && source.begin < access.end;
  });
}

void CopyPlacer::place(size_t step) {
  Operation *op = buffers.getSteps()[step];
  Part source = getPart(op->getOperands().front());
  Part target = getPart(op->getOperands().back());
  if (maySourceMove(step, source, target))
    move(source, target);
  else if (mayTargetMove(step, source, target))
    move(target, source);
}

void CopyPlacer::move(const Part &guest, const Part &host) {
  assert(guest.end - guest.begin == host.end - host.begin &&
         "a copy has as many elements as its source");
  assert(!moved.contains(guest.buffer) && "a buffer moves once");
  moved[guest.buffer] = {host.buffer, host.begin};
  hosts.insert(host.buffer);
  SmallVector<Access> own = std::move(accesses.find(guest.buffer)->second);
  for (Access &access : own) {
    access.begin += host.begin;
    access.end += host.begin;
  }
  SmallVector<Access> &all = accesses.find(host.buffer)->second;
  SmallVector<Access> others = std::move(all);
  all.clear();
  std::merge(own.begin(), own.end(), others.begin(), others.end(),
             std::back_inserter(all),
             [](const Access &a, const Access &b) { return a.step < b.step; });
}

DenseSet<Value>
ProgramBuffers::placeCopies(const SymbolTable &symbols,
                            function_ref<bool(Value)> mayBeHost) {
  bool mayBeAllocated = false;
  auto mayBeHostNow = [&](Value host) {
    return (mayBeAllocated || !host.getDefiningOp()) && mayBeHost(host);
  };
  CopyPlacer placer(*this, symbols, mayBeHostNow);
  // First outputs and states; then, as parts of a buffer that moved there, what
  // is copied into it. Parts that lie in it already would forbid it to move.
  constexpr int sweeps = 3;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    mayBeAllocated = sweep == sweeps - 1;
    for (auto [i, step] : llvm::enumerate(steps))
      if (isCopy(step))
        placer.place(i);
  }
  for (auto &[value, view] : views) {
    auto [buffer, offset] = placer.getPlace(view.buffer);
    view.buffer = buffer;
    view.offset += offset;
  }
  findLifetimes();
  findReplacements(symbols);
  return placer.getHosts();
}
