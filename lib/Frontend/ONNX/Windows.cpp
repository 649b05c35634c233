//===- Windows.cpp - Windows that move over images --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// The largest attribute for which no product of sizes wraps.
static constexpr int64_t largest = int64_t(1) << 31;

std::optional<Shape> onnx::readList(OpContext &op, GraphBuilder &b,
                                    StringRef name, size_t count,
                                    int64_t standard, int64_t least) {
  Shape list = op.attributes.getInts(name).value_or(Shape(count, standard));
  if (list.size() == count && llvm::all_of(list, [&](int64_t value) {
        return value >= least && value < largest;
      }))
    return list;
  b.fail("expected the attribute '" + name + "' to have " + Twine(count) +
         " entries of at least " + Twine(least) + ", got " + formatShape(list));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Paddings
//===----------------------------------------------------------------------===//

/// Chooses the paddings so that there is a window for each stride.
static void padToSame(Windows &windows, ArrayRef<int64_t> spatial,
                      bool isUpper) {
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t count = llvm::divideCeil(spatial[i], windows.strides[i]);
    int64_t total = std::max<int64_t>(
        (count - 1) * windows.strides[i] + windows.extent(i) - spatial[i], 0);
    int64_t less = total / 2, more = total - less;
    windows.padLow.push_back(isUpper ? less : more);
    windows.padHigh.push_back(isUpper ? more : less);
  }
}

static bool readPads(OpContext &op, GraphBuilder &b, Windows &windows,
                     ArrayRef<int64_t> spatial) {
  StringRef mode = op.attributes.getString("auto_pad").value_or("NOTSET");
  size_t count = spatial.size();
  std::optional<Shape> pads = readList(op, b, "pads", 2 * count, 0, 0);
  if (!pads)
    return false;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    padToSame(windows, spatial, mode == "SAME_UPPER");
  } else if (mode == "NOTSET" || mode == "VALID") {
    if (mode == "VALID")
      pads->assign(2 * count, 0);
    windows.padLow.assign(pads->begin(), pads->begin() + count);
    windows.padHigh.assign(pads->begin() + count, pads->end());
  } else {
    b.fail("expected the attribute 'auto_pad' to be NOTSET, SAME_UPPER, "
           "SAME_LOWER or VALID, got " +
           quote(mode));
    return false;
  }
  return true;
}

std::optional<Windows> onnx::readWindows(OpContext &op, GraphBuilder &b,
                                         ArrayRef<int64_t> spatial,
                                         ArrayRef<int64_t> sizes,
                                         bool mayRoundUp) {
  size_t count = spatial.size();
  if (count < 1 || count > 3) {
    b.fail("expected from 1 to 3 spatial dimensions, got " + Twine(count));
    return std::nullopt;
  }
  auto given = readList(op, b, "kernel_shape", count, sizes.empty() ? 0 : 1, 1);
  auto strides = readList(op, b, "strides", count, 1, 1);
  auto dilations = readList(op, b, "dilations", count, 1, 1);
  if (!given || !strides || !dilations)
    return std::nullopt;
  if (!sizes.empty() && op.attributes.has("kernel_shape") &&
      ArrayRef(*given) != sizes) {
    b.fail("expected the attribute 'kernel_shape' to be that of the weights, " +
           formatShape(sizes) + ", got " + formatShape(*given));
    return std::nullopt;
  }
  Windows windows{
      sizes.empty() ? *given : Shape(sizes), *strides, *dilations, {}, {}};
  if (!readPads(op, b, windows, spatial))
    return std::nullopt;
  if (mayRoundUp && op.attributes.getInt("ceil_mode").value_or(0) != 0)
    roundUpWindows(windows, spatial);
  for (size_t i = 0; i < count; ++i)
    if (spatial[i] + windows.padLow[i] + windows.padHigh[i] <
        windows.extent(i)) {
      b.fail("expected windows that fit into " + formatShape(spatial) +
             " and its padding, got ones of " + formatShape(windows.sizes));
      return std::nullopt;
    }
  return windows;
}
