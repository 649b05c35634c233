//===- ZeroRows.cpp - Rows of zeros around images ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroRows.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"

using namespace mlir;
using namespace hamkaas;

/// The least part of the rows of windows that must be zeros.
static constexpr double minZeros = 0.03;
/// Zeros are few around images with more rows, which would take long to count.
static constexpr int64_t maxRows = 1 << 12;

std::optional<ZeroRows> ZeroRows::find(const CostModel &costs,
                                       linalg::LinalgOp root,
                                       const ContractionLoops &loops) {
  auto zeros = root->getAttrOfType<DenseI64ArrayAttr>(zeroRowsAttrName);
  if (!zeros || loops.window.empty() || !costs.hasOwnCache())
    return std::nullopt;
  int64_t tap = loops.window.front();
  OpOperand &left = *root.getDpsInputOperand(0);
  AffineMap map = root.getMatchingIndexingMap(&left);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(left.get().getType()).getShape();
  std::optional<ZeroRows> found;
  for (auto [i, size] : llvm::enumerate(shape)) {
    SmallVector<int64_t> factors = getFactors(map, i);
    for (int64_t loop : llvm::concat<const int64_t>(loops.shared, loops.joined))
      if (factors[tap] != 0 && factors[loop] != 0) {
        found.emplace();
        found->loop = loop;
        found->stride = factors[loop];
        found->dilation = factors[tap];
        found->taps = loops.extents[tap];
        found->begin = zeros[0];
        found->end = std::max<int64_t>(size - zeros[1], 0);
      }
  }
  // At most `taps` windows reach a row of zeros.
  double rows = found ? double(loops.extents[found->loop]) : 0;
  if (!found || rows > maxRows ||
      double(zeros[0]) + double(zeros[1]) < minZeros * rows)
    return std::nullopt;
  int64_t used = 0;
  for (int64_t index = 0; index < loops.extents[found->loop]; ++index) {
    int64_t count = found->countTaps(index);
    // Each sum begins and ends with a product.
    if (count == 0)
      return std::nullopt;
    used += count;
  }
  bool isWorthIt = double(used) <= (1 - minZeros) * rows * double(found->taps);
  return isWorthIt ? found : std::nullopt;
}

int64_t ZeroRows::countTaps(int64_t index) const {
  auto countBefore = [&](int64_t row) {
    int64_t distance = std::max<int64_t>(row - index * stride, 0);
    return std::min(taps, distance / dilation + (distance % dilation != 0));
  };
  return std::max<int64_t>(countBefore(end) - countBefore(begin), 0);
}

/// The first row of the window that reads row `row` of the image or one behind.
Value ZeroRows::findTap(KernelBuilder &kernel, Value index, int64_t row) const {
  Value top = kernel.minimum(kernel.multiply(index, stride), row);
  Value distance = kernel.subtract(kernel.constant(row), top);
  return kernel.divide(kernel.add(distance, dilation - 1), dilation);
}

Value ZeroRows::findFirstTap(KernelBuilder &kernel, Value index) const {
  return findTap(kernel, index, begin);
}

Value ZeroRows::findEndTap(KernelBuilder &kernel, Value index) const {
  return kernel.minimum(findTap(kernel, index, end), taps);
}
