//===- Loops.cpp - Loop and Scan --------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Importer.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// A loop that would make more nodes than this is one in the program, if it can
/// be.
static constexpr int64_t mostUnrolled = 256;

static std::optional<int64_t> getKnown(const Tensor &tensor) {
  if (!tensor || !tensor.isConstant() || tensor.count() != 1 ||
      tensor.isFloat())
    return std::nullopt;
  return tensor.elements().i64.front();
}

/// Stacks the values of all iterations.
static Tensor stack(GraphBuilder &b, ArrayRef<Tensor> values) {
  Tensors rows;
  for (const Tensor &value : values)
    rows.push_back(addDim(b, value, 0));
  return b.concat(rows, 0);
}

bool Importer::checkLoop(const Loop &loop) {
  if (llvm::any_of(loop.inits, [](const Tensor &init) { return !init; })) {
    diagnostics.error("expected all values that the loop carries to be given");
    return false;
  }
  if (loop.trips && (!loop.trips.isInteger() || loop.trips.count() != 1))
    diagnostics.error("expected an integer as the number of iterations");
  else if (loop.condition &&
           (!loop.condition.isBool() || loop.condition.count() != 1))
    diagnostics.error("expected a boolean as the condition");
  else
    return (!loop.trips ||
            constants.expect("the number of iterations", loop.trips)) &&
           (!loop.condition ||
            constants.expect("the condition", loop.condition));
  return false;
}

std::optional<Tensors> Importer::importLoop(const Call &call) {
  const GraphProto *body = call.attributes.getGraph("body");
  Tensors inputs = call.inputs;
  inputs.resize(std::max<size_t>(inputs.size(), 2));
  size_t carried = inputs.size() - 2;
  if (!body || body->outputs.size() < carried + 1) {
    diagnostics.error(
        "expected a body with an output for each value that is carried");
    return std::nullopt;
  }
  Loop loop{*body, inputs[0], inputs[1], Tensors(llvm::drop_begin(inputs, 2))};
  if (!checkLoop(loop))
    return std::nullopt;
  std::optional<int64_t> trips = getKnown(loop.trips);
  bool isEndless = !loop.condition || getKnown(loop.condition) == 1;
  int64_t nodes = std::max<int64_t>(body->nodes.size(), 1);
  if (trips && isEndless && *trips > mostUnrolled / nodes) {
    // A body that needs to know the number of the iteration, or whose values
    // change their types, cannot be computed so.
    Diagnostics::Checkpoint before = diagnostics.save();
    std::optional<OnnxFailure> failureBefore = certainFailure;
    auto outputs = importAsScan(call, loop, *trips);
    if (outputs || isTooLarge() || certainFailure != failureBefore)
      return outputs;
    diagnostics.restore(before);
    certainFailure = failureBefore;
  }
  return unrollLoop(call, loop);
}

/// A loop of known count that ends no earlier.
std::optional<Tensors> Importer::importAsScan(const Call &call,
                                              const Loop &loop, int64_t trips) {
  if (!expectPlain("what a loop carries", loop.inits))
    return std::nullopt;
  LoopInputs inputs{trips, /*isReversed=*/false, loop.inits};
  inputs.inputs.push_back(builder.iota({trips}, 0));
  Tensor isTrue = builder.scalar(IntegerType::get(context, 1), 1);
  Tensors results = builder.scan(
      inputs, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) -> Tensors {
        Tensors arguments{rows.front(), isTrue};
        llvm::append_range(arguments, carried);
        auto outputs =
            importSubgraph(loop.body, arguments, call.scope, call.environment);
        if (!outputs || getKnown(outputs->front()) != 1 ||
            !expectPlain("results of a loop", *outputs))
          return {};
        return Tensors(llvm::drop_begin(*outputs));
      });
  if (results.empty())
    return std::nullopt;
  return results;
}

