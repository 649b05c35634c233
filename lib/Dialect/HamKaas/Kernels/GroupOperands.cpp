//===- GroupOperands.cpp - Operands that a kernel computes ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Group.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "NarrowProducts.h"
#include "PadConvolutions.h"
#include "PlanarWindows.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

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

bool Group::repeats(Operation *op) { return isa<BroadcastOp>(op); }

/// Attention with the permutes around it, which are a matter of indices.
bool Group::addAttention(bool widenKeys) {
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
void Group::addRows(Value value, bool computes, bool widens) {
  KernelOpInterface producer = getKernelOp(value.getDefiningOp());
  if (!producer || members.size() >= maxGroupMembers ||
      producer->getBlock() != last->getBlock() || producer.checksValues() ||
      parameterOps.contains(producer) != parameterOps.contains(last) ||
      !llvm::all_of(producer->getUsers(),
                    [&](Operation *user) { return contains(user); }))
    return;
  auto permute = dyn_cast<PermuteOp>(producer.getOperation());
  bool isRepeated = repeats(producer);
  if (!(permute && movesRows(permute)) &&
      !(computes && (isRepeated || producer.isPointwise())) &&
      !(widens && isWidened(value)))
    return;
  members.insert(producer);
  // A repeated value would be computed once for every repetition.
  if (isRepeated)
    return;
  for (Value operand : producer->getOperands())
    addRows(operand, computes, widens);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static MatMulOp getMatMul(KernelOpInterface root) {
  return root ? dyn_cast<MatMulOp>(root.getOperation()) : MatMulOp();
}

/// Adds the panels and rows of codes that a matmul multiplies.
void Group::addPanels() {
  MatMulOp matmul = getMatMul(root);
  auto panels =
      matmul ? matmul.getRhs().getDefiningOp<DequantizePanelsOp>() : nullptr;
  if (!panels || !panels->hasOneUse() || panels->getBlock() != last->getBlock())
    return;
  members.insert(panels);
  if (auto rows = matmul.getLhs().getDefiningOp<DequantizeRowsOp>();
      rows && rows->hasOneUse())
    members.insert(rows);
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

/// Returns whether one norm would follow another.
static bool hasNorm(const llvm::SetVector<Operation *> &row, bool isNorm) {
  return isNorm && llvm::any_of(row, llvm::IsaPred<RmsNormOp, LayerNormOp>);
}

/// Adds what computes `value` to `row`; false if the root of another group
/// would take that.
bool Group::addRowProducers(Value value, Members &row) {
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
      getResultShape(producer) !=
          getResultShape(row.empty() ? producer : row.front()) ||
      members.size() + row.size() >= maxGroupMembers)
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

/// Adds what computes the row that a matmul multiplies.
void Group::addRow() {
  MatMulOp matmul = getMatMul(root);
  Members row;
  if (matmul && hasComputableRow(matmul) &&
      addRowProducers(matmul.getLhs(), row))
    members.insert_range(row);
}

/// Adds the broadcast of the left side of a batch of products.
void Group::addRepeatedLeft() {
  MatMulOp matmul = getMatMul(root);
  if (!matmul || matmul.getType().getRank() != 3)
    return;
  auto broadcast = matmul.getLhs().getDefiningOp<BroadcastOp>();
  if (broadcast && broadcast->hasOneUse() &&
      broadcast->getBlock() == last->getBlock() &&
      broadcast.getX().getType().getShape().drop_front() ==
          broadcast.getType().getShape().drop_front())
    members.insert(broadcast);
}

/// Adds what makes neighbours of the groups of channels that a convolution
/// reads, which are outermost in a copy.
void Group::addGroups() {
  auto conv = root ? dyn_cast<ConvOp>(root.getOperation()) : ConvOp();
  if (!conv || conv.isPadded() || conv.isDepthwise() ||
      !conv.getType().getElementType().isF32())
    return;
  SmallVector<Operation *, 2> moved = findMovedGroups(conv);
  if (!moved.empty() && moved.front()->getBlock() == last->getBlock() &&
      moved.front()->getOperand(0).getDefiningOp<GroupOp>())
    members.insert_range(moved);
}

/// Adds the casts of narrow integers that a product multiplies.
void Group::addNarrowOperands() {
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
void Group::addNarrowWeights() {
  MatMulOp matmul = getMatMul(root);
  auto cast = matmul ? matmul.getRhs().getDefiningOp<CastOp>() : nullptr;
  if (!cast || !cast->hasOneUse() || cast->getBlock() != last->getBlock() ||
      !parameterOps.contains(cast) || parameterOps.contains(last) ||
      !cast.getType().getElementType().isF32() ||
      !isa<Float16Type, BFloat16Type>(cast.getX().getType().getElementType()))
    return;
  members.insert(cast);
}

/// Windows whose channels come first read the weights of one channel at a time.
/// As the model has them, they are neighbours.
void Group::addPermutedWeights() {
  auto conv = dyn_cast<ConvOp>(root.getOperation());
  auto permute = conv ? conv.getW().getDefiningOp<PermuteOp>() : nullptr;
  if (!permute)
    return;
  ArrayRef<int64_t> order = permute.getPermutation();
  // Those of a model are filters, channels and positions.
  auto ofModel = llvm::to_vector(llvm::seq<int64_t>(2, order.size()));
  ofModel.append({1, 0});
  bool isOfModel = order == ArrayRef(ofModel);
  if ((isOfModel || order == ArrayRef(planarWeights)) && permute->hasOneUse() &&
      permute->getBlock() == conv->getBlock() &&
      members.size() < maxGroupMembers)
    members.insert(permute);
}

//===----------------------------------------------------------------------===//
// Rows along outer dimensions
//===----------------------------------------------------------------------===//

/// The fewest columns for which rows are read across: whole vectors.
static constexpr int64_t minSoftmaxColumns = 16;

/// The softmax of whole rows to which a permute moves another dimension than
/// the last one, and from which `last` moves it back; null otherwise. Nothing
/// else uses softmax and permute.
static SlicedSoftmaxOp findSoftmaxAcross(Operation *last) {
  auto isAlone = [&](Operation *op) {
    return op && op->hasOneUse() && op->getBlock() == last->getBlock();
  };
  auto back = dyn_cast<PermuteOp>(last);
  auto softmax = back ? back.getX().getDefiningOp<SlicedSoftmaxOp>() : nullptr;
  if (!isAlone(softmax) ||
      softmax.getStaticPrefix() != softmax.getType().getShape().back())
    return nullptr;
  auto there = softmax.getX().getDefiningOp<PermuteOp>();
  ArrayRef<int64_t> order = back.getPermutation();
  if (!isAlone(there) || order.back() + 1 == int64_t(order.size()) ||
      back.getType().getShape().back() < minSoftmaxColumns ||
      invertPermutationVector(order) !=
          SmallVector<int64_t>(there.getPermutation()))
    return nullptr;
  return softmax;
}

/// A softmax along an outer dimension, with the permutes around it.
bool Group::addRowsAcross() {
  SlicedSoftmaxOp softmax = findSoftmaxAcross(last);
  if (!softmax || parameterOps.contains(softmax))
    return false;
  members.insert(softmax);
  members.insert(softmax.getX().getDefiningOp());
  root = cast<KernelOpInterface>(softmax.getOperation());
  return true;
}

//===----------------------------------------------------------------------===//
// Narrow results
//===----------------------------------------------------------------------===//

static unsigned getElementBits(Value value) {
  return cast<ShapedType>(value.getType()).getElementTypeBitWidth();
}

static bool narrows(Operation *op) {
  return isa<CastOp>(op) &&
         getElementBits(op->getResult(0)) < getElementBits(op->getOperand(0));
}

/// Leaves a narrow tensor, and what computes it from the result of another
/// product or reduction, to the kernel of that: it has less to write, and
/// this kernel less to read.
void Group::dropNarrowBranches() {
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

/// Adds to `branch` the members that compute the operands of `op`. Returns
/// whether all are needed by nothing else, and begin with one result of a
/// product or reduction.
bool Group::addBranch(Operation *op, Members &branch) {
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
