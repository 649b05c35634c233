//===- TensorType.cpp - Element types, shapes and sizes -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/TensorType.h"

#include <cinttypes>

using namespace hamkaas::rt;

const ElementType hamkaas::rt::elementTypes[elementTypeCount] = {
    {HamKaasFloat32, "float32", 4, "<f4", "F32"},
    {HamKaasInt64, "int64", 8, "<i8", "I64"},
    {HamKaasFloat64, "float64", 8, "<f8", "F64"},
    {HamKaasFloat16, "float16", 2, "<f2", "F16"},
    {HamKaasBFloat16, "bfloat16", 2, nullptr, "BF16"},
    {HamKaasInt32, "int32", 4, "<i4", "I32"},
    {HamKaasInt16, "int16", 2, "<i2", "I16"},
    {HamKaasInt8, "int8", 1, "|i1", "I8"},
    {HamKaasUInt8, "uint8", 1, "|u1", "U8"},
    {HamKaasUInt16, "uint16", 2, "<u2", "U16"},
    {HamKaasUInt32, "uint32", 4, "<u4", "U32"},
    {HamKaasUInt64, "uint64", 8, "<u8", "U64"},
    {HamKaasBool, "bool", 1, "|b1", "BOOL"},
};

static bool isKnown(int32_t elementType) {
  return elementType >= 0 && elementType < elementTypeCount;
}

const char *hamkaas::rt::elementTypeName(int32_t elementType) {
  return isKnown(elementType) ? elementTypes[elementType].name : nullptr;
}

size_t hamkaas::rt::elementTypeSize(int32_t elementType) {
  return isKnown(elementType) ? elementTypes[elementType].size : 0;
}

Error hamkaas::rt::checkElementTypes(const HamKaasProgram &program) {
  const struct {
    const HamKaasTensorInfo *tensors;
    int32_t count;
  } tables[] = {{program.inputs, program.inputCount},
                {program.outputs, program.outputCount},
                {program.parameters, program.parameterCount},
                {program.states, program.stateCount}};
  for (auto [tensors, count] : tables)
    for (int32_t i = 0; i < count; ++i)
      if (!isKnown(tensors[i].elementType))
        return Error::format("model '%s': expected the number of the element "
                             "type of '%s' to be from 0 to %d, got %d",
                             program.name, tensors[i].name,
                             elementTypeCount - 1, tensors[i].elementType);
  return Error();
}

bool hamkaas::rt::countBytes(size_t elementSize, int32_t rank,
                             const int64_t *shape, uint64_t &bytes) {
  int64_t product = static_cast<int64_t>(elementSize);
  bool empty = false, fits = true;
  for (int32_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return false;
    // A later zero makes a size of zero out of any product before it.
    if (shape[i] == 0)
      empty = true;
    else
      fits &= !__builtin_mul_overflow(product, shape[i], &product);
  }
  bytes = empty ? 0 : static_cast<uint64_t>(product);
  return empty || fits;
}

void hamkaas::rt::appendShape(TextBuilder &text, int32_t rank,
                              const int64_t *shape) {
  text.append("[");
  for (int32_t i = 0; i < rank; ++i)
    text.append(i == 0 ? "%" PRId64 : ", %" PRId64, shape[i]);
  text.append("]");
}

void hamkaas::rt::appendType(TextBuilder &text, const HamKaasTensorInfo &info) {
  const char *name = elementTypeName(info.elementType);
  text.append("%s ", name ? name : "unknown type");
  appendShape(text, info.rank, info.shape);
}
