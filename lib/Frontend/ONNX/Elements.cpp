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

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

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

int64_t onnx::getElementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Calls `use` with a value of the C++ type that a program stores elements of
/// `type` as. Floats of 16 bits are their bits.
template <typename Fn> static void withStorage(Type type, Fn use) {
  if (type.isF32())
    return use(float());
  if (type.isF64())
    return use(double());
  bool isUnsigned = type.isUnsignedInteger() || isa<FloatType>(type);
  switch (getElementBytes(type)) {
  case 1:
    return isUnsigned ? use(uint8_t()) : use(int8_t());
  case 2:
    return isUnsigned ? use(uint16_t()) : use(int16_t());
  case 4:
    return isUnsigned ? use(uint32_t()) : use(int32_t());
  default:
    return use(int64_t());
  }
}

static bool isHalf(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16;
}

static float halfToFloat(Type type, uint64_t bits) {
  llvm::APFloat value(cast<FloatType>(type).getFloatSemantics(),
                      llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

static uint64_t floatToHalf(Type type, float number) {
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

ReferenceTensor onnx::decodeElements(RankedTensorType type,
                                     ArrayRef<char> bytes) {
  ReferenceTensor tensor(type);
  Type element = type.getElementType();
  withStorage(element, [&](auto stored) {
    tensor.withElements([&](auto &to) {
      for (size_t i = 0; i < to.size(); ++i) {
        std::memcpy(&stored, bytes.data() + i * sizeof(stored), sizeof(stored));
        to[i] = stored;
      }
    });
  });
  if (isHalf(element))
    for (float &value : tensor.f32)
      value = halfToFloat(element, uint64_t(value));
  if (element.isInteger(1))
    for (int64_t &value : tensor.i64)
      value = value != 0;
  return tensor;
}

std::vector<char> onnx::encodeElements(const ReferenceTensor &tensor) {
  Type element = tensor.type.getElementType();
  std::vector<char> bytes(tensor.type.getNumElements() *
                          getElementBytes(element));
  char *to = bytes.data();
  withStorage(element, [&](auto stored) {
    tensor.withElements([&](const auto &from) {
      for (auto value : from) {
        if (isHalf(element))
          stored = floatToHalf(element, float(value));
        else
          stored = value;
        std::memcpy(to, &stored, sizeof(stored));
        to += sizeof(stored);
      }
    });
  });
  return bytes;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void onnx::fillElements(ReferenceTensor &tensor, double value) {
  tensor.withElements([&](auto &elements) { llvm::fill(elements, value); });
  roundToType(tensor);
}

void onnx::appendElements(const ReferenceTensor &tensor,
                          SmallVectorImpl<double> &values) {
  tensor.withElements(
      [&](const auto &elements) { llvm::append_range(values, elements); });
}
