//===- Proto.h - The messages of an ONNX file -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_PROTO_H
#define HAMKAAS_LIB_FRONTEND_ONNX_PROTO_H

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <vector>

/// The messages of onnx.proto, as far as a model is read, with its names in the
/// spelling of this project. Texts and raw data stay in the file.
namespace hamkaas::onnx {

using llvm::StringRef;

/// Any number that a file has, one of these or not.
enum class DataType : int64_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26
};

struct TensorProto {
  StringRef name;
  std::vector<int64_t> dims;
  DataType dataType = DataType::Undefined;
  bool isSegment = false;
  bool isExternal = false;
  std::vector<std::pair<StringRef, StringRef>> externalData;
  // Elements are in one of these.
  std::optional<StringRef> rawData;
  std::vector<float> floatData;
  std::vector<double> doubleData;
  std::vector<int64_t> int32Data;
  std::vector<int64_t> int64Data;
  std::vector<uint64_t> uint64Data;
  int64_t stringCount = 0;
};

/// A dimension has a size, a name or neither.
struct DimensionProto {
  std::optional<int64_t> size;
  StringRef name;
};

/// A type other than that of a tensor has the kind Other.
struct TypeProto {
  enum Kind { None, Tensor, Other } kind = None;
  DataType elementType = DataType::Undefined;
  bool hasShape = false;
  std::vector<DimensionProto> shape;
};

struct ValueInfoProto {
  StringRef name;
  TypeProto type;
};

struct GraphProto;

struct AttributeProto {
  // NOTE: the numbers are those of the file.
  enum Type {
    Undefined,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    Tensors,
    Graphs,
    SparseTensor,
    SparseTensors,
    TypeProto,
    TypeProtos
  };

  StringRef name;
  /// The attribute of the function that this one stands for, or empty.
  StringRef reference;
  Type type = Undefined;
  float f = 0;
  int64_t i = 0;
  StringRef s;
  std::unique_ptr<TensorProto> tensor;
  std::unique_ptr<GraphProto> graph;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<StringRef> strings;
};

struct NodeProto {
  std::vector<StringRef> inputs, outputs;
  StringRef name, opType, domain, overload;
  std::vector<AttributeProto> attributes;
};

struct GraphProto {
  StringRef name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  bool hasSparseInitializers = false;
  std::vector<ValueInfoProto> inputs, outputs;
};

struct OpsetProto {
  StringRef domain;
  int64_t version = 0;
};

struct FunctionProto {
  StringRef name, domain, overload;
  std::vector<StringRef> inputs, outputs, attributes;
  /// Attributes with a default.
  std::vector<AttributeProto> defaults;
  std::vector<NodeProto> nodes;
  std::vector<OpsetProto> opsets;
};

struct ModelProto {
  int64_t irVersion = 0; ///< 0 if the model does not say it.
  std::vector<OpsetProto> opsets;
  std::unique_ptr<GraphProto> graph;
  std::vector<FunctionProto> functions;
  bool hasTrainingInfo = false;
};

/// Reads a file, which must outlive the model. Null, after a failure, if it is
/// none, nests too deep or has too many messages for its size to be honest.
std::unique_ptr<ModelProto> readModel(StringRef content,
                                      graph::Diagnostics &diagnostics);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_PROTO_H
