//===- MoveLayouts.cpp - Moves and cancels permutes -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "LayoutRegion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>

namespace hamkaas {
#define GEN_PASS_DEF_MOVELAYOUTS
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Permutes the values of one region.
class RegionPermuter {
public:
  RegionPermuter(LayoutGraph &graph, const LayoutRegion &region,
                 SmallVectorImpl<PermuteOp> &created,
                 llvm::SetVector<Operation *> &dead)
      : graph(graph), region(region), created(created), dead(dead) {}

  void run();

private:
  Value permute(Value x, ArrayRef<int64_t> permutation, Location loc,
                Value replaced);
  void permuteEdge(Value edge);
  void permuteValue(Value value);
  void connectUsers(Value value);
  void connectPermute(PermuteOp user, Value value);
  void connectEnd(Operation *user, Value value, ArrayRef<int64_t> end);
  void replace(Operation *op, Value by);

  LayoutGraph &graph;
  const LayoutRegion &region;
  SmallVectorImpl<PermuteOp> &created;
  llvm::SetVector<Operation *> &dead;
  DenseMap<Value, Value> permuted;
};

} // namespace

static SmallVector<int64_t> compose(ArrayRef<int64_t> first,
                                    ArrayRef<int64_t> second) {
  return applyPermutation(first, second);
}

/// Permutes `x` right after its definition; the permute replaces `replaced`.
Value RegionPermuter::permute(Value x, ArrayRef<int64_t> permutation,
                              Location loc, Value replaced) {
  if (isIdentityPermutation(permutation))
    return x;
  OpBuilder builder(x.getContext());
  builder.setInsertionPointAfterValue(x);
  auto op = PermuteOp::create(builder, loc, x, permutation);
  graph.addReplacement(op.getResult(), replaced);
  created.push_back(op);
  return op.getResult();
}

void RegionPermuter::permuteEdge(Value edge) {
  PermuteOp found = findPermute(edge, region.getPermutation());
  // One that stands further down may come after a use in the region.
  Operation *next = edge.getDefiningOp() ? edge.getDefiningOp()->getNextNode()
                                         : &edge.getParentBlock()->front();
  if (found && found != next) {
    found->moveBefore(next);
    graph.addReplacement(found.getResult(), edge);
  }
  permuted[edge] =
      found ? found.getResult()
            : permute(edge, region.getPermutation(), edge.getLoc(), edge);
}

void RegionPermuter::permuteValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto producer = dyn_cast<PermuteOp>(op)) {
    permuted[value] =
        permute(producer.getX(),
                compose(producer.getPermutation(), region.getPermutation()),
                producer.getLoc(), value);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value found = permuted.lookup(operand);
    operands.push_back(found ? found : operand);
  }
  OpBuilder builder(op);
  Value result = createPermuted(op, builder, region.getPermutation(), operands);
  graph.addReplacement(result, value);
  permuted[value] = result;
}

void RegionPermuter::replace(Operation *op, Value by) {
  op->getResult(0).replaceAllUsesWith(by);
  op->dropAllReferences();
  dead.insert(op);
}

void RegionPermuter::connectPermute(PermuteOp user, Value value) {
  Value to = permuted.lookup(value);
  SmallVector<int64_t> rest =
      compose(region.getInverse(), user.getPermutation());
  if (isIdentityPermutation(rest))
    return replace(user, to);
  user.getXMutable().assign(to);
  user.setPermutation(rest);
  created.push_back(user);
}

void RegionPermuter::connectEnd(Operation *user, Value value,
                                ArrayRef<int64_t> end) {
  OpBuilder builder(user);
  Value result = createPermuted(user, builder, region.getPermutation(),
                                permuted.lookup(value));
  graph.addReplacement(result, user->getResult(0));
  replace(user, permute(result, invertPermutationVector(end), user->getLoc(),
                        user->getResult(0)));
}

/// Gives users outside of the region the value in its old layout.
void RegionPermuter::connectUsers(Value value) {
  Value original;
  // NOTE: a user that reads the value twice occurs twice.
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  for (Operation *user : users) {
    if (region.isInside(user))
      continue;
    if (auto permuteUser = dyn_cast<PermuteOp>(user)) {
      connectPermute(permuteUser, value);
    } else if (auto end = region.getEndPermutation(user)) {
      connectEnd(user, value, *end);
    } else if (!value.getDefiningOp<PermuteOp>()) {
      if (!original)
        original = permute(permuted.lookup(value), region.getInverse(),
                           value.getLoc(), value);
      user->replaceUsesOfWith(value, original);
    }
  }
}

