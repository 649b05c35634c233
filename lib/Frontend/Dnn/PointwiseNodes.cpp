//===- PointwiseNodes.cpp - Nodes of elements -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "NodeBuilder.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;

//===----------------------------------------------------------------------===//
// Activations and their gradients, of which the first operand is dy
//===----------------------------------------------------------------------===//

static Tensor relu(NodeBuilder &node, Tensor x) {
  GraphBuilder &b = node.b;
  double lower = node.real(HamKaasDnnAttrReluLowerClip, 0);
  double upper = node.real(HamKaasDnnAttrReluUpperClip, INFINITY);
  double slope = node.real(HamKaasDnnAttrReluLowerClipSlope, 0);
  Tensor y;
  if (slope == 0)
    y = lower == 0 ? b.relu(x) : b.max(x, lower);
  else
    y = b.select(b.le(x, b.scalar(x.elementType(), lower)),
                 b.add(b.mul(b.sub(x, lower), slope), lower), x);
  return upper == INFINITY ? y : b.min(y, upper);
}

static Tensor reluGradient(NodeBuilder &node, Tensor dy, Tensor x) {
  GraphBuilder &b = node.b;
  double lower = node.real(HamKaasDnnAttrReluLowerClip, 0);
  double upper = node.real(HamKaasDnnAttrReluUpperClip, INFINITY);
  double slope = node.real(HamKaasDnnAttrReluLowerClipSlope, 0);
  Type type = x.elementType();
  Tensor zero = b.scalar(type, 0);
  Tensor below = slope == 0 ? zero : b.mul(dy, slope);
  Tensor dx = b.select(b.le(x, b.scalar(type, lower)), below, dy);
  if (upper == INFINITY)
    return dx;
  return b.select(b.gt(x, b.scalar(type, upper)), zero, dx);
}

static Tensor elu(NodeBuilder &node, Tensor x) {
  GraphBuilder &b = node.b;
  // Where x is large, its exponential is not computed.
  Tensor low = compose(b, graph::compositions::Expm1{b.min(x, 0.0)});
  return b.select(b.gt(x, b.scalar(x.elementType(), 0)), x,
                  b.mul(low, node.real(HamKaasDnnAttrEluAlpha, 1)));
}

static Tensor eluGradient(NodeBuilder &node, Tensor dy, Tensor x) {
  GraphBuilder &b = node.b;
  Tensor slope =
      b.mul(b.exp(b.min(x, 0.0)), node.real(HamKaasDnnAttrEluAlpha, 1));
  return b.select(b.gt(x, b.scalar(x.elementType(), 0)), dy, b.mul(dy, slope));
}

static Tensor swish(NodeBuilder &node, Tensor x) {
  double beta = node.real(HamKaasDnnAttrSwishBeta, 1);
  GraphBuilder &b = node.b;
  return beta == 1 ? b.silu(x) : b.mul(x, b.sigmoid(b.mul(x, beta)));
}

static Tensor swishGradient(NodeBuilder &node, Tensor dy, Tensor x) {
  GraphBuilder &b = node.b;
  Tensor scaled = b.mul(x, node.real(HamKaasDnnAttrSwishBeta, 1));
  Tensor s = b.sigmoid(scaled);
  Tensor rest = b.mul(scaled, b.sub(b.scalar(x.elementType(), 1), s));
  return b.mul(dy, b.mul(s, b.add(rest, 1.0)));
}

static Tensor softplus(NodeBuilder &node, Tensor x) {
  GraphBuilder &b = node.b;
  double beta = node.real(HamKaasDnnAttrSoftplusBeta, 1);
  return b.div(graph::softplus(b, b.mul(x, beta)), beta);
}

static Tensor sigmoidGradient(GraphBuilder &b, Tensor dy, Tensor x) {
  Tensor s = b.sigmoid(x);
  return b.mul(dy, b.mul(s, b.sub(b.scalar(x.elementType(), 1), s)));
}

static Tensor tanhGradient(GraphBuilder &b, Tensor dy, Tensor x) {
  Tensor t = b.tanh(x);
  return b.mul(dy, b.sub(b.scalar(x.elementType(), 1), b.mul(t, t)));
}

static Tensor geluGradient(GraphBuilder &b, Tensor dy, Tensor x) {
  Tensor below = b.mul(b.add(b.erf(b.mul(x, M_SQRT1_2)), 1.0), 0.5);
  Tensor density =
      b.mul(b.exp(b.mul(b.mul(x, x), -0.5)), M_SQRT1_2 * M_2_SQRTPI * 0.5);
  return b.mul(dy, b.add(below, b.mul(x, density)));
}

