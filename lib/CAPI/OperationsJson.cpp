//===- OperationsJson.cpp - The operations, for other languages -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "hamkaas-c/Graph.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using graph::AttributeInfo;
using graph::AttributeKind;
using graph::OperationInfo;
using graph::ValueCount;
using graph::ValueInfo;
using llvm::json::Array;
using llvm::json::Object;

static StringRef getName(ValueCount count) {
  switch (count) {
  case ValueCount::One:
    return "one";
  case ValueCount::Optional:
    return "optional";
  case ValueCount::Variadic:
    return "variadic";
  }
  llvm_unreachable("all counts are handled");
}

static StringRef getName(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Integer:
    return "integer";
  case AttributeKind::Float32:
  case AttributeKind::Float64:
    return "real";
  case AttributeKind::Element:
    return "number";
  case AttributeKind::Integers:
  case AttributeKind::ResultShape:
    return "integers";
  case AttributeKind::Flag:
    return "flag";
  case AttributeKind::Text:
    return "text";
  case AttributeKind::Word:
    return "word";
  case AttributeKind::ElementType:
  case AttributeKind::ResultType:
    return "type";
  }
  llvm_unreachable("all kinds of attributes are handled");
}

/// The element types that a value may have, in the order of their numbers.
static Array listTypes(const ValueInfo &value, MLIRContext *context) {
  Array types;
  for (int32_t type = 0; type < rt::elementTypeCount; ++type)
    if (value.accepts(makeTensorType(context, type, {1})))
      types.push_back(rt::elementTypeName(type));
  return types;
}

static Array describe(ArrayRef<ValueInfo> values, MLIRContext *context) {
  Array array;
  for (const ValueInfo &value : values)
    array.push_back(Object{{"name", value.name},
                           {"constraint", value.constraint},
                           {"count", getName(value.count)},
                           {"types", listTypes(value, context)}});
  return array;
}

static Array describe(ArrayRef<AttributeInfo> attributes) {
  Array array;
  for (const AttributeInfo &attribute : attributes) {
    Object object{{"name", attribute.name},
                  {"kind", getName(attribute.kind)},
                  {"optional", attribute.isOptional}};
    if (!attribute.defaultValue.empty())
      object["default"] = attribute.defaultValue;
    if (!attribute.words.empty())
      object["words"] = Array(attribute.words);
    array.push_back(std::move(object));
  }
  return array;
}

/// Without the indentation that it has in ODS.
static std::string reindent(StringRef indented) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  raw_indented_ostream(stream).printReindented(indented);
  return text;
}

static Object describe(const OperationInfo &info, MLIRContext *context) {
  Object object{{"name", info.name},
                {"summary", info.summary},
                {"document", reindent(info.description)},
                {"operands", describe(info.operands, context)},
                {"attributes", describe(info.attributes)},
                {"results", describe(info.results, context)}};
  if (info.isComposition())
    object["example"] = reindent(info.example);
  return object;
}

HamKaasError HamKaasDescribeOperations(char **text) {
  if (!text)
    return noPlace("the text");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Array operations, closed;
  for (const OperationInfo &info : graph::getOperations())
    if (!info.isOpen())
      closed.push_back(Object{{"name", info.name}, {"reason", info.closed}});
    else
      operations.push_back(describe(info, &context));
  std::string json;
  llvm::raw_string_ostream(json) << llvm::json::Value(Object{
      {"operations", std::move(operations)}, {"closed", std::move(closed)}});
  *text = copyText(json);
  return *text ? nullptr
               : fromError(llvm::createStringError("out of memory for a text"));
}
