//===- Dialect.cpp - Registration of the dialect ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

#include "HamKaas/Dialect/HamKaas/IR/HamKaasDialect.cpp.inc"
#include "HamKaas/Dialect/HamKaas/IR/HamKaasEnums.cpp.inc"
#include "HamKaas/Dialect/HamKaas/IR/HamKaasInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/HamKaasAttrs.cpp.inc"

void HamKaasDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "HamKaas/Dialect/HamKaas/IR/HamKaasAttrs.cpp.inc"
      >();
  addArithmeticOps();
  addConstantOps();
  addContractionOps();
  addDimensionOps();
  addElementwiseOps();
  addEngineOps();
  addLoopOps();
  addMathOps();
  addMovementOps();
  addProgramOps();
  addQuantizationOps();
  addReductionOps();
  addRegionOps();
  addRowOps();
  addViewOps();
}

bool hamkaas::isSupportedShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  int64_t limit = int64_t(1) << 47, count = 1;
  for (int64_t size : tensor.getShape()) {
    if (size == 0 || size >= limit || count > limit / size)
      return false;
    count *= size;
  }
  return count < limit;
}

bool hamkaas::isPosition(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getShape() == ArrayRef<int64_t>{1} &&
         tensor.getElementType().isSignlessInteger(64);
}

Type hamkaas::getStorageElementType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isUnsignedInteger())
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

RankedTensorType hamkaas::getStorageType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(getStorageElementType(tensor.getElementType()));
}

DenseElementsAttr hamkaas::getStoredElements(DenseElementsAttr elements) {
  Type element = elements.getElementType();
  Type stored = getStorageElementType(element);
  if (stored == element)
    return elements;
  if (!element.isInteger(1))
    return elements.bitcast(stored);
  return elements.mapValues(stored,
                            [](const APInt &value) { return value.zext(8); });
}

int64_t hamkaas::getElementCount(Type type) {
  return cast<ShapedType>(type).getNumElements();
}

int64_t hamkaas::addCounts(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max()
                                      : sum;
}

int64_t hamkaas::multiplyCounts(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max()
                                          : product;
}

int64_t hamkaas::getByteCount(Type type) {
  auto shaped = cast<ShapedType>(type);
  Type element = getStorageElementType(shaped.getElementType());
  return shaped.getNumElements() * element.getIntOrFloatBitWidth() / 8;
}
