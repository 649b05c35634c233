//===- OnnxOptions.cpp - Options of ONNX models -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Run/Tensors.h"

using namespace mlir;
using namespace hamkaas;

/// Splits "NAME=VALUE" at the last '=': names may have others.
static llvm::Expected<std::pair<StringRef, StringRef>>
splitAssignment(OptionId option, StringRef assignment) {
  auto [name, value] = assignment.rsplit('=');
  if (name.empty() || value.empty())
    return makeOptionError(option,
                           "expected NAME=VALUE, got '" + assignment + "'");
  return std::pair(name, value);
}

static llvm::Error addDim(StringRef assignment, OnnxImportOptions &options) {
  auto split = splitAssignment(OptionId::dim, assignment);
  if (!split)
    return split.takeError();
  auto [name, value] = *split;
  int64_t size;
  if (value.getAsInteger(10, size) || size < 1)
    return makeOptionError(OptionId::dim,
                           "expected a size of at least 1 for '" + name +
                               "', got '" + value + "'");
  if (!options.dims.try_emplace(name, size).second)
    return makeOptionError(OptionId::dim, "'" + name + "' is given twice");
  return llvm::Error::success();
}

static llvm::Error addConstantInput(StringRef assignment, MLIRContext *context,
                                    OnnxImportOptions &options) {
  auto split = splitAssignment(OptionId::const_input, assignment);
  if (!split)
    return split.takeError();
  auto [name, path] = *split;
  auto tensor = readTensor(path, context);
  if (!tensor)
    return tensor.takeError();
  auto shared = std::make_shared<ReferenceTensor>(decode(*tensor));
  if (!options.constantInputs.try_emplace(name, std::move(shared)).second)
    return makeOptionError(OptionId::const_input,
                           "'" + name + "' is given twice");
  return llvm::Error::success();
}

/// An option that is given, if any is.
static std::optional<OptionId> findGiven(const OnnxArguments &given) {
  if (!given.dims.empty())
    return OptionId::dim;
  if (!given.constantInputs.empty())
    return OptionId::const_input;
  if (!given.externalDataRoot.empty())
    return OptionId::external_data_root;
  return std::nullopt;
}

llvm::Expected<OnnxImportOptions>
hamkaas::readOnnxOptions(ModelFile &file, const OnnxArguments &given) {
  OnnxImportOptions options;
  std::optional<OptionId> option = findGiven(given);
  if (option && file.kind() != ModelKind::Onnx)
    return makeOptionError(*option, "expected an ONNX model");
  options.path = file.path();
  options.externalDataRoot = given.externalDataRoot;
  for (StringRef dim : given.dims)
    if (llvm::Error error = addDim(dim, options))
      return std::move(error);
  for (StringRef input : given.constantInputs)
    if (llvm::Error error = addConstantInput(input, &file.context(), options))
      return std::move(error);
  return options;
}
