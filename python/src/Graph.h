//===- Graph.h - Graphs, built operation by operation -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_GRAPH_H
#define HAMKAAS_PYTHON_GRAPH_H

#include "Model.h"
#include "hamkaas-c/Graph.h"

namespace hamkaas::python {

/// Name of the element type, and shape.
using TypeTuple = nb::tuple;

/// File and line.
using PositionTuple = nb::tuple;

/// A HamKaasGraph. Attributes are tuples of a name and a value: an integer or a
/// flag, a float, a tuple of integers, a str for a word, and an instance of a
/// subclass of str for an element type.
class Graph {
public:
  Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph() { HamKaasErrorFree(HamKaasGraphDestroy(handle)); }

  /// Inputs, operations, stores and outputs that follow belong to it.
  void beginFunction(const std::string &name);
  HamKaasValue addInput(const std::string &name, TypeTuple type,
                        PositionTuple position);
  /// Whoever makes an instance gives its contents.
  HamKaasValue addParameter(const std::string &name, TypeTuple type,
                            PositionTuple position);
  /// `elements` are all, or one that is repeated, or None for zeros.
  HamKaasValue addState(const std::string &name, TypeTuple type,
                        nb::object elements, PositionTuple position);
  /// `elements` are all, or one that is repeated.
  HamKaasValue addConstant(TypeTuple type, nb::bytes elements,
                           PositionTuple position);
  /// The value of the result, or a tuple of them if `resultCount` is not 1.
  nb::object addOperation(const std::string &name, nb::list operands,
                          nb::tuple attributes, PositionTuple position,
                          int32_t resultCount);
  /// The arguments of the body of a loop.
  std::vector<HamKaasValue> beginScan(const std::vector<HamKaasValue> &inits,
                                      const std::vector<HamKaasValue> &inputs,
                                      int64_t steps, bool isReversed,
                                      PositionTuple position);
  /// The results of the loop.
  std::vector<HamKaasValue> endScan(const std::vector<HamKaasValue> &yielded,
                                    PositionTuple position);
  /// Gradients of `y` by each of `xs`; 0 for no seed.
  std::vector<HamKaasValue> addGradient(HamKaasValue y, HamKaasValue seed,
                                        const std::vector<HamKaasValue> &xs,
                                        PositionTuple position);
  /// 0 for no learning rate, no states for all.
  void addTrainingStep(HamKaasValue loss, const std::string &optimizer,
                       HamKaasValue learningRate,
                       const std::vector<HamKaasValue> &states,
                       const std::string &frozen, PositionTuple position);
  void storeState(HamKaasValue state, HamKaasValue value,
                  PositionTuple position);
  void setOutputs(const std::vector<std::pair<nb::str, HamKaasValue>> &outputs);
  std::unique_ptr<Model> compile(const CompileArguments &arguments) const;
  /// As a script, which needs outputs.
  std::string describe() const;

private:
  using AddTensor = HamKaasError (*)(HamKaasGraph *, const HamKaasGraphTensor *,
                                     HamKaasValue *);

  HamKaasValue addTensor(AddTensor add, const char *name, TypeTuple type,
                         nb::handle elements, PositionTuple position);

  HamKaasGraph *handle = nullptr;
};

/// The types of the results, for operands of which None is one left out.
nb::tuple inferOperation(const std::string &name, nb::tuple operands,
                         nb::tuple attributes);

/// The JSON of HamKaasDescribeOperations.
std::string describeOperations();

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_GRAPH_H
