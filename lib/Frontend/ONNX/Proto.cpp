//===- Proto.cpp - The messages of an ONNX file -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proto.h"
#include "WireFormat.h"

using namespace hamkaas;
using namespace hamkaas::onnx;
using hamkaas::graph::Diagnostics;
using llvm::Twine;

namespace {

/// Reads the messages within each other. The numbers of the fields are those of
/// onnx.proto.
class Reader {
public:
  explicit Reader(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  bool isSound() const { return !isBroken; }

  void read(StringRef bytes, ModelProto &model);

private:
  void read(StringRef bytes, GraphProto &graph);
  void read(StringRef bytes, NodeProto &node);
  void read(StringRef bytes, AttributeProto &attribute);
  void read(StringRef bytes, TensorProto &tensor);
  void read(StringRef bytes, ValueInfoProto &value);
  void read(StringRef bytes, TypeProto &type);
  void read(StringRef bytes, FunctionProto &function);
  void read(StringRef bytes, OpsetProto &opset);
  void readTensorType(StringRef bytes, TypeProto &type);
  void readShape(StringRef bytes, TypeProto &type);
  void readDimension(StringRef bytes, TypeProto &type);
  void readEntry(StringRef bytes, TensorProto &tensor);

  /// Calls `use` with each field of a message.
  template <typename Fn> void forEachField(StringRef bytes, Fn use);
  template <typename T>
  void append(const WireFields &field, std::vector<T> &to) {
    if (field.is(WireFields::Bytes))
      read(field.asBytes(), to.emplace_back());
  }
  /// Fields of a message that occurs again are added to it.
  template <typename T>
  void readInto(const WireFields &field, std::unique_ptr<T> &to) {
    if (!field.is(WireFields::Bytes))
      return;
    if (!to)
      to = std::make_unique<T>();
    read(field.asBytes(), *to);
  }

  Diagnostics &diagnostics;
  int graphDepth = 0;
  int64_t messageCount = 0;
  bool isBroken = false;
};

} // namespace

template <typename Fn> void Reader::forEachField(StringRef bytes, Fn use) {
  // An empty message takes two bytes of the file and some hundred of memory: a
  // file could ask for more than there is.
  constexpr int64_t largestMessageCount = 1 << 24;
  if (++messageCount > largestMessageCount) {
    isBroken = true;
    diagnostics.fail("expected at most 2^24 messages");
  }
  if (isBroken)
    return;
  WireFields fields(bytes);
  while (!isBroken && fields.next())
    use(fields);
  isBroken |= !fields.isSound();
}

//===----------------------------------------------------------------------===//
// Types and tensors
//===----------------------------------------------------------------------===//

void Reader::readEntry(StringRef bytes, TensorProto &tensor) {
  StringRef key, value;
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      key = field.asBytes();
    else if (field.number() == 2)
      value = field.asBytes();
  });
  tensor.externalData.emplace_back(key, value);
}

void Reader::read(StringRef bytes, TensorProto &tensor) {
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      return field.appendTo(tensor.dims);
    case 2:
      tensor.dataType = DataType(field.asInt());
      return;
    case 3:
      tensor.isSegment = true;
      return;
    case 4:
      return field.appendTo(tensor.floatData);
    case 5:
      return field.appendTo(tensor.int32Data);
    case 6:
      ++tensor.stringCount;
      return;
    case 7:
      return field.appendTo(tensor.int64Data);
    case 8:
      tensor.name = field.asBytes();
      return;
    case 9:
      tensor.rawData = field.asBytes();
      return;
    case 10:
      return field.appendTo(tensor.doubleData);
    case 11:
      return field.appendTo(tensor.uint64Data);
    case 13:
      return readEntry(field.asBytes(), tensor);
    case 14:
      tensor.isExternal = field.asInt() == 1;
      return;
    }
  });
}

void Reader::readDimension(StringRef bytes, TypeProto &type) {
  DimensionProto dimension;
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      dimension = {field.asInt(), ""};
    else if (field.number() == 2)
      dimension = {std::nullopt, field.asBytes()};
  });
  type.shape.push_back(dimension);
}

void Reader::readShape(StringRef bytes, TypeProto &type) {
  type.hasShape = true;
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      readDimension(field.asBytes(), type);
  });
}

void Reader::readTensorType(StringRef bytes, TypeProto &type) {
  type.kind = TypeProto::Tensor;
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      type.elementType = DataType(field.asInt());
    else if (field.number() == 2)
      readShape(field.asBytes(), type);
  });
}

