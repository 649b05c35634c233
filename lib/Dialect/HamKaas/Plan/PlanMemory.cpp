//===- PlanMemory.cpp - Assigns every buffer a region and an offset -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantsRegion.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "LateChecks.h"
#include "ProgramBuffers.h"
#include "Recompute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace hamkaas {
#define GEN_PASS_DEF_PLANMEMORY
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

namespace {

/// Plans and rewrites a function of a program.
class ProgramPlanner {
public:
  ProgramPlanner(func::FuncOp program, const SymbolTable &symbols,
                 const ConstantsRegion &constants, uint64_t alignment,
                 bool shareRows)
      : program(program), signature(*getProgramSignature(program)),
        symbols(symbols), constants(constants), stateRegion(alignment),
        alignment(alignment), shareRows(shareRows), builder(program) {}

  /// Finds a place for every buffer; changes nothing.
  LogicalResult plan();
  uint64_t getWorkspaceBytes() const { return arena.bytes; }
  LogicalResult checkWorkspace(uint64_t maxWorkspace);

  LogicalResult rewrite();

private:
  /// A number of bytes from the start of an argument of the rewritten function,
  /// or of a global.
  struct Place {
    Value base;
    int64_t offset;
  };

  LogicalResult placeArgument(BlockArgument argument);
  void placeCopies();
  Operation *getWriter(size_t buffer) const {
    return buffers.getSteps()[buffers.getLifetimes()[buffer].firstUse];
  }
  std::string describe(size_t buffer) const;

  void addArgument(int64_t bytes, ArrayRef<NamedAttribute> attributes);
  void addTableArguments(MemoryRegion table, unsigned oldArguments);
  void addRegionArgument(MemoryRegion region);
  LogicalResult rewriteStep(Operation *step);
  Place getPlace(Value operand) const;
  Value getView(Location loc, Place place, MemRefType type);
  Value getOffsetConstant(int64_t offset);
  void setAttributes(int64_t steps);

  func::FuncOp program;
  ProgramSignature signature;
  const SymbolTable &symbols;
  const ConstantsRegion &constants;
  RegionTable stateRegion;
  SmallVector<Attribute> states;
  uint64_t alignment;
  bool shareRows;
  OpBuilder builder;
  ProgramBuffers buffers;
  ArenaPlan arena;
  /// Per old argument or allocation, the region it lies in and the offset.
  DenseMap<Value, std::pair<MemoryRegion, int64_t>> placed;
  /// The arguments of the rewritten function: by region, and for those of
  /// tables by old argument.
  std::map<MemoryRegion, Value> regionArguments;
  DenseMap<Value, Value> tableArguments;
  DenseMap<std::tuple<Value, int64_t, Type>, Value> views;
  DenseMap<int64_t, Value> offsetConstants;
  /// Per step its number once copies within one place are gone.
  SmallVector<int64_t> newSteps;
};

} // namespace

LogicalResult ProgramPlanner::plan() {
  FailureOr<ProgramBuffers> analyzed =
      ProgramBuffers::analyze(program, symbols, shareRows);
  if (failed(analyzed))
    return failure();
  buffers = std::move(*analyzed);
  for (BlockArgument argument : program.getArguments())
    if (failed(placeArgument(argument)))
      return failure();

  std::optional<ArenaPlan> planned =
      planArena(buffers.getLifetimes(), alignment);
  if (!planned)
    return program.emitError("expected a workspace of less than 2^63 bytes");
  arena = std::move(*planned);
  placeCopies();
  for (auto [i, allocation] : llvm::enumerate(buffers.getAllocations())) {
    assert(arena.offsets[i] + buffers.getLifetimes()[i].bytes <= arena.bytes &&
           "a buffer lies within the workspace");
    placed[allocation] = {MemoryRegion::Workspace, arena.offsets[i]};
  }
  return success();
}

