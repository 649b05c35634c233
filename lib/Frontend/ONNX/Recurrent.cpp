//===- Recurrent.cpp - RNN, GRU and LSTM, as loops --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Quantization.h"
#include "RecurrentActivations.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

/// Which input is what; 0 for one that the operator does not have.
struct Signature {
  int64_t gates;
  std::vector<std::string> activations;
  unsigned initialC = 0, peepholes = 0;
  /// Weights are small integers, with their dimensions in another order; their
  /// scales and zero points follow the inputs of the operator that has floats.
  bool isQuantized = false;
};

/// A node of one of the operators. Sizes: `steps`, `batch`, `width` of an input
/// and `hidden` of a state.
struct Recurrence {
  /// steps x batch x width
  Tensor x;
  int64_t steps = 0, batch = 0, width = 0, hidden = 0, directions = 1;
  bool isFirstReversed = false, isBatchFirst = false;
  /// Of each sequence, batch x 1, or null if all have all steps.
  Tensor lengths;
  /// Of all directions, in their order.
  std::vector<Activation> activations;
  std::optional<double> clip;
};

/// One direction. `rows` are the gates' numbers one after the other.
struct Direction {
  /// (steps * batch) x rows, without a bias
  Tensor inputs;
  /// hidden x rows
  Tensor recurrent;
  /// 1 x rows, null if there is none
  Tensor inputBias, recurrentBias;
  /// 1 x (3 * hidden), null if there is none
  Tensor peepholes;
  bool isReversed = false;
  ArrayRef<Activation> activations;
  std::optional<double> clip;
  bool isQuantized = false;

  /// `x` by weights; what small integers do not hold of it is lost first.
  Tensor multiplyBy(GraphBuilder &b, Tensor x, Tensor weights) const {
    if (isQuantized) {
      DynamicQuantization q = quantizeDynamically(b, x);
      x = b.mul(b.sub(q.values, q.zeroPoint), q.scale);
    }
    return b.matmul(x, weights);
  }

  Tensor activate(GraphBuilder &b, unsigned i, Tensor x) const {
    if (clip) {
      x = b.max(x, -*clip);
      x = b.min(x, double(*clip));
    }
    return applyActivation(b, activations[i], x);
  }
};

/// The outputs of one direction: those of all steps, and the last states.
struct Outputs {
  Tensor all;
  Tensors last;
};

} // namespace

/// The states after a step, from the inputs' part of it, batch x rows, and the
/// states before it.
using Step = llvm::function_ref<Tensors(const Direction &, Tensor, Tensors)>;

/// Part `i` of the columns, of `size` each.
static Tensor getColumns(GraphBuilder &b, Tensor x, int64_t i, int64_t size,
                         int64_t parts = 1) {
  return b.sliceDim(x, 1, i * size, parts * size);
}

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

static bool readDirection(OpContext &op, GraphBuilder &b, Recurrence &r) {
  StringRef direction =
      op.attributes.getString("direction").value_or("forward");
  if (!expectOneOf(b, "direction", direction,
                   {"forward", "reverse", "bidirectional"}))
    return false;
  r.directions = direction == "bidirectional" ? 2 : 1;
  r.isFirstReversed = direction == "reverse";
  return true;
}

/// The lengths that are not all that of `x`.
static Tensor readLengths(OpContext &op, GraphBuilder &b, const Recurrence &r) {
  Tensor lengths = op.optionalInput(4);
  if (!lengths || !expectShape(b, "sequence lengths", lengths, {r.batch}))
    return {};
  if (lengths.isConstant()) {
    Shape known = *op.constantInts(4);
    for (int64_t length : known)
      if (length < 0 || length > r.steps)
        return b.fail("expected sequence lengths from 0 to " + Twine(r.steps) +
                      ", got " + Twine(length));
    if (llvm::all_of(known, [&](int64_t length) { return length == r.steps; }))
      return {};
  }
  return b.reshape(lengths, {r.batch, 1});
}

