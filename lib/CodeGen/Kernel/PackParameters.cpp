//===- PackParameters.cpp - Packs constant matrices -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnParts.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "IntegerContraction.h"
#include "PermuteGroup.h"
#include "WordOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace hamkaas {
#define GEN_PASS_DEF_CPUPACKPARAMETERS
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// `[batch..., ..., columns]` into panels `[batch..., columns / width, ...,
/// width]`: of matrices `[depth, columns]`, or of the weights of a convolution.
/// Of narrow integers, panels have words of the depth, which are pairs or four
/// bytes: `[..., depth / n, width, n]`.
struct PanelLayout {
  PanelLayout(OpBuilder &builder, RankedTensorType type, int64_t batches,
              int64_t width)
      : innerDims{type.getRank() - 1}, tiles{builder.getIndexAttr(width)} {
    int64_t rank = type.getRank();
    if (int64_t elements = getWordElements(type); elements > 1) {
      innerDims.push_back(rank - 2);
      tiles.push_back(builder.getIndexAttr(elements));
    }
    llvm::append_range(outerPermutation, llvm::seq<int64_t>(batches));
    outerPermutation.push_back(rank - 1);
    llvm::append_range(outerPermutation, llvm::seq(batches, rank - 1));
  }

  /// The same panels of a tensor whose dimension `order[i]` is dimension i of
  /// `type`.
  void permute(ArrayRef<int64_t> order) {
    for (SmallVector<int64_t> *dims : {&innerDims, &outerPermutation})
      for (int64_t &dim : *dims)
        dim = order[dim];
  }

  SmallVector<int64_t> innerDims, outerPermutation;
  SmallVector<OpFoldResult> tiles;
};

