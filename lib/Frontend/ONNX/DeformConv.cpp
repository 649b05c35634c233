//===- DeformConv.cpp - Convolutions with windows that bend -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Sampling.h"
#include "Windows.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

/// A convolution of images, `x`, whose windows are moved element by element.
struct Deformed {
  Tensor x, weights, offsets, mask;
  Windows windows;
  int64_t groups = 1, offsetGroups = 1;

  int64_t batch() const { return x.dim(0); }
  int64_t windowSize() const { return windows.sizes[0] * windows.sizes[1]; }
  Shape sides() const { return {offsets.dim(2), offsets.dim(3)}; }
  /// The channels that one group of offsets moves.
  int64_t movedChannels() const { return x.dim(1) / offsetGroups; }
};

} // namespace

static bool checkShapes(GraphBuilder &b, const Deformed &d) {
  // Each element of a window, and each group, is a part of the graph.
  constexpr int64_t most = 4096;
  if (d.windows.sizes[0] > most || d.windows.sizes[1] > most ||
      d.windowSize() > most || d.offsetGroups > most) {
    b.fail("windows of more than 4096 elements, or as many groups of offsets, "
           "are not supported");
    return false;
  }
  int64_t windowSize = d.windowSize();
  Shape sides;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t room = d.x.dim(2 + i) + d.windows.padLow[i] + d.windows.padHigh[i] -
                   d.windows.extent(i);
    sides.push_back(room / d.windows.strides[i] + 1);
  }
  Shape offsets = {d.batch(), 2 * d.offsetGroups * windowSize};
  Shape mask = {d.batch(), d.offsetGroups * windowSize};
  llvm::append_range(offsets, sides);
  llvm::append_range(mask, sides);
  return expectShape(b, "offsets", d.offsets, offsets) &&
         (!d.mask || expectShape(b, "a mask", d.mask, mask));
}

/// Group `group` of the offsets or the mask: batch x window x sides. `part` of
/// `parts` is taken for each element of the window.
static Tensor takeGroup(GraphBuilder &b, const Deformed &d, Tensor x,
                        int64_t group, int64_t part, int64_t parts) {
  Shape split = {d.batch(), d.offsetGroups, d.windowSize(), parts};
  llvm::append_range(split, d.sides());
  return selectDim(b, selectDim(b, b.reshape(x, split), 1, group), 2, part);
}

/// Where the elements of all windows lie along spatial dimension `dim`.
static Tensor placeElements(GraphBuilder &b, const Deformed &d, int64_t group,
                            int64_t dim) {
  Tensor moved = takeGroup(b, d, d.offsets, group, dim, 2);
  if (!moved)
    return {};
  Shape sides = d.sides();
  SmallVector<double> window;
  for (int64_t i = 0; i < d.windowSize(); ++i) {
    int64_t place = dim == 0 ? i / d.windows.sizes[1] : i % d.windows.sizes[1];
    window.push_back(double(place * d.windows.dilations[dim]));
  }
  Type type = moved.elementType();
  Shape along = {1, 1, 1, 1};
  along[2 + dim] = sides[dim];
  Tensor beginnings = b.mul(b.cast(b.iota(along, 2 + dim), type),
                            double(d.windows.strides[dim]));
  beginnings = b.sub(beginnings, double(d.windows.padLow[dim]));
  moved = b.add(moved, b.constantOf(type, window, {1, d.windowSize(), 1, 1}));
  return b.add(moved, beginnings);
}

