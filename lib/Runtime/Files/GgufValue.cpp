//===- GgufValue.cpp - Metadata and tensors of a GGUF file ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/GgufValue.h"

#include "hamkaas-c/Program.h"

#include <cstring>

using namespace hamkaas::rt;

//===----------------------------------------------------------------------===//
// Types of tensors
//===----------------------------------------------------------------------===//

// Those of scratch memory (Q8_1, Q8_K), which no file has, are unknown here.
static constexpr GgufTensorType tensorTypes[] = {
    {0, "F32", HamKaasFloat32, 1, 4},
    {1, "F16", HamKaasFloat16, 1, 2},
    {2, "Q4_0", -1, 32, 18},
    {3, "Q4_1", -1, 32, 20},
    {6, "Q5_0", -1, 32, 22},
    {7, "Q5_1", -1, 32, 24},
    {8, "Q8_0", -1, 32, 34},
    {10, "Q2_K", -1, 256, 84},
    {11, "Q3_K", -1, 256, 110},
    {12, "Q4_K", -1, 256, 144},
    {13, "Q5_K", -1, 256, 176},
    {14, "Q6_K", -1, 256, 210},
    {16, "IQ2_XXS", -1, 256, 66},
    {17, "IQ2_XS", -1, 256, 74},
    {18, "IQ3_XXS", -1, 256, 98},
    {19, "IQ1_S", -1, 256, 50},
    {20, "IQ4_NL", -1, 32, 18},
    {21, "IQ3_S", -1, 256, 110},
    {22, "IQ2_S", -1, 256, 82},
    {23, "IQ4_XS", -1, 256, 136},
    {24, "I8", HamKaasInt8, 1, 1},
    {25, "I16", HamKaasInt16, 1, 2},
    {26, "I32", HamKaasInt32, 1, 4},
    {27, "I64", HamKaasInt64, 1, 8},
    {28, "F64", HamKaasFloat64, 1, 8},
    {29, "IQ1_M", -1, 256, 56},
    {30, "BF16", HamKaasBFloat16, 1, 2},
    {34, "TQ1_0", -1, 256, 54},
    {35, "TQ2_0", -1, 256, 66},
    {39, "MXFP4", -1, 32, 17},
    {40, "NVFP4", -1, 64, 36},
    {41, "Q1_0", -1, 128, 18},
};

const GgufTensorType *hamkaas::rt::findGgufTensorType(uint32_t number) {
  for (const GgufTensorType &type : tensorTypes)
    if (type.number == number)
      return &type;
  return nullptr;
}

uint64_t GgufTensor::rowBytes() const {
  uint64_t numbers = rank > 0 ? static_cast<uint64_t>(shape[rank - 1]) : 1;
  return numbers / type->blockNumbers * type->blockBytes;
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

const char *hamkaas::rt::ggufTypeName(GgufType type) {
  static constexpr const char *names[ggufTypeCount] = {
      "uint8", "int8",   "uint16", "int16",  "uint32", "int32",  "float32",
      "bool",  "string", "array",  "uint64", "int64",  "float64"};
  return names[static_cast<uint32_t>(type)];
}

size_t hamkaas::rt::ggufTypeSize(GgufType type) {
  static constexpr size_t sizes[ggufTypeCount] = {1, 1, 2, 2, 4, 4, 4,
                                                  1, 0, 0, 8, 8, 8};
  return sizes[static_cast<uint32_t>(type)];
}

bool GgufText::equals(const char *text) const {
  return strlen(text) == size && memcmp(text, data, size) == 0;
}

const uint8_t *GgufValue::element(uint64_t index) const {
  return data + index * ggufTypeSize(type);
}

template <typename Number> static Number load(const uint8_t *bytes) {
  Number number;
  memcpy(&number, bytes, sizeof(number));
  return number;
}

bool GgufValue::readInteger(uint64_t index, int64_t &value) const {
  const uint8_t *bytes = element(index);
  switch (type) {
  case GgufType::UInt8:
    value = load<uint8_t>(bytes);
    return true;
  case GgufType::Int8:
    value = load<int8_t>(bytes);
    return true;
  case GgufType::UInt16:
    value = load<uint16_t>(bytes);
    return true;
  case GgufType::Int16:
    value = load<int16_t>(bytes);
    return true;
  case GgufType::UInt32:
    value = load<uint32_t>(bytes);
    return true;
  case GgufType::Int32:
    value = load<int32_t>(bytes);
    return true;
  case GgufType::UInt64:
  case GgufType::Int64:
    value = load<int64_t>(bytes);
    return type == GgufType::Int64 || value >= 0;
  case GgufType::Float32:
  case GgufType::Bool:
  case GgufType::String:
  case GgufType::Array:
  case GgufType::Float64:
    return false;
  }
  return false;
}

bool GgufValue::readCount(uint64_t index, uint64_t &value) const {
  if (type == GgufType::UInt64) {
    value = load<uint64_t>(element(index));
    return true;
  }
  int64_t integer;
  if (!readInteger(index, integer) || integer < 0)
    return false;
  value = static_cast<uint64_t>(integer);
  return true;
}

bool GgufValue::readFloat(uint64_t index, double &value) const {
  if (type == GgufType::Float32)
    value = static_cast<double>(load<float>(element(index)));
  else if (type == GgufType::Float64)
    value = load<double>(element(index));
  else
    return false;
  return true;
}

bool GgufValue::readBool(uint64_t index, bool &value) const {
  if (type != GgufType::Bool)
    return false;
  value = *element(index) != 0;
  return true;
}

bool GgufValue::readText(GgufText &value) const {
  return !isArray && GgufTexts(*this).next(value);
}

GgufTexts::GgufTexts(const GgufValue &array)
    : data(array.data), left(array.type == GgufType::String ? array.count : 0) {
}

bool GgufTexts::next(GgufText &text) {
  if (left == 0)
    return false;
  --left;
  auto length = load<uint64_t>(data);
  data += sizeof(length);
  text = {reinterpret_cast<const char *>(data), static_cast<size_t>(length)};
  data += length;
  return true;
}
