//===- Activation.cpp - Activations, by their formulas ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;
using namespace hamkaas::graph::compositions;

static double getFloat(OpContext &op, StringRef name, double standard) {
  return op.attributes.getFloat(name).value_or(standard);
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static Tensors importCelu(OpContext &op, GraphBuilder &b) {
  return {compose(b, Celu{op.input(0), getFloat(op, "alpha", 1)})};
}

static Tensors importElu(OpContext &op, GraphBuilder &b) {
  return {compose(b, Elu{op.input(0), getFloat(op, "alpha", 1)})};
}

static Tensors importGelu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  StringRef kind = op.attributes.getString("approximate").value_or("none");
  // ONNX has the dialect's names.
  auto approximation = symbolizeGeluApproximation(kind);
  if (!approximation)
    return {b.fail("expected the attribute 'approximate' to be none or tanh, "
                   "got '" +
                   kind + "'")};
  return {compose(b, Gelu{x, *approximation})};
}

static Tensors importFastGelu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (Tensor bias = op.optionalInput(1))
    x = b.add(x, bias);
  return {compose(b, Gelu{x, GeluApproximation::Tanh})};
}

static Tensors importHardSigmoid(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double alpha = getFloat(op, "alpha", 0.2f), beta = getFloat(op, "beta", 0.5);
  return {compose(b, HardSigmoid{x, alpha, beta})};
}

static Tensors importHardSwish(OpContext &op, GraphBuilder &b) {
  return {compose(b, HardSwish{op.input(0)})};
}

static Tensors importLeakyRelu(OpContext &op, GraphBuilder &b) {
  return {compose(b, LeakyRelu{op.input(0), getFloat(op, "alpha", 0.01f)})};
}

static Tensors importMish(OpContext &op, GraphBuilder &b) {
  return {compose(b, Mish{op.input(0)})};
}

static Tensors importPRelu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), slope = op.input(1);
  // Before opset 7 one number a channel was given without further dimensions.
  if (op.version < 7 && x && slope && slope.rank() == 1 && x.rank() > 2) {
    Shape shape(x.rank() - 1, 1);
    shape[0] = slope.dim(0);
    slope = b.reshape(slope, shape);
  }
  return {b.select(b.lt(x, b.scalar(x.elementType(), 0)), b.mul(x, slope), x)};
}

static Tensors importSelu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double alpha = getFloat(op, "alpha", 1.67326319217681884765625);
  double gamma = getFloat(op, "gamma", 1.05070102214813232421875);
  return {b.mul(compose(b, Elu{x, alpha}), gamma)};
}

static Tensors importShrink(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double bias = getFloat(op, "bias", 0), limit = getFloat(op, "lambd", 0.5);
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor above = b.gt(x, b.scalar(x.elementType(), limit));
  Tensor below = b.lt(x, b.scalar(x.elementType(), -limit));
  return {
      b.select(below, b.add(x, bias), b.select(above, b.sub(x, bias), zero))};
}

static Tensors importSoftplus(OpContext &op, GraphBuilder &b) {
  return {softplus(b, op.input(0))};
}

static Tensors importSoftsign(OpContext &op, GraphBuilder &b) {
  return {compose(b, Softsign{op.input(0)})};
}

/// `x * sigmoid(alpha * x)`.
static Tensor swish(OpContext &op, GraphBuilder &b, Tensor x) {
  double alpha = getFloat(op, "alpha", 1);
  if (alpha == 1)
    return b.silu(x);
  return b.mul(x, b.sigmoid(b.mul(x, alpha)));
}

static Tensors importSwiGLU(OpContext &op, GraphBuilder &b) {
  return {b.mul(swish(op, b, op.input(0)), op.input(1))};
}

static Tensors importSwish(OpContext &op, GraphBuilder &b) {
  return {swish(op, b, op.input(0))};
}

static Tensors importThresholdedRelu(OpContext &op, GraphBuilder &b) {
  return {compose(b, Threshold{op.input(0), getFloat(op, "alpha", 1), 0})};
}

//===----------------------------------------------------------------------===//
// Functions of a row
//===----------------------------------------------------------------------===//

/// Calls `compute` with the rows along the attribute 'axis'. Before opset 13
/// all dimensions from the axis on are one.
static Tensors alongAxis(OpContext &op, GraphBuilder &b,
                         llvm::function_ref<Tensor(Tensor rows)> compute) {
  Tensor x = op.input(0);
  bool isFlat = op.version < 13;
  int64_t axis = op.attributes.getInt("axis").value_or(isFlat ? 1 : -1);
  if (isFlat && axis == x.rank() && axis != 0)
    return {b.fail("expected an axis of the tensor")};
  axis = op.normalizeAxis(axis, x.rank());
  if (b.hasFailed() || x.isEmpty())
    return {x};
  return {alongDims(b, x, getDimRange(axis, isFlat ? x.rank() : axis + 1),
                    compute)};
}

static Tensors importSoftmax(OpContext &op, GraphBuilder &b) {
  return alongAxis(op, b,
                   [&](Tensor x) { return softmax(b, x, x.rank() - 1); });
}

static Tensors importLogSoftmax(OpContext &op, GraphBuilder &b) {
  return alongAxis(op, b,
                   [&](Tensor x) { return logSoftmax(b, x, x.rank() - 1); });
}

/// 1 at the first of the largest elements, 0 elsewhere.
static Tensors importHardmax(OpContext &op, GraphBuilder &b) {
  return alongAxis(op, b, [&](Tensor x) {
    Tensor index =
        b.argExtreme(Combiner::Max, x, x.rank() - 1, /*isLast=*/false);
    return b.cast(b.eq(b.iota(x.shape(), x.rank() - 1),
                       b.reshape(index, b.keepDim(x, x.rank() - 1))),
                  x.elementType());
  });
}

ArrayRef<OpDefinition> onnx::getActivationOps() {
  static constexpr OpDefinition ops[] = {
      {"Celu", importCelu, 28},
      {"Elu", importElu, 22},
      {"FastGelu", importFastGelu, 1, "com.microsoft"},
      {"Gelu", importGelu, 20},
      {"Gelu", importGelu, 1, "com.microsoft"},
      {"HardSigmoid", importHardSigmoid, 22},
      {"HardSwish", importHardSwish, 22},
      {"Hardmax", importHardmax, 13},
      {"LeakyRelu", importLeakyRelu, 16},
      {"LogSoftmax", importLogSoftmax, 13},
      {"Mish", importMish, 22},
      {"PRelu", importPRelu, 16},
      {"Selu", importSelu, 22},
      {"Shrink", importShrink, 9},
      {"Softmax", importSoftmax, 13},
      {"Softplus", importSoftplus, 22},
      {"Softsign", importSoftsign, 22},
      {"SwiGLU", importSwiGLU, 28},
      {"Swish", importSwish, 24},
      {"ThresholdedRelu", importThresholdedRelu, 22},
  };
  return ops;
}
