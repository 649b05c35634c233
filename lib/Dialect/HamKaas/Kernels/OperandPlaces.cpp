//===- OperandPlaces.cpp - Memory of the operands of calls ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Kernels/OperandPlaces.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "hamkaas-c/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

/// The alignment of a program argument. A loop's argument may be a row, at any
/// offset.
static int64_t getAlignment(BlockArgument argument, int64_t elementBytes) {
  auto program = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  std::optional<MemoryRegion> region = getRegion(argument);
  if (!region)
    return elementBytes;
  if (region == MemoryRegion::Workspace)
    return HAMKAAS_REGION_ALIGNMENT;
  if (program->hasAttr(HamKaasDialect::loopAttrName))
    return elementBytes;
  return region == MemoryRegion::Constants || region == MemoryRegion::State
             ? HAMKAAS_REGION_ALIGNMENT
             : HAMKAAS_DEVICE_TENSOR_ALIGNMENT;
}

Place hamkaas::getPlace(Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  int64_t elementBytes =
      std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  Place place{operand, 0, getByteCount(type), elementBytes};
  auto view = operand.getDefiningOp<memref::ViewOp>();
  if (!view)
    return place;
  place.whole = view.getSource();
  auto argument = dyn_cast<BlockArgument>(place.whole);
  std::optional<int64_t> offset = getConstantIntValue(view.getByteShift());
  if (!argument || !offset)
    return place;
  place.offset = *offset;
  place.alignment =
      std::gcd(getAlignment(argument, elementBytes), place.offset);
  return place;
}

bool hamkaas::mayShare(const Place &a, const Place &b) {
  if (a.overlaps(b))
    return true;
  auto isOfLoop = [](const Place &place) {
    auto argument = dyn_cast<BlockArgument>(place.whole);
    return argument && argument.getOwner()->getParentOp()->hasAttr(
                           HamKaasDialect::loopAttrName);
  };
  return a.whole != b.whole && isOfLoop(a) && isOfLoop(b);
}
