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

/// The children of a node of a heap: heaps of four children have half as many
/// levels as those of two, and the largest child is found as fast.
static constexpr int64_t children = 4;

namespace {

/// Sorts the first indices of one row in place by heapsort: no extra memory,
/// and k log k steps for any input beside those that find the first k, at most
/// n log k. Until an index has its place it is kept with its element, as an
/// entry: one integer, whose order is that of the row. The index in its lower
/// half breaks ties, which makes the sort stable. Elements of more than 32 bits
/// have no room there; their entries are the indices, and comparisons read the
/// row.
class RowSorter {
public:
  /// `row` are the indices of the row in `x`, a tensor of storage type.
  RowSorter(ArgsortOp op, Value x, ArrayRef<Value> row)
      : op(op), type(op.getX().getType().getElementType()), x(x),
        row(row.begin(), row.end()), size(op.getType().getShape().back()),
        elements(op.getX().getType().getShape().back()),
        isPacked(type.getIntOrFloatBitWidth() <= 32 && elements <= UINT32_MAX) {
    for (int64_t last = size - 1; last > 0; last = (last - 1) / children)
      ++levels;
  }

  /// Returns `indices` with the row in it.
  Value sort(const IndexBuilder &b, Value indices) {
    indices = fill(b, indices);
    // Each part of the row below a node that has children becomes a heap whose
    // root is last in the order.
    int64_t parents = (size + children - 2) / children;
    indices = b.loop(
        parents, indices, [&](IndexBuilder inner, Value i, ValueRange carried) {
          Value root = inner.subtract(inner.constant(parents - 1), i);
          return SmallVector<Value>{sink(inner, carried[0], root,
                                         read(inner, carried[0], root),
                                         inner.constant(size))};
        })[0];
    if (elements > size)
      indices = selectFirst(b, indices);
    // The root goes behind the heap, which becomes smaller by one.
    Value zero = b.constant(0);
    indices = b.loop(
        size - 1, indices,
        [&](IndexBuilder inner, Value i, ValueRange carried) {
          Value end = inner.subtract(inner.constant(size - 1), i);
          Value last = read(inner, carried[0], zero);
          Value moved = read(inner, carried[0], end);
          Value result = write(inner, carried[0], end, getIndex(inner, last));
          return SmallVector<Value>{sink(inner, result, zero, moved, end)};
        })[0];
    return write(b, indices, zero, getIndex(b, read(b, indices, zero)));
  }

private:
  Value fill(const IndexBuilder &b, Value indices) {
    return b.loop(size, indices,
                  [&](IndexBuilder inner, Value i, ValueRange carried) {
                    return SmallVector<Value>{
                        write(inner, carried[0], i, makeEntry(inner, i))};
                  })[0];
  }

  /// Each element behind the heap that comes before its root replaces it. Equal
  /// elements do not, because their indices are larger.
  Value selectFirst(const IndexBuilder &b, Value indices) {
    Value zero = b.constant(0);
    auto readRoot = [&](const IndexBuilder &b, Value indices) {
      Value root = getIndex(b, read(b, indices, zero));
      return readKey(b, b.fromInteger(root));
    };
    return b.loop(
        elements - size, {indices, readRoot(b, indices)},
        [&](IndexBuilder inner, Value i, ValueRange carried) {
          Value index = inner.add(i, size);
          auto branch = scf::IfOp::create(
              inner.builder, inner.loc,
              comesBefore(inner, readKey(inner, index), carried[1]),
              [&](OpBuilder &nested, Location loc) {
                IndexBuilder n{nested, loc};
                Value sunk = sink(n, carried[0], zero, makeEntry(n, index),
                                  n.constant(size));
                scf::YieldOp::create(nested, loc, {sunk, readRoot(n, sunk)});
              },
              [&](OpBuilder &nested, Location loc) {
                scf::YieldOp::create(nested, loc, carried);
              });
          return SmallVector<Value>(branch.getResults());
        })[0];
  }

  /// Puts `entry` into the heap of `end` entries below `root`, whose place is
  /// free. At each level the last child moves up, until `entry` comes behind
  /// it. Nobody can predict when: so all levels are visited, and `entry` is
  /// written at each.
  Value sink(const IndexBuilder &b, Value indices, Value root, Value entry,
             Value end) {
    ValueRange sunk =
        b.loop(levels, {indices, root},
               [&](IndexBuilder inner, Value, ValueRange carried) {
                 return sinkLevel(inner, carried[0], carried[1], entry, end);
               });
    return write(b, sunk[0], sunk[1], entry);
  }

  SmallVector<Value> sinkLevel(const IndexBuilder &b, Value indices, Value hole,
                               Value entry, Value end) {
    Value first = b.add(b.multiply(hole, children), 1);
    auto [child, moved] = findLast(b, indices, first, children, end);
    Value moves = b.both(b.compare(CmpIPredicate::slt, first, end),
                         isBefore(b, entry, moved));
    return {write(b, indices, hole, b.select(moves, moved, entry)),
            b.select(moves, child, hole)};
  }