/// The members of `hosts` in use at a step where all buffers together take more
/// than `limit`.
static DenseSet<Value> findInTheWay(const ProgramBuffers &buffers,
                                    const DenseSet<Value> &hosts,
                                    uint64_t limit) {
  size_t steps = buffers.getSteps().size();
  SmallVector<int64_t> change(steps + 2, 0);
  for (const ArenaBuffer &buffer : buffers.getLifetimes()) {
    // It shares a place until the step after.
    change[buffer.firstUse + (buffer.mayReplace ? 1 : 0)] += buffer.bytes;
    change[buffer.lastUse + 1] -= buffer.bytes;
  }
  // The number of such steps before each one.
  SmallVector<size_t> tooMany{0};
  uint64_t inUse = 0;
  for (size_t step = 0; step < steps; ++step) {
    inUse += change[step];
    tooMany.push_back(tooMany.back() + (inUse > limit));
  }
  DenseSet<Value> result;
  for (auto [allocation, buffer] :
       llvm::zip_equal(buffers.getAllocations(), buffers.getLifetimes()))
    if (hosts.contains(allocation) &&
        tooMany[buffer.firstUse] != tooMany[buffer.lastUse + 1])
      result.insert(allocation);
  return result;
}

/// Removes copies unless the workspace grows: a host buffer is in use as soon
/// as the first buffer in it.
void ProgramPlanner::placeCopies() {
  DenseSet<Value> excluded;
  // Try all copies, then those with room, then only those to outputs.
  for (int attempt = 0; attempt < 3; ++attempt) {
    ProgramBuffers changed = buffers;
    DenseSet<Value> hosts = changed.placeCopies(symbols, [&](Value host) {
      return attempt == 2 ? !host.getDefiningOp() : !excluded.contains(host);
    });
    if (hosts.empty())
      return;
    std::optional<ArenaPlan> planned =
        planArena(changed.getLifetimes(), alignment);
    if (planned && planned->bytes <= arena.bytes) {
      buffers = std::move(changed);
      arena = std::move(*planned);
      return;
    }
    if (attempt == 0)
      excluded = findInTheWay(changed, hosts, arena.bytes);
  }
}

/// The type that the argument number `i` has in GRAPH.
static RankedTensorType getGraphType(func::FuncOp program, unsigned i) {
  if (auto type =
          program.getArgAttrOfType<TypeAttr>(i, HamKaasDialect::typeAttrName))
    return cast<RankedTensorType>(type.getValue());
  return getTensorType(cast<MemRefType>(program.getArgumentTypes()[i]));
}

LogicalResult ProgramPlanner::placeArgument(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  std::optional<MemoryRegion> region = getRegion(program, i);
  auto name =
      program.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName);
  if (region == MemoryRegion::Constants) {
    int64_t offset = constants.getOffset(getConstantIndex(program, i));
    placed[argument] = {*region, offset};
    // Of a state, the initial contents.
    if (name)
      states.push_back(StateAttr::get(builder.getContext(), name.getValue(),
                                      offset, getGraphType(program, i)));
    return success();
  }
  if (!region || !name)
    return emitError(argument.getLoc(), "expected argument ")
           << i << " of @" << program.getSymName()
           << " to have a region and a name";
  if (signature.hasTable(*region)) {
    placed[argument] = {*region, 0};
    return success();
  }
  // The workspace comes into being here.
  if (region != MemoryRegion::State)
    return emitError(argument.getLoc(), "expected argument ")
           << i << " of @" << program.getSymName()
           << " to be a tensor, got the " << stringifyMemoryRegion(*region);
  FailureOr<int64_t> offset = stateRegion.append(
      argument.getLoc(), cast<MemRefType>(argument.getType()));
  if (failed(offset))
    return failure();
  states.push_back(StateAttr::get(builder.getContext(), name.getValue(),
                                  *offset, getGraphType(program, i)));
  placed[argument] = {*region, *offset};
  return success();
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

/// "the result of this matmul+relu takes 4096 bytes"
std::string ProgramPlanner::describe(size_t buffer) const {
  Operation *writer = getWriter(buffer);
  auto ops = writer->getAttrOfType<StringAttr>(HamKaasDialect::opsAttrName);
  StringRef what = ops                           ? ops.getValue()
                   : isa<memref::CopyOp>(writer) ? "copy"
                   : isa<RepeatOp>(writer)       ? "loop"
                                                 : "kernel";
  return ("the result of this " + what + " takes " +
          Twine(buffers.getLifetimes()[buffer].bytes) + " bytes")
      .str();
}