static std::optional<Recurrence> readNode(OpContext &op, GraphBuilder &b,
                                          const Signature &signature) {
  Recurrence r;
  int64_t layout = op.attributes.getInt("layout").value_or(0);
  if (layout != 0 && layout != 1)
    b.fail("expected the attribute 'layout' to be 0 or 1, got " +
           Twine(layout));
  r.isBatchFirst = layout == 1;
  r.clip = op.attributes.getFloat("clip");
  Tensor x = op.input(0), w = op.input(1), recurrent = op.input(2);
  if (!op.expectRank(x, 3, 3) || !op.expectRank(w, 3, 3) ||
      !op.expectRank(recurrent, 3, 3) ||
      !expectElements(b, {x, w, recurrent}) || !readDirection(op, b, r))
    return std::nullopt;
  r.x = r.isBatchFirst ? b.permute(x, {1, 0, 2}) : x;
  r.steps = r.x.dim(0);
  r.batch = r.x.dim(1);
  r.width = r.x.dim(2);
  r.hidden = recurrent.dim(signature.isQuantized ? 1 : 2);
  int64_t hidden = op.attributes.getInt("hidden_size").value_or(r.hidden);
  if (hidden != r.hidden)
    b.fail("expected the attribute 'hidden_size' to be " + Twine(r.hidden) +
           " as in input 2, got " + Twine(hidden));
  int64_t rows = signature.gates * r.hidden;
  auto getShape = [&](int64_t columns) -> Shape {
    if (signature.isQuantized)
      return {r.directions, columns, rows};
    return {r.directions, rows, columns};
  };
  expectShape(b, "weights", w, getShape(r.width));
  expectShape(b, "recurrent weights", recurrent, getShape(r.hidden));
  if (b.hasFailed())
    return std::nullopt;
  r.lengths = readLengths(op, b, r);
  r.activations = readActivations(op, b, signature.activations, r.directions);
  if (b.hasFailed())
    return std::nullopt;
  return r;
}

/// The state before the first step, directions x batch x hidden.
static Tensor readState(OpContext &op, GraphBuilder &b, const Recurrence &r,
                        unsigned input) {
  Shape shape = {r.directions, r.batch, r.hidden};
  Tensor state = op.optionalInput(input);
  if (!state)
    return b.broadcast(b.scalar(r.x.elementType(), 0), shape);
  if (r.isBatchFirst && op.expectRank(state, 3, 3))
    state = b.permute(state, {1, 0, 2});
  return expectShape(b, "an initial state", state, shape) ? state : Tensor();
}

/// The row of an input for one direction, 1 x size; null if it is left out.
static Tensor readRow(OpContext &op, GraphBuilder &b, const Recurrence &r,
                      unsigned input, int64_t size, int64_t direction) {
  Tensor x = op.optionalInput(input);
  if (!x || !expectShape(b, "a bias or peepholes", x, {r.directions, size}))
    return {};
  return b.sliceDim(x, 0, direction, 1);
}

/// The weights of an input for one direction, width x rows. `scale` is the
/// input with their scale, which the zero point follows.
static Tensor readWeights(OpContext &op, GraphBuilder &b,
                          const Signature &signature, unsigned input,
                          unsigned scale, int64_t direction) {
  Tensor w = selectDim(b, op.input(input), 0, direction);
  if (!signature.isQuantized)
    return b.permute(w, {1, 0});
  // One a direction, or one a row of these.
  auto read = [&](unsigned i) {
    Tensor x = op.input(i);
    return op.expectRank(x, 1, 2) ? selectDim(b, x, 0, direction) : Tensor();
  };
  Type type = op.input(0).elementType();
  Tensor zero = read(scale + 1), factor = read(scale);
  return b.mul(b.sub(b.cast(w, type), b.cast(zero, type)), factor);
}

