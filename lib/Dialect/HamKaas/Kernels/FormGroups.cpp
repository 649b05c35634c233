//===- FormGroups.cpp - Gathers what will be one kernel ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "JoinConcats.h"
#include "NarrowProducts.h"
#include "PlanarWindows.h"
#include "RowChains.h"
#include "WindowSources.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas {
#define GEN_PASS_DEF_FORMGROUPS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Limit on operations per group: enough to hide the cost of a call and its
/// memory traffic, few enough to compile any chain within seconds.
static constexpr size_t maxMembers = 64;

/// The op as a member of a kernel; null for views and everything else.
static KernelOpInterface getKernelOp(Operation *op) {
  auto kernelOp = dyn_cast_or_null<KernelOpInterface>(op);
  if (!kernelOp || kernelOp.getKernelFamily() == KernelFamily::View)
    return nullptr;
  return kernelOp;
}

static bool isRoot(KernelOpInterface op) {
  KernelFamily family = op.getKernelFamily();
  return family == KernelFamily::Contraction ||
         family == KernelFamily::Reduction || family == KernelFamily::Row ||
         family == KernelFamily::Transform || family == KernelFamily::Attention;
}

static unsigned getElementBits(Value value) {
  return cast<ShapedType>(value.getType()).getElementTypeBitWidth();
}

/// Queries for which computing keys and values costs less than keeping them:
/// each computes all of them.
static constexpr int64_t maxComputingQueries = 4;

/// Returns whether rows of the result of `permute` are rows of its operand.
static bool movesRows(PermuteOp permute) {
  ArrayRef<int64_t> permutation = permute.getPermutation();
  return permutation.back() + 1 == int64_t(permutation.size());
}

/// The attention of which `last` moves the rows, or that it is; null otherwise.
static AttentionOp findAttention(Operation *last) {
  if (auto permute = dyn_cast<PermuteOp>(last); permute && movesRows(permute)) {
    Operation *source = permute.getX().getDefiningOp();
    if (source && source->hasOneUse() && source->getBlock() == last->getBlock())
      last = source;
  }
  return dyn_cast<AttentionOp>(last);
}

/// Returns whether `value` is narrower numbers in memory, multiplied by at most
/// one number for each row.
static bool isWidened(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>()) {
    Type narrow = cast.getX().getType().getElementType();
    return narrow.isIntOrFloat() && !narrow.isInteger(1) &&
           narrow.getIntOrFloatBitWidth() <
               cast.getType().getElementTypeBitWidth();
  }
  auto product = value.getDefiningOp<MulOp>();
  return product && isWidened(product.getLhs()) &&
         cast<ShapedType>(product.getRhs().getType()).getShape().back() == 1;
}

/// The longest row that each block of a product computes again, and what such a
/// product must have: whole vectors of a warp, and columns for one.
static constexpr int64_t maxComputedRow = 4096, minComputedRow = 64;
static constexpr int64_t rowMultiple = 32, minColumns = 32;

/// Returns whether blocks of `matmul` can compute its left side.
static bool hasComputableRow(MatMulOp matmul) {
  auto lhs = cast<ShapedType>(matmul.getLhs().getType());
  auto rhs = cast<ShapedType>(matmul.getRhs().getType());
  if (!lhs.getElementType().isF32() || lhs.getRank() != 2 ||
      rhs.getRank() != 2 || lhs.getDimSize(0) != 1)
    return false;
  int64_t depth = lhs.getDimSize(1);
  return depth >= minComputedRow && depth <= maxComputedRow &&
         depth % rowMultiple == 0 && rhs.getDimSize(1) >= minColumns;
}

