//===- ReferenceTensor.cpp - Elements of all types --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;

/// To nearest, halves to even.
static APFloat roundTo(APFloat value, Type type) {
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static void roundFloats(std::vector<float> &elements, Type type) {
  if (type.isF32())
    return;
  Type f32 = Float32Type::get(type.getContext());
  for (float &x : elements)
    x = roundTo(roundTo(APFloat(x), type), f32).convertToFloat();
}

static void wrapIntegers(std::vector<int64_t> &elements, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  for (int64_t &x : elements) {
    if (width == 1)
      x = x != 0;
    else if (type.isUnsignedInteger())
      x = APInt(64, x).getLoBits(width).getSExtValue();
    else
      x = APInt(64, x).trunc(width).getSExtValue();
  }
}

void hamkaas::roundToType(ReferenceTensor &tensor) {
  Type type = tensor.type.getElementType();
  if (ReferenceTensor::holdsFloat32(tensor.type))
    roundFloats(tensor.f32, type);
  else if (!type.isF64())
    wrapIntegers(tensor.i64, type);
}

ReferenceTensor hamkaas::getReferenceTensor(DenseElementsAttr elements) {
  ReferenceTensor tensor(cast<RankedTensorType>(elements.getType()));
  Type type = tensor.type.getElementType();
  auto float32 = Float32Type::get(type.getContext());
  if (ReferenceTensor::holdsFloat32(tensor.type))
    llvm::transform(
        elements.getValues<APFloat>(), tensor.f32.begin(),
        [&](const APFloat &x) { return roundTo(x, float32).convertToFloat(); });
  else if (type.isF64())
    llvm::copy(elements.getValues<double>(), tensor.f64.begin());
  else
    llvm::transform(elements.getValues<APInt>(), tensor.i64.begin(),
                    [&](const APInt &x) -> int64_t {
                      return type.isUnsignedInteger() || type.isInteger(1)
                                 ? x.getZExtValue()
                                 : x.getSExtValue();
                    });
  return tensor;
}

DenseElementsAttr hamkaas::getElements(const ReferenceTensor &tensor) {
  Type type = tensor.type.getElementType();
  if (type.isF32())
    return DenseElementsAttr::get(tensor.type, ArrayRef(tensor.f32));
  if (type.isF64())
    return DenseElementsAttr::get(tensor.type, ArrayRef(tensor.f64));
  if (ReferenceTensor::holdsFloat32(tensor.type)) {
    SmallVector<APFloat> values;
    for (float x : tensor.f32)
      values.push_back(roundTo(APFloat(x), type));
    return DenseElementsAttr::get(tensor.type, values);
  }
  SmallVector<APInt> values;
  for (int64_t x : tensor.i64)
    values.push_back(APInt(64, x).trunc(type.getIntOrFloatBitWidth()));
  return DenseElementsAttr::get(tensor.type, values);
}

DenseElementsAttr hamkaas::getCompactElements(const ReferenceTensor &tensor) {
  return tensor.withElements([&](const auto &elements) {
    bool isSplat = llvm::all_of(elements, [&](const auto &element) {
      // By their bits: 0.0 is not -0.0, and NaN is NaN.
      return std::memcmp(&element, &elements.front(), sizeof(element)) == 0;
    });
    if (!isSplat)
      return getElements(tensor);
    ReferenceTensor one(tensor.type.clone(ArrayRef<int64_t>{1}));
    one.withElements([&](auto &single) {
      if constexpr (std::is_same_v<std::decay_t<decltype(single)>,
                                   std::decay_t<decltype(elements)>>)
        single.front() = elements.front();
    });
    return getElements(one).resizeSplat(tensor.type);
  });
}