LogicalResult ProgramPlanner::checkWorkspace(uint64_t maxWorkspace) {
  if (maxWorkspace == 0 || arena.bytes <= maxWorkspace)
    return success();
  bool isRecomputed = llvm::any_of(buffers.getSteps(), [](Operation *step) {
    return step->hasAttr(HamKaasDialect::recomputedAttrName);
  });
  std::vector<size_t> largest = arena.peakBuffers;
  llvm::sort(largest, [&](size_t a, size_t b) {
    return std::tuple(buffers.getLifetimes()[b].bytes, a) <
           std::tuple(buffers.getLifetimes()[a].bytes, b);
  });
  InFlightDiagnostic diagnostic =
      emitError(getWriter(largest.front())->getLoc(),
                "expected a workspace of at most ")
      << maxWorkspace << " bytes, got " << arena.bytes
      << (isRecomputed ? ", the least with results computed again: " : ": ")
      << describe(largest.front());
  constexpr size_t maxNotes = 4;
  for (size_t buffer : ArrayRef(largest).drop_front().take_front(maxNotes))
    diagnostic.attachNote(getWriter(buffer)->getLoc())
        << "at the same time " << describe(buffer);
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void ProgramPlanner::addArgument(int64_t bytes,
                                 ArrayRef<NamedAttribute> attributes) {
  (void)program.insertArgument(
      program.getNumArguments(), MemRefType::get({bytes}, builder.getI8Type()),
      builder.getDictionaryAttr(attributes), program.getLoc());
}

/// Adds an argument for each old one of `table`, in their order.
void ProgramPlanner::addTableArguments(MemoryRegion table,
                                       unsigned oldArguments) {
  for (unsigned i = 0; i < oldArguments; ++i) {
    if (getRegion(program, i) != table)
      continue;
    BlockArgument old = program.getArgument(i);
    addArgument(
        *getBufferBytes(cast<MemRefType>(old.getType())),
        {builder.getNamedAttr(
             HamKaasDialect::nameAttrName,
             program.getArgAttr(i, HamKaasDialect::nameAttrName)),
         builder.getNamedAttr(
             HamKaasDialect::regionAttrName,
             MemoryRegionAttr::get(builder.getContext(), table)),
         builder.getNamedAttr(HamKaasDialect::typeAttrName,
                              TypeAttr::get(getGraphType(program, i)))});
    tableArguments[old] = program.getArguments().back();
  }
}

void ProgramPlanner::addRegionArgument(MemoryRegion region) {
  int64_t bytes = region == MemoryRegion::Constants ? constants.getBytes()
                  : region == MemoryRegion::State   ? stateRegion.getBytes()
                                                    : arena.bytes;
  addArgument(bytes, {builder.getNamedAttr(
                         HamKaasDialect::regionAttrName,
                         MemoryRegionAttr::get(builder.getContext(), region))});
  regionArguments[region] = program.getArguments().back();
}

ProgramPlanner::Place ProgramPlanner::getPlace(Value operand) const {
  const BufferView &view = buffers.getView(operand);
  if (view.buffer.getDefiningOp<memref::GetGlobalOp>())
    return {view.buffer, view.getByteOffset()};
  assert(placed.contains(view.buffer) && "plan() places every buffer");
  auto [region, offset] = placed.find(view.buffer)->second;
  auto argument = tableArguments.find(view.buffer);
  Value base = argument == tableArguments.end() ? regionArguments.at(region)
                                                : argument->second;
  return {base, offset + view.getByteOffset()};
}

Value ProgramPlanner::getOffsetConstant(int64_t offset) {
  Value &constant = offsetConstants[offset];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&program.getBody().front());
    constant =
        arith::ConstantIndexOp::create(builder, program.getLoc(), offset);
  }
  return constant;
}

/// The dense buffer of `type` at `place`.
Value ProgramPlanner::getView(Location loc, Place place, MemRefType type) {
  auto dense = MemRefType::get(type.getShape(), type.getElementType());
  // A tensor of bytes has the type of a region, but is not one.
  if (place.base.getDefiningOp<memref::GetGlobalOp>() &&
      place.base.getType() == dense)
    return place.base;
  Value &view = views[{place.base, place.offset, dense}];
  if (!view)
    view =
        memref::ViewOp::create(builder, loc, dense, place.base,
                               getOffsetConstant(place.offset), ValueRange());
  return view;
}

