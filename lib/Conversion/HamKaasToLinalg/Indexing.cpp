//===- Indexing.cpp - Lowering of ops that choose elements ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpIPredicate;

namespace {

// NOTE: not by an indexing map. Linalg takes a dimension that is read from its
// first element on, in steps of 1, to be read to its end.
struct LowerStridedSlice
    : LinalgLoweringOpInterface::ExternalModel<LowerStridedSlice,
                                               StridedSliceOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto slice = cast<StridedSliceOp>(op);
    return buildParallel(
        builder, op->getLoc(), getStorageType(slice.getType()), {}, {},
        [&](OpBuilder &nested, Location loc, ValueRange) {
          IndexBuilder b{nested, loc};
          SmallVector<Value> source;
          for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim)
            source.push_back(buildSource(b, slice, dim));
          return tensor::ExtractOp::create(nested, loc, operands[0], source)
              .getResult();
        });
  }

private:
  static Value buildSource(const IndexBuilder &b, StridedSliceOp slice,
                           int64_t dim) {
    int64_t offset = slice.getOffsets()[dim], stride = slice.getStrides()[dim];
    // The stride of one element may be any number.
    if (slice.getSizes()[dim] == 1)
      return b.constant(offset);
    Value index = linalg::IndexOp::create(b.builder, b.loc, dim);
    if (stride != 1)
      index = b.multiply(index, stride);
    return offset == 0 ? index : b.add(index, offset);
  }
};

/// Returns whether `op` is all of a kernel that copies.
static bool isCopy(Operation *op) {
  auto group = dyn_cast<GroupOp>(op->getParentOp());
  return group && group.getFamily() == KernelFamily::Movement &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<YieldOp>);
}

/// A copy with a margin, or an element is read from the nearest place that
/// there is, and replaced by the padding if it is not that of this element.
struct LowerPad : LinalgLoweringOpInterface::ExternalModel<LowerPad, PadOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto pad = cast<PadOp>(op);
    if (isCopy(op))
      return buildCopy(builder, pad, operands[0]);
    return buildParallel(
        builder, op->getLoc(), getStorageType(pad.getType()), {}, {},
        [&](OpBuilder &nested, Location loc, ValueRange) {
          IndexBuilder b{nested, loc};
          Value isElement;
          SmallVector<Value> source;
          for (int64_t dim = 0; dim < pad.getType().getRank(); ++dim)
            source.push_back(buildSource(b, pad, dim, isElement));
          Value element =
              tensor::ExtractOp::create(nested, loc, operands[0], source);
          if (!isElement)
            return element;
          Value padding =
              arith::ConstantOp::create(nested, loc, getStoredValue(pad));
          return b.select(isElement, element, padding);
        });
  }

private:
  static Value buildCopy(OpBuilder &builder, PadOp pad, Value x) {
    Location loc = pad.getLoc();
    MLIRContext *context = builder.getContext();
    Value padding =
        arith::ConstantOp::create(builder, loc, getStoredValue(pad));
    return tensor::PadOp::create(builder, loc, getStorageType(pad.getType()), x,
                                 getAsIndexOpFoldResult(context, pad.getLow()),
                                 getAsIndexOpFoldResult(context, pad.getHigh()),
                                 padding);
  }

  /// The index in the operand, and whether there is one, added to `isElement`.
  static Value buildSource(const IndexBuilder &b, PadOp pad, int64_t dim,
                           Value &isElement) {
    int64_t low = pad.getLow()[dim], distance = pad.getInterior()[dim] + 1;
    int64_t last = (pad.getX().getType().getDimSize(dim) - 1) * distance;
    Value index = linalg::IndexOp::create(b.builder, b.loc, dim);
    auto demand = [&](Value condition) {
      isElement = isElement ? b.both(isElement, condition) : condition;
    };
    if (low > 0) {
      demand(b.compare(CmpIPredicate::sge, index, b.constant(low)));
      index = b.maximum(b.subtract(index, b.constant(low)), 0);
    }
    if (pad.getHigh()[dim] > 0) {
      demand(b.compare(CmpIPredicate::sle, index, b.constant(last)));
      index = b.minimum(index, last);
    }
    if (distance == 1)
      return index;
    Value size = b.constant(distance);
    Value rest = arith::RemUIOp::create(b.builder, b.loc, index, size);
    demand(b.compare(CmpIPredicate::eq, rest, b.constant(0)));
    return arith::DivUIOp::create(b.builder, b.loc, index, size);
  }

  /// The padding as memory holds it.
  static TypedAttr getStoredValue(PadOp pad) {
    auto integer = dyn_cast<IntegerAttr>(pad.getValue());
    if (!integer)
      return pad.getValue();
    Type type = getStorageElementType(integer.getType());
    return IntegerAttr::get(
        type, integer.getValue().zext(type.getIntOrFloatBitWidth()));
  }
};

struct LowerConcat
    : LinalgLoweringOpInterface::ExternalModel<LowerConcat, ConcatOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    Location loc = op->getLoc();
    RankedTensorType type = getStorageType(op->getResult(0).getType());
    int64_t rank = type.getRank(), dim = cast<ConcatOp>(op).getDim(), at = 0;
    Value result = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                           type.getElementType());
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)),
        strides(rank, builder.getIndexAttr(1));
    for (Value operand : operands) {
      auto piece = cast<RankedTensorType>(operand.getType());
      offsets[dim] = builder.getIndexAttr(at);
      at += piece.getDimSize(dim);
      result = tensor::InsertSliceOp::create(
          builder, loc, operand, result, offsets,
          getAsIndexOpFoldResult(builder.getContext(), piece.getShape()),
          strides);
    }
    return result;
  }
};

struct LowerGather
    : LinalgLoweringOpInterface::ExternalModel<LowerGather, GatherOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto gather = cast<GatherOp>(op);
    RankedTensorType type = getStorageType(gather.getType());
    int64_t dim = gather.getDim();
    int64_t size = gather.getX().getType().getDimSize(dim);
    int64_t indexRank = gather.getIndices().getType().getRank();
    if (gather.checksValues())
      buildIndexCheck({builder, op->getLoc()}, operands[1], size);

    AffineMap map =
        AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext())
            .getSliceMap(dim, indexRank);
    return buildParallel(
        builder, op->getLoc(), type, operands[1], map,
        [&](OpBuilder &nested, Location loc, ValueRange index) {
          IndexBuilder b{nested, loc};
          SmallVector<Value> source;
          for (int64_t i = 0; i < type.getRank(); ++i)
            if (i < dim || i >= dim + indexRank)
              source.push_back(linalg::IndexOp::create(nested, loc, i));
          source.insert(source.begin() + dim,
                        b.resolve(b.fromInteger(index[0]), size));
          return tensor::ExtractOp::create(nested, loc, operands[0], source)
              .getResult();
        });
  }
};

} // namespace

void hamkaas::registerIndexingLowerings(MLIRContext *context) {
  ConcatOp::attachInterface<LowerConcat>(*context);
  GatherOp::attachInterface<LowerGather>(*context);
  PadOp::attachInterface<LowerPad>(*context);
  StridedSliceOp::attachInterface<LowerStridedSlice>(*context);
}
