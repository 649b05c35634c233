//===- FuseTiles.cpp - Calls that run tile by tile --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "JoinedCalls.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas {
#define GEN_PASS_DEF_FUSETILES
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Calls of a kernel: what their tiles use together should fit the L2 cache.
static constexpr size_t maxParts = 4;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns whether tile `t` of `kernel` uses the elements of its arguments that
/// it writes, and single numbers. A kernel that reads one of them across the
/// rows would number its tiles in another way.
static bool staysInTile(func::FuncOp kernel) {
  Type written = kernel.getArgumentTypes().back();
  for (BlockArgument argument : kernel.getArguments().drop_back()) {
    auto type = cast<MemRefType>(argument.getType());
    bool isInOrder =
        type == written && kernel.getArgAttr(argument.getArgNumber(),
                                             HamKaasDialect::inPlaceAttrName);
    if (!isInOrder && type.getNumElements() != 1)
      return false;
  }
  return true;
}

static bool canFuse(func::FuncOp kernel) {
  return getKernelFamily(kernel) == KernelFamily::Elementwise &&
         !kernel.isExternal() && kernel.getBody().hasOneBlock() &&
         // One tile stays in the caches anyway.
         getTiles(kernel) > 1 && findTileLoop(kernel) && !hasChecks(kernel) &&
         getFusedCalls(kernel).empty() && staysInTile(kernel);
}

/// Returns whether the tiles of `a` and `b` are the same elements.
static bool haveSameTiles(func::FuncOp a, func::FuncOp b) {
  return a.getArgumentTypes().back() == b.getArgumentTypes().back() &&
         a->getAttr(HamKaasDialect::kernelAttrName) ==
             b->getAttr(HamKaasDialect::kernelAttrName) &&
         getTiles(a) == getTiles(b);
}

namespace {
/// A call that may be one of several of a kernel.
struct Part {
  func::CallOp call;
  func::FuncOp kernel;
  SmallVector<Place> places; /* of the operands */
  /// True if what it writes is read again while it is in a cache.
  bool isReread = false;
};

using Group = SmallVector<Part, 1>;

/// Makes the kernels of several calls, one for all that are equal.
class FusedKernels {
public:
  explicit FusedKernels(ModuleOp module) : symbols(module) {}

  func::FuncOp lookup(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }
  func::FuncOp get(ArrayRef<Part> parts);
  const SymbolTable &getSymbols() const { return symbols; }
  /// Erases the kernels of fused calls that no other call runs.
  void eraseUnused();

private:
  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> made;
  llvm::SetVector<func::FuncOp> fused;
};
} // namespace

/// Clones `part` to the end of `kernel` and into its loop over tiles.
static void addPart(const Part &part, func::FuncOp kernel, scf::ForOp tiles,
                    unsigned firstArgument) {
  func::FuncOp source = part.kernel;
  IRMapping mapping;
  mapping.map(
      source.getArguments(),
      kernel.getArguments().slice(firstArgument, source.getNumArguments()));
  scf::ForOp loop = findTileLoop(source);
  mapping.map(loop.getInductionVar(), tiles.getInductionVar());
  OpBuilder builder(tiles);
  for (Operation &op : source.getBody().front()) {
    if (&op == loop)
      break;
    builder.clone(op, mapping);
  }
  builder.setInsertionPoint(tiles.getBody()->getTerminator());
  for (Operation &op : loop.getBody()->without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    if (part.isReread)
      clone->walk([](scf::ForOp inner) {
        inner->removeAttr(HamKaasDialect::streamLoopAttrName);
      });
  }
}

