//===- Sort.cpp - Lowering of argsort ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

/// Sorts the first indices of one row in place by heapsort: no extra memory,
/// and k log k steps for any input beside those that find the first k, at most
/// n log k. The comparison breaks ties by index, which makes the sort stable.
class RowSorter {
public:
  /// `row` are the indices of the row in `x`, a tensor of storage type.
  RowSorter(ArgsortOp op, Value x, ArrayRef<Value> row)
      : op(op), type(op.getX().getType().getElementType()), x(x),
        row(row.begin(), row.end()), size(op.getType().getShape().back()),
        elements(op.getX().getType().getShape().back()) {}

  /// Returns `indices` with the row in it.
  Value sort(const IndexBuilder &b, Value indices) {
    indices = fill(b, indices);
    // Each half of the row below its middle becomes a heap whose root is last
    // in the order.
    indices =
        b.loop(size / 2, indices,
               [&](IndexBuilder inner, Value i, ValueRange carried) {
                 Value root = inner.subtract(inner.constant(size / 2 - 1), i);
                 return SmallVector<Value>{sink(inner, carried[0], root,
                                                read(inner, carried[0], root),
                                                inner.constant(size))};
               })[0];
    if (elements > size)
      indices = selectFirst(b, indices);
    // The root goes behind the heap, which becomes smaller by one.
    return b.loop(size - 1, indices,
                  [&](IndexBuilder inner, Value i, ValueRange carried) {
                    Value end = inner.subtract(inner.constant(size - 1), i);
                    Value root = inner.constant(0);
                    Value largest = read(inner, carried[0], root);
                    Value moved = read(inner, carried[0], end);
                    Value result = write(inner, carried[0], end, largest);
                    return SmallVector<Value>{
                        sink(inner, result, root, moved, end)};
                  })[0];
  }

private:
  Value fill(const IndexBuilder &b, Value indices) {
    return b.loop(size, indices,
                  [&](IndexBuilder inner, Value i, ValueRange carried) {
                    return SmallVector<Value>{write(inner, carried[0], i, i)};
                  })[0];
  }

  /// Each element behind the heap that comes before its root replaces it. Equal
  /// elements do not, because their indices are larger.
  Value selectFirst(const IndexBuilder &b, Value indices) {
    Value zero = b.constant(0);
    Value root = readKey(b, read(b, indices, zero));
    return b.loop(
        elements - size, {indices, root},
        [&](IndexBuilder inner, Value i, ValueRange carried) {
          Value index = inner.add(i, size), key = readKey(inner, index);
          Value left = key, right = carried[1];
          if (op.getDescending())
            std::swap(left, right);
          auto branch = scf::IfOp::create(
              inner.builder, inner.loc, compareKeys(inner, left, right),
              [&](OpBuilder &nested, Location loc) {
                IndexBuilder n{nested, loc};
                Value sunk =
                    sink(n, carried[0], n.constant(0), index, n.constant(size));
                scf::YieldOp::create(
                    nested, loc,
                    {sunk, readKey(n, read(n, sunk, n.constant(0)))});
              },
              [&](OpBuilder &nested, Location loc) {
                scf::YieldOp::create(nested, loc, carried);
              });
          return SmallVector<Value>(branch.getResults());
        })[0];
  }

  /// Puts `value` into the heap of `end` elements below `root`, whose place is
  /// free. At each level the larger child moves up, until `value` is larger.
  Value sink(const IndexBuilder &b, Value indices, Value root, Value value,
             Value end) {
    ValueRange sunk =
        b.loop(llvm::Log2_64_Ceil(size + 1), {indices, root},
               [&](IndexBuilder inner, Value, ValueRange carried) {
                 return sinkLevel(inner, carried[0], carried[1], value, end);
               });
    return write(b, sunk[0], sunk[1], value);
  }

