//===- Graph.h - Graphs, built in C++ ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a graph by expressions and compiles it, over hamkaas-c/Graph.h. C++17,
// header only:
//
//   hamkaas::Graph graph;
//   auto x = graph.input("x", HamKaasFloat32, {8, 784});
//   auto w = graph.parameter("w", {784, 10}, weights);
//   graph.output("y", relu(matmul(x, w) + 1));
//   auto model = graph.compile();
//
// All operations are functions of hamkaas-cpp/Operations.h. Types are inferred
// at once. Calls that are wrong throw where HAMKAAS_EXCEPTIONS is defined;
// otherwise they return no value, the graph keeps the first error, and
// compile() returns it. Its text begins with the line of the call.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_GRAPH_H
#define HAMKAAS_CPP_GRAPH_H

#include "hamkaas-cpp/HamKaas.h"
#include "hamkaas-cpp/Operators.h"

#include <string_view>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// Values that the steps of a loop hand on, and tensors with rows, or the rows
/// of one step.
struct Scan {
  std::vector<Value> carry, rows;
};

/// The parts of a loop that may be left out.
struct ScanOptions {
  /// 0 for as many as there are rows.
  int64_t steps = 0;
  /// From the last row to the first.
  bool reversed = false;
};

/// The parts of a training step that may be left out, as
/// HamKaasGraphTrainingStep has them.
struct TrainingOptions {
  /// A scalar of floats in place of the optimizer's own rate.
  Value learningRate = {};
  /// The states to train; all that the loss depends on if there are none.
  std::vector<Value> states = {};
  /// A pattern of names of states that are not trained.
  std::string frozen = {};
};

/// A graph: inputs, parameters, states, operations and outputs. Its values
/// refer to it, also after it was moved.
class Graph {
public:
  using Shape = std::vector<int64_t>;

  Graph() {
    HamKaasGraph *handle = nullptr;
    HamKaasError error = HamKaasGraphCreate(&handle);
    shared = std::make_unique<detail::GraphData>(handle);
    shared->check(error);
  }
  /// Leaves `other` as a graph that cannot be compiled, with an error that says
  /// that it was moved.
  Graph(Graph &&other) { swap(other); }
  Graph &operator=(Graph &&other) {
    Graph(std::move(other)).swap(*this);
    return *this;
  }

  /// As HamKaasGraphBeginFunction: what follows belongs to the entry function
  /// of that name.
  void beginFunction(const std::string &name, Position at = Position::here()) {
    if (!canAdd() || !checkName(name, at))
      return;
    if (!outputs.empty())
      shared->check(setOutputs());
    outputs.clear();
    shared->check(HamKaasGraphBeginFunction(shared->handle, name.c_str()));
  }

  /// An argument of each run; inputs are in the order of these calls.
  Value input(const std::string &name, HamKaasElementType type,
              const Shape &shape, Position at = Position::here()) {
    return add(HamKaasGraphAddInput, &name, type, shape, {}, at);
  }

  /// A tensor that is constant while a program is loaded. Whoever creates an
  /// instance provides it.
  Value parameter(const std::string &name, HamKaasElementType type,
                  const Shape &shape, Position at = Position::here()) {
    return add(HamKaasGraphAddParameter, &name, type, shape, {}, at);
  }
  /// The same with its elements, which are not copied: the caller keeps them as
  /// long as the graph, its models and their instances.
  template <typename Elements>
  Value parameter(const std::string &name, const Shape &shape,
                  const Elements &elements, Position at = Position::here()) {
    return add(HamKaasGraphAddParameter, &name, typeOf(elements), shape,
               bytesOf(elements), at);
  }

  /// A tensor that lasts from run to run, zero at first. The value is the one
  /// at the beginning of a run.
  Value state(const std::string &name, HamKaasElementType type,
              const Shape &shape, Position at = Position::here()) {
    return add(HamKaasGraphAddState, &name, type, shape, {}, at);
  }
  /// The same with what it holds at first: all elements, or one that is
  /// repeated. More than 65536 are not copied, as those of a parameter.
  template <typename Elements>
  Value state(const std::string &name, const Shape &shape,
              const Elements &elements, Position at = Position::here()) {
    return add(HamKaasGraphAddState, &name, typeOf(elements), shape,
               bytesOf(elements), at);
  }