void RegionPermuter::run() {
  for (Value edge : region.getEdges())
    permuteEdge(edge);
  SmallVector<Value> values(region.getValues());
  llvm::sort(values, [&](Value a, Value b) {
    return graph.isBefore(a.getDefiningOp(), b.getDefiningOp());
  });
  for (Value value : values)
    permuteValue(value);
  for (Value value : values)
    connectUsers(value);
  // The remaining uses are within the region.
  for (Value value : llvm::reverse(values)) {
    Operation *op = value.getDefiningOp();
    if (!isa<PermuteOp>(op) || value.use_empty()) {
      op->dropAllReferences();
      dead.insert(op);
    }
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct MoveLayouts : hamkaas::impl::MoveLayoutsBase<MoveLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        moveLayouts(block);
  }

private:
  /// The state for one block.
  struct State {
    explicit State(Block &block) : graph(block) {
      for (auto op : block.getOps<PermuteOp>())
        worklist.push_back({op, 0});
    }
    LayoutGraph graph;
    /// Permutes, with the number of regions that were permuted when they were
    /// created or changed.
    SmallVector<std::pair<PermuteOp, int>> worklist;
    int permutedRegions = 0;
    /// By permutation, the values whose region did not gain by it, and when.
    std::map<SmallVector<int64_t>, DenseMap<Value, int>> failed;
    llvm::SetVector<Operation *> dead;
  };

  static void moveLayouts(Block &block) {
    mergePermutesAroundReshapes(block);
    moveReshapesOutward(block);
    State state(block);
    // Both sides of a permute may take the layout of the other one. New
    // permutes are added at the end.
    for (size_t i = 0; i < state.worklist.size(); ++i) {
      auto [op, time] = state.worklist[i];
      if (!state.dead.contains(op))
        tryRegion(state, op.getResult(),
                  invertPermutationVector(op.getPermutation()), time,
                  /*takesTies=*/isOfWindows(op.getX()));
      if (!state.dead.contains(op))
        tryRegion(state, op.getX(), llvm::to_vector(op.getPermutation()), time,
                  /*takesTies=*/false);
    }
    for (Operation *op : state.dead)
      op->erase();
    eraseUnused(block);
    moveReshapesBehindPointwise(block);
  }

  /// Returns whether a convolution or a pooling computes `value`, up to
  /// pointwise operations, which its kernel can take.
  static bool isOfWindows(Value value) {
    Operation *op = value.getDefiningOp();
    // More of them are no epilogue.
    constexpr int maxOperations = 16;
    for (int i = 0; op && i < maxOperations; ++i) {
      if (isa<ConvOp, PoolOp>(op))
        return true;
      auto kernelOp = dyn_cast<KernelOpInterface>(op);
      if (!kernelOp || !kernelOp.isPointwise() || !op->hasOneUse())
        return false;
      auto operand = llvm::find_if(op->getOperands(), [&](Value operand) {
        return operand.getType() == op->getResult(0).getType();
      });
      op = operand == op->operand_end() ? nullptr : (*operand).getDefiningOp();
    }
    return false;
  }

  /// Permutes the region of `seed` if that pays, unless nothing has changed
  /// around it between its last attempt and `time`. Ties bring a pointwise
  /// operation to the kernel that computes what it reads: an activation to a
  /// convolution, whose result is permuted then.
  static void tryRegion(State &state, Value seed, ArrayRef<int64_t> permutation,
                        int time, bool takesTies) {
    auto &failed = state.failed[llvm::to_vector(permutation)];
    auto last = failed.find(seed);
    if (last != failed.end() && last->second >= time)
      return;
    LayoutRegion region(state.graph, permutation);
    auto pays = [&] {
      int64_t gain = region.getGain();
      return gain > 0 || (gain == 0 && takesTies &&
                          !llvm::all_of(region.getValues(), [](Value value) {
                            return isa<PermuteOp>(value.getDefiningOp());
                          }));
    };
    if (region.grow(seed) && pays()) {
      SmallVector<PermuteOp> created;
      RegionPermuter(state.graph, region, created, state.dead).run();
      ++state.permutedRegions;
      for (PermuteOp op : created)
        state.worklist.push_back({op, state.permutedRegions});
      return;
    }
    // The region is the same from each of its values.
    for (Value value : region.getValues())
      failed[value] = state.permutedRegions;
  }

  /// Permutes that were in the way.
  static void eraseUnused(Block &block) {
    SmallVector<PermuteOp> permutes(block.getOps<PermuteOp>());
    for (PermuteOp op : llvm::reverse(permutes))
      if (op.use_empty())
        op.erase();
  }
};

} // namespace
