//===- Window.cpp - Windows over spatial dimensions -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hamkaas;

static LogicalResult verifyList(std::optional<Location> loc, StringRef name,
                                ArrayRef<int64_t> list, int64_t rank,
                                int64_t least) {
  if (static_cast<int64_t>(list.size()) != rank)
    return emitOptionalError(loc, "expected ", rank, " ", name,
                             ", one a spatial dimension, got ", list.size());
  for (int64_t value : list)
    if (value < least)
      return emitOptionalError(loc, "expected ", name, " of at least ", least,
                               ", got ", value);
  return success();
}

LogicalResult hamkaas::countWindows(std::optional<Location> loc, ShapedType x,
                                    const Windows &windows,
                                    SmallVectorImpl<int64_t> &counts) {
  int64_t rank = x.getRank() - 2;
  if (rank < 1 || rank > 3)
    return emitOptionalError(loc,
                             "expected x to have 1 to 3 spatial dimensions "
                             "between its first and its last one, got "
                             "rank ",
                             x.getRank());
  if (failed(verifyList(loc, "window sizes", windows.sizes, rank, 1)) ||
      failed(verifyList(loc, "strides", windows.strides, rank, 1)) ||
      failed(verifyList(loc, "dilations", windows.dilations, rank, 1)) ||
      failed(verifyList(loc, "low paddings", windows.padLow, rank, 0)) ||
      failed(verifyList(loc, "high paddings", windows.padHigh, rank, 0)))
    return failure();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t padded = addCounts(
        x.getDimSize(i + 1), addCounts(windows.padLow[i], windows.padHigh[i]));
    // So that no position wraps.
    if (padded >= int64_t(1) << 47)
      return emitOptionalError(loc, "expected dimension ", i + 1,
                               " to have fewer than 2^47 elements with its "
                               "padding, got ",
                               padded);
    int64_t extent = addCounts(
        multiplyCounts(windows.sizes[i] - 1, windows.dilations[i]), 1);
    if (extent > padded)
      return emitOptionalError(loc, "expected windows along dimension ", i + 1,
                               " of at most its padded size (", padded,
                               "), got one of ", extent);
    counts.push_back((padded - extent) / windows.strides[i] + 1);
  }
  return success();
}