static Direction readDirection(OpContext &op, GraphBuilder &b,
                               const Recurrence &r, const Signature &signature,
                               int64_t i) {
  Direction d;
  int64_t rows = signature.gates * r.hidden;
  Tensor x = b.reshape(r.x, {r.steps * r.batch, r.width});
  d.isQuantized = signature.isQuantized;
  d.inputs = d.multiplyBy(b, x, readWeights(op, b, signature, 1, 8, i));
  d.recurrent = readWeights(op, b, signature, 2, 10, i);
  if (Tensor bias = readRow(op, b, r, 3, 2 * rows, i)) {
    d.inputBias = getColumns(b, bias, 0, rows);
    d.recurrentBias = getColumns(b, bias, 1, rows);
  }
  if (signature.peepholes)
    d.peepholes = readRow(op, b, r, signature.peepholes, 3 * r.hidden, i);
  d.isReversed = i == 1 || r.isFirstReversed;
  size_t count = signature.activations.size();
  d.activations = ArrayRef(r.activations).slice(i * count, count);
  d.clip = r.clip;
  return d;
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// Beyond the end of a sequence the states stay, and the outputs are 0: so a
/// sequence that is read backwards begins at its own end.
static void stopAtEnd(GraphBuilder &b, const Recurrence &r,
                      ArrayRef<Tensor> state, Tensor step, Tensors &next,
                      Tensor &output) {
  Tensor isWithin = b.gt(r.lengths, b.cast(step, r.lengths.elementType()));
  output = b.select(isWithin, output, b.scalar(r.x.elementType(), 0));
  for (size_t i = 0; i < next.size(); ++i)
    next[i] = b.select(isWithin, next[i], state[i]);
}

static Outputs runDirection(GraphBuilder &b, const Recurrence &r,
                            const Direction &d, Tensors state, Step step) {
  LoopInputs loop{r.steps, d.isReversed, state};
  loop.inputs.push_back(
      b.reshape(d.inputs, {r.steps, r.batch, d.inputs.dim(1)}));
  if (r.lengths)
    loop.inputs.push_back(b.iota({r.steps}, 0));
  Tensors results = b.scan(
      loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) -> Tensors {
        Tensors next = step(d, rows[0], Tensors(carried));
        Tensor output = next[0];
        if (r.lengths)
          stopAtEnd(b, r, carried, rows[1], next, output);
        next.push_back(output);
        return next;
      });
  if (results.empty())
    return {};
  Tensor all = b.reshape(results.back(), {r.steps, 1, r.batch, r.hidden});
  results.pop_back();
  return {all, results};
}

