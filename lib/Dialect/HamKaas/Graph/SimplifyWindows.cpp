//===- SimplifyWindows.cpp - Windows without what meets no image *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "SimplifyPatterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// The windows of a convolution along one dimension.
struct Line {
  int64_t size, count, taps, stride, dilation, low, high;

  /// An element of the window meets the image in some window.
  bool meets(int64_t tap) const {
    int64_t first = low - tap * dilation;
    int64_t window = first > 0 ? llvm::divideCeilSigned(first, stride) : 0;
    return window < count && window * stride < size + first;
  }

  /// The padding behind the image that windows of `taps` elements need.
  int64_t needed() const {
    return (count - 1) * stride + (taps - 1) * dilation + 1 - size - low;
  }

  /// Drops elements at both ends of the window that meet padding alone, as far
  /// as no padding gets negative. Returns how many at the front.
  int64_t trim() {
    int64_t front = 0;
    while (taps > 1 && low >= dilation && !meets(0)) {
      low -= dilation;
      --taps;
      ++front;
    }
    while (taps > 1 && !meets(taps - 1) && needed() - dilation > -stride)
      --taps;
    high = std::max<int64_t>(needed(), 0);
    return front;
  }
};

/// The longest windows whose elements are looked at, one by one.
static constexpr int64_t maxTaps = 1024;

/// Elements of a window that meet padding in all windows add zeros. Dilated
/// ones reach farther than small images.
struct TrimWindow : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType weights = op.getW().getType();
    SmallVector<int64_t> sizes(weights.getShape()), low(op.getPadLow()),
        high(op.getPadHigh()), offsets(sizes.size(), 0);
    for (size_t i = 0; i < low.size(); ++i) {
      if (sizes[i] > maxTaps)
        continue;
      Line line{op.getX().getType().getDimSize(i + 1),
                op.getType().getDimSize(i + 1),
                sizes[i],
                op.getStrides()[i],
                op.getDilations()[i],
                low[i],
                high[i]};
      offsets[i] = line.trim();
      if (line.taps == sizes[i])
        continue;
      sizes[i] = line.taps;
      low[i] = line.low;
      high[i] = line.high;
    }
    if (ArrayRef(sizes) == weights.getShape())
      return rewriter.notifyMatchFailure(op, "all elements meet the image");
    Value w = StridedSliceOp::create(
        rewriter, op.getLoc(), weights.clone(sizes), op.getW(), offsets, sizes,
        SmallVector<int64_t>(sizes.size(), 1));
    rewriter.modifyOpInPlace(op, [&] {
      op.getWMutable().assign(w);
      op.setPadLow(low);
      op.setPadHigh(high);
    });
    return success();
  }
};

} // namespace

void hamkaas::populateWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<TrimWindow>(patterns.getContext());
}
