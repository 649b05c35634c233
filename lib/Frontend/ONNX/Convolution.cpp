//===- Convolution.cpp - Convolutions ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Quantization.h"
#include "Windows.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

static Tensor addBias(OpContext &op, GraphBuilder &b, Tensor y,
                      unsigned input) {
  Tensor bias = op.optionalInput(input);
  if (!bias || !y)
    return y;
  if (bias.rank() != 1 || bias.dim(0) != y.shape().back())
    return b.fail("expected a bias of " + Twine(y.shape().back()) +
                  " elements, got the shape " + formatShape(bias.shape()));
  return b.add(y, bias);
}

/// The weights do not fit the channels of the image.
static Tensor failChannels(GraphBuilder &b, const Tensor &x, const Tensor &w,
                           int64_t groups) {
  return b.failMismatch("cannot convolve " + formatShape(x.shape()) +
                        " with weights of " + formatShape(w.shape()) + " in " +
                        Twine(groups) + " groups");
}

static bool expectOneType(GraphBuilder &b, const Tensor &x, const Tensor &w) {
  if (x.elementType() != w.elementType())
    b.failMismatch("expected an image and weights of one element type, got " +
                   formatType(x.elementType()) + " and " +
                   formatType(w.elementType()));
  return !b.hasFailed();
}

static Tensors importConv(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), w = op.input(1);
  int64_t groups = op.attributes.getInt("group").value_or(1);
  if (!op.expectRank(x, 3, 5) || !op.expectRank(w, x.rank(), x.rank()) ||
      !expectOneType(b, x, w))
    return {};
  if (groups < 1 || x.dim(1) % groups != 0 || w.dim(0) % groups != 0 ||
      w.dim(1) != x.dim(1) / groups)
    return {failChannels(b, x, w, groups)};
  auto windows =
      readWindows(op, b, x.shape().drop_front(2), w.shape().drop_front(2));
  if (!windows)
    return {};
  Tensor y = b.conv(channelsLast(b, x), weightsLast(b, w), *windows, groups);
  return {channelsFirst(b, addBias(op, b, y, 2))};
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// Sets the paddings for the output shape that the model asks for.
static void padToShape(Windows &windows, ArrayRef<int64_t> spatial,
                       ArrayRef<int64_t> added, ArrayRef<int64_t> shape,
                       bool isUpper) {
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t total = windows.strides[i] * (spatial[i] - 1) + added[i] +
                    windows.extent(i) - shape[i];
    int64_t less = total / 2, more = total - less;
    windows.padLow[i] = isUpper ? less : more;
    windows.padHigh[i] = isUpper ? more : less;
  }
}

/// The windows of the transposed convolution: `readWindows` without its check,
/// as they are over the output.
static std::optional<Windows> readTransposed(OpContext &op, GraphBuilder &b,
                                             ArrayRef<int64_t> spatial,
                                             ArrayRef<int64_t> sizes,
                                             Shape &added) {
  size_t count = spatial.size();
  auto kernel = readList(op, b, "kernel_shape", count, 1, 1);
  auto strides = readList(op, b, "strides", count, 1, 1);
  auto dilations = readList(op, b, "dilations", count, 1, 1);
  auto pads = readList(op, b, "pads", 2 * count, 0, 0);
  auto padding = readList(op, b, "output_padding", count, 0, 0);
  auto shape = readList(op, b, "output_shape", count, 1, 1);
  StringRef mode = op.attributes.getString("auto_pad").value_or("NOTSET");
  if (!kernel || !strides || !dilations || !pads || !padding || !shape)
    return std::nullopt;
  added = *padding;
  Windows windows{Shape(sizes), *strides, *dilations,
                  Shape(pads->begin(), pads->begin() + count),
                  Shape(pads->begin() + count, pads->end())};
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (isSame && !op.attributes.has("output_shape"))
    for (size_t i = 0; i < count; ++i)
      (*shape)[i] = spatial[i] * (*strides)[i];
  if (isSame || op.attributes.has("output_shape"))
    padToShape(windows, spatial, added, *shape, mode != "SAME_LOWER");
  else if (mode == "VALID")
    windows.padLow = windows.padHigh = Shape(count, 0);
  return windows;
}

static Tensors importConvTranspose(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), w = op.input(1);
  int64_t groups = op.attributes.getInt("group").value_or(1);
  if (!op.expectRank(x, 3, 5) || !op.expectRank(w, x.rank(), x.rank()) ||
      !expectOneType(b, x, w))
    return {};
  if (groups < 1 || x.dim(1) % groups != 0 || w.dim(0) != x.dim(1))
    return {failChannels(b, x, w, groups)};
  Shape added;
  auto windows = readTransposed(op, b, x.shape().drop_front(2),
                                w.shape().drop_front(2), added);
  if (!windows)
    return {};
  Tensor y = convTransposed(b, channelsLast(b, x), weightsLast(b, w), *windows,
                            added, groups);
  return {channelsFirst(b, addBias(op, b, y, 2))};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The convolution of integers minus their zero points, with channels last.
/// `x` and `w` are the numbers of the inputs.
static Tensor convolveIntegers(OpContext &op, GraphBuilder &b, unsigned x,
                               unsigned xZero, unsigned w, unsigned wZero) {
  Tensor input = op.input(x), weights = op.input(w);
  int64_t groups = op.attributes.getInt("group").value_or(1);
  if (!op.expectRank(input, 3, 5) ||
      !op.expectRank(weights, input.rank(), input.rank()))
    return {};
  auto windows = readWindows(op, b, input.shape().drop_front(2),
                             weights.shape().drop_front(2));
  if (!windows)
    return {};
  return b.conv(channelsLast(b, subtractZeroPoint(op, b, input, xZero, 1)),
                weightsLast(b, subtractZeroPoint(op, b, weights, wZero, 0)),
                *windows, groups);
}

static Tensors importConvInteger(OpContext &op, GraphBuilder &b) {
  return {channelsFirst(b, convolveIntegers(op, b, 0, 2, 1, 3))};
}

/// The scale of the weights is one for all, or one an output channel.
static Tensors importQLinearConv(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), sum = convolveIntegers(op, b, 0, 2, 3, 5);
  Tensor scale = b.div(b.mul(op.input(4), op.input(1)), op.input(6));
  sum = addBias(op, b, sum, 8);
  return {channelsFirst(
      b, requantize(b, sum, scale, op.input(7), x.elementType()))};
}

ArrayRef<OpDefinition> onnx::getConvolutionOps() {
  static constexpr OpDefinition ops[] = {
      {"Conv", importConv, 22},
      {"ConvInteger", importConvInteger, 10},
      {"ConvTranspose", importConvTranspose, 22},
      {"QLinearConv", importQLinearConv, 10},
  };
  return ops;
}
