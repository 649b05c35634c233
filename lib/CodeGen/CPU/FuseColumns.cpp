//===- FuseColumns.cpp - Gates in the tiles of their product ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "JoinedCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

namespace hamkaas {
#define GEN_PASS_DEF_FUSECOLUMNS
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isOfFamily(func::FuncOp kernel, KernelFamily family) {
  return getKernelFamily(kernel) == family && !kernel.isExternal() &&
         kernel.getBody().hasOneBlock() && !hasChecks(kernel) &&
         getFusedCalls(kernel).empty();
}

/// The columns of a tile of `kernel`, a contraction, if each tile has all rows
/// of its columns and tile t begins at t times their number; 0 otherwise.
static int64_t getTileColumns(func::FuncOp kernel) {
  if (!isOfFamily(kernel, KernelFamily::Contraction) || !findTileLoop(kernel))
    return 0;
  auto type = cast<MemRefType>(kernel.getArgumentTypes().back());
  ArrayRef<int64_t> tile =
      kernel->getAttrOfType<KernelAttr>(HamKaasDialect::kernelAttrName)
          .getTile();
  if (type.getRank() != 2 || !type.getElementType().isF32() || tile.size() != 3)
    return 0;
  int64_t columns = tile[1];
  return getTiles(kernel) * columns == type.getDimSize(1) ? columns : 0;
}

namespace {
/// An elementwise kernel whose innermost loop is over columns.
struct ColumnKernel {
  static std::optional<ColumnKernel> match(func::FuncOp kernel);

  /// Returns whether an iteration of the loop uses no column of argument
  /// `number` but those that it writes, `parts` of columns aside.
  bool usesOwnColumns(unsigned number) const { return !others.test(number); }

