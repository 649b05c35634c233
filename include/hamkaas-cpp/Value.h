//===- Value.h - Values of a graph, and calls of operations -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_VALUE_H
#define HAMKAAS_CPP_VALUE_H

#include "hamkaas-c/Graph.h"
#include "hamkaas-cpp/Result.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// The place of a call in the user's program, for messages and reports.
struct Position {
  const char *file;
  int64_t line;

  static Position here(const char *file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
    return {file, line};
  }
};

namespace detail {

/// The data that a Graph and its values share.
struct GraphData {
  explicit GraphData(HamKaasGraph *handle, std::string problem = "")
      : handle(handle), problem(std::move(problem)) {}
  GraphData(const GraphData &) = delete;
  GraphData &operator=(const GraphData &) = delete;
  ~GraphData() { HamKaasErrorFree(HamKaasGraphDestroy(handle)); }

  /// Keeps the first problem, or throws it.
  void fail(std::string text) {
#ifdef HAMKAAS_EXCEPTIONS
    throw Error(std::move(text));
#else
    if (problem.empty())
      problem = std::move(text);
#endif
  }
  /// False for an error, which is kept or thrown.
  bool check(HamKaasError error) {
    if (!error)
      return true;
    fail(takeText(error));
    return false;
  }

  /// Fails for a text that C would cut off.
  bool checkText(const char *what, const std::string &text, Position at) {
    if (text.find('\0') == std::string::npos)
      return true;
    std::string shown;
    for (char c : text)
      shown += c == '\0' ? std::string("\\0") : std::string(1, c);
    fail(std::string(at.file) + ":" + std::to_string(at.line) +
         ": error: expected " + what + " without NUL, got '" + shown + "'");
    return false;
  }

  HamKaasGraph *handle;
  std::string problem;
};

} // namespace detail

/// A graph, as what an operation without operands is added to.
class GraphRef {
public:
  GraphRef(detail::GraphData *graph) : graph(graph) {}
  detail::GraphData *data() const { return graph; }

private:
  detail::GraphData *graph;
};

/// A tensor of a graph, which must outlive it. One that is none stands for an
/// optional operand that is left out, and for the result of a call that failed.
class Value {
public:
  Value() = default;
  Value(detail::GraphData *graph, HamKaasValue number)
      : graph(graph), number(number) {}

  explicit operator bool() const { return number != 0; }

  /// The element type and the shape; a rank of 0 and no sizes for none.
  HamKaasTensorType type() const {
    HamKaasTensorType type = {};
    if (number)
      graph->check(HamKaasGraphGetType(graph->handle, number, &type));
    return type;
  }
  std::vector<int64_t> shape() const {
    HamKaasTensorType known = type();
    return {known.shape, known.shape + known.rank};
  }

  /// Null for none.
  detail::GraphData *owner() const { return graph; }
  HamKaasValue handle() const { return number; }

private:
  detail::GraphData *graph = nullptr;
  HamKaasValue number = 0;
};

/// A number as an attribute: one of the element type of a tensor.
struct Number {
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Number(T value)
      : isInteger(std::is_integral_v<T>), integer(toInteger(value)),
        real(static_cast<double>(value)) {}

  bool isInteger;
  int64_t integer; // of a real number, what is before the point; modulo 2^64
  double real;

private:
  template <typename T> static int64_t toInteger(T value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(value);
    else if (value >= 0 && value < static_cast<T>(0x1p64))
      return static_cast<int64_t>(static_cast<uint64_t>(value));
    else if (value < 0 && value >= static_cast<T>(-0x1p63))
      return static_cast<int64_t>(value);
    else
      return 0; // No integer of 64 bits.
  }
};

namespace detail {

/// An attribute of an operation, with what it refers to.
struct Attribute {
  static Attribute makeInteger(const char *name, int64_t value) {
    return {name, HamKaasIntegerAttribute, value, 0, {}, {}};
  }
  static Attribute makeReal(const char *name, double value) {
    return {name, HamKaasRealAttribute, 0, value, {}, {}};
  }
  static Attribute makeNumber(const char *name, Number value) {
    return value.isInteger ? makeInteger(name, value.integer)
                           : makeReal(name, value.real);
  }
  static Attribute makeIntegers(const char *name, std::vector<int64_t> value) {
    return {name, HamKaasIntegersAttribute, 0, 0, std::move(value), {}};
  }
  static Attribute makeWord(const char *name, std::string value) {
    return {name, HamKaasWordAttribute, 0, 0, {}, std::move(value)};
  }
  static Attribute makeType(const char *name, HamKaasElementType value) {
    return {name, HamKaasTypeAttribute, value, 0, {}, {}};
  }

