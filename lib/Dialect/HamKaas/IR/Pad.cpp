//===- Pad.cpp - Values around and between elements -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "ShapeArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// `low + size + (size - 1) * interior + high`, negative if that is too large.
static int64_t getPaddedSize(int64_t low, int64_t size, int64_t interior,
                             int64_t high) {
  int64_t between, sum;
  bool overflows = llvm::MulOverflow(size - 1, interior, between) |
                   llvm::AddOverflow(low, size, sum);
  overflows |= llvm::AddOverflow(sum, between, sum);
  overflows |= llvm::AddOverflow(sum, high, sum);
  return overflows ? -1 : sum;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  // C1.
  if (failed(verifyEntries(loc, "entries of low", low, x)) ||
      failed(verifyEntries(loc, "entries of high", high, x)) ||
      failed(verifyEntries(loc, "entries of interior", interior, x)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0) // C2.
      return emitOptionalError(loc,
                               "expected no negative padding for "
                               "dimension ",
                               i, ", got low ", low[i], ", high ", high[i],
                               " and interior ", interior[i]);
    shape.push_back(
        getPaddedSize(low[i], x.getDimSize(i), interior[i], high[i]));
  }
  Type element = adaptor.getValue().getType();
  if (element != x.getElementType()) // C3.
    return emitOptionalError(loc, "expected a value of the element type of x (",
                             x.getElementType(), "), got ", element);
  return inferShape(loc, shape, element, types); // C4.
}

int64_t PadOp::getFlops() { return 0; }

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}
