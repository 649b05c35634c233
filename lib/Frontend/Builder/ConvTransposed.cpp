//===- ConvTransposed.cpp - Transposed convolutions -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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

/// The convolution of one phase.
struct Phase {
  Windows windows;
  /// The first element of a window of the transposed convolution that it has,
  /// and how much of the input no window reaches.
  Shape offsets, cropLow, cropHigh;
  /// True if no window reaches its positions, or windows of padding alone.
  bool isZero = false;

  /// Returns whether both convolutions read the same elements.
  bool readsLike(const Phase &other) const {
    return windows.sizes == other.windows.sizes &&
           windows.padLow == other.windows.padLow &&
           windows.padHigh == other.windows.padHigh &&
           cropLow == other.cropLow && cropHigh == other.cropHigh && !isZero &&
           !other.isZero;
  }
};

/// The positions of the result that have equal remainders modulo the strides
/// are a convolution of the input with a part of each window, without zeros
/// between elements.
class Phases {
public:
  Phases(GraphBuilder &b, Tensor x, Tensor w, const Windows &windows,
         ArrayRef<int64_t> added, int64_t groups)
      : b(b), x(x), w(w), windows(windows), groups(groups) {
    for (int64_t i = 0; i < windows.count(); ++i) {
      int64_t stride = windows.strides[i];
      sizes.push_back((x.dim(i + 1) - 1) * stride + windows.extent(i) -
                      windows.padLow[i] - windows.padHigh[i] + added[i]);
      counts.push_back(llvm::divideCeil(sizes.back(), stride));
    }
    int64_t count = ShapedType::getNumElements(windows.strides);
    for (int64_t i = 0; i < count; ++i)
      phases.push_back(getPhase(
          delinearize(i, computeStrides(ArrayRef<int64_t>(windows.strides)))));
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
    bool areAlike =
        groups == 1 && llvm::all_of(phases, [&](const Phase &phase) {
          return phase.readsLike(phases.front());
        });
    Shape zeros(sizes.size(), 0);
    if (areAlike)
      return crop(convolveAll(phases), counts, zeros);
    std::optional<Uncropped> all = matchUncropped();
    if (all)
      return crop(convolveAll(all->phases), all->counts, all->cropLow);
    return crop(stack(), counts, zeros);
  }

private:
  int64_t channels() const { return groups * w.dim(windows.count()); }

  /// The phase whose positions have these remainders.
  Phase getPhase(ArrayRef<int64_t> remainders) const {
    Phase phase{windows, {}, {}, {}};
    for (int64_t i = 0; i < windows.count(); ++i) {
      int64_t stride = windows.strides[i];
      int64_t first = remainders[i] + windows.padLow[i];
      phase.offsets.push_back(first % stride);
      int64_t size = std::max<int64_t>(
                         windows.sizes[i] - phase.offsets[i] + stride - 1, 0) /
                     stride;
      int64_t low = size - 1 - first / stride;
      int64_t high = counts[i] + size - 1 - x.dim(i + 1) - low;
      phase.windows.sizes[i] = size;
      phase.windows.strides[i] = 1;
      phase.windows.padLow[i] = std::max<int64_t>(low, 0);
      phase.windows.padHigh[i] = std::max<int64_t>(high, 0);
      phase.cropLow.push_back(std::max<int64_t>(-low, 0));
      phase.cropHigh.push_back(std::max<int64_t>(-high, 0));
      phase.isZero |=
          size == 0 ||
          phase.cropLow.back() + phase.cropHigh.back() >= x.dim(i + 1);
    }
    return phase;
  }

  Tensor getWeights(const Phase &phase) const {
    return transposeWeights(b, w, groups, phase.offsets, phase.windows.sizes,
                            windows.strides);
  }

  Tensor convolve(const Phase &phase, Tensor weights) const {
    return b.conv(cropSpatial(b, x, phase.cropLow, phase.cropHigh), weights,
                  phase.windows, groups);
  }

  /// The phases of the result without its padding, so that all read the same
  /// elements: those between the first and the last that are needed.
  struct Uncropped {
    SmallVector<Phase, 0> phases;
    Shape counts, cropLow;
  };

