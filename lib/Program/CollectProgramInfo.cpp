//===- CollectProgramInfo.cpp - Facts from a module in PLANNED --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/CollectProgramInfo.h"
#include "FindRepacked.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Program/ElementTypes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Returns whether this names a node of a file that has no lines.
static bool isNode(NameLoc name) {
  auto file = Location(name)->findInstanceOf<FileLineColLoc>();
  return file && file.getLine() == 0;
}

/// Appends the positions in `location` in the order in which they were fused.
static void collectPositions(Location location,
                             SmallVectorImpl<LocationAttr> &positions) {
  // Iterative: rewrites may nest fused locations deeply.
  SmallVector<Location> worklist{location};
  while (!worklist.empty()) {
    Location current = worklist.pop_back_val();
    if (auto fused = dyn_cast<FusedLoc>(current))
      llvm::append_range(worklist, llvm::reverse(fused.getLocations()));
    else if (auto call = dyn_cast<CallSiteLoc>(current))
      worklist.push_back(call.getCallee());
    else if (auto name = dyn_cast<NameLoc>(current);
             name && !isa<UnknownLoc>(name.getChildLoc()) && !isNode(name))
      worklist.push_back(name.getChildLoc());
    else if (isa<FileLineColRange, NameLoc>(current) &&
             !llvm::is_contained(positions, current))
      positions.push_back(current);
  }
}

std::string hamkaas::formatLocation(Location location) {
  SmallVector<LocationAttr> positions;
  collectPositions(location, positions);
  std::string text;
  llvm::raw_string_ostream os(text);
  StringAttr file;
  llvm::interleave(
      positions, os,
      [&](LocationAttr position) {
        auto range = dyn_cast<FileLineColRange>(position);
        if (!range) {
          os << cast<NameLoc>(position).getName().getValue();
          return;
        }
        // The file is named once for all positions in it that follow.
        if (range.getFilename() != file)
          os << range.getFilename().getValue() << ":";
        file = range.getFilename();
        os << range.getStartLine();
        // A line that stands for a statement of a generated script has none.
        if (range.getStartColumn() != 0)
          os << ":" << range.getStartColumn();
      },
      ", ");
  return text;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TensorInfo hamkaas::getTensorInfo(StringRef name, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  TensorInfo info;
  info.name = name;
  info.elementType = getElementType(tensor).type;
  info.shape = tensor.getShape().vec();
  return info;
}

/// The tensors that the arguments of `region` hold.
static std::vector<TensorInfo> collectTensors(func::FuncOp program,
                                              MemoryRegion region) {
  std::vector<TensorInfo> tensors;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    if (getRegion(program, i) != region)
      continue;
    tensors.push_back(getTensorInfo(
        program.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName),
        program.getArgAttrOfType<TypeAttr>(i, HamKaasDialect::typeAttrName)
            .getValue()));
  }
  return tensors;
}

/// The states in the region that `program` writes: of `@main` the state, of
/// `@prepare` the constants.
static std::vector<TensorInfo> collectStates(func::FuncOp program) {
  std::vector<TensorInfo> states;
  auto entries =
      program->getAttrOfType<ArrayAttr>(HamKaasDialect::statesAttrName);
  if (!entries)
    return states;
  for (auto entry : entries.getAsRange<StateAttr>()) {
    TensorInfo state = getTensorInfo(entry.getName(), entry.getType());
    state.offset = entry.getOffset();
    states.push_back(std::move(state));
  }
  return states;
}

/// The contents that `@prepare` writes for the states of `info`.
static std::vector<HamKaasInitialState>
collectInitialStates(func::FuncOp prepare, const ProgramInfo &info) {
  std::vector<HamKaasInitialState> initialStates;
  for (const TensorInfo &contents : collectStates(prepare)) {
    auto state = llvm::find_if(info.states, [&](const TensorInfo &state) {
      return state.name == contents.name;
    });
    initialStates.push_back({contents.offset, contents.bytes(),
                             int32_t(state - info.states.begin()),
                             /*reserved=*/0});
  }
  return initialStates;
}

static uint64_t getRegionBytes(func::FuncOp program, MemoryRegion region) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (getRegion(program, i) == region)
      return cast<MemRefType>(program.getArgumentTypes()[i]).getDimSize(0);
  return 0;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static std::string getOps(Operation *step) {
  if (auto ops = step->getAttrOfType<StringAttr>(HamKaasDialect::opsAttrName))
    return ops.str();
  if (auto call = dyn_cast<func::CallOp>(step))
    return call.getCallee().str();
  return isa<RepeatOp>(step) ? "loop" : "copy";
}