static Tensor geluTanhGradient(GraphBuilder &b, Tensor dy, Tensor x) {
  constexpr double factor = M_SQRT1_2 * M_2_SQRTPI, cubic = 0.044715;
  Tensor square = b.mul(x, x);
  Tensor inner = b.mul(b.mul(x, b.add(b.mul(square, cubic), 1.0)), factor);
  Tensor t = b.tanh(inner);
  Tensor steep = b.mul(b.add(b.mul(square, 3 * cubic), 1.0), factor);
  Tensor slope = b.sub(b.scalar(x.elementType(), 1), b.mul(t, t));
  Tensor rest = b.mul(b.mul(b.mul(x, slope), steep), 0.5);
  return b.mul(dy, b.add(b.mul(b.add(t, 1.0), 0.5), rest));
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static int64_t countOperands(int64_t mode) {
  switch (mode) {
  case HamKaasDnnBinarySelect:
    return 3;
  case HamKaasDnnAdd:
  case HamKaasDnnAddSquare:
  case HamKaasDnnCmpEq:
  case HamKaasDnnCmpGe:
  case HamKaasDnnCmpGt:
  case HamKaasDnnCmpLe:
  case HamKaasDnnCmpLt:
  case HamKaasDnnCmpNeq:
  case HamKaasDnnDiv:
  case HamKaasDnnLogicalAnd:
  case HamKaasDnnLogicalOr:
  case HamKaasDnnMaxOp:
  case HamKaasDnnMinOp:
  case HamKaasDnnMul:
  case HamKaasDnnSub:
  case HamKaasDnnEluBwd:
  case HamKaasDnnGeluApproxTanhBwd:
  case HamKaasDnnGeluBwd:
  case HamKaasDnnReluBwd:
  case HamKaasDnnSigmoidBwd:
  case HamKaasDnnSoftplusBwd:
  case HamKaasDnnSwishBwd:
  case HamKaasDnnTanhBwd:
    return 2;
  default:
    return 1;
  }
}

/// Modes that integers have, too.
static bool takesIntegers(int64_t mode) {
  switch (mode) {
  case HamKaasDnnAbs:
  case HamKaasDnnAdd:
  case HamKaasDnnAddSquare:
  case HamKaasDnnBinarySelect:
  case HamKaasDnnCmpEq:
  case HamKaasDnnCmpGe:
  case HamKaasDnnCmpGt:
  case HamKaasDnnCmpLe:
  case HamKaasDnnCmpLt:
  case HamKaasDnnCmpNeq:
  case HamKaasDnnDiv:
  case HamKaasDnnGenIndex:
  case HamKaasDnnIdentity:
  case HamKaasDnnMaxOp:
  case HamKaasDnnMinOp:
  case HamKaasDnnMul:
  case HamKaasDnnNeg:
  case HamKaasDnnSub:
    return true;
  default:
    return false;
  }
}

/// Modes whose operands are taken as they are: truth values, or shapes.
static bool takesAnything(int64_t mode) {
  return mode == HamKaasDnnLogicalAnd || mode == HamKaasDnnLogicalNot ||
         mode == HamKaasDnnLogicalOr || mode == HamKaasDnnGenIndex;
}

static Tensor toTruth(GraphBuilder &b, Tensor x) {
  if (!x || x.isBool())
    return x;
  return b.ne(x, b.scalar(x.elementType(), 0));
}

static Tensor genIndex(NodeBuilder &node, Tensor a) {
  int64_t axis = node.integer(HamKaasDnnAttrAxis, -1);
  if (!node.has(HamKaasDnnAttrAxis) || axis < 0 || axis >= a.rank())
    return node.fail(
        "expected an 'axis' from 0 to " + Twine(a.rank() - 1) + ", got " +
        (node.has(HamKaasDnnAttrAxis) ? Twine(axis) : Twine("none")));
  return node.b.iota(a.shape(), axis);
}

static Tensor buildUnary(NodeBuilder &node, int64_t mode, Tensor a) {
  GraphBuilder &b = node.b;
  auto one = [&] { return b.scalar(node.computeType(), 1); };
  switch (mode) {
  case HamKaasDnnAbs:
    return b.abs(a);
  case HamKaasDnnCeil:
    return b.ceil(a);
  case HamKaasDnnEluFwd:
    return elu(node, a);
  case HamKaasDnnErf:
    return b.erf(a);
  case HamKaasDnnExp:
    return b.exp(a);
  case HamKaasDnnFloor:
    return b.floor(a);
  case HamKaasDnnGeluApproxTanhFwd:
    return b.gelu(a, GeluApproximation::Tanh);
  case HamKaasDnnGeluFwd:
    return b.gelu(a, GeluApproximation::None);
  case HamKaasDnnGenIndex:
    return genIndex(node, a);
  case HamKaasDnnIdentity:
    return a;
  case HamKaasDnnLog:
    return b.log(a);
  case HamKaasDnnLogicalNot:
    return b.bitNot(toTruth(b, a));
  case HamKaasDnnNeg:
    return b.neg(a);
  case HamKaasDnnReciprocal:
    return b.div(one(), a);
  case HamKaasDnnReluFwd:
    return relu(node, a);
  case HamKaasDnnRsqrt:
    return b.div(one(), b.sqrt(a));
  case HamKaasDnnSigmoidFwd:
    return b.sigmoid(a);
  case HamKaasDnnSin:
    return b.sin(a);
  case HamKaasDnnSoftplusFwd:
    return softplus(node, a);
  case HamKaasDnnSqrt:
    return b.sqrt(a);
  case HamKaasDnnSwishFwd:
    return swish(node, a);
  case HamKaasDnnTan:
    return b.tan(a);
  case HamKaasDnnTanhFwd:
    return b.tanh(a);
  }
  llvm_unreachable("the mode has one operand");
}

static Tensor buildBinary(NodeBuilder &node, int64_t mode, Tensor x, Tensor y) {
  GraphBuilder &b = node.b;
  switch (mode) {
  case HamKaasDnnAdd:
    return b.add(x, y);
  case HamKaasDnnAddSquare:
    return b.add(x, b.mul(y, y));
  case HamKaasDnnCmpEq:
    return b.eq(x, y);
  case HamKaasDnnCmpGe:
    return b.ge(x, y);
  case HamKaasDnnCmpGt:
    return b.gt(x, y);
  case HamKaasDnnCmpLe:
    return b.le(x, y);
  case HamKaasDnnCmpLt:
    return b.lt(x, y);
  case HamKaasDnnCmpNeq:
    return b.ne(x, y);
  case HamKaasDnnDiv:
    return b.div(x, y);
  case HamKaasDnnEluBwd:
    return eluGradient(node, x, y);
  case HamKaasDnnGeluApproxTanhBwd:
    return geluTanhGradient(b, x, y);
  case HamKaasDnnGeluBwd:
    return geluGradient(b, x, y);
  case HamKaasDnnLogicalAnd:
    return b.bitAnd(toTruth(b, x), toTruth(b, y));
  case HamKaasDnnLogicalOr:
    return b.bitOr(toTruth(b, x), toTruth(b, y));
  case HamKaasDnnMaxOp:
    return b.max(x, y);
  case HamKaasDnnMinOp:
    return b.min(x, y);
  case HamKaasDnnMul:
    return b.mul(x, y);
  case HamKaasDnnReluBwd:
    return reluGradient(node, x, y);
  case HamKaasDnnSigmoidBwd:
    return sigmoidGradient(b, x, y);
  case HamKaasDnnSoftplusBwd:
    return b.mul(x,
                 b.sigmoid(b.mul(y, node.real(HamKaasDnnAttrSoftplusBeta, 1))));
  case HamKaasDnnSub:
    return b.sub(x, y);
  case HamKaasDnnSwishBwd:
    return swishGradient(node, x, y);
  case HamKaasDnnTanhBwd:
    return tanhGradient(b, x, y);
  }
  llvm_unreachable("the mode has two operands");
}

/// Fails unless the node has the operands of its mode.
static bool checkOperands(NodeBuilder &node, int64_t count) {
  int64_t given = 1 + node.has(HamKaasDnnAttrB) + node.has(HamKaasDnnAttrC);
  if (given == count && (count < 2 || node.has(HamKaasDnnAttrB)))
    return true;
  node.fail("expected a mode of " +
            (given == 1 ? "one operand" : Twine(given) + " operands") +
            ", got one that takes " + Twine(count));
  return false;
}

void nodes::lowerPointwise(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  int64_t mode = node.integer(HamKaasDnnAttrPointwiseMode);
  int64_t count = countOperands(mode);
  if (!checkOperands(node, count))
    return;
  if (!takesAnything(mode) && !takesIntegers(mode) &&
      !isa<FloatType>(node.computeType())) {
    node.fail("expected operands of floats, or a compute type of floats");
    return;
  }
  auto read = [&](int32_t attribute) {
    return takesAnything(mode) ? node.given(attribute) : node.input(attribute);
  };
  Tensor a = read(HamKaasDnnAttrA);
  if (count == 1) {
    node.give(HamKaasDnnAttrY, buildUnary(node, mode, a));
    return;
  }
  Tensor second = read(HamKaasDnnAttrB);
  if (b.hasFailed())
    return;
  auto shape = graph::getBroadcastShape(a.shape(), second.shape());
  Tensor mask = count == 3 ? toTruth(b, node.given(HamKaasDnnAttrC)) : Tensor();
  if (shape && mask)
    shape = graph::getBroadcastShape(*shape, mask.shape());
  if (!shape) {
    node.fail("expected operands that broadcast, got the dims " +
              graph::formatList(a.shape()) + " and " +
              graph::formatList(second.shape()) +
              (mask ? " and " + graph::formatList(mask.shape()) : ""));
    return;
  }
  node.give(HamKaasDnnAttrY,
            b.broadcast(count == 3 ? b.select(mask, a, second)
                                   : buildBinary(node, mode, a, second),
                        *shape));
}