void Reader::read(StringRef bytes, TypeProto &type) {
  forEachField(bytes, [&](WireFields &field) {
    // 6 is a comment.
    if (field.number() == 1)
      readTensorType(field.asBytes(), type);
    else if (field.number() != 6)
      type.kind = TypeProto::Other;
  });
}

void Reader::read(StringRef bytes, ValueInfoProto &value) {
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      value.name = field.asBytes();
    else if (field.number() == 2)
      read(field.asBytes(), value.type);
  });
}

//===----------------------------------------------------------------------===//
// Nodes and graphs
//===----------------------------------------------------------------------===//

void Reader::read(StringRef bytes, AttributeProto &attribute) {
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      attribute.name = field.asBytes();
      return;
    case 2:
      attribute.f = field.asFloat();
      return;
    case 3:
      attribute.i = field.asInt();
      return;
    case 4:
      attribute.s = field.asBytes();
      return;
    case 5:
      return readInto(field, attribute.tensor);
    case 6:
      return readInto(field, attribute.graph);
    case 7:
      return field.appendTo(attribute.floats);
    case 8:
      return field.appendTo(attribute.ints);
    case 9:
      attribute.strings.push_back(field.asBytes());
      return;
    case 20:
      if (field.asInt() >= 0 && field.asInt() <= AttributeProto::TypeProtos)
        attribute.type = AttributeProto::Type(field.asInt());
      return;
    case 21:
      attribute.reference = field.asBytes();
      return;
    }
  });
}

void Reader::read(StringRef bytes, NodeProto &node) {
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      node.inputs.push_back(field.asBytes());
      return;
    case 2:
      node.outputs.push_back(field.asBytes());
      return;
    case 3:
      node.name = field.asBytes();
      return;
    case 4:
      node.opType = field.asBytes();
      return;
    case 5:
      return append(field, node.attributes);
    case 7:
      node.domain = field.asBytes();
      return;
    case 8:
      node.overload = field.asBytes();
      return;
    }
  });
}

void Reader::read(StringRef bytes, GraphProto &graph) {
  constexpr int deepest = 64;
  if (graphDepth == deepest) {
    isBroken = true;
    diagnostics.fail("expected at most " + Twine(deepest) +
                     " graphs within each other");
    return;
  }
  ++graphDepth;
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      return append(field, graph.nodes);
    case 2:
      graph.name = field.asBytes();
      return;
    case 5:
      return append(field, graph.initializers);
    case 11:
      return append(field, graph.inputs);
    case 12:
      return append(field, graph.outputs);
    case 15:
      graph.hasSparseInitializers = true;
      return;
    }
  });
  --graphDepth;
}

//===----------------------------------------------------------------------===//
// Functions and the model
//===----------------------------------------------------------------------===//

void Reader::read(StringRef bytes, OpsetProto &opset) {
  forEachField(bytes, [&](WireFields &field) {
    if (field.number() == 1)
      opset.domain = field.asBytes();
    else if (field.number() == 2)
      opset.version = field.asInt();
  });
}

void Reader::read(StringRef bytes, FunctionProto &function) {
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      function.name = field.asBytes();
      return;
    case 4:
      function.inputs.push_back(field.asBytes());
      return;
    case 5:
      function.outputs.push_back(field.asBytes());
      return;
    case 6:
      function.attributes.push_back(field.asBytes());
      return;
    case 7:
      return append(field, function.nodes);
    case 9:
      return append(field, function.opsets);
    case 10:
      function.domain = field.asBytes();
      return;
    case 11:
      return append(field, function.defaults);
    case 13:
      function.overload = field.asBytes();
      return;
    }
  });
}

void Reader::read(StringRef bytes, ModelProto &model) {
  forEachField(bytes, [&](WireFields &field) {
    switch (field.number()) {
    case 1:
      model.irVersion = field.asInt();
      return;
    case 7:
      return readInto(field, model.graph);
    case 8:
      return append(field, model.opsets);
    case 20:
      model.hasTrainingInfo = true;
      return;
    case 25:
      return append(field, model.functions);
    }
  });
}

std::unique_ptr<ModelProto> onnx::readModel(StringRef content,
                                            Diagnostics &diagnostics) {
  Reader reader(diagnostics);
  auto model = std::make_unique<ModelProto>();
  reader.read(content, *model);
  if (reader.isSound())
    return model;
  diagnostics.fail("expected an ONNX model, got " + Twine(content.size()) +
                   " bytes that are cut off or damaged");
  return nullptr;
}
