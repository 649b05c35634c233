//===- Padding.cpp - Elements around a tensor -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Padding.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

/// Where each element of a padded dimension comes from, counted by the program
/// where a table of them would be large.
static Tensor getSources(GraphBuilder &b, PadMode mode, int64_t size,
                         int64_t low, int64_t high) {
  Type type = IntegerType::get(b.context(), 64);
  Tensor i = b.sub(b.count(low + size + high, type), double(low));
  int64_t last = size - 1, period = 2 * last;
  switch (mode) {
  case PadMode::Replicate:
    return b.min(b.max(i, 0.0), double(last));
  case PadMode::Circular:
    return b.mod(i, b.scalar(type, double(size)));
  case PadMode::Reflect:
    i = b.abs(i);
    // Past the other end, and perhaps back again.
    if (std::max(low, last + high) > period)
      i = b.mod(i, b.scalar(type, double(period)));
    return b.min(i, b.sub(b.scalar(type, double(period)), i));
  case PadMode::Constant:
    break;
  }
  llvm_unreachable("constants are no elements of the tensor");
}

/// Returns whether each new element of a dimension has a source.
static bool canPad(PadMode mode, int64_t size, int64_t low, int64_t high) {
  bool isNew = low > 0 || high > 0;
  return low + size + high >= 1 &&
         !(mode == PadMode::Reflect && size == 1 && isNew);
}

/// `count` elements of a dimension from `first` on, each one more or less than
/// the one before.
static Tensor takeElements(GraphBuilder &b, Tensor x, int64_t dim,
                           int64_t first, int64_t count, int64_t step) {
  Shape offsets(x.rank(), 0), sizes(x.shape()), strides(x.rank(), 1);
  offsets[dim] = first;
  sizes[dim] = count;
  strides[dim] = step;
  return b.stridedSlice(x, offsets, sizes, strides);
}

/// The elements before a dimension and behind it; none where the dimension is
/// cropped, or where they are more than it has.
static std::pair<Tensor, Tensor> takeBorders(GraphBuilder &b, Tensor x,
                                             PadMode mode, int64_t dim,
                                             int64_t low, int64_t high) {
  int64_t size = x.dim(dim), most = std::max(low, high);
  if (std::min(low, high) < 0 || most > size - (mode == PadMode::Reflect))
    return {};
  switch (mode) {
  case PadMode::Replicate: {
    auto repeat = [&](int64_t element, int64_t count) {
      Shape shape(x.shape());
      shape[dim] = count;
      return b.broadcast(b.sliceDim(x, dim, element, 1), shape);
    };
    return {repeat(0, low), repeat(size - 1, high)};
  }
  case PadMode::Circular:
    return {takeElements(b, x, dim, size - low, low, 1),
            takeElements(b, x, dim, 0, high, 1)};
  case PadMode::Reflect:
    return {takeElements(b, x, dim, low, low, -1),
            takeElements(b, x, dim, size - 2, high, -1)};
  case PadMode::Constant:
    break;
  }
  llvm_unreachable("constants are no elements of the tensor");
}

static Tensor padByCopies(GraphBuilder &b, Tensor x, PadMode mode,
                          ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  for (int64_t i = 0; x && i < x.rank(); ++i) {
    if (low[i] == 0 && high[i] == 0)
      continue;
    if (!canPad(mode, x.dim(i), low[i], high[i]))
      return b.fail("cannot pad dimension " + Twine(i) + " of " +
                    formatList(x.shape()) + " by " + Twine(low[i]) + " and " +
                    Twine(high[i]));
    if (auto [before, after] = takeBorders(b, x, mode, i, low[i], high[i]);
        before)
      x = b.concat({before, x, after}, i);
    else
      x = b.gather(x, getSources(b, mode, x.dim(i), low[i], high[i]), i,
                   /*areChecked=*/true);
  }
  return x;
}

static Tensor padByValue(GraphBuilder &b, Tensor x, Tensor value,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         ArrayRef<int64_t> interior) {
  Shape offsets, sizes, before, after;
  for (int64_t i = 0; i < x.rank(); ++i) {
    offsets.push_back(std::max<int64_t>(-low[i], 0));
    sizes.push_back(x.dim(i) + std::min<int64_t>(low[i], 0) +
                    std::min<int64_t>(high[i], 0));
    before.push_back(std::max<int64_t>(low[i], 0));
    after.push_back(std::max<int64_t>(high[i], 0));
    if (sizes.back() < 1)
      return b.fail(
          "expected paddings that leave an element of each dimension, got " +
          formatList(low) + " and " + formatList(high) + " of " +
          formatList(x.shape()));
  }
  Tensor cropped = b.stridedSlice(x, offsets, sizes, Shape(x.rank(), 1));
  return b.pad(cropped, b.reshape(value, {}), before, after, interior);
}

Tensor graph::pad(GraphBuilder &b, Tensor x, PadMode mode, Tensor value,
                  ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  if (!x || !value)
    return {};
  return mode == PadMode::Constant
             ? padByValue(b, x, value, low, high, Shape(x.rank(), 0))
             : padByCopies(b, x, mode, low, high);
}

/// Fails unless a list has an entry a dimension, from `least` to 2^47.
static bool checkPadding(GraphBuilder &b, StringRef name, const Tensor &x,
                         ArrayRef<int64_t> list, int64_t least) {
  bool fits =
      list.size() == size_t(x.rank()) && llvm::all_of(list, [&](int64_t entry) {
        return entry >= least && entry < elementLimit;
      });
  if (!fits)
    b.fail("expected '" + name + "' to have " + Twine(x.rank()) +
           " entries from " + Twine(least) + " to 2^47 - 1, got " +
           formatList(list));
  return fits;
}

Tensor compositions::compose(GraphBuilder &b, const compositions::Pad &given) {
  Tensor x = given.x;
  Shape interior(given.interior.value_or(Shape(x.rank(), 0)));
  if (!checkPadding(b, "low", x, given.low, 1 - elementLimit) ||
      !checkPadding(b, "high", x, given.high, 1 - elementLimit) ||
      !checkPadding(b, "interior", x, interior, 0))
    return {};
  if (given.mode != PadMode::Constant && (given.interior || given.value))
    return b.fail("expected no 'interior' and no 'value' beside 'mode', other "
                  "than for constant");
  if (given.mode != PadMode::Constant)
    return padByCopies(b, x, given.mode, given.low, given.high);
  Tensor value =
      given.value ? makeScalar(b, given.value) : b.scalar(x.elementType(), 0);
  return padByValue(b, x, value, given.low, given.high, interior);
}