struct CPUPackParameters
    : hamkaas::impl::CPUPackParametersBase<CPUPackParameters> {
  using CPUPackParametersBase::CPUPackParametersBase;

  void runOnOperation() override {
    FailureOr<TargetDescription> described = describeTarget(getOperation());
    if (failed(described))
      return signalPassFailure();
    target = *described;
    getOperation().walk(
        [&](Block *block) { movable.insert_range(findMovableOps(*block)); });
    if (llvm::count_if(getOperation().getOps<func::FuncOp>(), isEntryFunction) >
        1) {
      hashMovableOps();
      forEachContraction([&](GroupOp group) { proposeWidth(group); });
    }
    forEachContraction([&](GroupOp group) {
      readLeftSide(group);
      packRightSide(group);
    });
    getOperation().walk([](ScanOp scan) { scan.dropUnusedValues(); });
    // Another group in a loop may still read one.
    for (GroupOp permute : replacedPermutes)
      if (permute->use_empty())
        permute.erase();
  }

private:
  void forEachContraction(function_ref<void(GroupOp)> visit) {
    getOperation().walk([&](GroupOp group) {
      // Packing is not worth it for one use.
      if (group.getFamily() == KernelFamily::Contraction &&
          !movable.contains(group))
        visit(group);
    });
  }

  /// A product of a group with a matrix that is worth packing.
  struct Factor {
    linalg::GenericOp root;
    ContractionLoops loops;
    BlockArgument argument;
    Value weights;
    /// Contractions with it in a run: the steps of the loops around.
    int64_t steps;
    /// True if it is known when the program is loaded.
    bool isOnce;
    /// The dimensions of the operand of a permute that are those of the matrix,
    /// if panels take its place.
    std::optional<SmallVector<int64_t>> order;
    /// True if the columns of all groups are its last dimension.
    bool areGroups;
  };

  /// The operand that reads the right side from memory.
  OpOperand &getMatrix(linalg::GenericOp root) const {
    OpOperand &right = *root.getDpsInputOperand(1);
    OpOperand *narrow =
        target->strategy->widensPanels() ? getWidened(right.get()) : nullptr;
    return narrow ? *narrow : right;
  }

  std::optional<Factor> matchRightSide(GroupOp group) {
    linalg::GenericOp root;
    FailureOr<ContractionLoops> loops = failure();
    for (auto op : group.getBody().getOps<linalg::GenericOp>()) {
      if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
          llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
        continue;
      StringRef reason;
      loops = ContractionLoops::match(op, reason);
      root = op;
      if (succeeded(loops))
        break;
    }
    bool areGroups = succeeded(loops) && hasGroups(root, *loops);
    if (failed(loops) || !(areGroups || isRightSide(root, *loops)))
      return std::nullopt;
    OpOperand &right = getMatrix(root);
    auto argument = dyn_cast<BlockArgument>(right.get());
    if (!argument || !argument.hasOneUse())
      return std::nullopt;
    Value given = group.getInputs()[argument.getArgNumber()];
    int64_t steps = 1;
    Value weights = getOutside(given, steps);
    // Constants of a loop's body are packed in each step.
    Operation *source = weights.getDefiningOp();
    bool isOnce =
        movable.contains(source) && !isa<ScanOp>(source->getParentOp());
    Factor found{root,
                 *loops,
                 argument,
                 weights,
                 steps,
                 isOnce,
                 matchPermute(weights, isOnce),
                 areGroups};
    if (areGroups && !packsGroups(group, found))
      return std::nullopt;
    return found;
  }

  /// A panel must not have columns of two groups. Vectors of several groups
  /// read weights that are not packed.
  bool packsGroups(GroupOp group, const Factor &right) const {
    int64_t columns = right.loops.columnCount();
    return !sameCalls && CostModel(*target).hasOwnCache() && right.isOnce &&
           columns >= target->lanes && columns % getWidth(group, right) == 0;
  }

  bool packs(GroupOp group, const Factor &right) const {
    if (right.isOnce)
      return true;
    if (std::optional<bool> wished = Knobs::get(group).packs)
      return *wished;
    if (right.order)
      return true;
    return paysInEachRun(right.loops, right.steps) &&
           (!saveMemory || mayStand(group, right.weights, right.steps));
  }

  /// The dimensions of its operand that are those of `matrix`, if a kernel
  /// permutes it for one reader: packing takes as long. In each run, the zeros
  /// at the end of panels need memory. Of parameters, only matrices have rows
  /// that squares of vectors can be read of.
  std::optional<SmallVector<int64_t>> matchPermute(Value matrix,
                                                   bool isOnce) const {
    std::optional<PermuteGroup> permute = PermuteGroup::match(matrix);
    if (!permute || sameCalls || !target->strategy->packsPermuted() ||
        !getElementTypeOrSelf(matrix).isF32())
      return std::nullopt;
    bool packs = isOnce ? permute->order.size() == 2
                        : !saveMemory && !movable.contains(permute->group);
    return packs ? std::optional(permute->order) : std::nullopt;
  }

  std::optional<Factor> findRightSide(GroupOp group) {
    std::optional<Factor> right = matchRightSide(group);
    return right && packs(group, *right) ? right : std::nullopt;
  }

  /// Returns whether the product of `group` should have its lanes along the
  /// depth.
  bool areDotProducts(GroupOp group, Factor &right) const {
    const ContractionLoops &loops = right.loops;
    auto isAlongDepth = [&](unsigned operand) {
      return loops.readsAlongDepth(right.root,
                                   *right.root.getDpsInputOperand(operand));
    };
    return !right.isOnce && loops.window.empty() && isAlongDepth(0) &&
           (right.order ? isTransposed(group, right) : isAlongDepth(1)) &&
           hamkaas::areDotProducts(CostModel(*target), loops.rowCount(),
                                   loops.columnCount(), loops.productCount());
  }

  /// Drops the knob where it decides nothing: the right side is packed once, or
  /// cannot be packed, or a panel would change the order of sums.
  void dropOtherPacking(GroupOp group) {
    std::optional<Factor> right = matchRightSide(group);
    if (!right || right->isOnce || areDotProducts(group, *right))
      setKnobs(group, dropKnob(getKnobs(group), packingKnob));
  }

  /// Gives values that are computed alike from parameters equal hashes, also in
  /// different functions. Collisions cost speed at most.
  void hashMovableOps() {
    auto hashOf = [&](Value value) {
      auto known = hashes.find(value);
      return known == hashes.end() ? hash_value(value) : known->second;
    };
    // Operands come before their users.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!movable.contains(op) || op->getNumResults() != 1)
        return;
      hashes[op->getResult(0)] = OperationEquivalence::computeHash(
          op, hashOf, OperationEquivalence::ignoreHashValue,
          OperationEquivalence::IgnoreLocations);
    });
  }

  /// The functions of a program read a matrix in one layout, that of the
  /// contraction with most work.
  void proposeWidth(GroupOp group) {
    std::optional<Factor> right = findRightSide(group);
    auto flops =
        group->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName);
    if (!right || !movable.contains(right->weights.getDefiningOp()) || !flops)
      return;
    auto &[most, width] = agreedWidths[hashes.at(right->weights)];
    if (flops.getInt() <= most)
      return;
    most = flops.getInt();
    width = getWidth(group, *right);
  }

  /// The width that is best for `group`. Where the columns of a group are no
  /// multiple of it, the largest multiple of the lanes that divides them.
  int64_t getWidth(GroupOp group, const Factor &right) const {
    CostModel costs(*target);
    if (isIntegerContraction(right.root))
      return chooseWordPanelWidth(costs, right.loops);
    costs.knobs = Knobs::get(group);
    int64_t width =
        target->strategy->choosePanelWidth(costs, right.root, right.loops);
    bool isRounded = !sameCalls && costs.hasOwnCache() &&
                     !costs.knobs.vectors && areColumnPartsRead(group);
    if (isRounded)
      return roundWidth(width);
    int64_t columns = right.loops.columnCount(), lanes = target->lanes;
    if (!right.areGroups || columns % lanes)
      return width;
    while (columns % width)
      width -= lanes;
    return width;
  }

  /// The panels of `hamkaas-cpu-fuse-columns`: as many vectors as divide those
  /// in flight of an elementwise kernel.
  int64_t roundWidth(int64_t width) const {
    return width <= target->lanes
               ? width
               : target->lanes *
                     llvm::bit_floor(uint64_t(width / target->lanes));
  }

  int64_t chooseWidth(GroupOp group, const Factor &right) const {
    // A layout of its own is what a user asks for.
    Knobs knobs = Knobs::get(group);
    if (knobs.rows || knobs.vectors)
      return getWidth(group, right);
    if (auto hash = hashes.find(right.weights); hash != hashes.end())
      if (auto agreed = agreedWidths.find(hash->second);
          agreed != agreedWidths.end())
        return agreed->second.second;
    return getWidth(group, right);
  }

  /// Returns whether the depth is the last dimension of what is permuted.
  static bool isTransposed(GroupOp group, Factor &right) {
    ArrayRef<int64_t> order = *right.order;
    return right.weights.getParentBlock() == group->getBlock() &&
           order[order.size() - 2] + 1 == int64_t(order.size());
  }

  /// Returns whether tiles transpose what they read of a permuted matrix, each
  /// element once: panels would go through the L3 cache.
  bool tilesTranspose(GroupOp group, Factor &right) const {
    const ContractionLoops &loops = right.loops;
    if (Knobs::get(group).packs || !loops.window.empty() ||
        !isTransposed(group, right))
      return false;
    CostModel costs(*target);
    costs.knobs = Knobs::get(group);
    if (areDotProducts(group, right))
      return true;
    ContractionTile tile = chooseContractionTile(
        costs, loops.outerCount(), loops.rowCount(), loops.columnCount(),
        loops.productCount(), /*panelWidth=*/0, RightSide::Transposed);
    return tile.blockRows >= loops.rowCount() &&
           costs.fitsStack(tile.depth * tile.panelWidth());
  }

  /// Lets `operand` of the product in `group` be that of `permute`.
  void readPermuted(GroupOp group, OpOperand &operand, PermuteGroup permute) {
    auto product = cast<linalg::GenericOp>(operand.getOwner());
    AffineMap map = product.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> indices(map.getNumResults());
    for (auto [dim, index] : llvm::zip_equal(permute.order, map.getResults()))
      indices[dim] = index;
    SmallVector<AffineMap> maps = product.getIndexingMapsArray();
    maps[operand.getOperandNumber()] =
        AffineMap::get(map.getNumDims(), 0, indices, map.getContext());
    Builder builder(group);
    product.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    auto argument = cast<BlockArgument>(operand.get());
    group->setOperand(argument.getArgNumber(), permute.operand());
    argument.setType(permute.operand().getType());
    if (auto ops =
            group->getAttrOfType<StringAttr>(HamKaasDialect::opsAttrName))
      group->setAttr(HamKaasDialect::opsAttrName,
                     builder.getStringAttr("permute+" + ops.getValue()));
    replacedPermutes.insert(permute.group);
  }

  /// The permute whose operand has the rows of the left side of a product last,
  /// if a kernel permutes it in each run and the product can read that.
  std::optional<PermuteGroup> matchTransposedLeft(GroupOp group,
                                                  Factor &right) const {
    const ContractionLoops &loops = right.loops;
    OpOperand &left = *right.root.getDpsInputOperand(0);
    auto argument = dyn_cast<BlockArgument>(left.get());
    if (sameCalls || !loops.window.empty() || !loops.row || !argument ||
        !argument.hasOneUse() || !getElementTypeOrSelf(argument).isF32() ||
        !CostModel(*target).readsRowsAcross(loops.productCount(),
                                            loops.columnCount()))
      return std::nullopt;
    std::optional<PermuteGroup> permute =
        PermuteGroup::match(group.getInputs()[argument.getArgNumber()]);
    if (!permute || movable.contains(permute->group))
      return std::nullopt;
    const auto *last = llvm::max_element(permute->order);
    AffineMap map = right.root.getMatchingIndexingMap(&left);
    bool isRow = map.getResult(last - permute->order.begin()) ==
                 getAffineDimExpr(*loops.row, map.getContext());
    return isRow ? permute : std::nullopt;
  }

  void readLeftSide(GroupOp group) {
    std::optional<Factor> right = matchRightSide(group);
    if (!right)
      return;
    if (auto permute = matchTransposedLeft(group, *right))
      readPermuted(group, *right->root.getDpsInputOperand(0), *permute);
  }

  void packRightSide(GroupOp group) {
    dropOtherPacking(group);
    std::optional<Factor> found = findRightSide(group);
    if (!found)
      return;
    if (found->order && !found->isOnce && tilesTranspose(group, *found))
      return readPermuted(group, *found->root.getDpsInputOperand(1),
                          *PermuteGroup::match(found->weights));
    BlockArgument argument = found->argument;
    Value weights = found->weights;
    OpOperand &right = getMatrix(found->root);
    int64_t width = chooseWidth(group, *found);
    int64_t batches = found->areGroups ? 0 : found->loops.batch.size();
    Value packed = getPacked(group, *found, batches, width);

    // Inside, the weights are the unpacked panels: the emitter reads the panels
    // directly.
    group->setOperand(argument.getArgNumber(),
                      passInto(packed, group->getBlock()));
    argument.setType(packed.getType());
    OpBuilder builder(right.getOwner());
    auto type = cast<RankedTensorType>(weights.getType());
    PanelLayout layout(builder, type, batches, width);
    Value empty = tensor::EmptyOp::create(
        builder, group.getLoc(), type.getShape(), type.getElementType());
    auto unpack = linalg::UnPackOp::create(
        builder, group.getLoc(), argument, empty, layout.innerDims,
        layout.tiles, layout.outerPermutation);
    if (!found->isOnce && found->steps == 1)
      unpack->setAttr(freshAttrName, builder.getUnitAttr());
    right.set(unpack.getResult());
  }

  /// Returns whether packing what `group` reads in a loop of `steps` steps adds
  /// no memory at the peak: the panels replace a kernel's result, or no loop
  /// around is reversed. The gradient of a forward loop is reversed, and memory
  /// peaks there.
  static bool mayStand(GroupOp group, Value weights, int64_t steps) {
    if (steps == 1)
      return false;
    if (weights.getDefiningOp<GroupOp>() && weights.hasOneUse())
      return true;
    for (auto scan = dyn_cast<ScanOp>(group->getParentOp()); scan;
         scan = dyn_cast<ScanOp>(scan->getParentOp()))
      if (scan.getReversed())
        return false;
    return true;
  }

  /// Returns whether packing before a loop of `steps` steps pays off.
  bool paysInEachRun(const ContractionLoops &loops, int64_t steps) const {
    CostModel costs(*target);
    const KernelStrategy *strategy = target->strategy;
    if (sameCalls) {
      costs.machine = processorFacts;
      strategy = &processorStrategy;
    }
    return loops.batch.empty() &&
           strategy->packingPays(costs, loops.rowCount(), steps,
                                 loops.productCount(), loops.columnCount());
  }

  /// The operand of the enclosing loops for `value`; multiplies `steps` by
  /// theirs.
  static Value getOutside(Value value, int64_t &steps) {
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      auto scan = dyn_cast<ScanOp>(argument.getOwner()->getParentOp());
      if (!scan || !llvm::is_contained(scan.getValueArguments(), argument))
        break;
      value = scan.getTiedOperand(argument);
      steps = multiplyCounts(steps, scan.getSteps());
    }
    return value;
  }

  /// `value` in `block`, passed through the loops between.
  static Value passInto(Value value, Block *block) {
    if (value.getParentBlock() == block)
      return value;
    auto scan = dyn_cast<ScanOp>(block->getParentOp());
    return scan ? scan.addValue(passInto(value, scan->getBlock())) : value;
  }

  /// Returns whether all of the right side is read by the reduced loops, and
  /// the columns of each group along its last dimension.
  static bool hasGroups(linalg::GenericOp root, const ContractionLoops &loops) {
    if (loops.batch.size() != 1)
      return false;
    AffineMap map = root.getMatchingIndexingMap(root.getDpsInputOperand(1));
    SmallVector<AffineExpr> read;
    for (int64_t loop : loops.window)
      read.push_back(getAffineDimExpr(loop, root.getContext()));
    read.push_back(getAffineDimExpr(loops.depth, root.getContext()));
    read.push_back(getAffineDimExpr(loops.batch.front(), root.getContext()) *
                       loops.columnCount() +
                   getAffineDimExpr(loops.column, root.getContext()));
    return map.getResults() == ArrayRef(read);
  }

  /// Returns whether all of the right side is read by the reduced loops, and
  /// the column loop along its last dimension.
  static bool isRightSide(linalg::GenericOp root,
                          const ContractionLoops &loops) {
    SmallVector<unsigned> dims(loops.batch.begin(), loops.batch.end());
    llvm::append_range(dims, loops.window);
    dims.push_back(loops.depth);
    dims.push_back(loops.column);
    return root.getMatchingIndexingMap(root.getDpsInputOperand(1)) ==
           AffineMap::getMultiDimMapWithTargets(root.getNumLoops(), dims,
                                                root.getContext());
  }

  /// The packed matrix, computed once for all contractions that read it.
  Value getPacked(GroupOp user, const Factor &right, int64_t batches,
                  int64_t width) {
    Value matrix = right.weights;
    Value &packed = panels[{matrix, batches, width}];
    if (packed)
      return packed;
    OpBuilder builder(user.getContext());
    builder.setInsertionPointAfterValue(matrix);
    Location loc = user.getLoc();
    PanelLayout layout(builder, cast<RankedTensorType>(matrix.getType()),
                       batches, width);
    if (right.order) {
      layout.permute(*right.order);
      auto permute = matrix.getDefiningOp<GroupOp>();
      replacedPermutes.insert(permute);
      matrix = permute.getInputs().front();
    }
    auto type = cast<RankedTensorType>(matrix.getType());
    SmallVector<int64_t> tiles{width};
    tiles.resize(layout.tiles.size(), getWordElements(type));
    auto packedType = linalg::PackOp::inferPackedType(
        type, tiles, layout.innerDims, layout.outerPermutation);

    auto group = GroupOp::create(
        builder, loc, packedType, matrix,
        KernelFamilyAttr::get(builder.getContext(), KernelFamily::Movement),
        /*updated=*/nullptr);
    group->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr("pack"));
    Block &body = group.getBody().emplaceBlock();
    Value argument = body.addArgument(type, loc);
    builder.setInsertionPointToStart(&body);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    Value empty = tensor::EmptyOp::create(builder, loc, packedType.getShape(),
                                          packedType.getElementType());
    Value result =
        linalg::PackOp::create(builder, loc, argument, empty, layout.innerDims,
                               layout.tiles, zero, layout.outerPermutation)
            .getResult();
    YieldOp::create(builder, loc, result);
    return packed = group.getResult(0);
  }

  std::optional<TargetDescription> target;
  /// Operations that may run when the program is loaded.
  DenseSet<Operation *> movable;
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> panels;
  llvm::DenseMap<Value, llvm::hash_code> hashes;
  /// By the hash of a matrix, the most work of a contraction with it, and the
  /// width that this one likes.
  std::map<size_t, std::pair<int64_t, int64_t>> agreedWidths;
  /// Those that a contraction no longer reads.
  llvm::SetVector<GroupOp> replacedPermutes;
};

} // namespace
