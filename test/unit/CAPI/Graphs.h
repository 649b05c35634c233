//===- Graphs.h - Graphs for the tests of the C interface -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_CAPI_GRAPHS_H
#define HAMKAAS_TEST_UNIT_CAPI_GRAPHS_H

#include "Models.h"
#include "hamkaas-c/Graph.h"

namespace hamkaas::test {

struct DestroyGraph {
  void operator()(HamKaasGraph *graph) const {
    EXPECT_EQ(takeText(HamKaasGraphDestroy(graph)), "");
  }
};
using OwnedGraph = std::unique_ptr<HamKaasGraph, DestroyGraph>;

inline OwnedGraph createGraph() {
  HamKaasGraph *graph = nullptr;
  EXPECT_EQ(takeText(HamKaasGraphCreate(&graph)), "");
  return OwnedGraph(graph);
}

using Shape = std::vector<int64_t>;

/// A tensor that refers to `shape`.
inline HamKaasGraphTensor makeTensor(const char *name, const Shape &shape,
                                     int32_t type = HamKaasFloat32) {
  HamKaasGraphTensor tensor = {};
  tensor.structSize = sizeof(tensor);
  tensor.name = name;
  tensor.elementType = type;
  tensor.rank = int32_t(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

inline HamKaasValue addInput(const OwnedGraph &graph, const char *name,
                             const Shape &shape,
                             int32_t type = HamKaasFloat32) {
  HamKaasGraphTensor tensor = makeTensor(name, shape, type);
  HamKaasValue value = 0;
  EXPECT_EQ(takeText(HamKaasGraphAddInput(graph.get(), &tensor, &value)), "");
  return value;
}

/// The same number everywhere.
inline HamKaasValue addNumber(const OwnedGraph &graph, float number,
                              const Shape &shape) {
  HamKaasGraphTensor tensor = makeTensor(nullptr, shape);
  tensor.data = &number;
  tensor.bytes = sizeof(number);
  HamKaasValue value = 0;
  EXPECT_EQ(takeText(HamKaasGraphAddConstant(graph.get(), &tensor, &value)),
            "");
  return value;
}

inline HamKaasAttribute integer(const char *name, int64_t value) {
  HamKaasAttribute attribute = {};
  attribute.name = name;
  attribute.kind = HamKaasIntegerAttribute;
  attribute.integer = value;
  return attribute;
}

inline HamKaasAttribute real(const char *name, double value) {
  HamKaasAttribute attribute = {};
  attribute.name = name;
  attribute.kind = HamKaasRealAttribute;
  attribute.real = value;
  return attribute;
}

inline HamKaasAttribute integers(const char *name, const Shape &values) {
  HamKaasAttribute attribute = {};
  attribute.name = name;
  attribute.kind = HamKaasIntegersAttribute;
  attribute.integers = values.data();
  attribute.count = int32_t(values.size());
  return attribute;
}

inline HamKaasAttribute word(const char *name, const char *value) {
  HamKaasAttribute attribute = {};
  attribute.name = name;
  attribute.kind = HamKaasWordAttribute;
  attribute.word = value;
  return attribute;
}

inline HamKaasAttribute type(const char *name, int32_t value) {
  HamKaasAttribute attribute = integer(name, value);
  attribute.kind = HamKaasTypeAttribute;
  return attribute;
}

/// An operation that refers to the arguments.
template <typename Operation, typename Operand>
Operation makeOperation(const char *name, const std::vector<Operand> &operands,
                        const std::vector<HamKaasAttribute> &attributes) {
  Operation operation = {};
  operation.structSize = sizeof(operation);
  operation.name = name;
  operation.operands = operands.data();
  operation.operandCount = int32_t(operands.size());
  operation.attributes = attributes.data();
  operation.attributeCount = int32_t(attributes.size());
  return operation;
}

/// An operation and its error, empty on success.
struct Applied {
  HamKaasValue result = 0;
  std::string error;
};

inline Applied apply(const OwnedGraph &graph, const char *name,
                     const std::vector<HamKaasValue> &operands,
                     const std::vector<HamKaasAttribute> &attributes = {},
                     const char *file = nullptr, int64_t line = 0) {
  auto operation =
      makeOperation<HamKaasGraphOperation>(name, operands, attributes);
  operation.file = file;
  operation.line = line;
  Applied applied;
  applied.error = takeText(
      HamKaasGraphAddOperation(graph.get(), &operation, &applied.result, 1));
  EXPECT_EQ(applied.result == 0, !applied.error.empty());
  return applied;
}

/// The types of an operation's results and its error, empty on success.
struct Inferred {
  std::vector<HamKaasTensorType> types;
  std::string error;
};

inline Inferred infer(const char *name,
                      const std::vector<const HamKaasTensorType *> &operands,
                      const std::vector<HamKaasAttribute> &attributes = {},
                      int32_t capacity = 8) {
  auto operation =
      makeOperation<HamKaasOperationTypes>(name, operands, attributes);
  Inferred inferred;
  inferred.types.resize(size_t(capacity));
  int32_t count = -1;
  inferred.error = takeText(HamKaasInferOperation(
      &operation, inferred.types.data(), capacity, &count));
  EXPECT_EQ(count == 0 || count > capacity, !inferred.error.empty());
  inferred.types.resize(size_t(count));
  return inferred;
}

/// The result of an operation that is right.
inline HamKaasValue add(const OwnedGraph &graph, const char *name,
                        const std::vector<HamKaasValue> &operands,
                        const std::vector<HamKaasAttribute> &attributes = {}) {
  Applied applied = apply(graph, name, operands, attributes);
  EXPECT_EQ(applied.error, "");
  return applied.result;
}

inline std::string setOutput(const OwnedGraph &graph, HamKaasValue value,
                             const char *name = "result") {
  HamKaasGraphOutput output = {name, value};
  return takeText(HamKaasGraphSetOutputs(graph.get(), &output, 1));
}

inline OwnedModel compileGraph(const OwnedGraph &graph,
                               const HamKaasCompileOptions *options = nullptr) {
  HamKaasModel *model = nullptr;
  EXPECT_EQ(takeText(HamKaasGraphCompile(graph.get(), options, &model)), "");
  return OwnedModel(model);
}

inline std::string compileGraphError(const OwnedGraph &graph,
                                     const HamKaasCompileOptions *options) {
  HamKaasModel *model = nullptr;
  std::string error =
      takeText(HamKaasGraphCompile(graph.get(), options, &model));
  EXPECT_EQ(model == nullptr, !error.empty());
  OwnedModel owned(model);
  return error;
}

inline OwnedInstance instantiate(const OwnedModel &model,
                                 const char *device = nullptr) {
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = device;
  HamKaasInstance *instance = nullptr;
  EXPECT_EQ(
      takeText(HamKaasModelCreateInstance(model.get(), &options, &instance)),
      "");
  return OwnedInstance(instance);
}

/// The graph as text.
inline std::string describe(const OwnedGraph &graph, int32_t description) {
  char *text = nullptr;
  std::string error =
      takeText(HamKaasGraphDescribe(graph.get(), description, &text));
  std::string described = text ? text : "";
  HamKaasTextFree(text);
  return error.empty() ? described : error;
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_CAPI_GRAPHS_H