  SmallVector<Value> sinkLevel(const IndexBuilder &b, Value indices, Value hole,
                               Value value, Value end) {
    Value left = b.add(b.multiply(hole, 2), 1), right = b.add(left, 1);
    Value hasLeft = b.compare(CmpIPredicate::slt, left, end);
    Value hasRight = b.compare(CmpIPredicate::slt, right, end);
    Value leftValue = read(b, indices, b.minimum(left, size - 1));
    Value rightValue = read(b, indices, b.minimum(right, size - 1));
    Value isRight = b.both(hasRight, isBefore(b, leftValue, rightValue));
    Value child = b.select(isRight, right, left);
    Value childValue = b.select(isRight, rightValue, leftValue);
    Value moves = b.both(hasLeft, isBefore(b, value, childValue));
    auto branch = scf::IfOp::create(
        b.builder, b.loc, moves,
        [&](OpBuilder &nested, Location loc) {
          Value moved = write({nested, loc}, indices, hole, childValue);
          scf::YieldOp::create(nested, loc, moved);
        },
        [&](OpBuilder &nested, Location loc) {
          scf::YieldOp::create(nested, loc, indices);
        });
    return {branch.getResult(0), b.select(moves, child, hole)};
  }

  /// Returns whether the element of index `l` comes before that of index `r`.
  Value isBefore(const IndexBuilder &b, Value l, Value r) {
    Value left = readKey(b, l), right = readKey(b, r);
    if (op.getDescending())
      std::swap(left, right);
    Value isLess = compareKeys(b, left, right);
    Value isMore = compareKeys(b, right, left);
    Value isFirst = b.compare(CmpIPredicate::slt, l, r);
    Value isEqualAndFirst =
        b.both(arith::XOrIOp::create(
                   b.builder, b.loc, isMore,
                   arith::ConstantIntOp::create(b.builder, b.loc, 1, 1)),
               isFirst);
    return arith::OrIOp::create(b.builder, b.loc, isLess, isEqualAndFirst);
  }

  /// Returns whether `l` is less than `r`; NaN is larger than all numbers.
  Value compareKeys(const IndexBuilder &b, Value l, Value r) {
    if (!isa<FloatType>(type))
      return b.compare(type.isUnsignedInteger() || type.isInteger(1)
                           ? CmpIPredicate::ult
                           : CmpIPredicate::slt,
                       l, r);
    auto compare = [&](CmpFPredicate predicate, Value l, Value r) -> Value {
      return arith::CmpFOp::create(b.builder, b.loc, predicate, l, r);
    };
    Value isNumber = compare(CmpFPredicate::ORD, l, l);
    return b.both(isNumber, compare(CmpFPredicate::ULT, l, r));
  }

  Value readKey(const IndexBuilder &b, Value index) {
    SmallVector<Value> at(row);
    at.push_back(index);
    return decode(b.builder, b.loc,
                  tensor::ExtractOp::create(b.builder, b.loc, x, at), type);
  }

  Value read(const IndexBuilder &b, Value indices, Value position) {
    SmallVector<Value> at(row);
    at.push_back(position);
    return b.fromInteger(
        tensor::ExtractOp::create(b.builder, b.loc, indices, at));
  }

  Value write(const IndexBuilder &b, Value indices, Value position,
              Value index) {
    SmallVector<Value> at(row);
    at.push_back(position);
    return tensor::InsertOp::create(b.builder, b.loc, b.toInteger(index),
                                    indices, at);
  }

  ArgsortOp op;
  Type type;
  Value x;
  SmallVector<Value> row;
  /// The indices to keep, and all of the row.
  int64_t size, elements;
};

/// A tile is one row.
struct LowerArgsort
    : LinalgLoweringOpInterface::ExternalModel<LowerArgsort, ArgsortOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto argsort = cast<ArgsortOp>(op);
    RankedTensorType type = argsort.getType();
    ArrayRef<int64_t> rows = type.getShape().drop_back();
    Value result = tensor::EmptyOp::create(
        builder, op->getLoc(), type.getShape(), type.getElementType());
    return IndexBuilder{builder, op->getLoc()}.loop(
        ShapedType::getNumElements(rows), result,
        [&](IndexBuilder b, Value row, ValueRange indices) {
          RowSorter sorter(argsort, operands[0], b.delinearize(row, rows));
          return SmallVector<Value>{sorter.sort(b, indices[0])};
        })[0];
  }
};

} // namespace

void hamkaas::registerSortLowerings(MLIRContext *context) {
  ArgsortOp::attachInterface<LowerArgsort>(*context);
}