  HamKaasAttribute get() const {
    HamKaasAttribute attribute = {};
    attribute.name = name;
    attribute.kind = kind;
    attribute.count = static_cast<int32_t>(integers.size());
    attribute.integer = integer;
    attribute.real = real;
    attribute.integers = integers.data();
    attribute.word = word.c_str();
    return attribute;
  }

  const char *name;
  HamKaasAttributeKind kind;
  int64_t integer;
  double real;
  std::vector<int64_t> integers;
  std::string word;
};

/// The parts of a call that may be left out; the classes of Operations.h derive
/// from it.
class Options {
public:
  const std::vector<Value> &operands() const { return values; }
  const std::vector<Attribute> &attributes() const { return list; }

protected:
  explicit Options(size_t operandCount = 0) : values(operandCount) {}

  void set(size_t operand, const Value &value) { values[operand] = value; }
  void set(Attribute attribute) { list.push_back(std::move(attribute)); }

private:
  std::vector<Value> values;
  std::vector<Attribute> list;
};

/// A call of an operation of the table, by name.
class Call {
public:
  Call(const char *name, Position at) : name(name), at(at) {}

  Call &in(GraphData *owner) {
    if (!graph)
      graph = owner;
    return *this;
  }
  Call &operand(const Value &value) {
    operands.push_back(value.handle());
    return in(value.owner());
  }
  Call &operand(const std::vector<Value> &values) {
    for (const Value &value : values)
      operand(value);
    return *this;
  }
  Call &attribute(Attribute attribute) {
    attributes.push_back(std::move(attribute));
    return *this;
  }
  Call &options(const Options &options) {
    attributes.insert(attributes.end(), options.attributes().begin(),
                      options.attributes().end());
    return operand(options.operands());
  }

  /// Of an operation with one result; none if it fails.
  Value result() { return results<1>()[0]; }

  /// Of an operation with `count` results.
  template <size_t count> std::array<Value, count> results() {
    std::array<HamKaasValue, count> numbers = {};
    add(numbers.data(), count);
    std::array<Value, count> values;
    for (size_t i = 0; i < count; ++i)
      values[i] = Value(graph, numbers[i]);
    return values;
  }

  /// Of an operation whose number of results depends on how it is called.
  std::vector<Value> anyResults() {
    std::vector<HamKaasValue> numbers(countResults());
    if (!numbers.empty())
      add(numbers.data(), numbers.size());
    std::vector<Value> values;
    for (HamKaasValue number : numbers)
      if (number)
        values.emplace_back(graph, number);
    return values;
  }

private:
  std::vector<HamKaasAttribute> getAttributes() const {
    std::vector<HamKaasAttribute> list;
    for (const Attribute &attribute : attributes)
      list.push_back(attribute.get());
    return list;
  }

  /// The operation as C knows it, which refers to the arguments.
  template <typename Operation, typename Operand>
  Operation make(const std::vector<Operand> &given,
                 const std::vector<HamKaasAttribute> &list) const {
    Operation operation = {};
    operation.structSize = sizeof(operation);
    operation.name = name;
    operation.operands = given.data();
    operation.operandCount = static_cast<int32_t>(given.size());
    operation.attributes = list.data();
    operation.attributeCount = static_cast<int32_t>(list.size());
    return operation;
  }

  bool areTextsValid() {
    return std::all_of(attributes.begin(), attributes.end(),
                       [&](const Attribute &attribute) {
                         return graph->checkText("a text", attribute.word, at);
                       });
  }

  /// After a failure there is nothing to add to.
  bool canAdd() {
    if (graph)
      return graph->problem.empty() && areTextsValid();
#ifdef HAMKAAS_EXCEPTIONS
    throw Error(std::string("'") + name + "': expected values, got none");
#else
    return false;
#endif
  }

