//===- Elements.cpp - Element types, and elements as bytes ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

Type onnx::getElementType(MLIRContext *context, DataType type) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign =
                                         IntegerType::Signless) -> Type {
    return IntegerType::get(context, width, sign);
  };
  switch (type) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Int64:
    return integer(64);
  default:
    return {};
  }
}

std::string onnx::getDataTypeName(DataType type) {
  static constexpr const char *names[] = {
      "UNDEFINED",    "FLOAT",          "UINT8",      "INT8",
      "UINT16",       "INT16",          "INT32",      "INT64",
      "STRING",       "BOOL",           "FLOAT16",    "DOUBLE",
      "UINT32",       "UINT64",         "COMPLEX64",  "COMPLEX128",
      "BFLOAT16",     "FLOAT8E4M3FN",   "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
      "FLOAT8E5M2FNUZ", "UINT4",        "INT4",       "FLOAT4E2M1",
      "FLOAT8E8M0",   "UINT2",          "INT2",       "FLOAT6E2M3",
      "FLOAT6E3M2"};
  auto number = static_cast<int>(type);
  if (number >= 0 && size_t(number) < std::size(names))
    return names[number];
  return "number " + std::to_string(number);
}

int64_t onnx::getElementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// Calls `use` with a value of the C++ type that holds elements of `type`.
template <typename Fn> static void withStorage(Type type, Fn use) {
  if (type.isF32())
    use(float());
  else
    use(int64_t());
}

template <typename Storage>
static auto &getVector(ReferenceTensor &tensor, Storage) {
  if constexpr (std::is_same_v<Storage, float>)
    return tensor.f32;
  else
    return tensor.i64;
}

ReferenceTensor onnx::decodeElements(RankedTensorType type,
                                     ArrayRef<char> bytes) {
  ReferenceTensor tensor(type);
  withStorage(type.getElementType(), [&](auto storage) {
    auto &vector = getVector(tensor, storage);
    const char *from = bytes.data();
    for (auto &element : vector) {
      std::memcpy(&storage, from, sizeof(storage));
      element = storage;
      from += sizeof(storage);
    }
  });
  return tensor;
}

std::vector<char> onnx::encodeElements(const ReferenceTensor &tensor) {
  Type type = tensor.type.getElementType();
  std::vector<char> bytes(tensor.type.getNumElements() * getElementBytes(type));
  withStorage(type, [&](auto storage) {
    char *to = bytes.data();
    for (auto element :
         getVector(const_cast<ReferenceTensor &>(tensor), storage)) {
      storage = element;
      std::memcpy(to, &storage, sizeof(storage));
      to += sizeof(storage);
    }
  });
  return bytes;
}

void onnx::fillElements(ReferenceTensor &tensor, double value) {
  llvm::fill(tensor.f32, value);
  llvm::fill(tensor.i64, value);
}

void onnx::appendElements(const ReferenceTensor &tensor,
                          SmallVectorImpl<double> &values) {
  llvm::append_range(values, tensor.f32);
  llvm::append_range(values, tensor.i64);
}

DenseElementsAttr onnx::getElementsAttr(const ReferenceTensor &tensor) {
  return DenseElementsAttr::getFromRawBuffer(tensor.type,
                                             encodeElements(tensor));
}
