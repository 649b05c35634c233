//===- ControlFlow.cpp - Branches and functions -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Opsets.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// How deep graphs and functions may stand within each other.
static constexpr int deepest = 64;

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

/// The outputs of a subgraph that sees the values around it; none if one of
/// them is unknown.
std::optional<Tensors> Importer::importSubgraph(const GraphProto &graph,
                                                ArrayRef<Tensor> inputs,
                                                const Scope &scope,
                                                const Environment &outer) {
  // A failure of the node itself would be told at the first node in there.
  if (diagnostics.hasFailed())
    return std::nullopt;
  countNodes(1 + graph.inputs.size() + graph.outputs.size() +
             graph.initializers.size());
  Scope inner{&scope};
  Environment environment = outer;
  environment.prefix = (diagnostics.nodeName() + "/").str();
  if (++environment.depth > deepest) {
    diagnostics.error("expected at most " + Twine(deepest) +
                      " graphs within each other");
    return std::nullopt;
  }
  if (inputs.size() != graph.inputs.size()) {
    diagnostics.error("expected a graph of " + Twine(inputs.size()) +
                      " inputs, got one of " + Twine(graph.inputs.size()));
    return std::nullopt;
  }
  for (auto [input, tensor] : llvm::zip_equal(graph.inputs, inputs))
    defineValue(input.name, {tensor, ""}, inner);
  addInitializers(graph, inner);
  importNodes(graph.nodes, inner, environment);
  Tensors outputs;
  bool areKnown = true;
  for (const ValueInfoProto &output : graph.outputs) {
    const NamedValue *value = inner.find(output.name);
    if (!value)
      diagnostics.error("no node computes the output " + quote(output.name));
    areKnown &= value && value->tensor;
    outputs.push_back(value ? value->tensor : Tensor());
  }
  if (!areKnown)
    return std::nullopt;
  return outputs;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static bool haveEqualTypes(const std::optional<Tensors> &a,
                           const std::optional<Tensors> &b) {
  return a && b && a->size() == b->size() &&
         llvm::all_of(llvm::zip(*a, *b), [](auto pair) {
           return std::get<0>(pair).type() == std::get<1>(pair).type();
         });
}

/// A condition that is known chooses a branch. Otherwise both are computed:
/// nothing in a graph has an effect.
std::optional<Tensors> Importer::importIf(const Call &call) {
  const GraphProto *ifTrue = call.attributes.getGraph("then_branch");
  const GraphProto *ifFalse = call.attributes.getGraph("else_branch");
  if (!ifTrue || !ifFalse || call.inputs.size() != 1 || !call.inputs[0] ||
      !call.inputs[0].isBool() || call.inputs[0].count() != 1) {
    diagnostics.error("expected a condition and two branches");
    return std::nullopt;
  }
  Tensor condition = call.inputs[0];
  if (condition.isConstant())
    return importSubgraph(condition.elements().i64.front() ? *ifTrue : *ifFalse,
                          {}, call.scope, call.environment);
  Diagnostics::Checkpoint before = diagnostics.save();
  std::optional<OnnxFailure> failureBefore = certainFailure;
  auto taken = importSubgraph(*ifTrue, {}, call.scope, call.environment);
  auto other = importSubgraph(*ifFalse, {}, call.scope, call.environment);
  if (taken && other &&
      (!expectPlain("results of a branch whose condition is not known",
                    *taken) ||
       !expectPlain("results of a branch whose condition is not known",
                    *other)))
    return std::nullopt;
  if (!haveEqualTypes(taken, other)) {
    // One branch may be for other shapes, and never taken with these.
    if (certainFailure == failureBefore) {
      diagnostics.restore(before);
      constants.expect("the condition", condition);
    }
    return std::nullopt;
  }
  Tensors outputs;
  Tensor scalar = builder.reshape(condition, {});
  for (auto [a, b] : llvm::zip_equal(*taken, *other))
    outputs.push_back(builder.select(scalar, a, b));
  return outputs;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The function of the model that a node calls, or null.
const FunctionProto *Importer::findFunction(const NodeProto &node) const {
  return functions.lookup(
      getFunctionKey(node.domain, node.opType, node.overload));
}

std::string Importer::getFunctionKey(StringRef domain, StringRef name,
                                     StringRef overload) {
  return (normalizeDomain(domain) + StringRef("\0", 1) + name +
          StringRef("\0", 1) + overload)
      .str();
}

std::optional<Tensors> Importer::importFunction(const FunctionProto &function,
                                                const Call &call) {
  countNodes(1 + function.inputs.size() + function.outputs.size());
  AttributeScope attributes;
  for (const AttributeProto &standard : function.defaults)
    attributes[standard.name] = &standard;
  for (const auto &given : call.attributes.all())
    attributes[given.getKey()] = given.getValue();
  Environment environment;
  environment.opsets = readOpsets(function.opsets);
  environment.attributes = &attributes;
  environment.prefix = (diagnostics.nodeName() + "/").str();
  environment.depth = call.environment.depth + 1;
  if (environment.depth > deepest) {
    diagnostics.error("expected at most " + Twine(deepest) +
                      " functions within each other");
    return std::nullopt;
  }
  if (call.inputs.size() > function.inputs.size()) {
    diagnostics.error("expected at most " + Twine(function.inputs.size()) +
                      " inputs of the function, got " +
                      Twine(call.inputs.size()));
    return std::nullopt;
  }
  Scope scope;
  for (auto [i, name] : llvm::enumerate(function.inputs)) {
    NamedValue value;
    if (i < call.inputs.size())
      value.tensor = call.inputs[i];
    value.isLeftOut = !value.tensor;
    defineValue(name, std::move(value), scope);
  }
  importNodes(function.nodes, scope, environment);
  Tensors outputs;
  bool areKnown = true;
  for (StringRef name : function.outputs) {
    const NamedValue *value = scope.find(name);
    if (!value)
      diagnostics.error("no node computes the output " + quote(name));
    areKnown &= value && value->tensor;
    outputs.push_back(value ? value->tensor : Tensor());
  }
  if (!areKnown)
    return std::nullopt;
  return outputs;
}