  scf::ForOp loop;
  int64_t count = 0, step = 0;
  llvm::SmallBitVector others;

private:
  bool addAccesses();
  bool addAccess(Value memory, ValueRange indices, Type type);
};
} // namespace

/// `index` less `first` if that is a constant.
static std::optional<int64_t> getDistance(Value index, Value first) {
  int64_t distance = 0;
  while (index != first) {
    auto add = index.getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> summand =
        add ? getConstantIntValue(add.getRhs()) : std::nullopt;
    if (!summand)
      return std::nullopt;
    distance += *summand;
    index = add.getLhs();
  }
  return distance;
}

bool ColumnKernel::addAccess(Value memory, ValueRange indices, Type type) {
  auto argument = dyn_cast<BlockArgument>(memory);
  auto kernel = loop->getParentOfType<func::FuncOp>();
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return false;
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  std::optional<int64_t> distance =
      indices.empty() ? std::nullopt
                      : getDistance(indices.back(), loop.getInductionVar());
  if (!distance || *distance < 0 || *distance % count + lanes > step)
    others.set(argument.getArgNumber());
  return true;
}

bool ColumnKernel::addAccesses() {
  auto kernel = loop->getParentOfType<func::FuncOp>();
  WalkResult result = kernel.walk([&](Operation *op) {
    bool isKnown =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<vector::TransferReadOp>([&](auto read) {
              return addAccess(read.getBase(), read.getIndices(),
                               read.getType());
            })
            .Case<vector::TransferWriteOp>([&](auto write) {
              return addAccess(write.getBase(), write.getIndices(),
                               write.getVector().getType());
            })
            .Case<memref::LoadOp>([&](auto load) {
              return addAccess(load.getMemRef(), load.getIndices(),
                               load.getType());
            })
            .Case<memref::StoreOp>([&](auto store) {
              return addAccess(store.getMemRef(), store.getIndices(),
                               store.getValue().getType());
            })
            .Case<func::FuncOp, func::ReturnOp, scf::ForOp, scf::YieldOp,
                  memref::PrefetchOp>([](auto) { return true; })
            .Default([](Operation *op) { return isMemoryEffectFree(op); });
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::optional<ColumnKernel> ColumnKernel::match(func::FuncOp kernel) {
  if (!isOfFamily(kernel, KernelFamily::Elementwise))
    return std::nullopt;
  SmallVector<scf::ForOp> innermost;
  kernel.walk([&](scf::ForOp loop) {
    if (loop.getBody()->getOps<scf::ForOp>().empty())
      innermost.push_back(loop);
  });
  auto type = cast<MemRefType>(kernel.getArgumentTypes().back());
  if (innermost.size() != 1 || type.getRank() != 2)
    return std::nullopt;
  ColumnKernel found;
  found.loop = innermost.front();
  found.count = type.getDimSize(1);
  std::optional<int64_t> step = getConstantIntValue(found.loop.getStep());
  if (getConstantIntValue(found.loop.getLowerBound()) != 0 ||
      getConstantIntValue(found.loop.getUpperBound()) != found.count || !step)
    return std::nullopt;
  found.step = *step;
  unsigned arguments = kernel.getNumArguments();
  found.others.resize(arguments);
  if (!found.addAccesses() || !found.usesOwnColumns(arguments - 1))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
struct Part {
  func::CallOp call;
  func::FuncOp kernel;
  /// Of the operands.
  SmallVector<Place> places;
  /// Of all but the first part.
  std::optional<ColumnKernel> columns;

  MemRefType getType(unsigned operand) const {
    return cast<MemRefType>(call->getOperand(operand).getType());
  }
};

/// A product, and calls on the columns of its parts: each part has `size`
/// columns, of which a tile has `block`.
struct Group {
  SmallVector<Part> parts;
  int64_t size = 0, block = 0;
};

class ColumnFuser {
public:
  explicit ColumnFuser(ModuleOp module) : module(module), symbols(module) {}

  void fuse(func::FuncOp program);
  void eraseUnused();
  const SymbolTable &getSymbols() const { return symbols; }

private:
  Part getPart(Operation *step) const;
  bool mayOverlap(const Place &a, const Place &b) const;
  bool staysInColumns(const Part &part, unsigned number, const Part &other,
                      unsigned otherNumber, const Group &group) const;
  bool areIndependent(const Part &part, const Part &other,
                      const Group &group) const;
  bool start(Group &group, ArrayRef<Operation *> steps) const;
  func::FuncOp getKernel(const Group &group);

  mutable ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> made;
  llvm::SetVector<func::FuncOp> fused;
};
} // namespace

Part ColumnFuser::getPart(Operation *step) const {
  Part part;
  part.call = dyn_cast<func::CallOp>(step);
  if (!part.call)
    return part;
  part.kernel = symbols.lookup<func::FuncOp>(part.call.getCallee());
  for (Value operand : part.call.getOperands())
    part.places.push_back(getPlace(operand));
  return part;
}

/// The same as `mayShare`, but asks the loops that call a function what its
/// arguments are.
bool ColumnFuser::mayOverlap(const Place &a, const Place &b) const {
  if (!mayShare(a, b) || a.overlaps(b))
    return a.overlaps(b);
  auto first = cast<BlockArgument>(a.whole),
       second = cast<BlockArgument>(b.whole);
  StringRef name =
      cast<func::FuncOp>(first.getOwner()->getParentOp()).getSymName();
  return module
      .walk([&](RepeatOp repeat) {
        bool overlap =
            repeat.getCallee() == name &&
            mayOverlap(getPlace(repeat->getOperand(first.getArgNumber())),
                       getPlace(repeat->getOperand(second.getArgNumber())));
        return overlap ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether a tile uses operand `number` of `part`, behind `other`, at
/// elements that no other tile uses of operand `otherNumber` of that.
bool ColumnFuser::staysInColumns(const Part &part, unsigned number,
                                 const Part &other, unsigned otherNumber,
                                 const Group &group) const {
  bool isProduct = !other.columns;
  if (!part.columns->usesOwnColumns(number) ||
      (isProduct ? otherNumber + 1 != other.places.size()
                 : !other.columns->usesOwnColumns(otherNumber)))
    return false;
  MemRefType type = part.getType(number);
  MemRefType otherType = other.getType(otherNumber);
  const Place &place = part.places[number];
  const Place &otherPlace = other.places[otherNumber];
  if (isSame(place, otherPlace))
    return type == otherType;
  // One row: a part of the product.
  int64_t distance = place.offset - otherPlace.offset;
  return isProduct && place.whole == otherPlace.whole && type.getRank() == 2 &&
         otherType.getDimSize(0) == 1 && type.getDimSize(0) == 1 &&
         type.getElementType() == otherType.getElementType() && distance >= 0 &&
         place.bytes + distance <= otherPlace.bytes &&
         distance % (group.size * int64_t(sizeof(float))) == 0;
}

/// Returns whether each tile may run `part` as soon as it ran `other`.
bool ColumnFuser::areIndependent(const Part &part, const Part &other,
                                 const Group &group) const {
  for (auto [i, place] : llvm::enumerate(part.places))
    for (auto [j, otherPlace] : llvm::enumerate(other.places)) {
      bool isWritten =
          i + 1 == part.places.size() || j + 1 == other.places.size();
      if (isWritten && mayOverlap(place, otherPlace) &&
          !staysInColumns(part, i, other, j, group))
        return false;
    }
  return true;
}

/// Finds a group that begins with the first of `steps`.
bool ColumnFuser::start(Group &group, ArrayRef<Operation *> steps) const {
  Part product = getPart(steps.front());
  int64_t columns = product.kernel ? getTileColumns(product.kernel) : 0;
  if (!columns)
    return false;
  int64_t total =
      cast<MemRefType>(product.kernel.getArgumentTypes().back()).getDimSize(1);
  group.parts.push_back(product);
  bool readsProduct = false;
  for (Operation *step : steps.drop_front()) {
    Part part = getPart(step);
    if (!part.kernel || !areReportedAlike(product.call, part.call))
      break;
    part.columns = ColumnKernel::match(part.kernel);
    if (!part.columns)
      break;
    int64_t block = std::lcm(columns, part.columns->step);
    int64_t size = part.columns->count;
    if (group.parts.size() == 1) {
      group.size = size;
      group.block = block;
    }
    bool joins = size == group.size && block == group.block &&
                 total % size == 0 && total > size && size % block == 0 &&
                 size > block &&
                 llvm::all_of(group.parts, [&](const Part &other) {
                   return areIndependent(part, other, group);
                 });
    if (!joins)
      break;
    readsProduct |= llvm::any_of(ArrayRef(part.places).drop_back(),
                                 [&](const Place &place) {
                                   return place.overlaps(product.places.back());
                                 });
    group.parts.push_back(part);
  }
  return readsProduct;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

static Value createConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static scf::ForOp createLoop(OpBuilder &builder, Location loc, int64_t count) {
  Value begin = createConstant(builder, loc, 0);
  Value end = createConstant(builder, loc, count);
  Value step = createConstant(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

/// Clones the tiles of the product `source` that tile `tiles` needs: those of a
/// block of each part.
static void addProduct(func::FuncOp source, scf::ForOp tiles, IRMapping mapping,
                       const Group &group) {
  scf::ForOp loop = findTileLoop(source);
  OpBuilder builder(tiles);
  for (Operation &op : source.getBody().front())
    if (&op != loop && !op.hasTrait<OpTrait::IsTerminator>())
      builder.clone(op, mapping);
  Location loc = source.getLoc();
  int64_t columns = getTileColumns(source);
  int64_t partTiles = group.size / columns, blockTiles = group.block / columns;
  builder.setInsertionPoint(tiles.getBody()->getTerminator());
  scf::ForOp parts = createLoop(builder, loc, getTiles(source) / partTiles);
  scf::ForOp within = createLoop(builder, loc, blockTiles);
  auto scale = [&](Value index, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, loc, index,
                                 createConstant(builder, loc, factor));
  };
  Value first = arith::AddIOp::create(
      builder, loc, scale(parts.getInductionVar(), partTiles),
      scale(tiles.getInductionVar(), blockTiles));
  Value tile =
      arith::AddIOp::create(builder, loc, first, within.getInductionVar());
  mapping.map(loop.getInductionVar(), tile);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
}

/// Clones `part` into the tile, for its columns alone.
static void addPart(const Part &part, scf::ForOp tiles, IRMapping mapping,
                    const Group &group) {
  OpBuilder builder(tiles.getBody()->getTerminator());
  func::FuncOp source = part.kernel;
  Location loc = source.getLoc();
  for (Operation &op : source.getBody().front().without_terminator())
    builder.clone(op, mapping);
  scf::ForOp loop = part.columns->loop;
  // Its clone is that of the operation around the loop's first value.
  auto clone = cast<scf::ForOp>(
      cast<BlockArgument>(mapping.lookup(loop.getInductionVar()))
          .getOwner()
          ->getParentOp());
  for (Operation *op = clone; op != tiles; op = op->getParentOp())
    op->removeAttr(HamKaasDialect::tileLoopAttrName);
  builder.setInsertionPoint(clone);
  Value block = createConstant(builder, loc, group.block);
  Value lower =
      arith::MulIOp::create(builder, loc, tiles.getInductionVar(), block);
  clone.setLowerBound(lower);
  clone.setUpperBound(arith::AddIOp::create(builder, loc, lower, block));
}

func::FuncOp ColumnFuser::getKernel(const Group &group) {
  std::string key;
  SmallVector<func::FuncOp> kernels;
  for (const Part &part : group.parts) {
    kernels.push_back(part.kernel);
    key += kernels.back().getSymName().str() + ";";
    fused.insert(part.kernel);
  }
  func::FuncOp &kernel = made[key];
  if (kernel)
    return kernel;
  scf::ForOp tiles;
  std::tie(kernel, tiles) =
      createJoinedKernel(kernels, group.size / group.block);
  unsigned firstArgument = 0;
  for (const Part &part : group.parts) {
    IRMapping mapping;
    func::FuncOp source = part.kernel;
    unsigned count = source.getNumArguments();
    mapping.map(source.getArguments(),
                kernel.getArguments().slice(firstArgument, count));
    if (part.columns)
      addPart(part, tiles, mapping, group);
    else
      addProduct(source, tiles, mapping, group);
    firstArgument += count;
  }
  symbols.insert(kernel, kernels.front()->getIterator());
  IRRewriter rewriter(kernel);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return kernel;
}

void ColumnFuser::fuse(func::FuncOp program) {
  SmallVector<BufferAttr> buffers = getBuffers(program);
  SmallVector<Operation *> steps;
  for (Operation &op : program.getBody().front())
    if (isStep(&op))
      steps.push_back(&op);
  SmallVector<Group> groups;
  SmallVector<int64_t> newSteps;
  int64_t count = 0;
  for (size_t i = 0; i < steps.size(); ++count) {
    Group group;
    size_t size = 1;
    if (start(group, ArrayRef(steps).drop_front(i)) &&
        keepsBuffersApart(buffers, i, i + group.parts.size() - 1)) {
      size = group.parts.size();
      groups.push_back(group);
    }
    newSteps.append(size, count);
    i += size;
  }
  if (groups.empty())
    return;
  renumberBuffers(program, buffers, newSteps);
  for (const Group &group : groups) {
    SmallVector<func::CallOp> calls;
    for (const Part &part : group.parts)
      calls.push_back(part.call);
    joinCalls(calls, getKernel(group));
  }
}

void ColumnFuser::eraseUnused() {
  llvm::DenseSet<StringRef> called;
  module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
  for (func::FuncOp kernel : fused)
    if (!called.contains(kernel.getSymName()))
      symbols.erase(kernel);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseColumnsPass : hamkaas::impl::FuseColumnsBase<FuseColumnsPass> {
  void runOnOperation() override {
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return signalPassFailure();
    auto programs = findPlannedPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    ColumnFuser fuser(getOperation());
    for (func::FuncOp program : *programs)
      if (program->hasAttr(HamKaasDialect::loopAttrName))
        fuser.fuse(program);
    fuser.eraseUnused();
    for (func::FuncOp entry : *entries)
      if (failed(numberCalls(entry, fuser.getSymbols())))
        return signalPassFailure();
  }
};
} // namespace
