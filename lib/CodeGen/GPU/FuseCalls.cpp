//===- FuseCalls.cpp - Independent calls in one launch ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentFacts.h"
#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "LaneDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace hamkaas {
#define GEN_PASS_DEF_FUSECALLS
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Kernels of a launch. Each has its own code and arguments, of which a launch
/// may have 4 KiB.
static constexpr size_t maxParts = 8;
static constexpr unsigned maxArguments = 128;

/// Launches before a step among which it may find its own: keeps the pass
/// linear in the length of the program.
static constexpr size_t window = 32;

/// Warps of a block of a kernel that can have any number of them, at most.
static constexpr int64_t maxFreeWarps = 4;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Demands of a kernel on its launch.
struct KernelNeeds {
  bool canFuse = false;
  int64_t blockWarps = 0; /* 0 if any number will do */
  int64_t warps = 0;      /* of all blocks */
  int64_t scratchBytes = 0;
  /// Its arguments that run-time checks read.
  SmallVector<int64_t, 2> checked;
  bool hasChecks = false;
};
} // namespace

/// Warps that fill a GPU. A kernel of more of them gains little from sharing a
/// launch, and may lose registers and shared memory to the others.
static int64_t getFullWarps() {
  return gpuFacts.processors * gpuFacts.warpsPerProcessor;
}

/// Elements of a tile of a kernel that copies: a thread reads several at once.
static constexpr int64_t copiedElements = 4 * warpSize;

/// Those of a kernel that could make `copy`.
static KernelNeeds getNeeds(memref::CopyOp copy) {
  KernelNeeds needs;
  auto type = cast<MemRefType>(copy.getSource().getType());
  needs.warps = llvm::divideCeil(type.getNumElements(), copiedElements);
  // A larger copy takes longer than its launch.
  needs.canFuse = type.getNumElements() % warpSize == 0 && needs.warps > 0 &&
                  needs.warps <= getFullWarps() &&
                  copy.getSource().getDefiningOp<memref::ViewOp>() &&
                  copy.getTarget().getDefiningOp<memref::ViewOp>();
  return needs;
}

static KernelNeeds getNeeds(func::FuncOp kernel) {
  KernelNeeds needs;
  auto tiles =
      kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName);
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock() || !tiles)
    return needs;
  needs.hasChecks = hasChecks(kernel);
  llvm::append_range(needs.checked, getCheckedArguments(kernel));
  needs.canFuse = !getEngine(kernel);
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(
          HamKaasDialect::blockWarpsAttrName))
    needs.blockWarps = warps.getInt();
  needs.warps = usesLanes(kernel) ? tiles.getInt()
                                  : llvm::divideCeil(tiles.getInt(), warpSize);
  for (auto scratch : kernel.getOps<memref::AllocaOp>())
    if (!scratch.getType().getMemorySpace())
      needs.scratchBytes +=
          llvm::alignTo(getByteCount(scratch.getType()), gpuFacts.accessBytes);
  return needs;
}

//===----------------------------------------------------------------------===//
// Steps and launches
//===----------------------------------------------------------------------===//

namespace {
/// A range of memory that a step uses.
struct Access {
  Place place;
  bool writes;
  /// Those of the workspace that it is in, by number: two where a result
  /// replaces an operand.
  SmallVector<size_t, 2> buffers;
};

/// A call, a copy or a loop.
struct Step {
  Operation *op;
  KernelNeeds needs;
  SmallVector<Access> accesses;
  /// Writes what lasts when the run fails.
  bool writesLasting = false;
};

using Launch = SmallVector<Step *, 1>;
} // namespace

static bool isRecomputed(const Step &step) {
  return step.op->hasAttr(HamKaasDialect::recomputedAttrName);
}

/// Returns whether reports count both alike.
static bool areAlike(const Step &a, const Step &b) {
  return isRecomputed(a) == isRecomputed(b) &&
         isOfGradient(a.op->getLoc()) == isOfGradient(b.op->getLoc());
}

