//===- View.cpp - Lowering of operations that rename storage ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace hamkaas;

namespace {

struct LowerReshape
    : LinalgLoweringOpInterface::ExternalModel<LowerReshape, ReshapeOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    RankedTensorType type = getStorageType(op->getResult(0).getType());
    Value x = operands[0];
    Location loc = op->getLoc();
    // A convolution looks through it.
    if (isa<GroupOp>(op->getParentOp()) && op->hasOneUse() &&
        isa<ConvOp>(*op->user_begin()))
      if (auto dims = getReassociationIndicesForReshape(
              cast<RankedTensorType>(x.getType()), type))
        return tensor::CollapseShapeOp::create(builder, loc, type, x, *dims);
    if (isa<GroupOp>(op->getParentOp()))
      return buildPerRow(builder, loc, type, x);
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    ArrayRef<ReassociationIndices> none;
    if (rank == 0)
      return tensor::ExpandShapeOp::create(builder, loc, type, x, none);
    if (type.getRank() == 0)
      return tensor::CollapseShapeOp::create(builder, loc, type, x, none);
    // NOTE: a buffer of a layout that is not known, such as the result of a
    // kernel, is copied to collapse it, and the copy remains if something else
    // needs the buffer, too.
    auto from = cast<RankedTensorType>(x.getType());
    if (from.getRank() < type.getRank() && !op->getOperand(0).hasOneUse())
      if (auto groups = getReassociationIndicesForReshape(from, type))
        return tensor::ExpandShapeOp::create(builder, loc, type, x, *groups);
    // Through one dimension, which serves every pair of shapes.
    auto flatten = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(rank))};
    };
    Value flat = x;
    if (rank != 1)
      flat = tensor::CollapseShapeOp::create(
          builder, loc, type.clone({type.getNumElements()}), x, flatten(rank));
    if (type.getRank() == 1)
      return flat;
    return tensor::ExpandShapeOp::create(builder, loc, type, flat,
                                         flatten(type.getRank()));
  }

private:
  /// Within a kernel, one number a row gets or loses a last dimension of 1.
  static Value buildPerRow(OpBuilder &builder, Location loc,
                           RankedTensorType type, Value x) {
    auto from = cast<RankedTensorType>(x.getType());
    int64_t rows = std::min(from.getRank(), type.getRank());
    SmallVector<AffineExpr> read;
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      read.push_back(dim < rows ? builder.getAffineDimExpr(dim)
                                : builder.getAffineConstantExpr(0));
    return buildParallel(
        builder, loc, type, x,
        AffineMap::get(type.getRank(), 0, read, builder.getContext()),
        [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  }
};

struct LowerConstant
    : LinalgLoweringOpInterface::ExternalModel<LowerConstant, ConstantOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder, ValueRange) const {
    // NOTE: verifyElements allows no other kind.
    auto value = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
    return arith::ConstantOp::create(builder, op->getLoc(),
                                     getStoredElements(value));
  }
};

struct LowerSlice
    : LinalgLoweringOpInterface::ExternalModel<LowerSlice, SliceOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    RankedTensorType type = getStorageType(op->getResult(0).getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        sizes, strides(type.getRank(), builder.getIndexAttr(1));
    offsets.front() = builder.getIndexAttr(cast<SliceOp>(op).getBegin());
    for (int64_t size : type.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    return tensor::ExtractSliceOp::create(builder, op->getLoc(), type,
                                          operands[0], offsets, sizes, strides);
  }
};

} // namespace

void hamkaas::registerViewLowerings(MLIRContext *context) {
  ConstantOp::attachInterface<LowerConstant>(*context);
  ReshapeOp::attachInterface<LowerReshape>(*context);
  SliceOp::attachInterface<LowerSlice>(*context);
}
