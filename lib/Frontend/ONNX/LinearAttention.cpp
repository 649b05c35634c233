//===- LinearAttention.cpp - Attention by a state ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Linear attention
//===----------------------------------------------------------------------===//

namespace {

/// Queries, keys and values: batch x heads x steps x width.
struct LinearInputs {
  Tensor q, k, v;
  /// Null if the rule has none; the last dimension may be 1.
  Tensor decay, beta;
  /// batch x heads x width x width of values
  Tensor state;
  double scale = 1;
};

} // namespace

/// batch x steps x (heads * width) as batch x heads x steps x width.
static Tensor splitHeads(OpContext &op, GraphBuilder &b, Tensor x,
                         int64_t heads) {
  if (!op.expectRank(x, 3, 3))
    return {};
  if (heads < 1 || x.dim(2) % heads != 0)
    return b.fail("expected a number of heads that divides " + Twine(x.dim(2)) +
                  ", got " + Twine(heads));
  x = b.reshape(toComputed(b, x),
                {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  return b.permute(x, {0, 2, 1, 3});
}

/// Fails unless an input is there exactly if the rule needs it.
static bool checkRuleInput(OpContext &op, GraphBuilder &b, unsigned input,
                           bool isNeeded, StringRef name, StringRef rule) {
  if (op.has(input) == isNeeded)
    return true;
  b.fail("expected " + Twine(isNeeded ? "an" : "no") + " input '" + name +
         "' for the update_rule " + rule);
  return false;
}

static std::optional<LinearInputs> readLinearInputs(OpContext &op,
                                                    GraphBuilder &b) {
  LinearInputs in;
  int64_t queryHeads = op.attributes.getInt("q_num_heads").value_or(0);
  int64_t heads = op.attributes.getInt("kv_num_heads").value_or(0);
  StringRef rule =
      op.attributes.getString("update_rule").value_or("gated_delta");
  op.attributes.getInt("chunk_size");
  if (!expectOneOf(b, "update_rule", rule,
                   {"delta", "gated", "gated_delta", "linear"}) ||
      !checkRuleInput(op, b, 4, rule.starts_with("gated"), "decay", rule) ||
      !checkRuleInput(op, b, 5, rule.ends_with("delta"), "beta", rule))
    return std::nullopt;
  in.q = splitHeads(op, b, op.input(0), queryHeads);
  in.k = splitHeads(op, b, op.input(1), heads);
  in.v = splitHeads(op, b, op.input(2), heads);
  if (op.has(4))
    in.decay = splitHeads(op, b, op.input(4), heads);
  if (op.has(5) && op.expectRank(op.input(5), 3, 3))
    in.beta =
        splitHeads(op, b, op.input(5), op.input(5).dim(2) == 1 ? 1 : heads);
  if (b.hasFailed() || !expectElements(b, {in.q, in.k, in.v}))
    return std::nullopt;
  if (queryHeads % heads != 0)
    b.fail("expected a multiple of " + Twine(heads) + " heads, got " +
           Twine(queryHeads));
  Shape shape = {in.q.dim(0), heads, in.q.dim(2), in.q.dim(3)};
  expectShape(b, "keys", in.k, shape);
  shape[3] = in.v.dim(3);
  expectShape(b, "values", in.v, shape);
  Shape state = {in.q.dim(0), heads, in.q.dim(3), in.v.dim(3)};
  in.state = toComputed(b, op.optionalInput(3));
  if (!in.state)
    in.state = b.broadcast(b.scalar(in.q.elementType(), 0), state);
  expectShape(b, "a state", in.state, state);
  in.scale = op.attributes.getFloat("scale").value_or(0);
  if (in.scale == 0)
    in.scale = 1 / std::sqrt(double(in.q.dim(3)));
  if (b.hasFailed())
    return std::nullopt;
  return in;
}

/// A row of a matrix for each head, batch x heads x width, as a matrix.
static Tensor asRow(GraphBuilder &b, Tensor x) { return addDim(b, x, 2); }
static Tensor asColumn(GraphBuilder &b, Tensor x) { return addDim(b, x, 3); }

/// `state = decay * state + k v^T`, where the delta rule writes the difference
/// to what the state already says of the key. The inputs are those of a step.
static Tensor updateState(GraphBuilder &b, Tensor state, Tensor k, Tensor v,
                          Tensor decay, Tensor beta) {
  Tensor value = asRow(b, v);
  if (decay)
    state = b.mul(state, b.exp(asColumn(b, decay)));
  if (beta)
    value = b.mul(b.sub(value, multiplyBatches(b, asRow(b, k), state)),
                  asRow(b, beta));
  return b.add(state, b.mul(asColumn(b, k), value));
}

static Tensors importLinearAttention(OpContext &op, GraphBuilder &b) {
  std::optional<LinearInputs> in = readLinearInputs(op, b);
  if (!in)
    return {};
  Type type = op.input(0).elementType();
  Type stateType = op.has(3) ? op.input(3).elementType() : type;
  int64_t batch = in->q.dim(0), steps = in->q.dim(2), width = in->q.dim(3);
  int64_t heads = in->k.dim(1), group = in->q.dim(1) / heads;
  LoopInputs loop{steps, /*isReversed=*/false, {in->state}};
  for (const Tensor &x : {in->q, in->k, in->v, in->decay, in->beta})
    if (x)
      loop.inputs.push_back(b.permute(x, {2, 0, 1, 3}));
  Tensors results = b.scan(
      loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) -> Tensors {
        Tensor decay = in->decay ? rows[3] : Tensor();
        Tensor beta = in->beta ? rows.back() : Tensor();
        Tensor state =
            updateState(b, carried[0], rows[1], rows[2], decay, beta);
        Tensor query = b.reshape(rows[0], {batch, heads, group, width});
        return {state, b.mul(multiplyBatches(b, query, state), in->scale)};
      });
  if (results.empty())
    return {};
  // steps x batch x heads x group x width of the values
  Tensor output = b.permute(results[1], {1, 0, 2, 3, 4});
  return {
      b.cast(b.reshape(output, {batch, steps, heads * group * in->v.dim(3)}),
             type),
      b.cast(results[0], stateType)};
}

//===----------------------------------------------------------------------===//
// Causal convolution
//===----------------------------------------------------------------------===//

/// Each channel for itself, along a sequence that the state precedes; the state
/// after it is the sequence's end.
static Tensors importCausalConvWithState(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), w = op.input(1), bias = op.optionalInput(2);
  Tensor past = op.optionalInput(3);
  StringRef activation = op.attributes.getString("activation").value_or("none");
  if (!op.expectRank(x, 3, 3) || !op.expectRank(w, 3, 3) ||
      !expectElements(b, {x, w}) ||
      !expectOneOf(b, "activation", activation, {"none", "silu", "swish"}) ||
      !expectShape(b, "weights", w, {x.dim(1), 1, w.dim(2)}))
    return {};
  int64_t channels = x.dim(1), kept = w.dim(2) - 1;
  Shape state = {x.dim(0), channels, kept};
  if (!past)
    past = b.broadcast(b.scalar(x.elementType(), 0), state);
  if (!expectShape(b, "a state", past, state))
    return {};
  Tensor padded = b.concat({past, x}, 2);
  Windows windows{/*sizes=*/{w.dim(2)}, /*strides=*/{1}, /*dilations=*/{1},
                  /*padLow=*/{0}, /*padHigh=*/{0}};
  Tensor y = b.conv(b.permute(padded, {0, 2, 1}), b.permute(w, {2, 1, 0}),
                    windows, channels);
  if (bias)
    y = b.add(y, bias);
  if (activation != "none")
    y = b.silu(y);
  return {b.permute(y, {0, 2, 1}), b.sliceDim(padded, 2, x.dim(2), kept)};
}

ArrayRef<OpDefinition> onnx::getLinearAttentionOps() {
  static constexpr OpDefinition ops[] = {
      {"CausalConvWithState", importCausalConvWithState, 27},
      {"LinearAttention", importLinearAttention, 27},
  };
  return ops;
}