  /// Nothing if phases have windows of different sizes, or need many more
  /// positions.
  std::optional<Uncropped> matchUncropped() const {
    constexpr double maxGrowth = 1.2;
    Uncropped all;
    Phase phase{windows, {}, {}, {}};
    double growth = 1;
    for (int64_t i = 0; i < windows.count(); ++i) {
      int64_t stride = windows.strides[i], padLow = windows.padLow[i];
      if (groups != 1 || windows.sizes[i] % stride != 0)
        return std::nullopt;
      int64_t size = windows.sizes[i] / stride;
      int64_t first = padLow / stride, last = (padLow + sizes[i] - 1) / stride;
      int64_t low = size - 1 - first, high = last + 1 - x.dim(i + 1);
      if (low < 0 || high < 0)
        return std::nullopt;
      phase.windows.sizes[i] = size;
      phase.windows.strides[i] = 1;
      phase.windows.padLow[i] = low;
      phase.windows.padHigh[i] = high;
      all.counts.push_back(last - first + 1);
      all.cropLow.push_back(padLow - first * stride);
      growth *= double(all.counts.back()) / double(counts[i]);
    }
    if (growth > maxGrowth)
      return std::nullopt;
    phase.cropLow = phase.cropHigh = Shape(windows.count(), 0);
    int64_t count = ShapedType::getNumElements(windows.strides);
    for (int64_t i = 0; i < count; ++i) {
      phase.offsets =
          delinearize(i, computeStrides(ArrayRef<int64_t>(windows.strides)));
      all.phases.push_back(phase);
    }
    return all;
  }

  /// The result behind the first `low` positions of the phases `y`, which are
  /// interleaved.
  Tensor crop(Tensor y, ArrayRef<int64_t> counts, ArrayRef<int64_t> low) const {
    if (!y)
      return {};
    Shape shape{x.dim(0)}, high;
    for (auto [count, stride, size, first] :
         llvm::zip_equal(counts, windows.strides, sizes, low)) {
      shape.push_back(count * stride);
      high.push_back(count * stride - size - first);
    }
    shape.push_back(channels());
    return cropSpatial(b, b.reshape(y, shape), low, high);
  }

  /// All phases, which read the same elements, as the channels of one
  /// convolution; its positions and phases in turns.
  Tensor convolveAll(ArrayRef<Phase> phases) const {
    SmallVector<Tensor> weights;
    for (const Phase &phase : phases)
      weights.push_back(getWeights(phase));
    int64_t spatial = windows.count();
    Tensor y = convolve(phases.front(), b.concat(weights, spatial + 1));
    if (!y)
      return {};
    Shape shape(ArrayRef(y.shape()).drop_back());
    llvm::append_range(shape, windows.strides);
    shape.push_back(channels());
    return interleave(b.reshape(y, shape), /*positions=*/1,
                      /*places=*/spatial + 1);
  }

  /// The phases one after the other, each of which a kernel writes in place;
  /// then their positions and phases in turns.
  Tensor stack() const {
    SmallVector<Tensor> parts;
    Shape one{1, x.dim(0)};
    llvm::append_range(one, counts);
    one.push_back(channels());
    for (const Phase &phase : phases) {
      Tensor part = phase.isZero ? zeros() : convolve(phase, getWeights(phase));
      if (!part)
        return {};
      parts.push_back(b.reshape(part, one));
    }
    Shape shape(windows.strides);
    llvm::append_range(shape, ArrayRef(one).drop_front());
    return interleave(b.reshape(b.concat(parts, 0), shape),
                      /*positions=*/windows.count() + 1, /*places=*/0);
  }

  /// A dimension of phases follows each of positions; theirs begin at the given
  /// dimensions of `y`.
  Tensor interleave(Tensor y, int64_t positions, int64_t places) const {
    Shape order{positions - 1};
    for (int64_t i = 0; i < windows.count(); ++i) {
      order.push_back(positions + i);
      order.push_back(places + i);
    }
    order.push_back(y.rank() - 1);
    return b.permute(y, order);
  }

  Tensor zeros() const {
    Shape shape{x.dim(0)};
    llvm::append_range(shape, counts);
    shape.push_back(channels());
    return b.broadcast(b.scalar(x.elementType(), 0), shape);
  }

  GraphBuilder &b;
  Tensor x, w;
  const Windows &windows;
  int64_t groups;
  /// Of the result, and of each phase.
  Shape sizes, counts;
  /// In the order of their remainders.
  SmallVector<Phase, 0> phases;
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