/// A loop of known count, each iteration of which is a part of the graph.
std::optional<Tensors> Importer::unrollLoop(const Call &call,
                                            const Loop &loop) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t trips = loop.trips ? *getKnown(loop.trips) : limit;
  Tensor condition = loop.condition;
  Tensors values = loop.inits;
  size_t carried = values.size();
  SmallVector<Tensors> rows(loop.body.outputs.size() - carried - 1);
  for (int64_t i = 0;; ++i) {
    std::optional<int64_t> goesOn =
        condition ? getKnown(condition) : std::optional<int64_t>(1);
    if (!goesOn) {
      diagnostics.error(
          "loops that end by a condition that they compute are not "
          "supported");
      return std::nullopt;
    }
    if (i >= trips || !*goesOn)
      break;
    Tensors arguments = {builder.constant({i}, {})};
    arguments.push_back(condition
                            ? condition
                            : builder.scalar(IntegerType::get(context, 1), 1));
    llvm::append_range(arguments, values);
    auto outputs =
        importSubgraph(loop.body, arguments, call.scope, call.environment);
    if (!outputs || isTooLarge())
      return std::nullopt;
    condition = outputs->front();
    values.assign(outputs->begin() + 1, outputs->begin() + 1 + carried);
    ArrayRef<Tensor> stacked = ArrayRef(*outputs).drop_front(1 + carried);
    if (!expectPlain("results that a loop stacks", stacked))
      return std::nullopt;
    for (auto [list, value] : llvm::zip_equal(rows, stacked))
      list.push_back(value);
  }
  for (const Tensors &list : rows) {
    if (list.empty()) {
      diagnostics.error("loops without an iteration that stack values are not "
                        "supported");
      return std::nullopt;
    }
    values.push_back(stack(builder, list));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// Brings the rows along `axis` to the front, or from there back.
static Tensor moveDim(GraphBuilder &b, Tensor x, int64_t from, int64_t to) {
  Shape permutation = getDimRange(0, x.rank());
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return b.permute(x, permutation);
}

/// The elements along dimension 0 from the last to the first.
static Tensor reverseRows(GraphBuilder &b, Tensor x) {
  Shape offsets(x.rank(), 0), strides(x.rank(), 1);
  offsets[0] = x.dim(0) - 1;
  strides[0] = -1;
  return b.stridedSlice(x, offsets, x.shape(), strides);
}

namespace {

/// Where the rows of the inputs or outputs of a Scan are.
struct ScanSides {
  SmallVector<int64_t> axes, directions;

  /// Fails unless there is one for each of `count` tensors.
  bool read(GraphBuilder &b, Attributes &attributes, StringRef side,
            size_t count) {
    axes = attributes.getInts((side + "_axes").str())
               .value_or(SmallVector<int64_t>(count, 0));
    directions = attributes.getInts((side + "_directions").str())
                     .value_or(SmallVector<int64_t>(count, 0));
    return check(b, side, count);
  }

  /// The rows of `count` tensors, in front and in order.
  static ScanSides inFront(size_t count) {
    return {SmallVector<int64_t>(count, 0), SmallVector<int64_t>(count, 0)};
  }

  bool check(GraphBuilder &b, StringRef side, size_t count) const {
    if (axes.size() != count || directions.size() != count)
      b.fail("expected an axis and a direction for each " + side);
    for (int64_t direction : directions)
      if (direction != 0 && direction != 1)
        b.fail("expected a direction that is 0 or 1, got " + Twine(direction));
    return !b.hasFailed();
  }

  /// The axis of tensor `i`, of that rank; none after a failure.
  std::optional<int64_t> getAxis(GraphBuilder &b, size_t i,
                                 int64_t rank) const {
    if (axes[i] >= -rank && axes[i] < rank)
      return axes[i] < 0 ? axes[i] + rank : axes[i];
    b.fail("expected an axis from " + Twine(-rank) + " to " + Twine(rank - 1) +
           ", got " + Twine(axes[i]));
    return std::nullopt;
  }
};

} // namespace

/// The inputs of the loop, whose rows are in front and in order.
static bool readRows(GraphBuilder &b, const ScanSides &sides,
                     ArrayRef<Tensor> inputs, LoopInputs &loop) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input) {
      b.fail("expected all values that a loop carries or reads to be given");
      return false;
    }
    std::optional<int64_t> axis = sides.getAxis(b, i, input.rank());
    if (!axis)
      return false;
    Tensor rows = moveDim(b, input, *axis, 0);
    if (i > 0 && rows.dim(0) != loop.steps)
      b.fail("expected inputs of equal length, got " + Twine(loop.steps) +
             " and " + Twine(rows.dim(0)));
    loop.steps = rows.dim(0);
    loop.inputs.push_back(sides.directions[i] ? reverseRows(b, rows) : rows);
  }
  return !b.hasFailed();
}