/// Returns whether the kernel reads `argument` only where elements of others
/// tell it to, as a gather does its table.
static bool isGathered(BlockArgument argument) {
  auto isLoaded = [](Value index) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.inclusive = true;
    return succeeded(getBackwardSlice(index, &slice, options)) &&
           llvm::any_of(slice,
                        llvm::IsaPred<memref::LoadOp, vector::TransferReadOp>);
  };
  return !argument.use_empty() &&
         llvm::all_of(argument.getUsers(), [&](Operation *user) {
           if (auto load = dyn_cast<memref::LoadOp>(user))
             return llvm::any_of(load.getIndices(), isLoaded);
           auto read = dyn_cast<vector::TransferReadOp>(user);
           return read && llvm::any_of(read.getIndices(), isLoaded);
         });
}

/// Bytes that a call of the kernel with these operands moves: all of them, but
/// of a table only as much as the result takes.
static uint64_t getMovedBytes(ValueRange operands, func::FuncOp kernel) {
  uint64_t written = getByteCount(operands.back().getType());
  // An operand of several arguments is one that is updated in place.
  llvm::MapVector<Value, uint64_t> bytes;
  for (auto [operand, argument] :
       llvm::zip_equal(operands, kernel.getArguments())) {
    uint64_t size = getByteCount(operand.getType());
    if (isGathered(argument))
      size = std::min(size, written);
    bytes[operand] = std::max(bytes[operand], size);
  }
  uint64_t sum = 0;
  for (auto [operand, size] : bytes)
    sum += size;
  return sum;
}

/// Adds what a call of the kernel with these operands does.
static void addWork(ValueRange operands, func::FuncOp kernel, CallInfo &info) {
  info.bytes = addCounts(info.bytes, getMovedBytes(operands, kernel));
  auto tiles =
      kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName);
  info.tiles += tiles ? tiles.getInt() : 1;
  kernel.walk([&](CheckOp check) {
    info.check = check.getMessage();
    return WalkResult::interrupt();
  });
}

/// The engine of a kernel; our own code generator only if it has knobs, as
/// "hamkaas: rows=4, vectors=3". Empty if there is nothing to say.
static std::string getEngineName(func::FuncOp kernel) {
  if (EngineAttr engine = getEngine(kernel))
    return engine.getId().str();
  std::string knobs = formatKnobs(getKnobs(kernel));
  return knobs.empty() ? "" : "hamkaas: " + knobs;
}

static CallInfo getCallInfo(func::CallOp call, func::FuncOp kernel,
                            const SymbolTable &symbols) {
  CallInfo info;
  info.kernel = call.getCallee();
  info.family = stringifyKernelFamily(*getKernelFamily(kernel));
  info.location = formatLocation(call.getLoc());
  info.ops = getOps(call);
  info.engine = getEngineName(kernel);
  if (auto flops =
          call->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName))
    info.flops = flops.getInt();
  info.tiles = 0;
  // Tiles that run in turn find what they share in a cache.
  if (kernel.getOps<func::CallOp>().empty()) {
    addWork(call.getOperands(), kernel, info);
    return info;
  }
  ValueRange operands = call.getOperands();
  for (auto part : kernel.getOps<func::CallOp>()) {
    addWork(operands.take_front(part.getNumOperands()),
            symbols.lookup<func::FuncOp>(part.getCallee()), info);
    operands = operands.drop_front(part.getNumOperands());
  }
  return info;
}

/// Returns whether the step is part of a gradient, or computes something again
/// for it.
static bool isBackward(Operation *step) {
  return step->hasAttr(HamKaasDialect::recomputedAttrName) ||
         isOfGradient(step->getLoc());
}

static RecomputedInfo collectRecomputed(ArrayRef<Operation *> steps) {
  RecomputedInfo info;
  for (Operation *step : steps) {
    // A copy is part of no total of calls and bytes.
    if (!step->hasAttr(HamKaasDialect::recomputedAttrName) ||
        !isa<func::CallOp>(step))
      continue;
    ++info.calls;
    info.bytes += getByteCount(step->getOperands().back().getType());
    if (auto flops =
            step->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName))
      info.flops = addCounts(info.flops, flops.getInt());
  }
  return info;
}

