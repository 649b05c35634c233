//===- Importer.h - Walks the graph of a model ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_IMPORTER_H
#define HAMKAAS_LIB_FRONTEND_ONNX_IMPORTER_H

#include "OpContext.h"
#include "Opsets.h"
#include "Tensors.h"
#include <map>

namespace hamkaas::onnx {

/// A value by its name. One without a tensor comes from a node that failed, or
/// that has no such output; `problem` is what to say of its use then, empty if
/// enough was said.
struct NamedValue {
  Tensor tensor;
  std::string problem;
  /// An input of a function that its call leaves out.
  bool isLeftOut = false;
};

/// The values that the nodes of a graph see: its own and those around it.
struct Scope {
  const Scope *parent = nullptr;
  llvm::StringMap<NamedValue> values = {};

  const NamedValue *find(llvm::StringRef name) const;
};

/// Facts that hold for all nodes of a graph or function.
struct Environment {
  /// Versions of the operators by domain.
  llvm::StringMap<int64_t> opsets = {};
  /// Attributes of the call, null outside of functions.
  const AttributeScope *attributes = nullptr;
  /// The prefix of nodes' names, "call/".
  std::string prefix = "";
  int depth = 0;
};

llvm::StringMap<int64_t> readOpsets(llvm::ArrayRef<OpsetProto> list);

/// Reads the graphs and functions of one model.
class Importer {
public:
  Importer(const ModelProto &model, llvm::StringRef name,
           mlir::MLIRContext *context, const OnnxImportOptions &options,
           ParameterContents &parameters, OnnxSummary &summary);

  /// Null after problems, which are reported.
  mlir::OwningOpRef<mlir::ModuleOp> run();
  /// OnnxModel::updates.
  std::vector<std::string> getUpdates() const {
    std::vector<std::string> names;
    for (const auto &[name, value] : updates)
      names.push_back(name);
    return names;
  }

private:
  using Nodes = std::vector<NodeProto>;

  /// A node with what it is given.
  struct Call {
    Attributes &attributes;
    Tensors inputs;
    const Scope &scope;
    const Environment &environment;
  };

  // Importer.cpp
  void checkModel();
  void checkOutputs(const NodeProto &node);
  void checkDeclaredShape(const OnnxValue &declared,
                          llvm::ArrayRef<int64_t> found);
  void addResults(Scope &scope);
  OnnxFailure findFailure() const;
  Certainty getReportedCertainty() const;
  /// Sets the node that is imported next.
  void enterNode(llvm::StringRef name, mlir::Location location);
  void importNodes(const Nodes &nodes, Scope &scope,
                   const Environment &environment);
  void importNode(const NodeProto &node, Scope &scope,
                  const Environment &environment);
  std::optional<Tensors> importOp(const NodeProto &node, const Call &call,
                                  const OpVersion &op);
  bool checkInputs(llvm::ArrayRef<Tensor> inputs, Takes takes);
  std::optional<Tensors> importCall(const NodeProto &node, const Scope &scope,
                                    const Environment &environment);
  /// Returns whether functions and loops have made too many nodes.
  bool isTooLarge() const;
  void countNodes(int64_t count);
  std::optional<Tensors> readInputs(const NodeProto &node, const Scope &scope);
  void define(const NodeProto &node, const std::optional<Tensors> &outputs,
              Scope &scope);
  void defineValue(llvm::StringRef name, NamedValue value, Scope &scope);

  // ControlFlow.cpp
  std::optional<Tensors> importSubgraph(const GraphProto &graph,
                                        llvm::ArrayRef<Tensor> inputs,
                                        const Scope &scope,
                                        const Environment &outer);
  std::optional<Tensors> importIf(const Call &call);
  const FunctionProto *findFunction(const NodeProto &node) const;
  static std::string getFunctionKey(StringRef domain, StringRef name,
                                    StringRef overload);
  std::optional<Tensors> importFunction(const FunctionProto &function,
                                        const Call &call);

  std::optional<Tensors> importSequenceMap(const Call &call);

  // Loops.cpp
  struct Loop {
    const GraphProto &body;
    /// Null if nothing was given.
    Tensor trips, condition;
    Tensors inits;
  };
  bool checkLoop(const Loop &loop);
  std::optional<Tensors> importLoop(const Call &call);
  std::optional<Tensors> importAsScan(const Call &call, const Loop &loop,
                                      int64_t trips);
  std::optional<Tensors> unrollLoop(const Call &call, const Loop &loop);
  std::optional<Tensors> importScan(const Call &call);
  std::optional<Tensors> importBatchScan(const Call &call);
  Tensors scanBody(const Call &call, const GraphProto &body,
                   const LoopInputs &loop);

  // Inputs.cpp
  void addInitializers(const GraphProto &graph, Scope &scope);
  void addInputs(const GraphProto &graph, Scope &scope);
  void addOptionProblem(const llvm::Twine &reason);
  void addInput(const ValueInfoProto &input, Scope &scope);
  void checkConstantShape(const ValueInfoProto &input,
                          llvm::ArrayRef<int64_t> given);
  void addConstantInput(const ValueInfoProto &input, Scope &scope);
  std::optional<Shape> bindDims(const ValueInfoProto &input);
  void reportDims();
  OnnxValue describe(const ValueInfoProto &value) const;
  /// Fails unless all of them are elements as the graph has them.
  bool expectPlain(llvm::StringRef what, llvm::ArrayRef<Tensor> tensors);

  const ModelProto &model;
  const OnnxImportOptions &options;
  mlir::MLIRContext *context;
  mlir::Location modelLocation;
  ParameterContents &parameters;
  OnnxSummary &summary;
  Diagnostics diagnostics;
  TensorReader tensors;
  GraphBuilder builder;
  KnownConstants constants;
  llvm::SmallVector<std::pair<std::string, Tensor>> results;
  OpContext::Updates updates;

  llvm::StringMap<const FunctionProto *> functions;

  int64_t nodeCount = 0;
  /// Set if the model cannot be imported, whatever its sizes and constants are.
  std::optional<OnnxFailure> certainFailure;

  /// Dimensions without a size, and where they occur; and names that do have a
  /// use.
  std::map<std::string, std::vector<std::string>> unboundDims;
  llvm::StringSet<> usedDims;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_IMPORTER_H
