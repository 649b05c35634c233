//===- Json.cpp - Graphs of nodes as text -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/JSON.h"
#include "HamKaas/Frontend/Dnn/NodeGraph.h"
#include "HamKaas/Frontend/Dnn/StatusError.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Support/Json.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace hamkaas;
using namespace hamkaas::nodes;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr llvm::StringLiteral formatName = "hamkaas-dnn";
static constexpr int64_t formatVersion = 1;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// JSON has no infinities.
static json::Value printReal(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number > 0 ? "inf" : "-inf";
  return number;
}

static json::Value printInteger(int32_t type, int64_t number) {
  if (type == HamKaasDnnTypeDataType)
    return rt::elementTypeName(int32_t(number));
  if (type == HamKaasDnnTypeBoolean)
    return number != 0;
  return number;
}

static bool isList(const AttributeInfo &attribute) {
  return attribute.most > 1;
}

static json::Value printAttribute(const AttributeInfo &attribute,
                                  const AttributeValue &value) {
  if (attribute.type == HamKaasDnnTypeChar)
    return value.text;
  if (attribute.type == HamKaasDnnTypeDouble)
    return printReal(value.reals.front());
  if (!isList(attribute))
    return printInteger(attribute.type, value.integers.front());
  json::Array list;
  for (int64_t number : value.integers)
    list.push_back(printInteger(attribute.type, number));
  return list;
}

static json::Object printTensor(const TensorInfo &tensor) {
  json::Object object{{"uid", tensor.uid}};
  if (!tensor.name.empty())
    object["name"] = tensor.name;
  if (tensor.type)
    object["data_type"] = rt::elementTypeName(*tensor.type);
  if (!tensor.dims.empty())
    object["dims"] = json::Array(tensor.dims);
  if (!tensor.strides.empty())
    object["strides"] = json::Array(tensor.strides);
  if (tensor.isVirtual)
    object["is_virtual"] = true;
  if (tensor.value)
    object["value"] = printReal(*tensor.value);
  return object;
}

static json::Object printNode(const NodeInfo &node) {
  json::Object object{{"kind", findKind(node.kind)->text}};
  for (const auto &[number, value] : node.attributes) {
    const AttributeInfo &attribute = *findAttribute(number);
    object[attribute.text] = printAttribute(attribute, value);
  }
  return object;
}