/// Scan of opset 8: each sequence of a batch is a loop of its own. All that is
/// given and made has the batch in front, then the rows.
std::optional<Tensors> Importer::importBatchScan(const Call &call) {
  const GraphProto *body = call.attributes.getGraph("body");
  int64_t count = call.attributes.getInt("num_scan_inputs").value_or(0);
  ArrayRef<Tensor> given =
      ArrayRef(call.inputs).drop_front(std::min<size_t>(call.inputs.size(), 1));
  if (!body || count < 1 || count > int64_t(given.size()) ||
      body->outputs.size() < given.size() - count) {
    diagnostics.error(
        "expected a body with an output for each state, and at least "
        "one input that is scanned");
    return std::nullopt;
  }
  if (call.inputs.front()) {
    diagnostics.error("lengths of the sequences of a Scan are not supported");
    return std::nullopt;
  }
  size_t states = given.size() - count;
  ScanSides sides = ScanSides::inFront(count);
  if (auto directions = call.attributes.getInts("directions"))
    sides.directions = *directions;
  LoopInputs batch;
  if (!sides.check(builder, "input that is scanned", count) ||
      !readRows(builder, ScanSides::inFront(given.size()), given, batch))
    return std::nullopt;
  Tensors results = builder.scan(
      batch, [&](ArrayRef<Tensor>, ArrayRef<Tensor> sequence) -> Tensors {
        LoopInputs loop;
        loop.inits.assign(sequence.begin(), sequence.begin() + states);
        if (!readRows(builder, sides, sequence.drop_front(states), loop))
          return {};
        return scanBody(call, *body, loop);
      });
  if (results.empty())
    return std::nullopt;
  return results;
}

/// The final iter args of a loop, and the rows that its steps make; none after
/// a failure.
Tensors Importer::scanBody(const Call &call, const GraphProto &body,
                           const LoopInputs &loop) {
  return builder.scan(
      loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) -> Tensors {
        Tensors arguments(carried);
        llvm::append_range(arguments, rows);
        auto results =
            importSubgraph(body, arguments, call.scope, call.environment);
        if (!results || !expectPlain("results of a loop", *results))
          return {};
        return *results;
      });
}

std::optional<Tensors> Importer::importScan(const Call &call) {
  if (!expectPlain("what a loop carries or reads", call.inputs))
    return std::nullopt;
  const GraphProto *body = call.attributes.getGraph("body");
  std::optional<int64_t> count = call.attributes.getInt("num_scan_inputs");
  auto opset = call.environment.opsets.find("");
  if (opset != call.environment.opsets.end() && opset->getValue() < 9)
    return importBatchScan(call);
  if (!body || !count || *count < 1 || *count > int64_t(call.inputs.size()) ||
      body->outputs.size() < call.inputs.size() - *count) {
    diagnostics.error(
        "expected a body with an output for each state, and at least one "
        "input that is scanned");
    return std::nullopt;
  }
  size_t states = call.inputs.size() - *count;
  size_t outputs = body->outputs.size() - states;
  ScanSides inputSides, outputSides;
  LoopInputs loop;
  loop.inits.assign(call.inputs.begin(), call.inputs.begin() + states);
  if (!inputSides.read(builder, call.attributes, "scan_input", *count) ||
      !outputSides.read(builder, call.attributes, "scan_output", outputs) ||
      !readRows(builder, inputSides, ArrayRef(call.inputs).drop_front(states),
                loop))
    return std::nullopt;
  Tensors results = scanBody(call, *body, loop);
  if (results.empty())
    return std::nullopt;
  for (size_t i = 0; i < outputs; ++i) {
    Tensor &rows = results[states + i];
    std::optional<int64_t> axis = outputSides.getAxis(builder, i, rows.rank());
    if (!axis)
      return std::nullopt;
    if (outputSides.directions[i])
      rows = reverseRows(builder, rows);
    rows = moveDim(builder, rows, 0, *axis);
  }
  return results;
}