/// Returns whether the checks of two calls fail for the same numbers: they are
/// those of one kernel, on the same memory.
static bool checkAlike(const Step &a, const Step &b) {
  auto one = cast<func::CallOp>(a.op), other = cast<func::CallOp>(b.op);
  return one.getCallee() == other.getCallee() &&
         llvm::all_of(a.needs.checked, [&](int64_t i) {
           return one.getOperand(i) == other.getOperand(i);
         });
}

/// Returns whether one launch can run the kernels of `launch` and `step`.
static bool fit(const Launch &launch, const Step &step) {
  Launch parts = launch;
  parts.push_back(const_cast<Step *>(&step));
  int64_t blockWarps = 0, large = 0, arguments = 0;
  for (const Step *part : parts) {
    int64_t warps = part->needs.blockWarps;
    if (!part->needs.canFuse || !areAlike(*part, step) ||
        (warps && blockWarps && warps != blockWarps))
      return false;
    blockWarps = std::max(blockWarps, warps);
    large += part->needs.warps > getFullWarps();
    arguments += part->op->getNumOperands();
  }
  if (blockWarps == 0)
    blockWarps = maxFreeWarps;
  return parts.size() <= maxParts && large <= 1 && arguments <= maxArguments &&
         llvm::all_of(parts, [&](const Step *part) {
           return blockWarps * part->needs.scratchBytes <= gpuFacts.sharedBytes;
         });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// Makes the kernels that run others side by side, one for all equal launches.
class FusedKernels {
public:
  explicit FusedKernels(ModuleOp module) : symbols(module) {}

  func::FuncOp lookup(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }
  func::FuncOp get(ArrayRef<func::FuncOp> parts, func::FuncOp main);
  /// The kernel that copies a dense buffer of that type, of rank 1.
  func::FuncOp getCopy(MemRefType type, Location loc);
  const SymbolTable &getSymbols() const { return symbols; }

private:
  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> made;
  DenseMap<Type, func::FuncOp> copies;
};

/// Fuses the calls of one function of a program.
class CallFuser {
public:
  CallFuser(func::FuncOp program, FusedKernels &kernels)
      : program(program), kernels(kernels) {}

  void fuse();

private:
  void collectSteps();
  void addAccess(Step &step, Value operand, bool writes);
  bool conflict(const Access &a, const Access &b) const;
  bool conflict(const Step &a, const Step &b) const;
  bool mayMeet(const Launch &launch, const Step &step) const;
  bool mayPass(const Launch &launch, const Step &step) const;
  bool mayMoveToEnd(size_t launch) const;
  bool joinLaunch(Step &step);
  func::CallOp callCopy(memref::CopyOp copy);
  Operation *write(Launch &launch);
  void setBuffers();

  func::FuncOp program;
  FusedKernels &kernels;
  SmallVector<BufferAttr> buffers;
  /// Those in use at the step that is being added.
  SmallVector<size_t> inUse;
  std::vector<Step> steps;
  std::vector<Launch> launches;
};
} // namespace

func::FuncOp FusedKernels::get(ArrayRef<func::FuncOp> parts,
                               func::FuncOp main) {
  std::string name, key;
  SmallVector<Type> types;
  SmallVector<int64_t> counts;
  SmallVector<Location> locations;
  for (func::FuncOp part : parts) {
    name += (name.empty() ? "" : "_") + part.getSymName().str();
    key += part.getSymName().str() + ",";
    llvm::append_range(types, part.getArgumentTypes());
    counts.push_back(part.getNumArguments());
    locations.push_back(part.getLoc());
  }
  func::FuncOp &kernel = made[key];
  if (kernel)
    return kernel;
  OpBuilder builder(main);
  Location loc = builder.getFusedLoc(locations);
  kernel = func::FuncOp::create(builder, loc, name,
                                builder.getFunctionType(types, {}));
  kernel.setPrivate();
  kernel->setAttr(fusedCallsAttrName, builder.getDenseI64ArrayAttr(counts));
  kernel->setAttr(HamKaasDialect::kernelAttrName,
                  main->getAttr(HamKaasDialect::kernelAttrName));
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  int64_t begin = 0;
  for (func::FuncOp part : parts) {
    func::CallOp::create(
        builder, part.getLoc(), part,
        body->getArguments().slice(begin, part.getNumArguments()));
    begin += part.getNumArguments();
  }
  func::ReturnOp::create(builder, loc);
  kernel->remove();
  symbols.insert(kernel);
  return kernel;
}