  /// Sets what the next run finds in a state.
  void store(const Value &state, const Value &value,
             Position at = Position::here()) {
    HamKaasSourceLine position = {at.file, at.line};
    if (!canAdd())
      return;
    shared->check(HamKaasGraphStoreState(shared->handle, state.handle(),
                                         value.handle(), &position));
  }

  /// A tensor that is part of the program: all elements, at most 65536, or one
  /// that is repeated. They are copied.
  template <typename Elements>
  Value constant(const Shape &shape, const Elements &elements,
                 Position at = Position::here()) {
    return add(HamKaasGraphAddConstant, nullptr, typeOf(elements), shape,
               bytesOf(elements), at);
  }

  /// A loop over the rows of `given.rows`, slices at one index of the first
  /// dimension. Calls `body` once, as `Scan(const std::vector<Value> &carry,
  /// const std::vector<Value> &rows)`: `carry` is that of `given` in the first
  /// step, then what the step before returned. The body may use values from
  /// outside; its own end with it. Returns the last `carry`, and all rows that
  /// the steps returned, those of one place as one tensor.
  template <typename Body>
  Scan scan(const Scan &given, Body body, const ScanOptions &options = {},
            Position at = Position::here()) {
    detail::Loop loop(*shared);
    std::vector<Value> known = loop.begin(given.carry, given.rows,
                                          options.steps, options.reversed, at);
    // Also after an error, because it tells how many rows there are.
    auto [carry, rows] = split(known, given.carry.size());
    Scan step = body(std::as_const(carry), std::as_const(rows));
    return split(loop.end(given.carry.size(), step.carry, step.rows, at),
                 given.carry.size());
  }

  /// The gradient of `y` by each of `xs`, of its type: the sum over the
  /// elements of `y` of their derivatives times those of `seed`, a value of the
  /// type of `y`. Without a seed `y` has one element. Gradients can be
  /// differentiated again. After an error all are none.
  std::vector<Value> gradient(const Value &y, const std::vector<Value> &xs,
                              const Value &seed = {},
                              Position at = Position::here()) {
    std::vector<HamKaasValue> given = detail::handlesOf(xs), results(xs.size());
    HamKaasGraphGradient gradient = {};
    gradient.structSize = sizeof(gradient);
    gradient.y = y.handle();
    gradient.seed = seed.handle();
    gradient.xs = given.data();
    gradient.xCount = static_cast<int32_t>(given.size());
    gradient.file = at.file;
    gradient.line = at.line;
    if (canAdd())
      shared->check(
          HamKaasGraphAddGradient(shared->handle, &gradient, results.data()));
    std::vector<Value> values;
    for (HamKaasValue result : results)
      values.push_back(result ? Value(shared.get(), result) : Value());
    return values;
  }

  /// Adds a step that trains states by an optimizer such as "adam:lr=1e-3", as
  /// HamKaasGraphAddTrainingStep does.
  void trainingStep(const Value &loss, const std::string &optimizer,
                    const TrainingOptions &options = {},
                    Position at = Position::here()) {
    if (!canAdd() || !shared->checkText("an optimizer", optimizer, at) ||
        !shared->checkText("a pattern", options.frozen, at))
      return;
    std::vector<HamKaasValue> states = detail::handlesOf(options.states);
    HamKaasGraphTrainingStep step = {};
    step.structSize = sizeof(step);
    step.loss = loss.handle();
    step.optimizer = optimizer.c_str();
    step.learningRate = options.learningRate.handle();
    step.states = states.data();
    step.stateCount = static_cast<int32_t>(states.size());
    step.frozen = options.frozen.c_str();
    step.file = at.file;
    step.line = at.line;
    shared->check(HamKaasGraphAddTrainingStep(shared->handle, &step));
  }