  void add(HamKaasValue *results, size_t count) {
    if (!canAdd())
      return;
    std::vector<HamKaasAttribute> list = getAttributes();
    auto operation = make<HamKaasGraphOperation>(operands, list);
    operation.file = at.file;
    operation.line = at.line;
    graph->check(HamKaasGraphAddOperation(graph->handle, &operation, results,
                                          static_cast<int32_t>(count)));
  }

  size_t countResults() {
    if (!canAdd())
      return 0;
    std::vector<HamKaasTensorType> types(operands.size());
    std::vector<const HamKaasTensorType *> given(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i])
        continue;
      if (!graph->check(
              HamKaasGraphGetType(graph->handle, operands[i], &types[i])))
        return 0;
      given[i] = &types[i];
    }
    std::vector<HamKaasAttribute> list = getAttributes();
    auto operation = make<HamKaasOperationTypes>(given, list);
    // Without room for types, the call counts the results.
    int32_t count = 0;
    std::string problem =
        takeText(HamKaasInferOperation(&operation, nullptr, 0, &count));
    if (count > 0)
      return static_cast<size_t>(count);
    graph->fail(std::string(at.file) + ":" + std::to_string(at.line) +
                ": error: " + problem);
    return 0;
  }

  const char *name;
  Position at;
  GraphData *graph = nullptr;
  std::vector<HamKaasValue> operands;
  std::vector<Attribute> attributes;
};

inline std::vector<HamKaasValue> handlesOf(const std::vector<Value> &values) {
  std::vector<HamKaasValue> handles;
  for (const Value &value : values)
    handles.push_back(value.handle());
  return handles;
}

/// A loop whose body is being built; dropped unless it ends.
class Loop {
public:
  explicit Loop(GraphData &graph) : graph(graph) {}
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;
  ~Loop() {
    if (isOpen)
      HamKaasErrorFree(HamKaasGraphAbandonScan(graph.handle));
  }

  /// The arguments of the body; all are none after an error.
  std::vector<Value> begin(const std::vector<Value> &inits,
                           const std::vector<Value> &inputs, int64_t steps,
                           bool isReversed, Position at) {
    std::vector<HamKaasValue> first = handlesOf(inits),
                              rows = handlesOf(inputs),
                              arguments(first.size() + rows.size());
    HamKaasGraphScan scan = {};
    scan.structSize = sizeof(scan);
    scan.inits = first.data();
    scan.inputs = rows.data();
    scan.initCount = static_cast<int32_t>(first.size());
    scan.inputCount = static_cast<int32_t>(rows.size());
    scan.steps = steps;
    scan.reversed = isReversed;
    scan.file = at.file;
    scan.line = at.line;
    if (graph.problem.empty())
      isOpen = graph.check(
          HamKaasGraphBeginScan(graph.handle, &scan, arguments.data()));
    return name(arguments);
  }

  /// The results, of which all are none after an error in the body or here.
  std::vector<Value> end(size_t carryCount, const std::vector<Value> &carry,
                         const std::vector<Value> &rows, Position at) {
    if (graph.problem.empty() && carry.size() != carryCount)
      graph.fail(std::string(at.file) + ":" + std::to_string(at.line) +
                 ": error: 'scan': expected the body to return a carry of " +
                 std::to_string(carryCount) + " values, got " +
                 std::to_string(carry.size()));
    std::vector<HamKaasValue> results(carryCount + rows.size());
    if (!graph.problem.empty())
      return name(results);
    std::vector<HamKaasValue> yielded = handlesOf(carry);
    for (HamKaasValue row : handlesOf(rows))
      yielded.push_back(row);
    HamKaasSourceLine position = {at.file, at.line};
    isOpen = !graph.check(HamKaasGraphEndScan(
        graph.handle, yielded.data(), static_cast<int32_t>(yielded.size()),
        &position, results.data()));
    return name(results);
  }

private:
  std::vector<Value> name(const std::vector<HamKaasValue> &handles) const {
    std::vector<Value> values;
    for (HamKaasValue handle : handles)
      values.push_back(handle ? Value(&graph, handle) : Value());
    return values;
  }

  GraphData &graph;
  bool isOpen = false;
};

} // namespace detail

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_VALUE_H
