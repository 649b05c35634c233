//===- Recorder.h - The graph of an expression ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_RECORDER_H
#define HAMKAAS_CPP_ARRAY_RECORDER_H

#include "hamkaas-cpp/Array/Window.h"
#include "hamkaas-cpp/Value.h"

#include <string>
#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

/// An array or a scalar of an expression.
struct Argument {
  /// Null for a scalar.
  const Elements *elements;
  /// The argument of the program.
  const void *address;
  int32_t type;
  /// The first operand that is the same array; its own number otherwise.
  int32_t same;
  bool isDense;
  /// Copied before each run, because no window shows it.
  bool isCopied;
  Window window;
};

/// A value of the graph that is being recorded, and its shape.
struct Node {
  Value value;
  Dims shape;
};

inline Attribute integers(const char *name, const Dims &dims) {
  return Attribute::makeIntegers(name, {dims.begin(), dims.end()});
}

/// Builds the graph of an expression. Types are inferred by the compiler. After
/// a problem, calls do nothing.
class Recorder {
public:
  explicit Recorder(Position at) : at(at), graph(createGraph()) {}

  void fail(const std::string &problem) { graph.fail(locate(at, problem)); }

  void addOperands(const Argument *operands, int32_t count) {
    for (int32_t i = 0; i < count; ++i)
      nodes.push_back(operands[i].same == i
                          ? addOperand(operands[i], i)
                          : nodes[static_cast<size_t>(operands[i].same)]);
  }
  /// The operands in their order, one a call.
  Node takeOperand() { return nodes[next++]; }

  Node add(const char *name, const std::vector<Node> &operands,
           std::initializer_list<Attribute> attributes = {}) {
    Call call(name, at);
    call.in(&graph);
    for (const Node &operand : operands)
      call.operand(operand.value);
    for (const Attribute &attribute : attributes)
      call.attribute(attribute);
    return describe(call.result());
  }

  /// An operation on elements, whose operands broadcast as numpy's.
  Node addElementwise(const char *name, std::vector<Node> operands,
                      std::initializer_list<Attribute> attributes = {}) {
    Dims shape = commonShape(operands);
    for (Node &operand : operands) {
      // An operation on two tensors repeats dimensions of the second itself.
      bool isSecond = operands.size() == 2 && &operand == &operands[1];
      operand = isSecond ? reshape(operand, padded(operand.shape, shape.size()))
                         : broadcast(operand, shape);
    }
    return add(name, operands, attributes);
  }

  Node reshape(const Node &x, const Dims &shape) {
    return x.shape == shape ? x
                            : add("reshape", {x}, {integers("shape", shape)});
  }

  Node broadcast(const Node &x, const Dims &shape) {
    if (x.shape == shape)
      return x;
    Layout layout = Layout::dense(x.shape);
    std::string problem = detail::broadcast(layout, shape);
    if (!problem.empty()) {
      fail(problem);
      return x;
    }
    Node full = reshape(x, padded(x.shape, shape.size()));
    return full.shape == shape
               ? full
               : add("broadcast", {full}, {integers("shape", shape)});
  }

  Node permute(const Node &x, const Dims &order) {
    bool isSame = true;
    for (int32_t i = 0; i < order.size(); ++i)
      isSame &= order[i] == i;
    return isSame ? x : add("permute", {x}, {integers("permutation", order)});
  }

  /// Returns a problem, or nothing; then `*model` is the caller's.
  std::string compile(const Node &result, const char *target,
                      HamKaasModel **model) {
    HamKaasGraphOutput output = {"result", result.value.handle()};
    HamKaasCompileOptions options = {};
    options.structSize = sizeof(options);
    options.name = "expression";
    options.target = target;
    std::string problem = graph.problem;
    if (problem.empty())
      problem = takeText(HamKaasGraphSetOutputs(graph.handle, &output, 1));
    if (problem.empty())
      problem = takeText(HamKaasGraphCompile(graph.handle, &options, model));
    return problem;
  }

private:
  static HamKaasGraph *createGraph() {
    HamKaasGraph *handle = nullptr;
    // Without memory for it, the first call on it says so.
    HamKaasErrorFree(HamKaasGraphCreate(&handle));
    return handle;
  }

  static Node describe(const Value &value) {
    HamKaasTensorType type = value.type();
    return {value, Dims(type.shape, static_cast<size_t>(type.rank))};
  }

  static Dims padded(const Dims &shape, int32_t rank) {
    Dims result;
    for (int32_t i = shape.size(); i < rank; ++i)
      result.push(1);
    for (int64_t size : shape)
      result.push(size);
    return result;
  }

  Dims commonShape(const std::vector<Node> &operands) {
    Dims common;
    for (const Node &operand : operands) {
      int32_t rank = std::max(common.size(), operand.shape.size());
      Dims left = padded(common, rank), right = padded(operand.shape, rank);
      for (int32_t i = 0; i < rank; ++i) {
        if (left[i] != right[i] && left[i] != 1 && right[i] != 1)
          fail("expected shapes that broadcast together, got " +
               detail::describe(common) + " and " +
               detail::describe(operand.shape));
        left[i] = std::max(left[i], right[i]);
      }
      common = left;
    }
    return common;
  }

  Node addInput(int32_t type, const Dims &shape, int32_t number) {
    std::string name = "x" + std::to_string(number);
    HamKaasGraphTensor tensor = {};
    tensor.structSize = sizeof(tensor);
    tensor.name = name.c_str();
    tensor.elementType = type;
    tensor.rank = shape.size();
    tensor.shape = shape.data();
    tensor.file = at.file;
    tensor.line = at.line;
    HamKaasValue value = 0;
    if (graph.problem.empty())
      graph.check(HamKaasGraphAddInput(graph.handle, &tensor, &value));
    return describe(value ? Value(&graph, value) : Value());
  }

  Node addOperand(const Argument &operand, int32_t number) {
    if (!operand.elements)
      return addInput(operand.type, {}, number);
    const Dims &shape = operand.elements->shape();
    if (operand.isDense || operand.isCopied)
      return addInput(operand.type, shape, number);
    return addWindow(operand, shape, number);
  }

  Node addWindow(const Argument &operand, const Dims &shape, int32_t number) {
    const Window &window = operand.window;
    auto list = [&](const int64_t *entries) {
      return Dims(entries, static_cast<size_t>(window.rank));
    };
    Dims sizes = list(window.sizes), counts = list(window.counts);
    Dims offsets = list(window.offsets), steps = list(window.steps);
    Node x = addInput(operand.type, sizes, number);
    if (window.rank > 0)
      x = add("strided_slice", {x},
              {integers("offsets", offsets), integers("sizes", counts),
               integers("strides", steps)});
    // From the order of strides to that of the view.
    Dims order, kept;
    for (int32_t dim = 0; dim < shape.size(); ++dim) {
      kept.push(1);
      for (int32_t i = 0; i < window.rank; ++i)
        if (window.dims[i] == dim) {
          order.push(i);
          kept[dim] = shape[dim];
        }
    }
    return broadcast(reshape(permute(x, order), kept), shape);
  }

  Position at;
  GraphData graph;
  std::vector<Node> nodes;
  size_t next = 0;
};

} // namespace detail
} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_RECORDER_H