static Tensors importRecurrence(OpContext &op, GraphBuilder &b,
                                const Signature &signature, Step step) {
  std::optional<Recurrence> r = readNode(op, b, signature);
  if (!r)
    return {};
  Tensors initial = {readState(op, b, *r, 5)};
  if (signature.initialC)
    initial.push_back(readState(op, b, *r, signature.initialC));
  if (b.hasFailed())
    return {};
  SmallVector<Tensor> all;
  SmallVector<SmallVector<Tensor>> last(initial.size());
  for (int64_t i = 0; i < r->directions; ++i) {
    Direction d = readDirection(op, b, *r, signature, i);
    Tensors state;
    for (const Tensor &states : initial)
      state.push_back(selectDim(b, states, 0, i));
    if (b.hasFailed())
      return {};
    Outputs outputs = runDirection(b, *r, d, state, step);
    if (b.hasFailed())
      return {};
    all.push_back(outputs.all);
    for (auto [states, state] : llvm::zip(last, outputs.last))
      states.push_back(addDim(b, state, 0));
  }
  Tensor y = b.concat(all, 1);
  Tensors results = {r->isBatchFirst ? b.permute(y, {2, 0, 1, 3}) : y};
  for (const SmallVector<Tensor> &states : last) {
    Tensor state = b.concat(states, 0);
    results.push_back(r->isBatchFirst ? b.permute(state, {1, 0, 2}) : state);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The part of all gates that does not depend on other gates.
static Tensor sumGates(GraphBuilder &b, const Direction &d, Tensor input,
                       Tensor h) {
  Tensor gates = b.add(input, d.multiplyBy(b, h, d.recurrent));
  if (d.inputBias)
    gates = b.add(gates, b.add(d.inputBias, d.recurrentBias));
  return gates;
}

static Tensors importRNN(OpContext &op, GraphBuilder &b) {
  return importRecurrence(
      op, b, {1, {"Tanh"}},
      [&](const Direction &d, Tensor input, Tensors state) -> Tensors {
        return {d.activate(b, 0, sumGates(b, d, input, state[0]))};
      });
}

/// The gates of a GRU are z, r and h, of which the last sees the state after r
/// was applied, or its product with the weights after r was.
static Tensor computeCandidate(GraphBuilder &b, const Direction &d,
                               Tensor input, Tensor h, Tensor r,
                               bool isLinearFirst) {
  int64_t hidden = h.dim(1);
  auto third = [&](Tensor x) { return getColumns(b, x, 2, hidden); };
  Tensor w = third(d.recurrent), sum = third(input);
  if (d.inputBias)
    sum = b.add(sum, third(d.inputBias));
  Tensor past = b.matmul(isLinearFirst ? h : b.mul(r, h), w);
  if (d.recurrentBias)
    past = b.add(past, third(d.recurrentBias));
  return d.activate(b, 1, b.add(sum, isLinearFirst ? b.mul(r, past) : past));
}

static Tensors importGRU(OpContext &op, GraphBuilder &b) {
  bool isLinearFirst =
      op.attributes.getInt("linear_before_reset").value_or(0) != 0;
  return importRecurrence(
      op, b, {3, {"Sigmoid", "Tanh"}},
      [&](const Direction &d, Tensor input, Tensors state) -> Tensors {
        Tensor h = state[0];
        int64_t hidden = h.dim(1);
        auto first = [&](Tensor x) { return getColumns(b, x, 0, hidden, 2); };
        Tensor sum = b.add(first(input), b.matmul(h, first(d.recurrent)));
        if (d.inputBias)
          sum = b.add(sum, first(b.add(d.inputBias, d.recurrentBias)));
        sum = d.activate(b, 0, sum);
        Tensor z = getColumns(b, sum, 0, hidden);
        Tensor r = getColumns(b, sum, 1, hidden);
        Tensor candidate = computeCandidate(b, d, input, h, r, isLinearFirst);
        // (1 - z) * candidate + z * h
        return {b.add(candidate, b.mul(z, b.sub(h, candidate)))};
      });
}

/// The gates of an LSTM are i, o, f and c; peepholes are there for the first
/// three.
template <bool isQuantized>
static Tensors importLSTM(OpContext &op, GraphBuilder &b) {
  bool couplesGates = op.attributes.getInt("input_forget").value_or(0) != 0;
  return importRecurrence(
      op, b, {4, {"Sigmoid", "Tanh", "Tanh"}, 6, 7, isQuantized},
      [&](const Direction &d, Tensor input, Tensors state) -> Tensors {
        Tensor h = state[0], c = state[1];
        int64_t hidden = h.dim(1);
        Tensor gates = sumGates(b, d, input, h);
        auto gate = [&](int64_t i, unsigned activation, Tensor seen = {}) {
          Tensor sum = getColumns(b, gates, i, hidden);
          if (d.peepholes && seen)
            sum =
                b.add(sum, b.mul(seen, getColumns(b, d.peepholes, i, hidden)));
          return d.activate(b, activation, sum);
        };
        Tensor in = gate(0, 0, c);
        Tensor forget = couplesGates ? b.sub(b.scalar(in.elementType(), 1), in)
                                     : gate(2, 0, c);
        c = b.add(b.mul(forget, c), b.mul(in, gate(3, 1)));
        Tensor out = gate(1, 0, c);
        return {b.mul(out, applyActivation(b, d.activations[2], c)), c};
      });
}

ArrayRef<OpDefinition> onnx::getRecurrentOps() {
  static constexpr OpDefinition ops[] = {
      {"GRU", importGRU, 22},
      {"LSTM", importLSTM<false>, 22},
      {"DynamicQuantizeLSTM", importLSTM<true>, 1, "com.microsoft"},
      {"RNN", importRNN, 22},
  };
  return ops;
}