func::FuncOp FusedKernels::getCopy(MemRefType type, Location loc) {
  func::FuncOp &kernel = copies[type];
  if (kernel)
    return kernel;
  int64_t count = type.getNumElements();
  int64_t elements =
      count % copiedElements == 0 ? copiedElements : int64_t(warpSize);
  ImplicitLocOpBuilder builder(loc, loc.getContext());
  kernel = func::FuncOp::create(builder, "copy",
                                builder.getFunctionType({type, type}, {}));
  kernel.setPrivate();
  kernel->setAttr(HamKaasDialect::kernelAttrName,
                  KernelAttr::get(builder.getContext(), KernelFamily::Movement,
                                  {elements}));
  kernel->setAttr(HamKaasDialect::tilesAttrName,
                  builder.getI64IntegerAttr(count / elements));
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value end = arith::ConstantIndexOp::create(builder, count / elements);
  auto loop = scf::ForOp::create(builder, zero, end, one);
  loop->setAttr(HamKaasDialect::tileLoopAttrName, builder.getUnitAttr());
  func::ReturnOp::create(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto noWrap = arith::IntegerOverflowFlags::nsw;
  Value first = arith::MulIOp::create(
      builder, loop.getInductionVar(),
      arith::ConstantIndexOp::create(builder, elements), noWrap);
  // All reads before the first write.
  SmallVector<Value> places, values;
  auto vector = VectorType::get(warpSize, type.getElementType());
  for (int64_t i = 0; i < elements; i += warpSize) {
    places.push_back(arith::AddIOp::create(
        builder, first, arith::ConstantIndexOp::create(builder, i), noWrap));
    values.push_back(vector::LoadOp::create(
        builder, vector, body->getArgument(0), places.back()));
  }
  for (auto [place, value] : llvm::zip_equal(places, values))
    vector::StoreOp::create(builder, value, body->getArgument(1), place);
  symbols.insert(kernel);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Memory that steps use
//===----------------------------------------------------------------------===//

void CallFuser::addAccess(Step &step, Value operand, bool writes) {
  Access access = {getPlace(operand), writes, {}};
  const Place &place = access.place;
  auto argument = dyn_cast<BlockArgument>(place.whole);
  bool isWorkspace = argument && getRegion(argument) == MemoryRegion::Workspace;
  step.writesLasting |= writes && argument && !isWorkspace;
  for (size_t i : inUse) {
    int64_t begin = buffers[i].getOffset();
    if (isWorkspace && begin <= place.offset &&
        place.offset + place.bytes <= begin + buffers[i].getBytes())
      access.buffers.push_back(i);
  }
  step.accesses.push_back(std::move(access));
}

void CallFuser::collectSteps() {
  auto entries =
      program->getAttrOfType<ArrayAttr>(HamKaasDialect::buffersAttrName);
  for (auto buffer : entries.getAsRange<BufferAttr>())
    buffers.push_back(buffer);
  SmallVector<size_t> byFirst(buffers.size());
  std::iota(byFirst.begin(), byFirst.end(), 0);
  llvm::stable_sort(byFirst, [&](size_t a, size_t b) {
    return buffers[a].getFirst() < buffers[b].getFirst();
  });
  ArrayRef<size_t> coming = byFirst;
  for (Operation &op : program.getBody().front()) {
    if (!isStep(&op))
      continue;
    int64_t number = steps.size();
    for (; !coming.empty() && buffers[coming.front()].getFirst() <= number;
         coming = coming.drop_front())
      inUse.push_back(coming.front());
    llvm::erase_if(inUse,
                   [&](size_t i) { return buffers[i].getLast() < number; });
    Step step{&op, {}, {}};
    auto call = dyn_cast<func::CallOp>(op);
    if (call)
      step.needs = getNeeds(kernels.lookup(call));
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      step.needs = getNeeds(copy);
    // A loop may write all that it has.
    for (OpOperand &operand : op.getOpOperands())
      addAccess(step, operand.get(),
                isa<RepeatOp>(op) ||
                    operand.getOperandNumber() + 1 == op.getNumOperands());
    steps.push_back(std::move(step));
  }
}

/// Returns whether the order of both matters. Buffers that share memory are in
/// use one after the other.
bool CallFuser::conflict(const Access &a, const Access &b) const {
  if ((a.writes || b.writes) && mayShare(a.place, b.place))
    return true;
  for (size_t i : a.buffers)
    for (size_t j : b.buffers)
      if (i != j &&
          buffers[i].getOffset() <
              buffers[j].getOffset() + buffers[j].getBytes() &&
          buffers[j].getOffset() <
              buffers[i].getOffset() + buffers[i].getBytes())
        return true;
  return false;
}

bool CallFuser::conflict(const Step &a, const Step &b) const {
  // The first failed check is the error of the run.
  if (a.needs.hasChecks && b.needs.hasChecks && !checkAlike(a, b))
    return true;
  return llvm::any_of(a.accesses, [&](const Access &access) {
    return llvm::any_of(b.accesses, [&](const Access &other) {
      return conflict(access, other);
    });
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Returns whether both may run at once.
bool CallFuser::mayMeet(const Launch &launch, const Step &step) const {
  return llvm::none_of(
      launch, [&](const Step *member) { return conflict(*member, step); });
}

/// Returns whether both may change places. A run that fails must leave all that
/// lasts as it was.
bool CallFuser::mayPass(const Launch &launch, const Step &step) const {
  return mayMeet(launch, step) &&
         llvm::none_of(launch, [&](const Step *member) {
           return (member->needs.hasChecks && step.writesLasting) ||
                  (member->writesLasting && step.needs.hasChecks);
         });
}

bool CallFuser::mayMoveToEnd(size_t launch) const {
  for (size_t i = launch + 1; i < launches.size(); ++i)
    for (const Step *member : launches[launch])
      if (!mayPass(launches[i], *member))
        return false;
  return true;
}

/// Adds `step` to a launch before it, or moves one to where `step` is.
bool CallFuser::joinLaunch(Step &step) {
  if (!step.needs.canFuse)
    return false;
  size_t first = launches.size() - std::min(launches.size(), window);
  for (size_t i = launches.size(); i-- > first;) {
    if (fit(launches[i], step) && mayMeet(launches[i], step)) {
      launches[i].push_back(&step);
      return true;
    }
    if (!mayPass(launches[i], step))
      break;
  }
  for (size_t i = launches.size(); i-- > first;) {
    if (!fit(launches[i], step) || !mayMeet(launches[i], step) ||
        !mayMoveToEnd(i))
      continue;
    std::rotate(launches.begin() + i, launches.begin() + i + 1, launches.end());
    launches.back().push_back(&step);
    return true;
  }
  return false;
}

/// A call of a kernel in place of `copy`.
func::CallOp CallFuser::callCopy(memref::CopyOp copy) {
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  auto type = cast<MemRefType>(copy.getSource().getType());
  auto flat = MemRefType::get(type.getNumElements(), type.getElementType());
  SmallVector<Value> operands;
  for (Value operand : copy->getOperands()) {
    auto view = operand.getDefiningOp<memref::ViewOp>();
    operands.push_back(
        memref::ViewOp::create(builder, loc, flat, view.getSource(),
                               view.getByteShift(), ValueRange()));
  }
  auto call =
      func::CallOp::create(builder, loc, kernels.getCopy(flat, loc), operands);
  call->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr("copy"));
  copy.erase();
  return call;
}

/// Returns the step that `launch` becomes.
Operation *CallFuser::write(Launch &launch) {
  if (launch.size() == 1)
    return launch.front()->op;
  for (Step *step : launch)
    if (auto copy = dyn_cast<memref::CopyOp>(step->op))
      step->op = callCopy(copy);
  auto getKernel = [&](const Step *step) {
    return kernels.lookup(cast<func::CallOp>(step->op));
  };
  auto getFlops = [](const Step *step) -> int64_t {
    auto flops =
        step->op->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName);
    return flops ? flops.getInt() : 0;
  };
  // Equal sets of kernels share one.
  llvm::stable_sort(launch, [&](const Step *a, const Step *b) {
    func::FuncOp one = getKernel(a), other = getKernel(b);
    return one != other && one->isBeforeInBlock(other);
  });
  SmallVector<func::FuncOp> parts;
  SmallVector<Value> operands;
  SmallVector<Location> locations;
  std::string ops;
  int64_t flops = 0;
  const Step *main = launch.front(), *checked = nullptr;
  for (const Step *step : launch) {
    parts.push_back(getKernel(step));
    llvm::append_range(operands, step->op->getOperands());
    locations.push_back(step->op->getLoc());
    auto name =
        step->op->getAttrOfType<StringAttr>(HamKaasDialect::opsAttrName);
    ops += (ops.empty() ? "" : " | ") +
           (name ? name.str() : parts.back().getSymName().str());
    flops = addCounts(flops, getFlops(step));
    if (getFlops(step) > getFlops(main))
      main = step;
    if (step->needs.hasChecks && !checked)
      checked = step;
  }
  OpBuilder builder(program.getContext());
  builder.setInsertionPoint(program.getBody().front().getTerminator());
  // An error names what was checked alone.
  Location loc = checked ? checked->op->getLoc()
                         : builder.getFusedLoc(locations, main->op->getLoc());
  auto call = func::CallOp::create(
      builder, loc, kernels.get(parts, getKernel(main)), operands);
  call->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr(ops));
  call->setAttr(HamKaasDialect::flopsAttrName,
                builder.getI64IntegerAttr(flops));
  if (isRecomputed(*main))
    call->setAttr(HamKaasDialect::recomputedAttrName, builder.getUnitAttr());
  for (const Step *step : launch)
    step->op->erase();
  return call;
}

/// Buffers are in use from their first launch to their last one.
void CallFuser::setBuffers() {
  int64_t count = launches.size();
  // Buffers that no step uses keep their order.
  SmallVector<std::pair<int64_t, int64_t>> used(buffers.size(), {count, -1});
  for (auto [number, launch] : llvm::enumerate(launches))
    for (const Step *step : launch)
      for (const Access &access : step->accesses)
        for (size_t i : access.buffers) {
          auto &[first, last] = used[i];
          first = std::min<int64_t>(first, number);
          last = std::max<int64_t>(last, number);
        }
  SmallVector<Attribute> entries;
  for (auto [buffer, range] : llvm::zip_equal(buffers, used)) {
    auto [first, last] = range;
    entries.push_back(BufferAttr::get(program.getContext(), buffer.getOffset(),
                                      buffer.getBytes(), first,
                                      std::max(first, last)));
  }
  program->setAttr(HamKaasDialect::buffersAttrName,
                   ArrayAttr::get(program.getContext(), entries));
}

void CallFuser::fuse() {
  collectSteps();
  for (Step &step : steps)
    if (!joinLaunch(step))
      launches.push_back({&step});
  if (launches.size() == steps.size())
    return;
  setBuffers();
  // Views first: a call may now stand before the one for which they were made.
  Block &body = program.getBody().front();
  Operation *end = body.getTerminator();
  for (Launch &launch : launches)
    for (Step *step : launch)
      step->op->moveBefore(end);
  for (Launch &launch : launches)
    write(launch)->moveBefore(end);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseCallsPass : hamkaas::impl::FuseCallsBase<FuseCallsPass> {
  void runOnOperation() override {
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return signalPassFailure();
    auto programs = findPlannedPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    FusedKernels kernels(getOperation());
    for (func::FuncOp program : *programs)
      CallFuser(program, kernels).fuse();
    for (func::FuncOp entry : *entries)
      if (failed(numberCalls(entry, kernels.getSymbols())))
        return signalPassFailure();
  }
};
} // namespace