LogicalResult ProgramPlanner::rewriteStep(Operation *step) {
  builder.setInsertionPoint(step);
  for (OpOperand &operand : step->getOpOperands()) {
    Place place = getPlace(operand.get());
    auto type = cast<MemRefType>(operand.get().getType());
    bool isGlobal = place.base.getDefiningOp<memref::GetGlobalOp>();
    if (isGlobal &&
        type.getShape() != cast<MemRefType>(place.base.getType()).getShape())
      return step->emitError("expected operand ")
             << operand.getOperandNumber() << " to be a whole global";
    operand.set(getView(step->getLoc(), place, type));
  }
  return success();
}

LogicalResult ProgramPlanner::rewrite() {
  unsigned oldArguments = program.getNumArguments();
  for (MemoryRegion table : signature.tables)
    addTableArguments(table, oldArguments);
  for (MemoryRegion region : signature.regions)
    addRegionArgument(region);

  llvm::SmallPtrSet<Operation *, 16> kept;
  for (Operation *step : buffers.getSteps()) {
    newSteps.push_back(kept.size());
    if (failed(rewriteStep(step)))
      return failure();
    // A copy onto itself, such as of a state that was updated in place.
    bool isKept = !isCopy(step) ||
                  step->getOperands().front() != step->getOperands().back();
    if (isKept)
      kept.insert(step);
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
    if (!kept.contains(&op) && !isa<func::ReturnOp>(op) && op.use_empty())
      op.erase();
  (void)program.eraseArguments(
      llvm::BitVector(program.getNumArguments()).set(0, oldArguments));
  setAttributes(kept.size());
  return success();
}

/// Records the plan for reports and the descriptor.
void ProgramPlanner::setAttributes(int64_t steps) {
  SmallVector<Attribute> entries;
  for (auto [lifetime, offset] :
       llvm::zip_equal(buffers.getLifetimes(), arena.offsets)) {
    // A dropped copy has the number of the step after it.
    int64_t first = newSteps[lifetime.firstUse];
    int64_t last = std::min(newSteps[lifetime.lastUse], steps - 1);
    assert((first <= last || first == steps) && "steps keep their order");
    entries.push_back(BufferAttr::get(builder.getContext(), offset,
                                      lifetime.bytes, first, last));
  }
  program->setAttr(HamKaasDialect::buffersAttrName,
                   builder.getArrayAttr(entries));
  program->setAttr(HamKaasDialect::lowerBoundAttrName,
                   builder.getI64IntegerAttr(arena.lowerBound));
  // Of `@prepare`, those with contents.
  if (signature.hasRegion(MemoryRegion::State) || !states.empty())
    program->setAttr(HamKaasDialect::statesAttrName,
                     builder.getArrayAttr(states));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Kernels only load from their arguments and store to them, so that the types
/// of these can change without their users.
static void makeArgumentsDense(func::FuncOp kernel) {
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      argument.setType(MemRefType::get(type.getShape(), type.getElementType()));
    types.push_back(argument.getType());
  }
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), types, kernel.getResultTypes()));
}

/// Removed copies may have been the only calls of their kernel.
static void eraseUncalledKernels(ModuleOp module) {
  llvm::StringSet<> called;
  module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (kernel->hasAttr(HamKaasDialect::kernelAttrName) &&
        !kernel.isExternal() && !called.contains(kernel.getSymName()))
      kernel.erase();
}

namespace {

struct PlanMemory : hamkaas::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (failed(planModule()))
      signalPassFailure();
  }

