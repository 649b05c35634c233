//===- OnnxModel.cpp - What ONNX models are given and tell ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModel.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static ReferenceTensor makeTensor(const ConstantInput &input,
                                  MLIRContext *context) {
  Tensor tensor(makeTensorType(context, input.elementType, input.shape));
  if (!input.elements.empty())
    std::memcpy(tensor.data(), input.elements.data(), input.elements.size());
  return decode(tensor);
}

/// The names live as long as the process.
static OnnxOptionNames getNames(Front front) {
  static const std::string inC[] = {
      spellOption(OptionId::dim, Front::C),
      spellOption(OptionId::const_input, Front::C),
      spellOption(OptionId::external_data_root, Front::C)};
  static const std::string inPython[] = {
      spellOption(OptionId::dim, Front::Python),
      spellOption(OptionId::const_input, Front::Python),
      spellOption(OptionId::external_data_root, Front::Python)};
  if (front == Front::Python)
    return {inPython[0], "dims={NAME: N}", inPython[1],
            "const_inputs={NAME: array}", inPython[2]};
  return {inC[0], inC[0], inC[1], inC[1], inC[2]};
}

OnnxImportOptions capi::getOnnxOptions(const ModelSource &source,
                                       MLIRContext *context) {
  OnnxImportOptions options = {source.path, source.settings.externalDataRoot};
  options.names = getNames(source.front);
  for (const auto &[name, size] : source.dims)
    options.dims[name] = size;
  for (const ConstantInput &input : source.constantInputs)
    options.constantInputs[input.name] =
        std::make_shared<ReferenceTensor>(makeTensor(input, context));
  return options;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

static int32_t getFailure(OnnxFailure failure) {
  switch (failure) {
  case OnnxFailure::Unsupported:
    return HamKaasUnsupportedModel;
  case OnnxFailure::Incomplete:
    return HamKaasIncompleteModel;
  case OnnxFailure::None:
  case OnnxFailure::Invalid:
    break;
  }
  // Without a failure of the import, of what comes after it.
  return HamKaasInvalidModel;
}

static llvm::json::Value toJson(const OnnxValue::Dim &dim) {
  if (auto *size = std::get_if<int64_t>(&dim))
    return *size;
  return llvm::json::fixUTF8(std::get<std::string>(dim));
}

static llvm::json::Value toJson(ArrayRef<OnnxValue> values) {
  llvm::json::Array array;
  for (const OnnxValue &value : values) {
    llvm::json::Object object{{"name", llvm::json::fixUTF8(value.name)}};
    if (const ElementTypeInfo *info =
            value.elementType ? findElementType(value.elementType) : nullptr)
      object["type"] = rt::elementTypeName(info->type);
    if (!value.format.empty())
      object["format"] = value.format;
    if (value.dims) {
      llvm::json::Array shape;
      for (const OnnxValue::Dim &dim : *value.dims)
        shape.push_back(toJson(dim));
      object["shape"] = std::move(shape);
    }
    array.push_back(std::move(object));
  }
  return array;
}

CompileNotes capi::getNotes(const OnnxSummary &summary) {
  llvm::json::Array missing;
  for (StringRef name : summary.missing)
    missing.push_back(llvm::json::fixUTF8(name));
  llvm::json::Value json =
      llvm::json::Object{{"inputs", toJson(summary.inputs)},
                         {"outputs", toJson(summary.outputs)},
                         {"missing", std::move(missing)}};
  CompileNotes notes;
  notes.failure = getFailure(summary.failure);
  llvm::raw_string_ostream(notes.summary) << json;
  return notes;
}
