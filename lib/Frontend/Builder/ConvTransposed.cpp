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

/// The weights of the convolution that a transposed one is, of the elements of
/// each window from `offsets` on: in reverse, the channels of each group
/// exchanged. `counts` and `steps` say how many elements and how far apart.
static Tensor transposeWeights(GraphBuilder &b, Tensor w, int64_t groups,
                               ArrayRef<int64_t> offsets,
                               ArrayRef<int64_t> counts,
                               ArrayRef<int64_t> steps) {
  int64_t spatial = counts.size();
  int64_t to = w.dim(spatial), from = w.dim(spatial + 1) / groups;
  Shape begins(w.rank(), 0), sizes(w.shape()), strides(w.rank(), 1);
  for (int64_t i = 0; i < spatial; ++i) {
    begins[i] = offsets[i] + (counts[i] - 1) * steps[i];
    sizes[i] = counts[i];
    strides[i] = -steps[i];
  }
  Tensor reversed = b.stridedSlice(w, begins, sizes, strides);
  // k x c x g x o to k x o x g x c.
  Shape split(counts), result(counts);
  llvm::append_range(split, ArrayRef<int64_t>{to, groups, from});
  llvm::append_range(result, ArrayRef<int64_t>{from, groups * to});
  Tensor exchanged =
      swapDims(b, b.reshape(reversed, split), spatial, spatial + 2);
  return b.reshape(exchanged, result);
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

/// A convolution of the input with zeros between its elements.
static Tensor convolveSpread(GraphBuilder &b, Tensor x, Tensor w,
                             const Windows &windows, ArrayRef<int64_t> added,
                             int64_t groups) {
  Shape zeros(x.rank(), 0), interior(x.rank(), 0), cropLow, cropHigh;
  for (int64_t i = 0; i < windows.count(); ++i)
    interior[i + 1] = windows.strides[i] - 1;
  Tensor spread =
      b.pad(x, b.scalar(x.elementType(), 0), zeros, zeros, interior);
  Windows reversed = reverseWindows(windows, added, cropLow, cropHigh);
  Shape ones(windows.count(), 1);
  Tensor weights = transposeWeights(b, w, groups, Shape(windows.count(), 0),
                                    windows.sizes, ones);
  return cropSpatial(b, b.conv(spread, weights, reversed, groups), cropLow,
                     cropHigh);
}

namespace {

/// The positions of the result that have equal remainders modulo the strides
/// are a convolution of the input with a part of each window, without zeros
/// between elements.
class Phases {
public:
  Phases(GraphBuilder &b, Tensor x, Tensor w, const Windows &windows,
         ArrayRef<int64_t> added, int64_t groups)
      : b(b), x(x), w(w), windows(windows), groups(groups),
        remainders(windows.count(), 0) {
    for (int64_t i = 0; i < windows.count(); ++i) {
      int64_t stride = windows.strides[i];
      sizes.push_back((x.dim(i + 1) - 1) * stride + windows.extent(i) -
                      windows.padLow[i] - windows.padHigh[i] + added[i]);
      counts.push_back(llvm::divideCeil(sizes.back(), stride));
    }
  }

  /// Returns whether the phases are few, and parts of a window dense.
  static bool apply(const Windows &windows) {
    constexpr int64_t maxPhases = 16;
    int64_t phases = 1;
    for (int64_t stride : windows.strides)
      phases = multiplyCounts(phases, stride);
    return phases > 1 && phases <= maxPhases &&
           llvm::all_of(windows.dilations,
                        [](int64_t dilation) { return dilation == 1; });
  }

  Tensor build() {
    Tensor y = interleave(0);
    if (!y)
      return {};
    Shape shape(y.shape()), zeros(sizes.size(), 0), high;
    shape.resize(1);
    for (auto [count, stride, size] :
         llvm::zip_equal(counts, windows.strides, sizes)) {
      shape.push_back(count * stride);
      high.push_back(count * stride - size);
    }
    shape.push_back(y.dim(y.rank() - 1));
    return cropSpatial(b, b.reshape(y, shape), zeros, high);
  }

private:
  /// The phases of spatial dimension `dim` and those behind it: a dimension of
  /// the strides follows each of theirs.
  Tensor interleave(int64_t dim) {
    if (dim == windows.count())
      return convolve();
    SmallVector<Tensor> parts;
    for (int64_t i = 0; i < windows.strides[dim]; ++i) {
      remainders[dim] = i;
      Tensor part = interleave(dim + 1);
      if (!part)
        return {};
      Shape shape(part.shape());
      shape.insert(shape.begin() + dim + 2, 1);
      parts.push_back(b.reshape(part, shape));
    }
    return b.concat(parts, dim + 2);
  }

  /// The phase `remainders`.
  Tensor convolve() {
    Windows part = windows;
    Shape offsets, cropLow, cropHigh;
    bool isEmpty = false;
    for (int64_t i = 0; i < windows.count(); ++i) {
      int64_t stride = windows.strides[i];
      int64_t first = remainders[i] + windows.padLow[i];
      offsets.push_back(first % stride);
      int64_t size =
          std::max<int64_t>(windows.sizes[i] - offsets[i] + stride - 1, 0) /
          stride;
      int64_t low = size - 1 - first / stride;
      int64_t high = counts[i] + size - 1 - x.dim(i + 1) - low;
      part.sizes[i] = size;
      part.strides[i] = 1;
      part.padLow[i] = std::max<int64_t>(low, 0);
      part.padHigh[i] = std::max<int64_t>(high, 0);
      cropLow.push_back(std::max<int64_t>(-low, 0));
      cropHigh.push_back(std::max<int64_t>(-high, 0));
      // Positions that no window reaches, or windows in the padding alone.
      isEmpty |= size == 0 || cropLow.back() + cropHigh.back() >= x.dim(i + 1);
    }
    if (isEmpty)
      return zeros();
    return b.conv(
        cropSpatial(b, x, cropLow, cropHigh),
        transposeWeights(b, w, groups, offsets, part.sizes, windows.strides),
        part, groups);
  }

  Tensor zeros() {
    Shape shape{x.dim(0)};
    llvm::append_range(shape, counts);
    shape.push_back(groups * w.dim(windows.count()));
    return b.broadcast(b.scalar(x.elementType(), 0), shape);
  }

  GraphBuilder &b;
  Tensor x, w;
  const Windows &windows;
  int64_t groups;
  /// Of the result, and of each phase.
  Shape sizes, counts;
  Shape remainders;
};

} // namespace

Tensor graph::convTransposed(GraphBuilder &b, Tensor x, Tensor w,
                             const Windows &windows, ArrayRef<int64_t> added,
                             int64_t groups) {
  if (!x || !w || !checkResult(b, x, windows, added))
    return {};
  if (Phases::apply(windows))
    return Phases(b, x, w, windows, added, groups).build();
  return convolveSpread(b, x, w, windows, added, groups);
}
