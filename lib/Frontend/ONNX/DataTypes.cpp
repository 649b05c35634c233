//===- DataTypes.cpp - Types of elements in a file --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

Type onnx::getElementType(MLIRContext *context, DataType type) {
  auto integer = [&](unsigned width) -> Type {
    return IntegerType::get(context, width);
  };
  auto natural = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Int8:
    return integer(8);
  case DataType::Int16:
    return integer(16);
  case DataType::Int32:
    return integer(32);
  case DataType::Int64:
    return integer(64);
  case DataType::UInt8:
    return natural(8);
  case DataType::UInt16:
    return natural(16);
  case DataType::UInt32:
    return natural(32);
  case DataType::UInt64:
    return natural(64);
  case DataType::Bool:
    return integer(1);
  default:
    return {};
  }
}

std::string onnx::getDataTypeName(DataType type) {
  static constexpr const char *names[] = {
      "UNDEFINED",      "FLOAT",        "UINT8",          "INT8",
      "UINT16",         "INT16",        "INT32",          "INT64",
      "STRING",         "BOOL",         "FLOAT16",        "DOUBLE",
      "UINT32",         "UINT64",       "COMPLEX64",      "COMPLEX128",
      "BFLOAT16",       "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
      "FLOAT8E5M2FNUZ", "UINT4",        "INT4",           "FLOAT4E2M1",
      "FLOAT8E8M0",     "UINT2",        "INT2",           "FLOAT6E2M3",
      "FLOAT6E3M2"};
  auto number = static_cast<int64_t>(type);
  if (number >= 0 && size_t(number) < std::size(names))
    return names[number];
  return "number " + std::to_string(number);
}
