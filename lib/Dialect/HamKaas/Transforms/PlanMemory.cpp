//===- PlanMemory.cpp - Assigns every buffer a region and an offset -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "ProgramBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace hamkaas {
#define GEN_PASS_DEF_PLANMEMORY
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// The tensor whose elements `type` holds.
static Type getTensorType(Type type) {
  auto memref = cast<MemRefType>(type);
  return RankedTensorType::get(memref.getShape(), memref.getElementType());
}

static StringRef getRegion(func::FuncOp program, unsigned argument) {
  auto region = program.getArgAttrOfType<StringAttr>(
      argument, HamKaasDialect::regionAttrName);
  return region ? region.getValue() : StringRef();
}

//===----------------------------------------------------------------------===//
// Regions that last
//===----------------------------------------------------------------------===//

namespace {

/// The tensors of the constants or the state region, one after the other.
class RegionTable {
public:
  RegionTable(uint64_t alignment) : alignment(alignment) {}

  /// Appends a tensor that `key` ("name" or "index") identifies.
  LogicalResult append(Location loc, StringRef key, Attribute value,
                       MemRefType type) {
    Builder builder(loc.getContext());
    entries.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(key, value),
         builder.getNamedAttr("offset", builder.getI64IntegerAttr(bytes)),
         builder.getNamedAttr("type", TypeAttr::get(getTensorType(type)))}));
    offsets.push_back(bytes);
    std::optional<int64_t> size = getBufferBytes(type);
    std::optional<int64_t> end;
    if (size && *size <= INT64_MAX - int64_t(alignment))
      end = llvm::checkedAdd<int64_t>(bytes, llvm::alignTo(*size, alignment));
    if (!end)
      return emitError(loc, "expected a region of less than 2^63 bytes, with ")
             << getTensorType(type) << " it is larger";
    bytes = *end;
    return success();
  }

  size_t size() const { return offsets.size(); }
  int64_t getOffset(size_t i) const { return offsets[i]; }
  int64_t getBytes() const { return bytes; }
  ArrayAttr getAttr(MLIRContext *context) const {
    return ArrayAttr::get(context, entries);
  }

private:
  uint64_t alignment;
  SmallVector<Attribute> entries;
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

/// The constants region, which `@prepare` writes and `@main` reads.
class ConstantsRegion {
public:
  ConstantsRegion(uint64_t alignment) : table(alignment) {}

  LogicalResult collect(func::FuncOp program);
  LogicalResult layOut(Location loc);

  int64_t getOffset(int64_t index) const { return offsets.at(index); }
  const RegionTable &getTable() const { return table; }

private:
  std::map<int64_t, MemRefType> types;
  std::map<int64_t, int64_t> offsets;
  RegionTable table;
};

} // namespace

static int64_t getConstantIndex(func::FuncOp program, unsigned argument) {
  auto index = program.getArgAttrOfType<IntegerAttr>(
      argument, HamKaasDialect::indexAttrName);
  return index ? index.getInt() : -1;
}

LogicalResult ConstantsRegion::collect(func::FuncOp program) {
  for (BlockArgument argument : program.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (getRegion(program, i) != "constants")
      continue;
    int64_t index = getConstantIndex(program, i);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (index < 0 || !type)
      return emitError(argument.getLoc(),
                       "expected a buffer with an index in the constants "
                       "region as argument ")
             << i << " of @" << program.getSymName();
    auto [it, isNew] = types.try_emplace(index, type);
    if (it->second != type)
      return emitError(argument.getLoc(), "expected constant ")
             << index << " to be " << it->second << " everywhere, got " << type
             << " in @" << program.getSymName();
  }
  return success();
}

