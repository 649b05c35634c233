//===- ElementTypes.cpp - Element types in graphs and programs --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Elements as programs have them
//===----------------------------------------------------------------------===//

namespace {

/// A float of 16 bits.
template <const llvm::fltSemantics &(*semantics)()> struct Narrow {
  uint16_t bits = 0;

  Narrow() = default;
  explicit Narrow(float value) {
    APFloat narrow(value);
    bool loses;
    narrow.convert(semantics(), APFloat::rmNearestTiesToEven, &loses);
    bits = narrow.bitcastToAPInt().getZExtValue();
  }
  explicit operator float() const {
    APFloat wide(semantics(), APInt(16, bits));
    bool loses;
    wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    return wide.convertToFloat();
  }
};
using Half = Narrow<APFloat::IEEEhalf>;
using BrainFloat = Narrow<APFloat::BFloat>;

struct Bool {
  uint8_t byte = 0;

  Bool() = default;
  explicit Bool(int64_t value) : byte(value != 0) {}
  explicit operator int64_t() const { return byte != 0; }
};

} // namespace

/// Elements of a program, which need not be aligned, from and to the vector of
/// a tensor.
template <typename Stored, auto vector>
static void decodeAs(const void *from, ReferenceTensor &to) {
  auto *bytes = static_cast<const char *>(from);
  for (auto &element : to.*vector) {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof(Stored));
    element = static_cast<std::decay_t<decltype(element)>>(stored);
    bytes += sizeof(Stored);
  }
}
template <typename Stored, auto vector>
static void encodeAs(const ReferenceTensor &from, void *to) {
  auto *bytes = static_cast<char *>(to);
  for (auto element : from.*vector) {
    auto stored = static_cast<Stored>(element);
    std::memcpy(bytes, &stored, sizeof(Stored));
    bytes += sizeof(Stored);
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename T> static Type makeFloat(MLIRContext *context) {
  return T::get(context);
}
template <unsigned width> static Type makeInteger(MLIRContext *context) {
  return IntegerType::get(context, width);
}
template <unsigned width> static Type makeUnsigned(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}

template <typename Stored, auto vector>
static constexpr ElementTypeInfo makeInfo(HamKaasElementType type,
                                          Type (*make)(MLIRContext *),
                                          double tolerance = 0) {
  return {type, make, decodeAs<Stored, vector>, encodeAs<Stored, vector>,
          tolerance};
}

static constexpr auto f32 = &ReferenceTensor::f32;
static constexpr auto f64 = &ReferenceTensor::f64;
static constexpr auto i64 = &ReferenceTensor::i64;

// NOTE: kernels round to a narrow float less often than the interpreter does.
static constexpr ElementTypeInfo table[] = {
    makeInfo<float, f32>(HamKaasFloat32, makeFloat<Float32Type>, 1e-5),
    makeInfo<int64_t, i64>(HamKaasInt64, makeInteger<64>),
    makeInfo<double, f64>(HamKaasFloat64, makeFloat<Float64Type>, 1e-12),
    makeInfo<Half, f32>(HamKaasFloat16, makeFloat<Float16Type>, 5e-3),
    makeInfo<BrainFloat, f32>(HamKaasBFloat16, makeFloat<BFloat16Type>, 4e-2),
    makeInfo<int32_t, i64>(HamKaasInt32, makeInteger<32>),
    makeInfo<int16_t, i64>(HamKaasInt16, makeInteger<16>),
    makeInfo<int8_t, i64>(HamKaasInt8, makeInteger<8>),
    makeInfo<uint8_t, i64>(HamKaasUInt8, makeUnsigned<8>),
    makeInfo<uint16_t, i64>(HamKaasUInt16, makeUnsigned<16>),
    makeInfo<uint32_t, i64>(HamKaasUInt32, makeUnsigned<32>),
    makeInfo<uint64_t, i64>(HamKaasUInt64, makeUnsigned<64>),
    makeInfo<Bool, i64>(HamKaasBool, makeInteger<1>),
};
static_assert(std::size(table) == rt::elementTypeCount);

const ElementTypeInfo *hamkaas::findElementType(Type type) {
  auto *found = llvm::find_if(table, [&](const ElementTypeInfo &info) {
    return info.make(type.getContext()) == type;
  });
  return found == std::end(table) ? nullptr : found;
}

const ElementTypeInfo &hamkaas::getElementType(int32_t elementType) {
  return table[elementType];
}

RankedTensorType hamkaas::makeTensorType(MLIRContext *context,
                                         int32_t elementType,
                                         ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape,
                               getElementType(elementType).make(context));
}
