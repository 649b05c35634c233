//===- Loops.cpp - Lowering of ops that go through elements -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;

// The result of each lowering is that of a loop over independent parts, which
// become the tiles of the kernel.

static Value buildEmpty(OpBuilder &builder, Location loc,
                        RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

/// The element of `tensor` at `indices` as a value to compute with.
static Value readElement(const IndexBuilder &b, Value tensor,
                         ValueRange indices, Type graphType) {
  return decode(b.builder, b.loc,
                tensor::ExtractOp::create(b.builder, b.loc, tensor, indices),
                graphType);
}

static Value writeElement(const IndexBuilder &b, Value value, Value tensor,
                          ValueRange indices, Type graphType) {
  return tensor::InsertOp::create(b.builder, b.loc,
                                  encode(b.builder, b.loc, value, graphType),
                                  tensor, indices);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {

/// Elements of a row that one tile changes in all rows.
constexpr int64_t scatteredElements = 1024;

struct LowerScatter
    : LinalgLoweringOpInterface::ExternalModel<LowerScatter, ScatterOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto scatter = cast<ScatterOp>(op);
    IndexBuilder b{builder, op->getLoc()};
    int64_t rows = scatter.getType().getDimSize(0);
    if (scatter.checksValues())
      buildIndexCheck(b, operands[1], rows);
    int64_t count = scatter.getIndices().getType().getDimSize(0);
    int64_t rowSize = scatter.getType().getNumElements() / rows;
    return b.loop(
        llvm::divideCeil(rowSize, scatteredElements), operands[0],
        [&](IndexBuilder tile, Value number, ValueRange target) {
          Value first = tile.multiply(number, scatteredElements);
          Value last =
              tile.minimum(tile.add(first, scatteredElements), rowSize);
          return SmallVector<Value>(tile.loop(
              count, target, [&](IndexBuilder inner, Value j, ValueRange row) {
                return changeRow(inner, scatter, operands, j, first, last, row);
              }));
        })[0];
  }

private:
  /// Changes the elements from `first` to `last - 1` of a row by update `j`.
  static SmallVector<Value> changeRow(const IndexBuilder &b, ScatterOp scatter,
                                      ValueRange operands, Value j, Value first,
                                      Value last, ValueRange target) {
    Value index = b.fromInteger(
        tensor::ExtractOp::create(b.builder, b.loc, operands[1], j));
    Value row = b.resolve(index, scatter.getType().getDimSize(0));
    Type type = scatter.getType().getElementType();
    return SmallVector<Value>(b.loop(
        first, last, target,
        [&](IndexBuilder inner, Value at, ValueRange changed) {
          SmallVector<Value> from =
              inner.delinearize(at, scatter.getType().getShape().drop_front());
          SmallVector<Value> to = from;
          from.insert(from.begin(), j);
          to.insert(to.begin(), row);
          Value value = readElement(inner, operands[2], from, type);
          if (scatter.getReduction() != ScatterReduction::None)
            value = combine(inner, scatter,
                            readElement(inner, changed[0], to, type), value);
          return SmallVector<Value>{
              writeElement(inner, value, changed[0], to, type)};
        }));
  }

  static Value combine(const IndexBuilder &b, ScatterOp scatter, Value old,
                       Value value) {
    Type type = scatter.getType().getElementType();
    switch (scatter.getReduction()) {
    case ScatterReduction::None:
      return value;
    case ScatterReduction::Add:
      return combine<arith::AddFOp, arith::AddIOp, arith::AddIOp>(b, type, old,
                                                                  value);
    case ScatterReduction::Mul:
      return combine<arith::MulFOp, arith::MulIOp, arith::MulIOp>(b, type, old,
                                                                  value);
    case ScatterReduction::Max:
      return combine<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          b, type, old, value);
    case ScatterReduction::Min:
      return combine<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
          b, type, old, value);
    }
  }

  template <typename FloatOp, typename SignedOp, typename UnsignedOp>
  static Value combine(const IndexBuilder &b, Type type, Value old,
                       Value value) {
    if (isa<FloatType>(type))
      return FloatOp::create(b.builder, b.loc, old, value);
    if (type.isUnsignedInteger())
      return UnsignedOp::create(b.builder, b.loc, old, value);
    return SignedOp::create(b.builder, b.loc, old, value);
  }
};

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A tile is one line of elements along the dimension.
struct LowerCumsum
    : LinalgLoweringOpInterface::ExternalModel<LowerCumsum, CumsumOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto cumsum = cast<CumsumOp>(op);
    IndexBuilder b{builder, op->getLoc()};
    SmallVector<int64_t> lines(cumsum.getType().getShape());
    lines.erase(lines.begin() + cumsum.getDim());
    Value result =
        buildEmpty(builder, op->getLoc(), getStorageType(cumsum.getType()));
    return b.loop(ShapedType::getNumElements(lines), result,
                  [&](IndexBuilder tile, Value line, ValueRange sums) {
                    return SmallVector<Value>{
                        addLine(tile, cumsum, operands[0], sums[0],
                                tile.delinearize(line, lines))};
                  })[0];
  }

private:
  static Value addLine(const IndexBuilder &b, CumsumOp cumsum, Value x,
                       Value sums, ArrayRef<Value> line) {
    Type type = cumsum.getType().getElementType();
    int64_t dim = cumsum.getDim(), size = cumsum.getType().getDimSize(dim);
    Value zero = buildNumber(b.builder, b.loc, getComputeType(type), 0);
    return b.loop(
        size, {sums, zero},
        [&](IndexBuilder inner, Value i, ValueRange carried) {
          SmallVector<Value> at(line);
          at.insert(at.begin() + dim,
                    cumsum.getReverse()
                        ? inner.subtract(inner.constant(size - 1), i)
                        : i);
          Value sum = add(inner, carried[1], readElement(inner, x, at, type));
          Value written = cumsum.getExclusive() ? carried[1] : sum;
          return SmallVector<Value>{
              writeElement(inner, written, carried[0], at, type), sum};
        })[0];
  }

  static Value add(const IndexBuilder &b, Value l, Value r) {
    if (isa<FloatType>(l.getType()))
      return arith::AddFOp::create(b.builder, b.loc, l, r);
    return arith::AddIOp::create(b.builder, b.loc, l, r);
  }
};

} // namespace

void hamkaas::registerLoopLowerings(MLIRContext *context) {
  CumsumOp::attachInterface<LowerCumsum>(*context);
  ScatterOp::attachInterface<LowerScatter>(*context);
}