LogicalResult ConstantsRegion::layOut(Location loc) {
  Builder builder(loc.getContext());
  size_t i = 0;
  for (auto [index, type] : types) {
    if (failed(
            table.append(loc, "index", builder.getI64IntegerAttr(index), type)))
      return failure();
    offsets[index] = table.getOffset(i++);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

namespace {

/// Plans and rewrites `@main` or `@prepare`.
class ProgramPlanner {
public:
  ProgramPlanner(func::FuncOp program, const SymbolTable &symbols,
                 const ConstantsRegion &constants, uint64_t alignment)
      : program(program), symbols(symbols), constants(constants),
        states(alignment), alignment(alignment), builder(program) {}

  /// Finds a place for everything; changes nothing.
  LogicalResult plan();
  LogicalResult checkWorkspace(uint64_t maxWorkspace);

  /// `tables` are the regions of which each tensor is an argument of its own,
  /// `regions` those that are one argument.
  LogicalResult rewrite(ArrayRef<StringRef> tables,
                        ArrayRef<StringRef> regions);

private:
  /// A number of bytes from the start of an argument of the rewritten function,
  /// or of a global.
  struct Place {
    Value base;
    int64_t offset;
  };

  LogicalResult placeArgument(BlockArgument argument);
  Operation *getWriter(size_t buffer) const {
    return buffers.getSteps()[buffers.getLifetimes()[buffer].firstUse];
  }
  std::string describe(size_t buffer) const;

  void addArgument(int64_t bytes, ArrayRef<NamedAttribute> attributes);
  void addTableArguments(StringRef table, unsigned oldArguments);
  void addRegionArgument(StringRef region);
  LogicalResult rewriteStep(Operation *step);
  Place getPlace(Value operand) const;
  Value getView(Location loc, Place place, MemRefType type);
  Value getOffsetConstant(int64_t offset);
  void setAttributes(int64_t steps);

  func::FuncOp program;
  const SymbolTable &symbols;
  const ConstantsRegion &constants;
  RegionTable states;
  uint64_t alignment;
  OpBuilder builder;
  ProgramBuffers buffers;
  ArenaPlan arena;
  /// Per old argument or allocation, the region it lies in and the offset.
  DenseMap<Value, std::pair<StringRef, int64_t>> placed;
  /// The arguments of the rewritten function: by region, and for those of
  /// tables by old argument.
  llvm::StringMap<Value> regionArguments;
  DenseMap<Value, Value> tableArguments;
  DenseMap<std::tuple<Value, int64_t, Type>, Value> views;
  DenseMap<int64_t, Value> offsetConstants;
  /// Per step its number once copies within one place are gone.
  SmallVector<int64_t> newSteps;
};

} // namespace

LogicalResult ProgramPlanner::plan() {
  FailureOr<ProgramBuffers> analyzed =
      ProgramBuffers::analyze(program, symbols);
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
  for (auto [i, allocation] : llvm::enumerate(buffers.getAllocations()))
    placed[allocation] = {"workspace", arena.offsets[i]};
  return success();
}

LogicalResult ProgramPlanner::placeArgument(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  StringRef region = getRegion(program, i);
  if (region == "constants") {
    placed[argument] = {region,
                        constants.getOffset(getConstantIndex(program, i))};
    return success();
  }
  Attribute name = program.getArgAttr(i, HamKaasDialect::nameAttrName);
  if (region.empty() || !name)
    return emitError(argument.getLoc(), "expected argument ")
           << i << " of @" << program.getSymName()
           << " to have a region and a name";
  if (region != "state") {
    placed[argument] = {region, 0};
    return success();
  }
  if (failed(states.append(argument.getLoc(), "name", name,
                           cast<MemRefType>(argument.getType()))))
    return failure();
  placed[argument] = {region, states.getOffset(states.size() - 1)};
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
                                                 : "kernel";
  return ("the result of this " + what + " takes " +
          Twine(buffers.getLifetimes()[buffer].bytes) + " bytes")
      .str();
}

LogicalResult ProgramPlanner::checkWorkspace(uint64_t maxWorkspace) {
  if (maxWorkspace == 0 || arena.bytes <= maxWorkspace)
    return success();
  std::vector<size_t> largest = arena.peakBuffers;
  llvm::sort(largest, [&](size_t a, size_t b) {
    return std::tuple(buffers.getLifetimes()[b].bytes, a) <
           std::tuple(buffers.getLifetimes()[a].bytes, b);
  });
  InFlightDiagnostic diagnostic =
      emitError(getWriter(largest.front())->getLoc(),
                "expected a workspace of at most ")
      << maxWorkspace << " bytes, got " << arena.bytes << ": "
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
void ProgramPlanner::addTableArguments(StringRef table, unsigned oldArguments) {
  for (unsigned i = 0; i < oldArguments; ++i) {
    if (getRegion(program, i) != table)
      continue;
    BlockArgument old = program.getArgument(i);
    addArgument(
        *getBufferBytes(cast<MemRefType>(old.getType())),
        {builder.getNamedAttr(
             HamKaasDialect::nameAttrName,
             program.getArgAttr(i, HamKaasDialect::nameAttrName)),
         builder.getNamedAttr(HamKaasDialect::regionAttrName,
                              builder.getStringAttr(table)),
         builder.getNamedAttr(HamKaasDialect::typeAttrName,
                              TypeAttr::get(getTensorType(old.getType())))});
    tableArguments[old] = program.getArguments().back();
  }
}

void ProgramPlanner::addRegionArgument(StringRef region) {
  int64_t bytes = region == "constants" ? constants.getTable().getBytes()
                  : region == "state"   ? states.getBytes()
                                        : arena.bytes;
  addArgument(bytes, {builder.getNamedAttr(HamKaasDialect::regionAttrName,
                                           builder.getStringAttr(region))});
  regionArguments[region] = program.getArguments().back();
}

ProgramPlanner::Place ProgramPlanner::getPlace(Value operand) const {
  const BufferView &view = buffers.getView(operand);
  if (view.buffer.getDefiningOp<memref::GetGlobalOp>())
    return {view.buffer, view.getByteOffset()};
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
  if (place.base.getType() == dense && place.offset == 0)
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

LogicalResult ProgramPlanner::rewrite(ArrayRef<StringRef> tables,
                                      ArrayRef<StringRef> regions) {
  unsigned oldArguments = program.getNumArguments();
  for (StringRef table : tables)
    addTableArguments(table, oldArguments);
  for (StringRef region : regions)
    addRegionArgument(region);

  llvm::SmallPtrSet<Operation *, 16> kept;
  for (Operation *step : buffers.getSteps()) {
    newSteps.push_back(kept.size());
    if (failed(rewriteStep(step)))
      return failure();
    // A copy within one place, as of a state that was updated where it lies.
    bool isKept =
        isa<func::CallOp>(step) || step->getOperand(0) != step->getOperand(1);
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

/// Leaves the plan where reports and the descriptor find it.
void ProgramPlanner::setAttributes(int64_t steps) {
  SmallVector<Attribute> entries;
  for (auto [lifetime, offset] :
       llvm::zip_equal(buffers.getLifetimes(), arena.offsets)) {
    // A dropped copy has the number of the step after it.
    int64_t first = newSteps[lifetime.firstUse];
    int64_t last = std::min(newSteps[lifetime.lastUse], steps - 1);
    auto set = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    entries.push_back(builder.getDictionaryAttr(
        {set("bytes", lifetime.bytes), set("first", first), set("last", last),
         set("offset", offset)}));
  }
  program->setAttr(HamKaasDialect::buffersAttrName,
                   builder.getArrayAttr(entries));
  program->setAttr(HamKaasDialect::lowerBoundAttrName,
                   builder.getI64IntegerAttr(arena.lowerBound));
  if (program.getSymName() != "main")
    return;
  program->setAttr(HamKaasDialect::statesAttrName,
                   states.getAttr(builder.getContext()));
  program->setAttr(HamKaasDialect::constantsAttrName,
                   constants.getTable().getAttr(builder.getContext()));
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

namespace {

struct PlanMemory : hamkaas::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (failed(planModule()))
      signalPassFailure();
  }

private:
  LogicalResult planModule() {
    if (!llvm::isPowerOf2_64(alignment))
      return getOperation().emitError("expected an alignment that is a power "
                                      "of two, got ")
             << uint64_t(alignment);
    SymbolTable symbols(getOperation());
    auto main = symbols.lookup<func::FuncOp>("main");
    auto prepare = symbols.lookup<func::FuncOp>("prepare");
    if (!main || main.isExternal())
      return success();

    ConstantsRegion constants(alignment);
    if ((prepare && failed(constants.collect(prepare))) ||
        failed(constants.collect(main)) ||
        failed(constants.layOut(main.getLoc())))
      return failure();

    ProgramPlanner run(main, symbols, constants, alignment);
    if (failed(run.plan()) || failed(run.checkWorkspace(maxWorkspace)) ||
        failed(run.rewrite({"input", "output"},
                           {"constants", "state", "workspace"})))
      return failure();
    if (prepare) {
      ProgramPlanner load(prepare, symbols, constants, alignment);
      if (failed(load.plan()) ||
          failed(load.rewrite({"parameter"}, {"constants", "workspace"})))
        return failure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(HamKaasDialect::kernelAttrName))
        makeArgumentsDense(function);
    return success();
  }
};

} // namespace