namespace {

/// The ops of one kernel, grown backwards from the last one.
class Group {
public:
  Group(KernelOpInterface last, const DenseSet<Operation *> &parameterOps,
        bool computeRows, bool repeatLeft, bool narrowProducts,
        bool narrowWeights, bool widenKeys, bool rowsAcross)
      : last(last), root(isRoot(last) ? last : nullptr),
        parameterOps(parameterOps), widenKeys(widenKeys) {
    members.insert(last);
    addJoined();
    if (addPlanarWindows() || addAttention() || addRowChain() ||
        (rowsAcross && addRowsAcross()))
      return;
    for (size_t i = 0; i < members.size(); ++i)
      addProducers(members[i]);
    addNarrowSource();
    dropNarrowBranches();
    addPanels();
    if (computeRows)
      addRow();
    if (repeatLeft)
      addRepeatedLeft();
    if (narrowProducts)
      addNarrowOperands();
    if (narrowWeights)
      addNarrowWeights();
  }

  bool contains(Operation *op) const { return members.contains(op); }

  /// Moves the members into a `hamkaas.group` at the place of the last one.
  GroupOp create();

private:
  using Members = llvm::SetVector<Operation *>;

  /// Pointwise operations whose results a concat copies.
  void addJoined() {
    std::optional<SmallVector<Operation *>> joined = findJoined(last);
    if (!joined)
      return;
    root = last;
    for (Operation *op : *joined)
      if (parameterOps.contains(op) == parameterOps.contains(last) &&
          members.size() < maxMembers) {
        members.insert(op);
        rootProducers.insert(op);
      }
  }

  /// Attention with the permutes around it, which are a matter of indices.
  bool addAttention() {
    AttentionOp attention = findAttention(last);
    if (!attention)
      return false;
    members.insert(attention);
    root = cast<KernelOpInterface>(attention.getOperation());
    bool isFew = attention.getType().getDimSize(1) <= maxComputingQueries;
    addRows(attention.getQ(), /*computes=*/false, /*widens=*/false);
    for (Value operand : {attention.getK(), attention.getV()})
      addRows(operand, /*computes=*/isFew, /*widens=*/widenKeys);
    return true;
  }

  /// Adds what moves the rows that are `value`, computes their elements or only
  /// widens them.
  void addRows(Value value, bool computes, bool widens) {
    KernelOpInterface producer = getKernelOp(value.getDefiningOp());
    if (!producer || members.size() >= maxMembers ||
        producer->getBlock() != last->getBlock() || producer.checksValues() ||
        parameterOps.contains(producer) != parameterOps.contains(last) ||
        !llvm::all_of(producer->getUsers(),
                      [&](Operation *user) { return contains(user); }))
      return;
    auto permute = dyn_cast<PermuteOp>(producer.getOperation());
    bool repeats = isa<BroadcastOp>(producer.getOperation());
    if (!(permute && movesRows(permute)) &&
        !(computes && (repeats || producer.isPointwise())) &&
        !(widens && isWidened(value)))
      return;
    members.insert(producer);
    // A repeated value would be computed once for every repetition.
    if (repeats)
      return;
    for (Value operand : producer->getOperands())
      addRows(operand, computes, widens);
  }

  /// Adds what computes the operand of sliding windows from a narrower tensor,
  /// such as dequantized bytes: less memory is read, and neighbouring windows
  /// share what is computed.
  void addNarrowSource() {
    Value source = getWindowOperand(root ? root.getOperation() : nullptr);
    if (!source || parameterOps.contains(last))
      return;
    SmallVector<Operation *> chain = findDequantizing(source);
    auto mayJoin = [&](Operation *op) {
      return op->getBlock() == last->getBlock() && !parameterOps.contains(op);
    };
    if (members.size() + chain.size() <= maxMembers &&
        llvm::all_of(chain, mayJoin))
      members.insert_range(chain);
  }

