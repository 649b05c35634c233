//===- Scan.cpp - Loops over the rows of tensors ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

RankedTensorType ScanOp::getRowType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(tensor.getShape().drop_front());
}

static bool hasRows(Type type, int64_t count) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() > 0 && tensor.getDimSize(0) == count;
}

static LogicalResult verifyArguments(ScanOp scan) {
  SmallVector<Type> types(scan.getInits().getTypes());
  for (Type type : scan.getInputs().getTypes())
    types.push_back(ScanOp::getRowType(type));
  llvm::append_range(types, scan.getValues().getTypes());
  if (scan.getBody().getArgumentTypes() == TypeRange(types)) // C3.
    return success();
  return scan.emitOpError(
             "expected the arguments of the body to have the types "
             "(")
         << types << "), got (" << scan.getBody().getArgumentTypes() << ")";
}

LogicalResult ScanOp::verify() {
  int64_t steps = getSteps();
  if (steps < 1) // C1.
    return emitOpError("expected at least 1 step, got ") << steps;
  for (auto [i, type] : llvm::enumerate(getInputs().getTypes()))
    if (!hasRows(type, steps)) // C2.
      return emitOpError("expected input ")
             << i << " to have " << steps << " rows, got " << type;
  if (failed(verifyArguments(*this)))
    return failure();
  size_t carried = getInits().size();
  if (getNumResults() < carried) // C4.
    return emitOpError("expected at least ")
           << carried << " results, got " << getNumResults();
  SmallVector<Type> expected(getInits().getTypes());
  for (Type type : getOutputs().getTypes()) {
    if (!hasRows(type, steps)) // C4.
      return emitOpError("expected an output of ")
             << steps << " rows, got " << type;
    expected.push_back(getRowType(type));
  }
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield || yield.getValues().getTypes() != TypeRange(expected)) { // C4.
    InFlightDiagnostic error =
        emitOpError("expected the body to yield the types (")
        << expected << ")";
    if (yield)
      error << ", got (" << yield.getValues().getTypes() << ")";
    return error;
  }
  if (getFinals().getTypes() != getInits().getTypes()) // C4.
    return emitOpError("expected the first results to have the types of the "
                       "inits (")
           << getInits().getTypes() << "), got (" << getFinals().getTypes()
           << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ScanOp::getTiedOperand(BlockArgument argument) {
  return getOperand(argument.getArgNumber());
}

BlockArgument ScanOp::addValue(Value value) {
  getValuesMutable().append(value);
  return getBody().addArgument(value.getType(), value.getLoc());
}

void ScanOp::dropUnusedValues() {
  SmallVector<Value> kept;
  llvm::BitVector dropped(getBody().getNumArguments());
  for (auto [value, argument] :
       llvm::zip_equal(getValues(), getValueArguments()))
    if (argument.use_empty())
      dropped.set(argument.getArgNumber());
    else
      kept.push_back(value);
  getValuesMutable().assign(kept);
  getBody().front().eraseArguments(dropped);
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// Hoists loop-invariant operations. Constants stay, also those that are
/// repeated, because they become part of a kernel's code.
struct HoistInvariants : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> invariant;
    for (Operation &op : scan.getBody().front().without_terminator())
      if (isInvariant(op, scan))
        invariant.push_back(&op);
    for (Operation *op : invariant)
      hoist(op, scan, rewriter);
    return success(!invariant.empty());
  }

private:
  static bool isNumber(Value value) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getX();
    DenseElementsAttr elements;
    return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
  }

  static bool isInvariant(Operation &op, ScanOp scan) {
    auto values = scan.getValueArguments();
    return op.getNumResults() == 1 && isPure(&op) &&
           !isNumber(op.getResult(0)) &&
           llvm::all_of(op.getOperands(), [&](Value operand) {
             return llvm::is_contained(values, operand) || isNumber(operand);
           });
  }

  static void cloneNumber(Value number, IRMapping &mapping,
                          PatternRewriter &rewriter) {
    Operation *op = number.getDefiningOp();
    for (Value constant : op->getOperands())
      rewriter.clone(*constant.getDefiningOp(), mapping);
    rewriter.clone(*op, mapping);
  }

  static void hoist(Operation *op, ScanOp scan, PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(scan);
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      if (isNumber(operand))
        cloneNumber(operand, mapping, rewriter);
      else
        mapping.map(operand, scan.getTiedOperand(cast<BlockArgument>(operand)));
    }
    Value outside = rewriter.clone(*op, mapping)->getResult(0);
    BlockArgument inside;
    rewriter.modifyOpInPlace(scan, [&] { inside = scan.addValue(outside); });
    rewriter.replaceOp(op, inside);
  }
};

/// Drops values that the body does not read, and repeated ones.
struct DropValues : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan,
                                PatternRewriter &rewriter) const override {
    llvm::SmallDenseMap<Value, BlockArgument> first;
    bool hasUnused = false;
    for (auto [value, argument] :
         llvm::zip_equal(scan.getValues(), scan.getValueArguments())) {
      auto [known, isNew] = first.try_emplace(value, argument);
      if (!isNew)
        rewriter.replaceAllUsesWith(argument, known->second);
      hasUnused |= argument.use_empty();
    }
    if (hasUnused)
      rewriter.modifyOpInPlace(scan, [&] { scan.dropUnusedValues(); });
    return success(hasUnused);
  }
};

/// Drops inputs whose rows the body does not read.
struct DropInputs : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan,
                                PatternRewriter &rewriter) const override {
    Block &body = scan.getBody().front();
    SmallVector<Value> kept;
    llvm::BitVector dropped(body.getNumArguments());
    for (auto [i, input] : llvm::enumerate(scan.getInputs()))
      if (unsigned number = scan.getInits().size() + i;
          body.getArgument(number).use_empty())
        dropped.set(number);
      else
        kept.push_back(input);
    if (dropped.none())
      return failure();
    rewriter.modifyOpInPlace(scan, [&] {
      scan.getInputsMutable().assign(kept);
      body.eraseArguments(dropped);
    });
    return success();
  }
};

/// Drops outputs that nothing reads.
struct DropOutputs : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> kept(scan.getFinals());
    for (Value output : scan.getOutputs())
      if (!output.use_empty())
        kept.push_back(output);
    if (kept.size() == scan.getNumResults())
      return failure();
    auto yield = cast<YieldOp>(scan.getBody().front().getTerminator());
    SmallVector<Value> yielded;
    for (Value result : kept)
      yielded.push_back(
          yield.getOperand(cast<OpResult>(result).getResultNumber()));
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getValuesMutable().assign(yielded); });
    auto smaller =
        ScanOp::create(rewriter, scan.getLoc(), ValueRange(kept).getTypes(),
                       scan.getSteps(), scan.getReversed(), scan.getInits(),
                       scan.getInputs(), scan.getValues());
    smaller.getBody().takeBody(scan.getBody());
    for (auto [old, created] : llvm::zip_equal(kept, smaller.getResults()))
      rewriter.replaceAllUsesWith(old, created);
    rewriter.eraseOp(scan);
    return success();
  }
};

} // namespace

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<HoistInvariants, DropInputs, DropValues, DropOutputs>(context);
}
