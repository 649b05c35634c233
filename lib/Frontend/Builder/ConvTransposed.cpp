//===- ConvTransposed.cpp - Transposed convolutions -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

/// The weights of the convolution that a transposed one is: each window in
/// reverse, the channels of each group exchanged.
static Tensor transposeWeights(GraphBuilder &b, Tensor w, int64_t groups) {
  int64_t spatial = w.rank() - 2;
  Shape offsets(w.rank(), 0), strides(w.rank(), 1);
  for (int64_t i = 2; i < w.rank(); ++i) {
    offsets[i] = w.dim(i) - 1;
    strides[i] = -1;
  }
  Tensor reversed = b.stridedSlice(w, offsets, w.shape(), strides);
  Shape split = {groups, w.dim(0) / groups, w.dim(1)};
  llvm::append_range(split, w.shape().drop_front(2));
  Shape permutation = llvm::to_vector(llvm::seq<int64_t>(3, 3 + spatial));
  llvm::append_range(permutation, ArrayRef<int64_t>{1, 0, 2});
  Shape result(w.shape().drop_front(2));
  result.push_back(w.dim(0) / groups);
  result.push_back(groups * w.dim(1));
  return b.reshape(b.permute(b.reshape(reversed, split), permutation), result);
}

/// Turns the windows into those of a convolution over the input with zeros
/// between its elements. Where the model crops more than a window reaches, the
/// result is cropped: `crop` says by how much on both sides.
static Windows reverseWindows(const Windows &windows, ArrayRef<int64_t> added,
                              Shape &cropLow, Shape &cropHigh) {
  Windows reversed = windows;
  for (int64_t i = 0; i < windows.count(); ++i) {
    reversed.strides[i] = 1;
    int64_t low = windows.extent(i) - 1 - windows.padLow[i];
    int64_t high = windows.extent(i) - 1 - windows.padHigh[i] + added[i];
    reversed.padLow[i] = std::max<int64_t>(low, 0);
    reversed.padHigh[i] = std::max<int64_t>(high, 0);
    cropLow.push_back(std::max<int64_t>(-low, 0));
    cropHigh.push_back(std::max<int64_t>(-high, 0));
  }
  return reversed;
}

static Tensor cropSpatial(GraphBuilder &b, Tensor y, ArrayRef<int64_t> low,
                          ArrayRef<int64_t> high) {
  if (!y)
    return {};
  Shape offsets(y.rank(), 0), sizes(y.shape()), strides(y.rank(), 1);
  for (size_t i = 0; i < low.size(); ++i) {
    offsets[i + 1] = low[i];
    sizes[i + 1] -= low[i] + high[i];
  }
  return b.stridedSlice(y, offsets, sizes, strides);
}

/// Fails unless the result has elements, and not too many.
static bool checkResult(GraphBuilder &b, const Tensor &x,
                        const Windows &windows, ArrayRef<int64_t> added) {
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t steps = x.dim(i + 1) - 1;
    int64_t size = steps > elementLimit / windows.strides[i]
                       ? elementLimit
                       : steps * windows.strides[i] + windows.extent(i) -
                             windows.padLow[i] - windows.padHigh[i] + added[i];
    if (size >= 1 && size < elementLimit)
      continue;
    b.fail("expected a result of 1 to 2^47 - 1 elements along each dimension, "
           "got " +
           Twine(size) + " along spatial dimension " + Twine(i));
    return false;
  }
  return true;
}

Tensor graph::convTransposed(GraphBuilder &b, Tensor x, Tensor w,
                             const Windows &windows, ArrayRef<int64_t> added,
                             int64_t groups) {
  if (!x || !w || !checkResult(b, x, windows, added))
    return {};
  Shape zeros(x.rank(), 0), interior(x.rank(), 0), cropLow, cropHigh;
  for (int64_t i = 0; i < windows.count(); ++i)
    interior[i + 1] = windows.strides[i] - 1;
  Tensor spread =
      b.pad(x, b.scalar(x.elementType(), 0), zeros, zeros, interior);
  Windows reversed = reverseWindows(windows, added, cropLow, cropHigh);
  Tensor y = b.conv(spread, transposeWeights(b, w, groups), reversed, groups);
  return cropSpatial(b, y, cropLow, cropHigh);
}
