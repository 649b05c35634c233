//===- Elements.cpp - Elements as bytes and as numbers ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

int64_t graph::getElementBytes(Type type) {
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

ReferenceTensor graph::decodeElements(RankedTensorType type,
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

std::vector<char> graph::encodeElements(const ReferenceTensor &tensor) {
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

void graph::fillElements(ReferenceTensor &tensor, double value) {
  tensor.withElements([&](auto &elements) { llvm::fill(elements, value); });
  roundToType(tensor);
}

void graph::appendElements(const ReferenceTensor &tensor,
                           SmallVectorImpl<double> &values) {
  tensor.withElements(
      [&](const auto &elements) { llvm::append_range(values, elements); });
}