  /// Adds an output of this function; they are in the order of these calls.
  void output(const std::string &name, const Value &value,
              Position at = Position::here()) {
    if (checkName(name, at))
      outputs.emplace_back(name, value.handle());
  }

  /// Compiles the graph as it is now; it may grow and be compiled again.
  Result<Model> compile(const CompileOptions &options = {}) {
    std::string problem = shared->problem;
    if (problem.empty())
      problem = detail::takeText(setOutputs());
    return Model::make(
        options, std::move(problem),
        [&](const HamKaasCompileOptions *request, HamKaasModel **model) {
          return HamKaasGraphCompile(shared->handle, request, model);
        });
  }

  /// The graph as HamKaasDescribeScript or HamKaasDescribeGraph.
  Result<std::string> describe(HamKaasDescription description) {
    char *text = nullptr;
    std::string problem = shared->problem;
    if (problem.empty())
      problem = detail::takeText(setOutputs());
    if (problem.empty())
      problem = detail::takeText(
          HamKaasGraphDescribe(shared->handle, description, &text));
    std::string copy = text ? text : "";
    HamKaasTextFree(text);
    return detail::give(std::move(problem), std::move(copy));
  }

  /// The first error of a call, empty for none.
  const std::string &error() const { return shared->problem; }

  operator GraphRef() const { return shared.get(); }

private:
  /// Elements of a caller.
  struct Bytes {
    const void *data = nullptr;
    size_t size = 0;
  };

  /// A number, or a container whose elements lie one behind the other.
  template <typename Elements> static constexpr auto elementOf() {
    if constexpr (std::is_class_v<Elements> || std::is_array_v<Elements>)
      return std::remove_cv_t<std::remove_pointer_t<decltype(std::data(
          std::declval<const Elements &>()))>>();
    else
      return Elements();
  }
  template <typename Elements>
  static constexpr HamKaasElementType typeOf(const Elements &) {
    return ElementTypeOf<decltype(elementOf<Elements>())>::value;
  }
  template <typename Elements> static Bytes bytesOf(const Elements &elements) {
    if constexpr (std::is_class_v<Elements> || std::is_array_v<Elements>)
      return {std::data(elements),
              std::size(elements) * sizeof(*std::data(elements))};
    else
      return {&elements, sizeof(elements)};
  }

  static Scan split(const std::vector<Value> &values, size_t carryCount) {
    auto rows = values.begin() + static_cast<std::ptrdiff_t>(carryCount);
    return {{values.begin(), rows}, {rows, values.end()}};
  }

  bool canAdd() const { return shared->problem.empty(); }
  bool checkName(const std::string &name, Position at) {
    return shared->checkText("a name", name, at);
  }

  Value add(HamKaasError (*function)(HamKaasGraph *, const HamKaasGraphTensor *,
                                     HamKaasValue *),
            const std::string *name, HamKaasElementType type,
            const Shape &shape, Bytes bytes, Position at) {
    if (!canAdd() || (name && !checkName(*name, at)))
      return Value();
    HamKaasGraphTensor tensor = {};
    tensor.structSize = sizeof(tensor);
    tensor.name = name ? name->c_str() : nullptr;
    tensor.elementType = type;
    tensor.rank = static_cast<int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.data = bytes.data;
    tensor.bytes = bytes.size;
    tensor.file = at.file;
    tensor.line = at.line;
    HamKaasValue value = 0;
    shared->check(function(shared->handle, &tensor, &value));
    return value ? Value(shared.get(), value) : Value();
  }

  void swap(Graph &other) {
    shared.swap(other.shared);
    outputs.swap(other.outputs);
  }

  HamKaasError setOutputs() {
    std::vector<HamKaasGraphOutput> list;
    for (const auto &[name, value] : outputs)
      list.push_back({name.c_str(), value});
    return HamKaasGraphSetOutputs(shared->handle, list.data(),
                                  static_cast<int32_t>(list.size()));
  }

  std::unique_ptr<detail::GraphData> shared =
      std::make_unique<detail::GraphData>(
          nullptr, "expected a graph, got one that was moved");
  std::vector<std::pair<std::string, HamKaasValue>> outputs;
};

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_GRAPH_H