static std::vector<WorkspaceBuffer>
collectBuffers(func::FuncOp program, ArrayRef<Operation *> steps) {
  std::vector<WorkspaceBuffer> buffers;
  auto entries =
      program->getAttrOfType<ArrayAttr>(HamKaasDialect::buffersAttrName);
  for (auto entry : entries.getAsRange<BufferAttr>()) {
    WorkspaceBuffer buffer;
    buffer.offset = entry.getOffset();
    buffer.bytes = entry.getBytes();
    buffer.first = entry.getFirst();
    buffer.last = entry.getLast();
    if (buffer.first < static_cast<int64_t>(steps.size())) {
      buffer.ops = getOps(steps[buffer.first]);
      buffer.location = formatLocation(steps[buffer.first]->getLoc());
      buffer.isActivation =
          !isBackward(steps[buffer.first]) && isBackward(steps[buffer.last]);
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

/// Enters the calls in `op`, which runs so many times: one of a kernel, or
/// those of a loop.
static void collectCalls(Operation &op, const SymbolTable &symbols,
                         int64_t times, int64_t step,
                         std::vector<CallInfo> &calls) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    CallInfo info = getCallInfo(
        call, symbols.lookup<func::FuncOp>(call.getCallee()), symbols);
    info.flops = multiplyCounts(info.flops, times);
    info.bytes = multiplyCounts(info.bytes, times);
    info.step = step;
    info.repetitions = times;
    size_t index =
        call->getAttrOfType<IntegerAttr>(HamKaasDialect::callIndexAttrName)
            .getInt();
    calls.resize(std::max(calls.size(), index + 1));
    calls[index] = std::move(info);
  } else if (auto repeat = dyn_cast<RepeatOp>(op)) {
    auto loop = symbols.lookup<func::FuncOp>(repeat.getCallee());
    for (Operation &inner : loop.getBody().front())
      collectCalls(inner, symbols, multiplyCounts(times, repeat.getSteps()),
                   step, calls);
  }
}

static void collectFunction(func::FuncOp function, const SymbolTable &symbols,
                            FunctionInfo &info) {
  info.function = function.getSymName();
  info.inputs = collectTensors(function, MemoryRegion::Input);
  info.outputs = collectTensors(function, MemoryRegion::Output);
  info.workspaceBytes = getRegionBytes(function, MemoryRegion::Workspace);
  info.workspaceLowerBound =
      function->getAttrOfType<IntegerAttr>(HamKaasDialect::lowerBoundAttrName)
          .getInt();
  SmallVector<Operation *> steps;
  for (Operation &op : function.getBody().front()) {
    collectCalls(op, symbols, /*times=*/1, steps.size(), info.calls);
    if (isa<func::CallOp, RepeatOp, memref::CopyOp>(op))
      steps.push_back(&op);
  }
  info.buffers = collectBuffers(function, steps);
  info.recomputed = collectRecomputed(steps);
}

static EngineCallInfo getEngineCallInfo(EngineAttr engine) {
  EngineCallInfo info;
  info.engine = engine.getId();
  info.version = engine.getVersion();
  info.library = engine.getLibrary();
  info.group = engine.getGroup();
  info.knobs = engine.getKnobs();
  info.workspaceBytes = engine.getWorkspace();
  info.packedBytes = engine.getPacked();
  info.packs = engine.getPacks();
  return info;
}

ProgramInfo hamkaas::collectProgramInfo(ModuleOp module) {
  SymbolTable symbols(module);
  ProgramInfo info;
  auto entries = llvm::make_filter_range(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return isEntryFunction(function); });
  func::FuncOp first = *entries.begin();
  collectFunction(first, symbols, info);
  for (func::FuncOp entry : llvm::drop_begin(entries))
    collectFunction(entry, symbols, info.furtherFunctions.emplace_back());
  for (func::FuncOp kernel : findEngineKernels(module))
    info.engineCalls.push_back(getEngineCallInfo(getEngine(kernel)));
  info.states = collectStates(first);
  info.constantsBytes = getRegionBytes(first, MemoryRegion::Constants);
  info.stateBytes = getRegionBytes(first, MemoryRegion::State);
  if (auto prepare = symbols.lookup<func::FuncOp>(prepareName)) {
    info.parameters = collectTensors(prepare, MemoryRegion::Parameter);
    info.initialStates = collectInitialStates(prepare, info);
    info.repacked = findRepacked(prepare);
    info.prepareWorkspaceBytes =
        getRegionBytes(prepare, MemoryRegion::Workspace);
  }
  return info;
}
