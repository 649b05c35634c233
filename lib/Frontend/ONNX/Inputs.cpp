//===- Inputs.cpp - Inputs and initializers of a model ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "Importer.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

void Importer::addInitializers(const GraphProto &graph, Scope &scope) {
  if (graph.hasSparseInitializers)
    diagnostics.error("sparse initializers are not supported");
  for (const TensorProto &initializer : graph.initializers) {
    NamedValue value;
    Diagnostics::Subject subject(diagnostics,
                                 "initializer " + quote(initializer.name));
    value.tensor = tensors.read(initializer);
    diagnostics.reportFailure();
    // Numbers without a dimension are bounds and the like.
    if (options.training != OnnxTraining::None && value.tensor.isFloat() &&
        value.tensor.rank() > 0 && !value.tensor.isEmpty() &&
        value.tensor.isPlain())
      value.tensor = value.tensor.asTrainable();
    defineValue(initializer.name, std::move(value), scope);
  }
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

void Importer::addOptionProblem(const Twine &reason) {
  diagnostics.error(reason);
  certainFailure = OnnxFailure::Invalid;
}

void Importer::addInputs(const GraphProto &graph, Scope &scope) {
  llvm::StringSet<> names;
  for (const ValueInfoProto &input : graph.inputs) {
    names.insert(input.name);
    // Of a model before IR version 4, initializers are inputs, too.
    if (scope.values.contains(input.name) &&
        !options.constantInputs.contains(input.name))
      continue;
    addInput(input, scope);
  }
  for (const auto &given : options.constantInputs)
    if (!names.contains(given.getKey()))
      addOptionProblem(options.names.constantInputs +
                       ": the model has no input " + quote(given.getKey()));
  reportDims();
}

void Importer::addInput(const ValueInfoProto &input, Scope &scope) {
  NamedValue value;
  Diagnostics::Subject subject(diagnostics, "input " + quote(input.name));
  summary.inputs.push_back(describe(input));
  if (!summary.inputs.back().elementType)
    certainFailure = OnnxFailure::Unsupported;
  std::optional<Shape> shape = bindDims(input);
  if (!isValidName(input.name))
    diagnostics.error(
        "expected the name of an input to be UTF-8 text without control "
        "characters, and not empty, got " +
        quote(input.name));
  else if (options.constantInputs.contains(input.name))
    return addConstantInput(input, scope);
  else if (input.type.kind != TypeProto::Tensor)
    diagnostics.fail("values that are no tensors are not supported");
  else if (!shape)
    diagnostics.fail("expected a shape, got none");
  else if (RankedTensorType type =
               tensors.makeType(input.type.elementType, *shape))
    value.tensor = type.getNumElements() == 0
                       ? builder.empty(*shape, type.getElementType())
                       : builder.addInput(input.name, type);
  diagnostics.reportFailure();
  if (value.tensor && isFormat(input.type.elementType))
    value.tensor = withFormat(value.tensor, input.type.elementType);
  defineValue(input.name, std::move(value), scope);
}

/// The name of a dimension that has no size. One without a name is called after
/// its place; "?" is no name, for several may have it.
static std::string getDimName(const ValueInfoProto &value, size_t i) {
  StringRef name = value.type.shape[i].name;
  if (name.empty() || name == "?")
    return (value.name + "." + Twine(i)).str();
  return name.str();
}

/// Some exporters say -1 of what has no size.
static bool hasSize(const DimensionProto &dim) {
  return dim.size && *dim.size != -1;
}

void Importer::checkConstantShape(const ValueInfoProto &input,
                                  ArrayRef<int64_t> given) {
  if (!input.type.hasShape)
    return;
  bool isEqual = given.size() == input.type.shape.size();
  std::string expected;
  for (auto [i, dim] : llvm::enumerate(input.type.shape)) {
    std::optional<int64_t> size;
    std::string name = getDimName(input, i);
    if (hasSize(dim))
      size = *dim.size;
    else if (options.dims.contains(name))
      size = options.dims.lookup(name);
    isEqual &= !size || (i < given.size() && *size == given[i]);
    expected += (i ? "x" : "") + (size ? std::to_string(*size) : name);
  }
  if (!isEqual)
    addOptionProblem(options.names.constantInputs + ": expected the shape " +
                     expected + " for the input " + quote(input.name) +
                     ", got " + formatShape(given));
}

void Importer::addConstantInput(const ValueInfoProto &input, Scope &scope) {
  const ReferenceTensor &given = *options.constantInputs.lookup(input.name);
  Type expected = describe(input).elementType;
  if (expected && given.type.getElementType() != expected)
    addOptionProblem(options.names.constantInputs +
                     ": expected elements of type " + formatType(expected) +
                     " for the input " + quote(input.name) + ", got " +
                     formatType(given.type.getElementType()));
  checkConstantShape(input, given.shape());
  Tensor value{ReferenceTensor(given)};
  if (isFormat(input.type.elementType))
    value = withFormat(value, input.type.elementType);
  scope.values[input.name] = {value, ""};
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

OnnxValue Importer::describe(const ValueInfoProto &value) const {
  OnnxValue result = {value.name.str()};
  DataType type = value.type.elementType;
  if (value.type.kind == TypeProto::Tensor && isFormat(type)) {
    result.elementType = getStorageType(context, type);
    result.format = getDataTypeName(type);
  } else if (value.type.kind == TypeProto::Tensor) {
    result.elementType = getElementType(context, type);
  }
  if (!value.type.hasShape)
    return result;
  result.dims.emplace();
  for (auto [i, dim] : llvm::enumerate(value.type.shape)) {
    if (hasSize(dim))
      result.dims->push_back(*dim.size);
    else
      result.dims->push_back(getDimName(value, i));
  }
  return result;
}

/// The shape of an input; none if it says none. A dimension without a size gets
/// that of the options; otherwise it is noted, and 1 for now.
std::optional<Shape> Importer::bindDims(const ValueInfoProto &input) {
  if (!input.type.hasShape)
    return std::nullopt;
  Shape shape;
  bool isConstant = options.constantInputs.contains(input.name);
  for (auto [i, dim] : llvm::enumerate(input.type.shape)) {
    if (hasSize(dim)) {
      shape.push_back(*dim.size);
      continue;
    }
    std::string name = getDimName(input, i);
    usedDims.insert(name);
    auto bound = options.dims.find(name);
    shape.push_back(bound == options.dims.end() ? 1 : bound->getValue());
    if (bound == options.dims.end() && !isConstant)
      unboundDims[name].push_back("dimension " + std::to_string(i) +
                                  " of the input " + quote(input.name));
  }
  return shape;
}

void Importer::reportDims() {
  for (const auto &given : options.dims)
    if (!usedDims.contains(given.getKey()))
      addOptionProblem(options.names.dims +
                       ": no input of the model has a dimension " +
                       quote(given.getKey()));
  if (unboundDims.empty())
    return;
  std::string text = ("expected a size for each dimension of the inputs, given "
                      "as " +
                      options.names.dimsExample + "; missing are")
                         .str();
  for (const auto &[name, uses] : unboundDims)
    text += "\n  " + quote(name) + ": " + llvm::join(uses, ", ");
  diagnostics.error(text);
}