  /// Leaves a narrow tensor, and what computes it from the result of another
  /// product or reduction, to the kernel of that: it has less to write, and
  /// this kernel less to read.
  void dropNarrowBranches() {
    if (!root)
      return;
    for (Operation *op : SmallVector<Operation *>(members.getArrayRef())) {
      if (op == last || op == root || !contains(op) || !narrows(op))
        continue;
      Members branch;
      branch.insert(op);
      if (addBranch(op, branch))
        members.remove_if([&](Operation *op) { return branch.contains(op); });
    }
  }

  static bool narrows(Operation *op) {
    return isa<CastOp>(op) &&
           getElementBits(op->getResult(0)) < getElementBits(op->getOperand(0));
  }

  /// Adds to `branch` the members that compute the operands of `op`. Returns
  /// whether all are needed by nothing else, and begin with one result of a
  /// product or reduction.
  bool addBranch(Operation *op, Members &branch) {
    int64_t roots = 0;
    for (Value operand : op->getOperands()) {
      KernelOpInterface producer = getKernelOp(operand.getDefiningOp());
      // NOTE: a chain of squares has exponentially many paths.
      if (!producer || branch.contains(producer))
        continue;
      if (!contains(producer)) {
        roots += isRoot(producer) && operand.hasOneUse() &&
                 producer->getBlock() == last->getBlock();
        continue;
      }
      if (producer == root ||
          !llvm::all_of(producer->getUsers(),
                        [&](Operation *user) { return branch.contains(user); }))
        return false;
      branch.insert(producer);
      if (addBranch(producer, branch))
        ++roots;
      else
        return false;
    }
    return roots == 1;
  }

  /// Adds the panels and rows of codes that a matmul multiplies.
  void addPanels() {
    auto matmul =
        dyn_cast_or_null<MatMulOp>(root ? root.getOperation() : nullptr);
    auto panels =
        matmul ? matmul.getRhs().getDefiningOp<DequantizePanelsOp>() : nullptr;
    if (!panels || !panels->hasOneUse() ||
        panels->getBlock() != last->getBlock())
      return;
    members.insert(panels);
    if (auto rows = matmul.getLhs().getDefiningOp<DequantizeRowsOp>();
        rows && rows->hasOneUse())
      members.insert(rows);
  }

  /// Adds what computes the row that a matmul multiplies.
  void addRow() {
    auto matmul =
        dyn_cast_or_null<MatMulOp>(root ? root.getOperation() : nullptr);
    Members row;
    if (matmul && hasComputableRow(matmul) &&
        addRowProducers(matmul.getLhs(), row))
      members.insert_range(row);
  }

  /// Adds the broadcast of the left side of a batch of products.
  void addRepeatedLeft() {
    auto matmul =
        dyn_cast_or_null<MatMulOp>(root ? root.getOperation() : nullptr);
    if (!matmul || matmul.getType().getRank() != 3)
      return;
    auto broadcast = matmul.getLhs().getDefiningOp<BroadcastOp>();
    if (broadcast && broadcast->hasOneUse() &&
        broadcast->getBlock() == last->getBlock() &&
        broadcast.getX().getType().getShape().drop_front() ==
            broadcast.getType().getShape().drop_front())
      members.insert(broadcast);
  }

  /// Adds the casts of narrow integers that a product multiplies.
  void addNarrowOperands() {
    if (!root || !isNarrowContraction(root))
      return;
    SmallVector<Operation *> casts;
    for (Value operand : root->getOperands())
      casts.push_back(operand.getDefiningOp());
    auto isAlone = [&](Operation *cast) {
      return cast->getBlock() == last->getBlock() &&
             llvm::all_of(cast->getUsers(),
                          [&](Operation *user) { return user == root; });
    };
    if (!llvm::all_of(casts, isAlone))
      return;
    members.insert_range(casts);
    family = KernelFamily::Contraction;
  }

