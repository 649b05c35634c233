//===- Model.h - A compiled model -------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_MODEL_H
#define HAMKAAS_PYTHON_MODEL_H

#include "Instance.h"
#include "hamkaas-c/Graph.h"
#include <string_view>
#include <utility>

namespace hamkaas::python {

/// An input of an ONNX model that is to be a constant.
struct ConstantInput {
  std::string name, elementType;
  std::vector<int64_t> shape;
  nb::bytes elements;
};

/// The arguments of compile and load, and their results beside the model.
struct CompileArguments {
  std::string name;
  /// The options with one value by their names in C, without those that are
  /// not given; hamkaas.options has checked them.
  nb::dict options;
  /// File and line of each line of the source, or none.
  std::vector<std::pair<std::string, int64_t>> lines;
  /// None, or called with a step, the number of those done and their total.
  nb::object progress;
  /// For an ONNX model: sizes of dimensions by their names.
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<ConstantInput> constantInputs;

  /// HamKaasCompileOptions::failure and summary, the latter "" for null.
  mutable int32_t failure = HamKaasNoFailure;
  mutable std::string summary = {};
};

/// A HamKaasModel. All functions need the GIL, which they release while they
/// compile or touch files.
class Model {
public:
  /// An exception of the progress function, or a KeyboardInterrupt, ends the
  /// compilation and is thrown.
  static std::unique_ptr<Model> compile(std::string_view source,
                                        const CompileArguments &arguments);
  static std::unique_ptr<Model> compileGraph(HamKaasGraph *graph,
                                             const CompileArguments &arguments);
  /// The model in a file, script, MLIR or ONNX, or in a library; the latter
  /// without `arguments`, and compared with its digest if `verify` is true.
  static std::unique_ptr<Model>
  load(nb::bytes path, const CompileArguments &arguments, bool verify);

  explicit Model(HamKaasModel *handle);
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;
  ~Model();

  std::unique_ptr<Instance>
  createInstance(const std::string &device, int32_t threads,
                 nb::dict parameters, std::optional<nb::bytes> weights,
                 const Instance *constantsOf, const Instance *stateOf,
                 bool isUnverified, bool sharesThreads);
  std::string describe(int32_t description);
  void write(nb::bytes path, nb::dict parameters,
             std::optional<nb::bytes> weights, nb::dict options);
  const Tables &getTables() const { return *tables; }

private:
  HamKaasModel *handle;
  std::shared_ptr<const Tables> tables;
};

/// The element type and the shape of the result of a script.
std::pair<std::string, nb::tuple> inferResult(const std::string &source);

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_MODEL_H