private:
  /// Far more than a page, and too little for a sum of sizes to wrap.
  static constexpr uint64_t maxAlignment = uint64_t(1) << 32;

  /// A loop comes after those in its body.
  LogicalResult planLoop(func::FuncOp loop, const SymbolTable &symbols,
                         const ConstantsRegion &constants) {
    if (failed(verifyStraightLine(loop)))
      return failure();
    if (failed(addWorkspaces(loop, symbols)))
      return failure();
    ProgramPlanner planner(loop, symbols, constants, alignment, shareRows);
    return success(succeeded(planner.plan()) && succeeded(planner.rewrite()));
  }

  /// The workspace of a loop is a buffer of the function that repeats it.
  static LogicalResult addWorkspaces(func::FuncOp program,
                                     const SymbolTable &symbols) {
    for (auto repeat : program.getBody().front().getOps<RepeatOp>()) {
      auto loop = symbols.lookup<func::FuncOp>(repeat.getCallee());
      unsigned count = loop ? loop.getNumArguments() : 0;
      auto type = count ? dyn_cast<MemRefType>(loop.getArgumentTypes().back())
                        : MemRefType();
      if (!type || getRegion(loop, count - 1) != MemoryRegion::Workspace)
        return repeat.emitError("expected a loop that comes before @")
               << program.getSymName() << ", got @" << repeat.getCallee();
      OpBuilder builder(repeat);
      repeat.getWorkspaceMutable().assign(
          memref::AllocOp::create(builder, repeat.getLoc(), type));
    }
    return success();
  }

  /// How often the limit of the search is lowered, because places with gaps
  /// between them need more than the bytes in use.
  static constexpr int maxTrials = 8;

  /// Computes results of `entry` again in place of keeping them, so that it
  /// needs at most `maxWorkspace`, or else the least that was found.
  void saveMemory(func::FuncOp entry, const SymbolTable &symbols,
                  const ConstantsRegion &constants, uint64_t leastBytes) {
    OwningOpRef<func::FuncOp> best;
    uint64_t limit = maxWorkspace;
    for (int trial = 0; trial < maxTrials && leastBytes > maxWorkspace;
         ++trial) {
      OwningOpRef<func::FuncOp> changed = entry.clone();
      RecomputedBuffers found =
          recomputeBuffers(*changed, symbols, limit, alignment, shareRows);
      ProgramPlanner planner(*changed, symbols, constants, alignment,
                             shareRows);
      if (found == RecomputedBuffers::None || failed(planner.plan()))
        break;
      uint64_t bytes = planner.getWorkspaceBytes();
      if (bytes < leastBytes) {
        leastBytes = bytes;
        best = std::move(changed);
      }
      if (found == RecomputedBuffers::TooFew || bytes <= maxWorkspace ||
          limit <= bytes - maxWorkspace)
        break;
      limit -= bytes - maxWorkspace;
    }
    if (best)
      entry.getBody().takeBody(best->getBody());
  }

  LogicalResult planEntry(func::FuncOp entry, const SymbolTable &symbols,
                          const ConstantsRegion &constants) {
    if (failed(addWorkspaces(entry, symbols)) ||
        failed(delayStateWrites(entry, symbols)))
      return failure();
    if (maxWorkspace != 0) {
      ProgramPlanner free(entry, symbols, constants, alignment, shareRows);
      if (failed(free.plan()))
        return failure();
      if (free.getWorkspaceBytes() > maxWorkspace)
        saveMemory(entry, symbols, constants, free.getWorkspaceBytes());
    }
    ProgramPlanner run(entry, symbols, constants, alignment, shareRows);
    return success(succeeded(run.plan()) &&
                   (mayExceed || succeeded(run.checkWorkspace(maxWorkspace))) &&
                   succeeded(run.rewrite()));
  }

  LogicalResult planModule() {
    if (!llvm::isPowerOf2_64(alignment) || alignment > maxAlignment)
      return getOperation().emitError("expected an alignment that is a power "
                                      "of two of at most ")
             << maxAlignment << ", got " << uint64_t(alignment);
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return failure();
    SymbolTable symbols(getOperation());
    auto prepare = symbols.lookup<func::FuncOp>(prepareName);
    if (prepare && failed(verifyStraightLine(prepare)))
      return failure();

    ConstantsRegion constants(alignment);
    if (prepare && failed(constants.collect(prepare)))
      return failure();
    for (func::FuncOp entry : *entries)
      if (failed(constants.collect(entry)))
        return failure();
    if (failed(constants.layOut(entries->front().getLoc())))
      return failure();

    for (auto loop : getOperation().getOps<func::FuncOp>())
      if (loop->hasAttr(HamKaasDialect::loopAttrName) &&
          failed(planLoop(loop, symbols, constants)))
        return failure();
    for (func::FuncOp entry : *entries)
      if (failed(planEntry(entry, symbols, constants)))
        return failure();
    if (prepare) {
      ProgramPlanner load(prepare, symbols, constants, alignment, shareRows);
      if (failed(load.plan()) || failed(load.rewrite()))
        return failure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(HamKaasDialect::kernelAttrName) &&
          !function.isExternal())
        makeArgumentsDense(function);
    eraseUncalledKernels(getOperation());
    for (func::FuncOp entry : *entries)
      if (failed(numberCalls(entry, symbols)))
        return failure();
    return prepare ? numberCalls(prepare, symbols) : success();
  }
};

} // namespace