  /// Adds the cast of the 16-bit floats that a matmul multiplies by.
  void addNarrowWeights() {
    auto matmul =
        dyn_cast_or_null<MatMulOp>(root ? root.getOperation() : nullptr);
    auto cast = matmul ? matmul.getRhs().getDefiningOp<CastOp>() : nullptr;
    if (!cast || !cast->hasOneUse() || cast->getBlock() != last->getBlock() ||
        !parameterOps.contains(cast) || parameterOps.contains(last) ||
        !cast.getType().getElementType().isF32() ||
        !isa<Float16Type, BFloat16Type>(cast.getX().getType().getElementType()))
      return;
    members.insert(cast);
  }

  /// Adds what computes `value` to `row`; false if the root of another group
  /// would take that.
  bool addRowProducers(Value value, Members &row) {
    KernelOpInterface producer = getKernelOp(value.getDefiningOp());
    if (!producer || producer->getBlock() != last->getBlock() ||
        !llvm::all_of(producer->getUsers(), [&](Operation *user) {
          return contains(user) || row.contains(user);
        }))
      return true;
    bool isNorm = isa<RmsNormOp, LayerNormOp>(producer.getOperation());
    if (isRoot(producer) && !isNorm)
      return false;
    if ((!isNorm && !producer.isPointwise()) || producer.checksValues() ||
        parameterOps.contains(producer) || hasNorm(row, isNorm) ||
        getShape(producer) != getShape(row.empty() ? producer : row.front()) ||
        members.size() + row.size() >= maxMembers)
      return true;
    row.insert(producer);
    if (!isNorm)
      return llvm::all_of(producer->getOperands(), [&](Value operand) {
        return addRowProducers(operand, row);
      });
    // The operand of a norm may be computed in the epilogue of a root.
    Members more = row;
    if (addRowProducers(producer->getOperand(0), more))
      row = std::move(more);
    return true;
  }

  /// Returns whether one norm would follow another.
  static bool hasNorm(const Members &row, bool isNorm) {
    return isNorm && llvm::any_of(row, llvm::IsaPred<RmsNormOp, LayerNormOp>);
  }

  bool addPlanarWindows() {
    SmallVector<Operation *> chain = findPlanarWindows(last, maxMembers);
    if (chain.empty() || parameterOps.contains(last) ||
        parameterOps.contains(chain.back()))
      return false;
    members.insert_range(chain);
    root = getKernelOp(chain.end()[-2]);
    return true;
  }

  /// Reductions of rows and what computes with them, such as the logarithm of
  /// a softmax.
  bool addRowChain() {
    SmallVector<Operation *> chain =
        findRowChain(last, parameterOps, maxMembers);
    if (chain.empty())
      return false;
    members.insert_range(chain);
    family = KernelFamily::Row;
    return true;
  }

  /// A softmax along an outer dimension, with the permutes around it.
  bool addRowsAcross() {
    SlicedSoftmaxOp softmax = findSoftmaxAcross(last);
    if (!softmax || parameterOps.contains(softmax))
      return false;
    members.insert(softmax);
    members.insert(softmax.getX().getDefiningOp());
    root = cast<KernelOpInterface>(softmax.getOperation());
    return true;
  }

  void addProducers(Operation *op) {
    if (!readsInOrder(op))
      return;
    for (Value operand : op->getOperands()) {
      KernelOpInterface producer = getKernelOp(operand.getDefiningOp());
      if (producer && members.size() < maxMembers && canJoin(producer, op)) {
        members.insert(producer);
        if (feedsRoot(producer))
          rootProducers.insert(producer);
        if (isRoot(producer))
          root = producer;
      }
    }
  }

  /// An operand of a contraction or a permutation is read more than once or in
  /// another order, so it must be in memory.
  static bool readsInOrder(Operation *op) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    return kernelOp && kernelOp.readsInOrder();
  }

  static ArrayRef<int64_t> getShape(Operation *op) {
    return cast<ShapedType>(op->getResult(0).getType()).getShape();
  }