/// The windows' view of the channels of one group of offsets: batch x window x
/// sides x channels.
static Tensor sampleGroup(GraphBuilder &b, const Deformed &d, int64_t group) {
  Shape sizes = {d.x.dim(2), d.x.dim(3)};
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t dim = 0; dim < 2; ++dim)
    taps.push_back(
        getTaps(b, GridMode(), placeElements(b, d, group, dim), sizes[dim]));
  int64_t channels = d.movedChannels();
  Tensor rows = toRows(b, b.sliceDim(d.x, 1, group * channels, channels));
  Tensor batch = b.iota({d.batch(), 1, 1, 1}, 0), sum;
  forEachChoice(taps, [&](ArrayRef<Tap> choice) {
    Tensor part = takeElements(b, rows, batch, choice, sizes);
    sum = sum ? b.add(sum, part) : part;
  });
  if (d.mask)
    sum = b.mul(sum, addDim(b, takeGroup(b, d, d.mask, group, 0, 1), 4));
  return sum;
}

/// The products of the windows' elements with the weights: batch x output
/// channels x sides.
static Tensor multiply(GraphBuilder &b, const Deformed &d, Tensor seen) {
  int64_t outputs = d.weights.dim(0) / d.groups, inputs = d.weights.dim(1);
  Shape sides = d.sides();
  int64_t places = sides[0] * sides[1], window = d.windowSize();
  // Depth: channels of a group, then elements of the window, as the weights
  // have it.
  seen = b.reshape(seen, {d.batch(), window, places, d.groups, inputs});
  seen = b.reshape(b.permute(seen, {3, 4, 1, 0, 2}),
                   {d.groups, inputs * window, d.batch() * places});
  Tensor weights = b.reshape(d.weights, {d.groups, outputs, inputs * window});
  Tensor product = multiplyBatches(b, weights, seen);
  product =
      b.reshape(product, {d.groups * outputs, d.batch(), sides[0], sides[1]});
  return b.permute(product, {1, 0, 2, 3});
}

static bool readDeformed(OpContext &op, GraphBuilder &b, Deformed &d) {
  d.x = toComputed(b, op.input(0));
  d.weights = toComputed(b, op.input(1));
  d.offsets = toComputed(b, op.input(2));
  d.mask = toComputed(b, op.optionalInput(4));
  d.groups = op.attributes.getInt("group").value_or(1);
  d.offsetGroups = op.attributes.getInt("offset_group").value_or(1);
  if (!op.expectRank(d.x, 4, 4) || !op.expectRank(d.weights, 4, 4) ||
      !op.expectRank(d.offsets, 4, 4))
    return false;
  int64_t channels = d.x.dim(1);
  if (d.groups < 1 || d.offsetGroups < 1 || channels % d.groups != 0 ||
      channels % d.offsetGroups != 0 || d.weights.dim(0) % d.groups != 0 ||
      d.weights.dim(1) != channels / d.groups) {
    b.fail("cannot convolve " + formatShape(d.x.shape()) + " with weights of " +
           formatShape(d.weights.shape()) + " in " + Twine(d.groups) +
           " groups, and " + Twine(d.offsetGroups) + " groups of offsets");
    return false;
  }
  auto windows = readWindows(op, b, d.x.shape().drop_front(2),
                             d.weights.shape().drop_front(2));
  if (windows)
    d.windows = *windows;
  return windows && checkShapes(b, d);
}

static Tensors importDeformConv(OpContext &op, GraphBuilder &b) {
  Deformed d;
  Tensor bias = toComputed(b, op.optionalInput(3));
  if (!readDeformed(op, b, d))
    return {};
  Tensors groups;
  for (int64_t group = 0; group < d.offsetGroups; ++group)
    groups.push_back(sampleGroup(b, d, group));
  Tensor y = multiply(b, d, b.concat(groups, 4));
  if (!y)
    return {};
  if (bias && !expectShape(b, "a bias", bias, {y.dim(1)}))
    return {};
  if (bias)
    y = b.add(y, alignToChannels(b, bias, y.rank()));
  return {b.cast(y, op.input(0).elementType())};
}

ArrayRef<OpDefinition> onnx::getDeformConvOps() {
  static constexpr OpDefinition ops[] = {
      {"DeformConv", importDeformConv, 22},
  };
  return ops;
}
