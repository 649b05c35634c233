//===- Graph.cpp - Graphs, built operation by operation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include <cstring>
#include <deque>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <type_traits>

using namespace hamkaas::python;

//===----------------------------------------------------------------------===//
// From Python to C
//===----------------------------------------------------------------------===//

static HamKaasTensorType readType(nb::handle given) {
  auto [name, shape] = nb::cast<std::pair<std::string, nb::tuple>>(given);
  HamKaasTensorType type = {};
  type.elementType = parseElementType(name);
  if (type.elementType < 0)
    throw makeError("expected the name of an element type, got '" + name + "'");
  constexpr size_t largestRank = std::extent_v<decltype(type.shape)>;
  if (shape.size() > largestRank)
    throw makeError("expected a shape of 0 to 8 dimensions, got " +
                    std::to_string(shape.size()));
  for (nb::handle size : shape)
    type.shape[type.rank++] = nb::cast<int64_t>(size);
  return type;
}

static nb::tuple makeType(const HamKaasTensorType &type) {
  nb::list shape;
  for (int32_t i = 0; i < type.rank; ++i)
    shape.append(type.shape[i]);
  return nb::make_tuple(elementTypeName(type.elementType), nb::tuple(shape));
}

/// The text of a Python string, which outlives the call.
static const char *readText(nb::handle text) {
  Py_ssize_t size = 0;
  const char *characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!characters)
    PyErr_Clear();
  if (!characters || std::strlen(characters) != static_cast<size_t>(size))
    throw makeError("expected a text of UTF-8 without zeros, got " +
                    nb::cast<std::string>(nb::repr(text)));
  return characters;
}

namespace {

/// Attributes in C, and what they point to.
class Attributes {
public:
  explicit Attributes(nb::tuple given) {
    for (nb::handle attribute : given)
      add(attribute[0], attribute[1]);
  }
  Attributes(const Attributes &) = delete;
  Attributes &operator=(const Attributes &) = delete;

  const HamKaasAttribute *data() const { return attributes.data(); }
  int32_t size() const { return static_cast<int32_t>(attributes.size()); }

private:
  void add(nb::handle name, nb::handle value);

  std::vector<HamKaasAttribute> attributes;
  std::deque<std::vector<int64_t>> lists;
};

} // namespace