  /// The shape of what `user` reads element by element. The result of an
  /// operation on rows, whose first operand has them, may be one element a row.
  ArrayRef<int64_t> getReadShape(Operation *user) {
    if (user == root && root.getKernelFamily() == KernelFamily::Row)
      return cast<ShapedType>(user->getOperand(0).getType()).getShape();
    return getShape(user);
  }

  /// True if the root reads `op`, directly or not.
  bool feedsRoot(Operation *op) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user == root || rootProducers.contains(user);
    });
  }

  bool canJoin(KernelOpInterface producer, Operation *user) {
    KernelFamily family = producer.getKernelFamily();
    if (family == KernelFamily::Movement || family == KernelFamily::Loops ||
        family == KernelFamily::Attention)
      return false;
    if (isRoot(producer) && root)
      return false;
    if (producer.checksValues() && llvm::any_of(members, [](Operation *member) {
          return cast<KernelOpInterface>(member).checksValues();
        }))
      return false;
    // A repeated operand would be computed once for every repetition.
    bool isReduced =
        user == root && root.getKernelFamily() == KernelFamily::Reduction;
    if (!isReduced && getShape(producer) != getReadShape(user))
      return false;
    // Values known when the program is loaded are computed then, not in each
    // run.
    if (parameterOps.contains(producer) != parameterOps.contains(last))
      return false;
    if (producer->getBlock() != last->getBlock() ||
        !llvm::all_of(producer->getUsers(), [&](Operation *user) {
          return contains(user) && readsInOrder(user);
        }))
      return false;
    if (!feedsRoot(producer))
      return true;
    // Each pass over a row computes it again: that costs less than a trip
    // through memory for an addition, and more for an exponential.
    return producer.isPointwise() &&
           (root.getKernelFamily() != KernelFamily::Row || producer.isCheap());
  }

  /// A constant of equal elements is a number in the code of the kernel where
  /// it is read element by element.
  bool isNumber(Value operand, ArrayRef<Operation *> ops) const {
    DenseElementsAttr elements;
    return matchPattern(operand, m_Constant(&elements)) && elements.isSplat() &&
           llvm::all_of(ops, [&](Operation *op) {
             return !llvm::is_contained(op->getOperands(), operand) ||
                    cast<KernelOpInterface>(op).isPointwise();
           });
  }

  std::string describe(ArrayRef<Operation *> ops) const;

  Members members;
  /// Those of the members that the root reads, directly or not.
  llvm::SmallPtrSet<Operation *, 4> rootProducers;
  KernelOpInterface last;
  KernelOpInterface root;
  /// The family of the kernel, if it is not that of the root.
  std::optional<KernelFamily> family;
  const DenseSet<Operation *> &parameterOps;
  bool widenKeys;
};

} // namespace

/// "matmul+add+relu".
std::string Group::describe(ArrayRef<Operation *> ops) const {
  std::string text;
  for (Operation *op : ops) {
    if (!getKernelOp(op))
      continue;
    if (!text.empty())
      text += '+';
    text += op->getName().stripDialect();
  }
  return text;
}

