//===- Conv.cpp - Convolutions ----------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "Window.h"

using namespace mlir;
using namespace hamkaas;

static LogicalResult verifyChannels(std::optional<Location> loc, ShapedType x,
                                    ShapedType w, int64_t groups) {
  int64_t from = x.getShape().back(), to = w.getShape().back();
  if (groups < 1 || from % groups || to % groups) // C5.
    return emitOptionalError(loc,
                             "expected groups that divide the channels of "
                             "x (",
                             from, ") and of the result (", to, "), got ",
                             groups);
  int64_t channels = w.getDimSize(w.getRank() - 2);
  if (channels != from / groups) // C6.
    return emitOptionalError(loc,
                             "expected w to have the channels of a group "
                             "of x (",
                             from / groups,
                             ") as its last dimension but one, "
                             "got ",
                             channels);
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  auto w = cast<ShapedType>(adaptor.getW().getType());
  if (x.getRank() != w.getRank() || x.getRank() < 3 || x.getRank() > 5) // C1.
    return emitOptionalError(loc,
                             "expected x and w of the same rank, 3 to 5, "
                             "got ",
                             x.getRank(), " and ", w.getRank());
  if (x.getElementType() != w.getElementType())
    return emitOptionalError(loc, "expected x and w of one element type, got ",
                             formatType(x.getElementType()), " and ",
                             formatType(w.getElementType()));
  SmallVector<int64_t> shape;
  Windows windows{w.getShape().drop_back(2), adaptor.getStrides(),
                  adaptor.getDilations(), adaptor.getPadLow(),
                  adaptor.getPadHigh()};
  if (failed(countWindows(loc, x, windows, shape)) || // C2, C3, C4.
      failed(verifyChannels(loc, x, w, adaptor.getGroups())))
    return failure();
  shape.insert(shape.begin(), x.getShape().front());
  shape.push_back(w.getShape().back());
  types.push_back(x.clone(shape));
  return success();
}

bool ConvOp::isPadded() {
  auto isNotZero = [](int64_t padding) { return padding != 0; };
  return llvm::any_of(getPadLow(), isNotZero) ||
         llvm::any_of(getPadHigh(), isNotZero);
}

bool ConvOp::isDepthwise() {
  auto groups = static_cast<int64_t>(getGroups());
  return groups > 1 && groups == getX().getType().getShape().back() &&
         groups == getType().getShape().back();
}

/// Sums of products of float32 are blocked like those of matrices. One channel
/// a group leaves nothing to block: such a convolution waits for memory.
KernelFamily ConvOp::getKernelFamily() {
  ArrayRef<int64_t> weights = getW().getType().getShape();
  bool isOneChannel = getGroups() > 1 && weights[weights.size() - 2] == 1;
  bool isBlocked = getType().getElementType().isF32() && !isPadded() &&
                   !isOneChannel && !(*this)->hasAttr(planarAttrName);
  return isBlocked ? KernelFamily::Contraction : KernelFamily::Reduction;
}

int64_t ConvOp::getFlops() {
  int64_t products =
      getElementCount(getW().getType()) / getW().getType().getShape().back();
  return multiplyCounts(multiplyCounts(2, getElementCount(getType())),
                        products);
}

OpOperand *ConvOp::getColumnWeights() { return &getWMutable(); }