void Attributes::add(nb::handle name, nb::handle value) {
  HamKaasAttribute attribute = {};
  attribute.name = readText(name);
  if (PyUnicode_CheckExact(value.ptr())) {
    attribute.kind = HamKaasWordAttribute;
    attribute.word = readText(value);
  } else if (PyUnicode_Check(value.ptr())) {
    attribute.kind = HamKaasTypeAttribute;
    attribute.integer = parseElementType(readText(value));
  } else if (PyFloat_Check(value.ptr())) {
    attribute.kind = HamKaasRealAttribute;
    attribute.real = PyFloat_AS_DOUBLE(value.ptr());
  } else if (PyTuple_Check(value.ptr())) {
    attribute.kind = HamKaasIntegersAttribute;
    std::vector<int64_t> &list = lists.emplace_back();
    for (nb::handle entry : value)
      list.push_back(nb::cast<int64_t>(entry));
    attribute.integers = list.data();
    attribute.count = static_cast<int32_t>(list.size());
  } else {
    attribute.kind = HamKaasIntegerAttribute;
    attribute.integer = nb::cast<int64_t>(value);
  }
  attributes.push_back(attribute);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Graph::Graph() { check(HamKaasGraphCreate(&handle)); }

HamKaasValue Graph::addTensor(AddTensor add, const char *name, TypeTuple given,
                              nb::handle elements, PositionTuple position) {
  HamKaasTensorType type = readType(given);
  HamKaasGraphTensor tensor = {};
  tensor.structSize = sizeof(tensor);
  tensor.name = name;
  tensor.elementType = type.elementType;
  tensor.rank = type.rank;
  tensor.shape = type.shape;
  if (elements.is_valid() && PyLong_Check(elements.ptr())) {
    tensor.bytes = nb::cast<uint64_t>(elements);
  } else if (elements.is_valid()) {
    tensor.data = PyBytes_AS_STRING(elements.ptr());
    tensor.bytes = static_cast<uint64_t>(PyBytes_GET_SIZE(elements.ptr()));
  }
  tensor.file = readText(position[0]);
  tensor.line = nb::cast<int64_t>(position[1]);
  HamKaasValue value = 0;
  check(add(handle, &tensor, &value));
  return value;
}

void Graph::beginFunction(const std::string &name) {
  check(HamKaasGraphBeginFunction(handle, name.c_str()));
}

HamKaasValue Graph::addInput(const std::string &name, TypeTuple type,
                             PositionTuple position) {
  return addTensor(HamKaasGraphAddInput, name.c_str(), type, {}, position);
}

HamKaasValue Graph::addParameter(const std::string &name, TypeTuple type,
                                 PositionTuple position) {
  return addTensor(HamKaasGraphAddParameter, name.c_str(), type, {}, position);
}

HamKaasValue Graph::addState(const std::string &name, TypeTuple type,
                             nb::object elements, PositionTuple position) {
  nb::handle given = elements.is_none() ? nb::handle() : elements;
  if (given.is_valid() && !PyBytes_Check(given.ptr()) &&
      !PyLong_Check(given.ptr()))
    throw nb::type_error("expected bytes, or how many there are");
  return addTensor(HamKaasGraphAddState, name.c_str(), type, given, position);
}

HamKaasValue Graph::addConstant(TypeTuple type, nb::bytes elements,
                                PositionTuple position) {
  return addTensor(HamKaasGraphAddConstant, nullptr, type, elements, position);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Refers to the arguments.
template <typename Operation, typename Operand>
static Operation makeOperation(const std::string &name,
                               const std::vector<Operand> &operands,
                               const Attributes &attributes) {
  Operation operation = {};
  operation.structSize = sizeof(operation);
  operation.name = name.c_str();
  operation.operands = operands.data();
  operation.operandCount = static_cast<int32_t>(operands.size());
  operation.attributes = attributes.data();
  operation.attributeCount = attributes.size();
  return operation;
}

nb::object Graph::addOperation(const std::string &name, nb::list given,
                               nb::tuple givenAttributes,
                               PositionTuple position, int32_t resultCount) {
  std::vector<HamKaasValue> operands;
  operands.reserve(given.size());
  for (nb::handle operand : given)
    operands.push_back(nb::cast<HamKaasValue>(operand));
  Attributes attributes(givenAttributes);
  auto operation =
      makeOperation<HamKaasGraphOperation>(name, operands, attributes);
  operation.file = readText(position[0]);
  operation.line = nb::cast<int64_t>(position[1]);
  std::vector<HamKaasValue> results(static_cast<size_t>(resultCount));
  check(HamKaasGraphAddOperation(handle, &operation, results.data(),
                                 resultCount));
  if (resultCount == 1)
    return nb::int_(results[0]);
  nb::list values;
  for (HamKaasValue result : results)
    values.append(result);
  return nb::tuple(values);
}

using Values = std::vector<HamKaasValue>;

Values Graph::beginScan(const Values &inits, const Values &inputs,
                        int64_t steps, bool isReversed,
                        PositionTuple position) {
  HamKaasGraphScan scan = {};
  scan.structSize = sizeof(scan);
  scan.inits = inits.data();
  scan.inputs = inputs.data();
  scan.initCount = static_cast<int32_t>(inits.size());
  scan.inputCount = static_cast<int32_t>(inputs.size());
  scan.steps = steps;
  scan.reversed = isReversed;
  scan.file = readText(position[0]);
  scan.line = nb::cast<int64_t>(position[1]);
  Values arguments(inits.size() + inputs.size());
  check(HamKaasGraphBeginScan(handle, &scan, arguments.data()));
  return arguments;
}

static HamKaasSourceLine readLine(PositionTuple position) {
  return {readText(position[0]), nb::cast<int64_t>(position[1])};
}

Values Graph::endScan(const Values &yielded, PositionTuple position) {
  HamKaasSourceLine line = readLine(position);
  Values results(yielded.size());
  check(HamKaasGraphEndScan(handle, yielded.data(),
                            static_cast<int32_t>(yielded.size()), &line,
                            results.data()));
  return results;
}

Values Graph::addGradient(HamKaasValue y, HamKaasValue seed, const Values &xs,
                          PositionTuple position) {
  HamKaasGraphGradient gradient = {};
  gradient.structSize = sizeof(gradient);
  gradient.y = y;
  gradient.seed = seed;
  gradient.xs = xs.data();
  gradient.xCount = static_cast<int32_t>(xs.size());
  gradient.file = readText(position[0]);
  gradient.line = nb::cast<int64_t>(position[1]);
  Values results(xs.size());
  check(HamKaasGraphAddGradient(handle, &gradient, results.data()));
  return results;
}

void Graph::addTrainingStep(HamKaasValue loss, const std::string &optimizer,
                            HamKaasValue learningRate, const Values &states,
                            const std::string &frozen, PositionTuple position) {
  HamKaasGraphTrainingStep step = {};
  step.structSize = sizeof(step);
  step.loss = loss;
  step.optimizer = optimizer.c_str();
  step.learningRate = learningRate;
  step.states = states.data();
  step.stateCount = static_cast<int32_t>(states.size());
  step.frozen = frozen.c_str();
  step.file = readText(position[0]);
  step.line = nb::cast<int64_t>(position[1]);
  check(HamKaasGraphAddTrainingStep(handle, &step));
}

void Graph::storeState(HamKaasValue state, HamKaasValue value,
                       PositionTuple position) {
  HamKaasSourceLine line = readLine(position);
  check(HamKaasGraphStoreState(handle, state, value, &line));
}

nb::tuple hamkaas::python::inferOperation(const std::string &name,
                                          nb::tuple given,
                                          nb::tuple givenAttributes) {
  std::deque<HamKaasTensorType> types;
  std::vector<const HamKaasTensorType *> operands;
  for (nb::handle operand : given)
    operands.push_back(
        operand.is_none() ? nullptr : &types.emplace_back(readType(operand)));
  Attributes attributes(givenAttributes);
  auto operation =
      makeOperation<HamKaasOperationTypes>(name, operands, attributes);
  std::vector<HamKaasTensorType> results(1);
  int32_t count = 0;
  auto infer = [&] {
    return HamKaasInferOperation(&operation, results.data(),
                                 static_cast<int32_t>(results.size()), &count);
  };
  HamKaasError error = infer();
  if (count > 1) {
    HamKaasErrorFree(error);
    results.resize(static_cast<size_t>(count));
    error = infer();
  }
  check(error);
  nb::list all;
  for (const HamKaasTensorType &type : results)
    all.append(makeType(type));
  return nb::tuple(all);
}

std::string hamkaas::python::describeOperations() {
  char *text = nullptr;
  check(HamKaasDescribeOperations(&text));
  std::string copy = text;
  HamKaasTextFree(text);
  return copy;
}

//===----------------------------------------------------------------------===//
// Whole graphs
//===----------------------------------------------------------------------===//

void Graph::setOutputs(
    const std::vector<std::pair<nb::str, HamKaasValue>> &outputs) {
  std::vector<HamKaasGraphOutput> given;
  for (const auto &[name, value] : outputs)
    given.push_back({readText(name), value});
  check(HamKaasGraphSetOutputs(handle, given.data(),
                               static_cast<int32_t>(given.size())));
}

std::string Graph::describe() const {
  char *text = nullptr;
  check(HamKaasGraphDescribe(handle, HamKaasDescribeScript, &text));
  std::string copy = text;
  HamKaasTextFree(text);
  return copy;
}

std::unique_ptr<Model> Graph::compile(const CompileArguments &arguments) const {
  return Model::compileGraph(handle, arguments);
}