GroupOp Group::create() {
  SmallVector<Operation *> ops(members.begin(), members.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  OpOperand *updated = last.getUpdatedOperand();
  llvm::SetVector<Value> read, numbers;
  SmallVector<Location> locations;
  int64_t flops = 0;
  for (Operation *op : ops) {
    locations.push_back(op->getLoc());
    flops = addCounts(flops, cast<KernelOpInterface>(op).getFlops());
    for (OpOperand &operand : op->getOpOperands())
      if (&operand != updated && !contains(operand.get().getDefiningOp()))
        (isNumber(operand.get(), ops) ? numbers : read).insert(operand.get());
  }

  // A value that is both read and updated becomes two arguments: writing the
  // result must not change what is read.
  OpBuilder builder(last);
  SmallVector<Value> inputs;
  IntegerAttr updatedIndex;
  if (updated) {
    updatedIndex = builder.getI64IntegerAttr(0);
    inputs.push_back(updated->get());
  }
  llvm::append_range(inputs, read);
  // Line tables have room for one location: that of the root.
  LocationAttr rootLocation;
  if (root && ops.size() > 1)
    rootLocation = root->getLoc();
  auto group = GroupOp::create(
      builder, builder.getFusedLoc(locations, rootLocation),
      last->getResultTypes(), inputs,
      KernelFamilyAttr::get(
          builder.getContext(),
          family.value_or((root ? root : last).getKernelFamily())),
      updatedIndex);
  group->setAttr(HamKaasDialect::opsAttrName,
                 builder.getStringAttr(describe(ops)));
  group->setAttr(HamKaasDialect::flopsAttrName,
                 builder.getI64IntegerAttr(flops));
  // A kernel has one tiling, that of its root.
  setKnobs(group, getKnobs(root ? root : last));

  Block &body = group.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    body.addArgument(input.getType(), input.getLoc());
  for (auto [input, argument] :
       llvm::zip_equal(read, body.getArguments().take_back(read.size())))
    mapping.map(input, argument);
  builder.setInsertionPointToStart(&body);
  for (Value number : numbers)
    builder.clone(*number.getDefiningOp(), mapping);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  if (updated)
    body.back().setOperand(updated->getOperandNumber(), body.getArgument(0));
  YieldOp::create(builder, group.getLoc(), mapping.lookup(last->getResult(0)));

  last->getResult(0).replaceAllUsesWith(group.getResult(0));
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return group;
}

namespace {

struct FormGroups : hamkaas::impl::FormGroupsBase<FormGroups> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    // Collected first: groups are blocks, too.
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (isa<func::FuncOp, ScanOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      formGroups(*block);
  }

private:
  /// A broadcast for each pointwise operation that reads it: the reader's
  /// kernel computes it, and reads less.
  static void repeatBroadcasts(Block &block) {
    for (auto broadcast :
         llvm::make_early_inc_range(block.getOps<BroadcastOp>()))
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(broadcast->getUses())))
        if (isPointwise(use.getOwner()))
          use.set(OpBuilder(broadcast).clone(*broadcast)->getResult(0));
  }

  /// Pointwise readers of a broadcast number get it as a constant, which
  /// isNumber() takes into their kernels. As an operation on constants, the
  /// broadcast would be computed when the program is loaded, and be kept.
  static void foldBroadcastNumbers(Block &block) {
    for (auto broadcast :
         llvm::make_early_inc_range(block.getOps<BroadcastOp>())) {
      DenseElementsAttr elements;
      if (!matchPattern(broadcast.getX(), m_Constant(&elements)) ||
          !elements.isSplat())
        continue;
      OpBuilder builder(broadcast);
      Value number = ConstantOp::create(
          builder, broadcast.getLoc(),
          elements.resizeSplat(cast<RankedTensorType>(broadcast.getType())));
      broadcast->getResult(0).replaceUsesWithIf(
          number, [](OpOperand &use) { return isPointwise(use.getOwner()); });
      if (broadcast->use_empty())
        broadcast.erase();
      if (number.use_empty())
        number.getDefiningOp()->erase();
    }
  }

  static bool isPointwise(Operation *op) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    return kernelOp && kernelOp.isPointwise();
  }

  /// From the end, so that each op meets its users' groups first.
  void formGroups(Block &block) {
    movePointwiseBeforeConcats(block);
    moveReshapesOfMovedElements(block);
    foldBroadcastNumbers(block);
    repeatBroadcasts(block);
    reshapeBeforeDequantizing(block);
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    Operation *op = block.empty() ? nullptr : &block.back();
    while (op) {
      if (KernelOpInterface last = getKernelOp(op))
        op = Group(last, parameterOps, computeRows, repeatLeft, narrowProducts,
                   narrowWeights, widenKeys, rowsAcross)
                 .create();
      op = op->getPrevNode();
    }
  }
};

} // namespace
