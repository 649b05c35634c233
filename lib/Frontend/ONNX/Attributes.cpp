//===- Attributes.cpp - The attributes of a node ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "HamKaas/Support/Suggestion.h"

using namespace llvm;
using namespace hamkaas::onnx;
using hamkaas::graph::quote;

static StringRef getTypeName(AttributeProto::Type type) {
  constexpr StringLiteral names[] = {
      "of no type",     "FLOAT",      "INT",        "STRING",
      "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",        "TENSORS",    "GRAPHS",     "SPARSE_TENSOR",
      "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  return names[type];
}

Attributes::Attributes(const NodeProto &node, const AttributeScope *scope,
                       hamkaas::graph::Diagnostics &diagnostics)
    : diagnostics(diagnostics) {
  for (const AttributeProto &attribute : node.attributes) {
    const AttributeProto *value = &attribute;
    // An attribute that the call leaves out is left out here, too.
    if (!attribute.reference.empty())
      value = scope ? scope->lookup(attribute.reference) : nullptr;
    if (value && !attributes.try_emplace(attribute.name, value).second)
      diagnostics.fail("attribute " + quote(attribute.name) +
                       " is given twice");
  }
}

const AttributeProto *Attributes::find(StringRef name) {
  known[name] = true;
  return attributes.lookup(name);
}

const AttributeProto *Attributes::find(StringRef name,
                                       AttributeProto::Type type) {
  const AttributeProto *attribute = find(name);
  // Files of the first versions do not say the type.
  if (!attribute || attribute->type == type ||
      attribute->type == AttributeProto::Undefined)
    return attribute;
  diagnostics.fail("expected attribute '" + name + "' to be " +
                   getTypeName(type) + ", got one that is " +
                   getTypeName(attribute->type));
  return nullptr;
}

std::optional<int64_t> Attributes::getInt(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::Int))
    return attribute->i;
  return std::nullopt;
}

std::optional<double> Attributes::getFloat(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::Float))
    return attribute->f;
  return std::nullopt;
}

std::optional<StringRef> Attributes::getString(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::String))
    return attribute->s;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> Attributes::getInts(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::Ints))
    return SmallVector<int64_t>(attribute->ints.begin(), attribute->ints.end());
  return std::nullopt;
}

std::optional<SmallVector<double>> Attributes::getFloats(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::Floats))
    return SmallVector<double>(attribute->floats.begin(),
                               attribute->floats.end());
  return std::nullopt;
}

std::optional<SmallVector<std::string>> Attributes::getStrings(StringRef name) {
  if (const AttributeProto *attribute = find(name, AttributeProto::Strings))
    return SmallVector<std::string>(attribute->strings.begin(),
                                    attribute->strings.end());
  return std::nullopt;
}

const TensorProto *Attributes::getTensor(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::Tensor);
  return attribute ? attribute->tensor.get() : nullptr;
}

const GraphProto *Attributes::getGraph(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::Graph);
  return attribute ? attribute->graph.get() : nullptr;
}

void Attributes::expectAllRead() {
  SmallVector<StringRef> names(known.keys());
  llvm::sort(names);
  for (const auto &attribute : attributes)
    if (!known.lookup(attribute.getKey()))
      diagnostics.fail("attribute " + quote(attribute.getKey()) +
                       " is not supported" +
                       suggestName(attribute.getKey(), names));
}