  /// The position and the entry of the last in the order of `count` entries
  /// from `first` on, those from `end` on left out.
  std::pair<Value, Value> findLast(const IndexBuilder &b, Value indices,
                                   Value first, int64_t count, Value end) {
    if (count == 1) {
      Value position = b.minimum(first, b.add(end, -1));
      return {position, read(b, indices, position)};
    }
    int64_t half = count / 2;
    auto [left, leftEntry] = findLast(b, indices, first, half, end);
    auto [right, rightEntry] =
        findLast(b, indices, b.add(first, half), count - half, end);
    Value isRight = isBefore(b, leftEntry, rightEntry);
    return {b.select(isRight, right, left),
            b.select(isRight, rightEntry, leftEntry)};
  }

  //===--------------------------------------------------------------------===//
  // Entries, of type i64
  //===--------------------------------------------------------------------===//

  Value makeEntry(const IndexBuilder &b, Value index) {
    Value number = b.toInteger(index);
    if (!isPacked)
      return number;
    Value order = getOrder(b, readKey(b, index));
    if (op.getDescending())
      order = arith::XOrIOp::create(b.builder, b.loc, order, constant(b, -1));
    Value upper =
        arith::ShLIOp::create(b.builder, b.loc, order, constant(b, 32));
    return arith::OrIOp::create(b.builder, b.loc, upper, number);
  }

  Value getIndex(const IndexBuilder &b, Value entry) {
    return isPacked ? arith::AndIOp::create(b.builder, b.loc, entry,
                                            constant(b, UINT32_MAX))
                          .getResult()
                    : entry;
  }

  /// Returns whether the entry `l` comes before `r`.
  Value isBefore(const IndexBuilder &b, Value l, Value r) {
    Value isFirst = b.compare(CmpIPredicate::slt, l, r);
    if (isPacked)
      return isFirst;
    Value left = readKey(b, b.fromInteger(l));
    Value right = readKey(b, b.fromInteger(r));
    Value isEqual = arith::XOrIOp::create(
        b.builder, b.loc, comesBefore(b, right, left),
        arith::ConstantIntOp::create(b.builder, b.loc, 1, 1));
    return arith::OrIOp::create(b.builder, b.loc, comesBefore(b, left, right),
                                b.both(isEqual, isFirst));
  }

  /// A number from -2^31 to 2^31 - 1 that compares with others as `key` does
  /// with their keys. The bits of floats are signs and magnitudes.
  Value getOrder(const IndexBuilder &b, Value key) {
    OpBuilder &builder = b.builder;
    Location loc = b.loc;
    Type i64 = builder.getI64Type();
    if (!isa<FloatType>(type)) {
      if (!isUnsigned())
        return arith::ExtSIOp::create(builder, loc, i64, key);
      return arith::SubIOp::create(
          builder, loc, arith::ExtUIOp::create(builder, loc, i64, key),
          constant(b, int64_t(1) << 31));
    }
    Type f32 = builder.getF32Type();
    if (key.getType() != f32)
      key = arith::ExtFOp::create(builder, loc, f32, key);
    // Equal zeros have equal bits.
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getFloatAttr(f32, 0));
    Value sum = arith::AddFOp::create(builder, loc, key, zero);
    Value bits =
        arith::BitcastOp::create(builder, loc, builder.getI32Type(), sum);
    // Not a select by the sign, which would become a branch: nobody can predict
    // it.
    Value sign =
        arith::ShRSIOp::create(builder, loc, bits, constant(b, 31, 32));
    Value magnitude =
        arith::ShRUIOp::create(builder, loc, sign, constant(b, 1, 32));
    Value order = arith::XOrIOp::create(builder, loc, bits, magnitude);
    Value isNan =
        arith::CmpFOp::create(builder, loc, CmpFPredicate::UNO, key, key);
    order = b.select(isNan, constant(b, INT32_MAX, 32), order);
    return arith::ExtSIOp::create(builder, loc, i64, order);
  }

  bool isUnsigned() const {
    return type.isUnsignedInteger() || type.isInteger(1);
  }

  /// Returns whether an element `l` comes before a different one, `r`, wherever
  /// they are. NaN is larger than all numbers.
  Value comesBefore(const IndexBuilder &b, Value l, Value r) {
    if (op.getDescending())
      std::swap(l, r);
    if (!isa<FloatType>(type))
      return b.compare(isUnsigned() ? CmpIPredicate::ult : CmpIPredicate::slt,
                       l, r);
    auto compare = [&](CmpFPredicate predicate, Value l, Value r) -> Value {
      return arith::CmpFOp::create(b.builder, b.loc, predicate, l, r);
    };
    Value isNumber = compare(CmpFPredicate::ORD, l, l);
    return b.both(isNumber, compare(CmpFPredicate::ULT, l, r));
  }

  static Value constant(const IndexBuilder &b, int64_t value,
                        unsigned bits = 64) {
    return arith::ConstantIntOp::create(b.builder, b.loc, value, bits);
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
    return tensor::ExtractOp::create(b.builder, b.loc, indices, at);
  }

  Value write(const IndexBuilder &b, Value indices, Value position,
              Value entry) {
    SmallVector<Value> at(row);
    at.push_back(position);
    return tensor::InsertOp::create(b.builder, b.loc, entry, indices, at);
  }

  ArgsortOp op;
  Type type;
  Value x;
  SmallVector<Value> row;
  /// The indices to keep, and all of the row.
  int64_t size, elements;
  bool isPacked;
  /// From the root of a heap of all indices to the last leaf.
  int64_t levels = 0;
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