/// Returns whether a loop of `kernel` starts at a line of memory, wherever that
/// is, and the rest comes before and behind it.
static bool startsAtLine(func::FuncOp kernel) {
  return kernel
      .walk([](memref::ExtractAlignedPointerAsIndexOp) {
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Makes the loops of all parts in `block` one, with those inside. They have
/// the same bounds, so that each iteration uses the same elements in all.
static void mergeLoops(Block &block, size_t parts) {
  auto loops = llvm::to_vector(block.getOps<scf::ForOp>());
  if (loops.size() != parts)
    return;
  scf::ForOp last = loops.back();
  auto isLike = [&](scf::ForOp loop) {
    return loop.getNumResults() == 0 &&
           loop.getLowerBound() == last.getLowerBound() &&
           loop.getUpperBound() == last.getUpperBound() &&
           loop.getStep() == last.getStep();
  };
  if (!llvm::all_of(loops, isLike))
    return;
  // At the last of them, where the operands of all are known. Elements behind
  // an earlier loop now come before it.
  Block::iterator begin = last.getBody()->begin();
  for (scf::ForOp loop : ArrayRef(loops).drop_back()) {
    loop.getBody()->getTerminator()->erase();
    loop.getInductionVar().replaceAllUsesWith(last.getInductionVar());
    last.getBody()->getOperations().splice(begin,
                                           loop.getBody()->getOperations());
    loop.erase();
  }
  IRRewriter rewriter(last);
  DominanceInfo dominance(last);
  eliminateCommonSubExpressions(rewriter, dominance, last);
  mergeLoops(*last.getBody(), parts);
}

func::FuncOp FusedKernels::get(ArrayRef<Part> parts) {
  std::string key;
  SmallVector<func::FuncOp> sources;
  for (const Part &part : parts) {
    sources.push_back(part.kernel);
    fused.insert(part.kernel);
    key += sources.back().getSymName().str() + (part.isReread ? "," : ";");
  }
  func::FuncOp &kernel = made[key];
  if (kernel)
    return kernel;
  scf::ForOp tiles;
  std::tie(kernel, tiles) = createJoinedKernel(sources, getTiles(sources[0]));
  unsigned firstArgument = 0;
  for (const Part &part : parts) {
    addPart(part, kernel, tiles, firstArgument);
    firstArgument += part.places.size();
  }
  symbols.insert(kernel, sources.front()->getIterator());
  if (llvm::any_of(parts,
                   [](const Part &part) { return startsAtLine(part.kernel); }))
    return kernel;
  IRRewriter rewriter(kernel);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  mergeLoops(*tiles.getBody(), parts.size());
  return kernel;
}

void FusedKernels::eraseUnused() {
  llvm::DenseSet<StringRef> called;
  symbols.getOp()->walk(
      [&](func::CallOp call) { called.insert(call.getCallee()); });
  for (func::FuncOp kernel : fused)
    if (!called.contains(kernel.getSymName()))
      symbols.erase(kernel);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// Fuses the calls of one function of a program.
class TileFuser {
public:
  TileFuser(func::FuncOp program, FusedKernels &kernels)
      : program(program), kernels(kernels) {}

  void fuse();

private:
  Part getPart(Operation *step) const;
  bool joins(const Group &group, const Part &part, int64_t step) const;
  void write(Group &group);

  func::FuncOp program;
  FusedKernels &kernels;
  SmallVector<BufferAttr> buffers;
};
} // namespace

/// Returns whether tile by tile, `reader` finds in its operands what it would
/// find if `writer` ran completely before or behind it.
static bool isApartOrSame(const Part &writer, const Part &reader) {
  const Place &written = writer.places.back();
  return llvm::all_of(reader.places, [&](const Place &place) {
    return !mayShare(written, place) || isSame(written, place);
  });
}

/// Returns whether both have a whole operand in common.
static bool share(const Part &a, const Part &b) {
  return llvm::any_of(a.places, [&](const Place &place) {
    return place.bytes == a.places.back().bytes &&
           llvm::any_of(b.places, [&](const Place &other) {
             return isSame(place, other);
           });
  });
}

/// A part without a kernel if `step` stays as it is.
Part TileFuser::getPart(Operation *step) const {
  Part part;
  part.call = dyn_cast<func::CallOp>(step);
  func::FuncOp kernel = part.call ? kernels.lookup(part.call) : func::FuncOp();
  if (!kernel || !canFuse(kernel))
    return part;
  part.kernel = kernel;
  for (Value operand : part.call.getOperands())
    part.places.push_back(getPlace(operand));
  return part;
}

/// Returns whether `part`, which is `step`, may run in the tiles of `group`,
/// which are the steps before it.
bool TileFuser::joins(const Group &group, const Part &part,
                      int64_t step) const {
  const Part &first = group.front();
  if (!first.kernel || !part.kernel || group.size() == maxParts ||
      !haveSameTiles(first.kernel, part.kernel))
    return false;
  if (!areReportedAlike(first.call, part.call))
    return false;
  return llvm::any_of(group,
                      [&](const Part &other) { return share(other, part); }) &&
         llvm::all_of(group,
                      [&](const Part &other) {
                        return isApartOrSame(other, part) &&
                               isApartOrSame(part, other);
                      }) &&
         keepsBuffersApart(buffers, step - group.size(), step);
}

/// Replaces the calls of `group` by one, at the last of them.
void TileFuser::write(Group &group) {
  if (group.size() == 1)
    return;
  SmallVector<func::CallOp> calls;
  for (Part &part : group) {
    // In place, or what another one reads.
    part.isReread = llvm::any_of(group, [&](const Part &other) {
      ArrayRef<Place> read = ArrayRef(other.places).drop_back();
      return llvm::any_of(read, [&](const Place &place) {
        return isSame(place, part.places.back());
      });
    });
    calls.push_back(part.call);
  }
  joinCalls(calls, kernels.get(group));
}

void TileFuser::fuse() {
  buffers = getBuffers(program);
  SmallVector<Group> groups;
  SmallVector<int64_t> groupOfStep;
  for (Operation &op : program.getBody().front()) {
    if (!isStep(&op))
      continue;
    Part part = getPart(&op);
    int64_t step = groupOfStep.size();
    if (!groups.empty() && joins(groups.back(), part, step))
      groups.back().push_back(std::move(part));
    else
      groups.push_back({std::move(part)});
    groupOfStep.push_back(groups.size() - 1);
  }
  if (groups.size() == groupOfStep.size())
    return;
  renumberBuffers(program, buffers, groupOfStep);
  for (Group &group : groups)
    write(group);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseTilesPass : hamkaas::impl::FuseTilesBase<FuseTilesPass> {
  void runOnOperation() override {
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return signalPassFailure();
    auto programs = findPlannedPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    FusedKernels kernels(getOperation());
    for (func::FuncOp program : *programs)
      TileFuser(program, kernels).fuse();
    kernels.eraseUnused();
    for (func::FuncOp entry : *entries)
      if (failed(numberCalls(entry, kernels.getSymbols())))
        return signalPassFailure();
  }
};
} // namespace