std::string nodes::printGraph(const NodeGraph &graph) {
  json::Array tensors, nodes;
  for (const TensorInfo &tensor : graph.tensors)
    tensors.push_back(printTensor(tensor));
  for (const NodeInfo &node : graph.nodes)
    nodes.push_back(printNode(node));
  json::Object object{{"format", formatName},
                      {"version", formatVersion},
                      {"name", graph.name},
                      {"tensors", std::move(tensors)},
                      {"nodes", std::move(nodes)}};
  auto addType = [&](StringRef key, std::optional<int32_t> type) {
    if (type)
      object[key] = rt::elementTypeName(*type);
  };
  addType("compute_type", graph.computeType);
  addType("intermediate_type", graph.intermediateType);
  addType("io_type", graph.ioType);
  // Objects are printed with sorted keys, so that equal graphs are equal texts.
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::formatv("{0:2}", json::Value(std::move(object))) << '\n';
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<double> readReal(const json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return *number;
  StringRef text = value.getAsString().value_or("");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto number = llvm::StringSwitch<std::optional<double>>(text)
                    .Case("inf", infinity)
                    .Case("-inf", -infinity)
                    .Case("nan", std::nan(""))
                    .Default(std::nullopt);
  if (number)
    return *number;
  return createStringError("expected a number");
}

static Expected<int64_t> readType(const json::Value &value) {
  StringRef text = value.getAsString().value_or("");
  for (int32_t type = 0; type < rt::elementTypeCount; ++type)
    if (text == rt::elementTypeName(type))
      return type;
  return createStringError("expected a data type such as \"float32\"");
}

static Expected<int64_t> readInteger(int32_t type, const json::Value &value) {
  if (type == HamKaasDnnTypeDataType)
    return readType(value);
  if (type == HamKaasDnnTypeBoolean) {
    if (std::optional<bool> flag = value.getAsBoolean())
      return *flag;
    return createStringError("expected true or false");
  }
  std::optional<int64_t> number = value.getAsInteger();
  if (!number)
    return createStringError("expected an integer");
  EnumRange range = getEnumRange(type);
  if (isEnumeration(type) && (*number < range.least || *number > range.most))
    return createStringError("expected a number from " + Twine(range.least) +
                             " to " + Twine(range.most) + ", got " +
                             Twine(*number));
  return *number;
}

static Error readList(const AttributeInfo &attribute, const json::Value &value,
                      std::vector<int64_t> &numbers) {
  const json::Array *list = value.getAsArray();
  if (!list)
    return createStringError("expected a list");
  if (int64_t(list->size()) < attribute.least ||
      int64_t(list->size()) > attribute.most)
    return createStringError("expected " + Twine(attribute.least) + " to " +
                             Twine(attribute.most) + " entries, got " +
                             Twine(list->size()));
  for (const json::Value &entry : *list) {
    auto number = readInteger(attribute.type, entry);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return Error::success();
}

static Expected<AttributeValue> readAttribute(const AttributeInfo &attribute,
                                              const json::Value &value) {
  AttributeValue read;
  if (attribute.type == HamKaasDnnTypeChar) {
    std::optional<StringRef> text = value.getAsString();
    if (!text || int64_t(text->size()) > attribute.most)
      return createStringError("expected a text of at most " +
                               Twine(attribute.most) + " bytes");
    read.text = text->str();
  } else if (attribute.type == HamKaasDnnTypeDouble) {
    auto number = readReal(value);
    if (!number)
      return number.takeError();
    read.reals = {*number};
  } else if (isList(attribute)) {
    if (Error error = readList(attribute, value, read.integers))
      return std::move(error);
  } else {
    auto number = readInteger(attribute.type, value);
    if (!number)
      return number.takeError();
    read.integers = {*number};
  }
  return read;
}

/// Reads the members of `object` that are attributes of the kind.
static Error readAttributes(const json::Object &object, int32_t kind,
                            AttributeMap &attributes) {
  for (const auto &[key, value] : object) {
    StringRef name = key;
    if (name == "kind")
      continue;
    const AttributeRow *row =
        llvm::find_if(getRows(kind), [&](const AttributeRow &row) {
          return row.attribute->text == name && row.use != Use::Read;
        });
    if (row == getRows(kind).end())
      return createStringError("unknown member '" + name + "'");
    if (row->use == Use::Unsupported)
      return makeError(HamKaasDnnNotSupported,
                       "'" + name + "' is not supported");
    auto read = readAttribute(*row->attribute, value);
    if (!read)
      return createStringError("'" + name + "': " + toString(read.takeError()));
    attributes[row->attribute->number] = std::move(*read);
  }
  for (const AttributeRow &row : getRows(kind))
    if (isRequired(row.use) &&
        attributes.find(row.attribute->number) == attributes.end())
      return createStringError("'" + row.attribute->text + "' is missing");
  return Error::success();
}

static Expected<TensorInfo> readTensor(const json::Object &object) {
  AttributeMap attributes;
  if (Error error = readAttributes(object, HamKaasDnnTensor, attributes))
    return std::move(error);
  auto take = [&](int32_t attribute) { return attributes[attribute]; };
  auto has = [&](int32_t attribute) { return attributes.count(attribute) > 0; };
  TensorInfo tensor;
  tensor.uid = take(HamKaasDnnAttrUid).integers.front();
  if (has(HamKaasDnnAttrDataType))
    tensor.type = int32_t(take(HamKaasDnnAttrDataType).integers.front());
  if (has(HamKaasDnnAttrIsVirtual))
    tensor.isVirtual = take(HamKaasDnnAttrIsVirtual).integers.front() != 0;
  if (has(HamKaasDnnAttrValue))
    tensor.value = take(HamKaasDnnAttrValue).reals.front();
  tensor.name = take(HamKaasDnnAttrName).text;
  tensor.dims = take(HamKaasDnnAttrDims).integers;
  tensor.strides = take(HamKaasDnnAttrStrides).integers;
  return tensor;
}

static Expected<NodeInfo> readNode(const json::Object &object) {
  StringRef text = object.getString("kind").value_or("");
  const KindInfo *kind = findKind(text);
  if (!kind || !kind->isNode())
    return createStringError("unknown kind '" + text + "'");
  if (getRows(kind->number).empty())
    return makeError(HamKaasDnnNotSupported, text + " is not supported");
  NodeInfo node{kind->number, {}};
  if (Error error = readAttributes(object, kind->number, node.attributes))
    return std::move(error);
  return node;
}

/// The error with a prefix, and its status.
static Error prefix(Error error, const Twine &text) {
  std::string start = text.str();
  return llvm::handleErrors(
      std::move(error),
      [&](const StatusError &inner) -> Error {
        return makeError(inner.status, start + inner.message);
      },
      [&](const llvm::ErrorInfoBase &inner) -> Error {
        return createStringError(start + inner.message());
      });
}

/// Reads the list `key` of objects.
template <typename Entry, typename Read>
static Error readObjects(const json::Object &object, StringRef key, Read read,
                         std::vector<Entry> &entries) {
  const json::Array *list = object.getArray(key);
  if (!list)
    return createStringError("expected a list '" + key + "'");
  for (auto [i, value] : llvm::enumerate(*list)) {
    std::string place = (key + "[" + Twine(i) + "]: ").str();
    const json::Object *inner = value.getAsObject();
    if (!inner)
      return createStringError(place + "expected an object");
    auto entry = read(*inner);
    if (!entry)
      return prefix(entry.takeError(), place);
    entries.push_back(std::move(*entry));
  }
  return Error::success();
}

static Error readGraphType(const json::Object &object, StringRef key,
                           std::optional<int32_t> &type) {
  const json::Value *value = object.get(key);
  if (!value)
    return Error::success();
  auto read = readType(*value);
  if (!read)
    return prefix(read.takeError(), "'" + key + "': ");
  type = int32_t(*read);
  return Error::success();
}

Expected<NodeGraph> nodes::readGraph(StringRef text) {
  auto parsed = parseJson(text);
  if (!parsed)
    return createStringError(toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  if (!object || object->getString("format") != StringRef(formatName))
    return createStringError(
        "expected a graph, an object with the 'format' \"" + formatName + "\"");
  if (object->getInteger("version") != formatVersion)
    return createStringError("expected the 'version' " + Twine(formatVersion));
  for (const auto &[key, value] : *object)
    if (!llvm::is_contained({StringRef("format"), StringRef("version"),
                             StringRef("name"), StringRef("tensors"),
                             StringRef("nodes"), StringRef("compute_type"),
                             StringRef("intermediate_type"),
                             StringRef("io_type")},
                            StringRef(key)))
      return createStringError("unknown member '" + StringRef(key) + "'");
  NodeGraph graph;
  if (const json::Value *name = object->get("name")) {
    auto read = readAttribute(*findAttribute(HamKaasDnnAttrName), *name);
    if (!read)
      return prefix(read.takeError(), "'name': ");
    graph.name = read->text;
  }
  if (Error error = readGraphType(*object, "compute_type", graph.computeType))
    return std::move(error);
  if (Error error =
          readGraphType(*object, "intermediate_type", graph.intermediateType))
    return std::move(error);
  if (Error error = readGraphType(*object, "io_type", graph.ioType))
    return std::move(error);
  if (Error error = readObjects(*object, "tensors", readTensor, graph.tensors))
    return std::move(error);
  if (Error error = readObjects(*object, "nodes", readNode, graph.nodes))
    return std::move(error);
  return graph;
}
