//===- SimplifyConcats.cpp - Slices that concats join -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

/// Limit on the operands that one kernel joins, directly or not.
static constexpr size_t maxPieces = 32;

/// Returns whether `slice` takes all positions of dimension `dim` in order.
static bool isWhole(StridedSliceOp slice, int64_t dim) {
  return slice.getSizes()[dim] == slice.getX().getType().getDimSize(dim) &&
         (slice.getStrides()[dim] == 1 || slice.getSizes()[dim] == 1);
}

/// The concatenation that `concat` is part of, if that alone reads it. Behind
/// as many as the limit it joins too many operands.
static ConcatOp findRoot(ConcatOp concat) {
  for (size_t i = 0; i < maxPieces && concat->hasOneUse(); ++i) {
    auto user = dyn_cast<ConcatOp>(*concat->user_begin());
    if (!user)
      break;
    concat = user;
  }
  return concat;
}

/// The concatenation that reads a slice, or a slice of it. Null if others do.
static ConcatOp findConcat(StridedSliceOp slice) {
  Operation *user = slice;
  while (isa<StridedSliceOp>(user) && !user->use_empty())
    user = *user->user_begin();
  return dyn_cast<ConcatOp>(user);
}

/// Returns whether `root` alone reads the result of `op`, and slices of it with
/// all positions of dimension `dim`.
static bool leadsTo(ConcatOp root, Operation *op, int64_t dim) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (auto slice = dyn_cast<StridedSliceOp>(user))
      return isWhole(slice, dim) && leadsTo(root, slice, dim);
    auto concat = dyn_cast<ConcatOp>(user);
    return concat && findRoot(concat) == root;
  });
}

/// The number of operands that `root` would join, or one that is above the
/// limit.
static size_t countPieces(ConcatOp root) {
  SmallVector<Value> operands(root.getOperands());
  size_t pieces = 0;
  while (!operands.empty() && pieces + operands.size() <= maxPieces) {
    Value operand = operands.pop_back_val();
    while (auto slice = operand.getDefiningOp<StridedSliceOp>())
      operand = slice.getX();
    if (auto inner = operand.getDefiningOp<ConcatOp>())
      llvm::append_range(operands, inner.getOperands());
    else
      ++pieces;
  }
  return pieces + operands.size();
}

static Value takeFrom(PatternRewriter &rewriter, StridedSliceOp slice,
                      Value operand, int64_t dim) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> sizes(slice.getSizes()), strides(slice.getStrides());
  sizes[dim] = type.getDimSize(dim);
  strides[dim] = 1;
  return StridedSliceOp::create(rewriter, slice.getLoc(), type.clone(sizes),
                                operand, slice.getOffsets(), sizes, strides);
}

namespace {

/// Slices of a concatenation that another one joins are taken from the operands
/// of the former, so that its result need not be in memory. A reflected margin
/// and a cyclic shift of an image have them.
struct MoveSliceBeforeConcat : OpRewritePattern<StridedSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StridedSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ConcatOp>();
    ConcatOp outer = findConcat(op);
    if (!inner || !outer)
      return rewriter.notifyMatchFailure(op, "no part of a concatenation");
    ConcatOp root = findRoot(outer);
    if (countPieces(root) > maxPieces || !leadsTo(root, inner, inner.getDim()))
      return rewriter.notifyMatchFailure(op, "the operand is needed");
    int64_t dim = inner.getDim();
    SmallVector<Value> parts;
    for (Value operand : inner.getOperands())
      parts.push_back(takeFrom(rewriter, op, operand, dim));
    rewriter.replaceOpWithNewOp<ConcatOp>(op, parts, dim);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Beginnings
//===----------------------------------------------------------------------===//

namespace {

/// Lets concatenations read an earlier one of their first operands, as in a
/// block of DenseNet, where each layer reads all before it. Those operands need
/// not stay in memory, and a kernel of two operands takes less code.
class ConcatSharing {
public:
  explicit ConcatSharing(Block &block) : concats(block.getOps<ConcatOp>()) {
    for (ConcatOp concat : concats) {
      size_t node = findNode(concat.getDim(), Value());
      for (Value operand : concat.getOperands())
        node = findNode(node, operand);
      joined.try_emplace(node, concat);
    }
  }

  /// Visits the last one first: once it no longer reads an operand, an earlier
  /// one may be the last user of that.
  void run() {
    for (ConcatOp concat : llvm::reverse(concats))
      shareBeginning(concat);
  }

private:
  size_t findNode(size_t parent, Value operand) {
    return nodes.try_emplace({parent, operand}, nodes.size() + 1).first->second;
  }

  void shareBeginning(ConcatOp concat) {
    ConcatOp shared;
    size_t length = 0;
    size_t node = findNode(concat.getDim(), Value());
    // CSE merges those of all operands.
    for (auto [i, operand] :
         llvm::enumerate(concat.getOperands().drop_back())) {
      if (!isLastUser(concat, operand))
        break;
      node = findNode(node, operand);
      ConcatOp other = joined.lookup(node);
      if (i > 0 && other && other->isBeforeInBlock(concat)) {
        shared = other;
        length = i + 1;
      }
    }
    if (!shared)
      return;
    SmallVector<Value> operands{shared};
    llvm::append_range(operands, concat.getOperands().drop_front(length));
    concat->setOperands(operands);
  }

  /// Returns whether `operand` need not stay in memory behind `concat`.
  static bool isLastUser(ConcatOp concat, Value operand) {
    return llvm::all_of(operand.getUsers(), [&](Operation *user) {
      return user == concat || (user->getBlock() == concat->getBlock() &&
                                user->isBeforeInBlock(concat));
    });
  }

  SmallVector<ConcatOp> concats;
  /// A prefix tree of their operands: from a node and the next operand to
  /// another node. The first nodes are those of dimensions.
  llvm::DenseMap<std::pair<size_t, Value>, size_t> nodes;
  /// The first concatenation of the operands on the way to a node.
  llvm::DenseMap<size_t, ConcatOp> joined;
};

} // namespace

void hamkaas::shareConcats(Operation *root) {
  root->walk([](Block *block) { ConcatSharing(*block).run(); });
}

void hamkaas::populateConcatPatterns(RewritePatternSet &patterns) {
  patterns.add<MoveSliceBeforeConcat>(patterns.getContext());
}
