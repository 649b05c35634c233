//===- RegionTable.cpp - Tensors one after the other ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTable.h"
#include "ProgramBuffers.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

RankedTensorType hamkaas::getTensorType(MemRefType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

FailureOr<int64_t> RegionTable::append(Location loc, MemRefType type) {
  int64_t offset = bytes;
  std::optional<int64_t> size = getBufferBytes(type);
  std::optional<int64_t> end;
  if (size && *size <= INT64_MAX - int64_t(alignment))
    end = llvm::checkedAdd<int64_t>(bytes, llvm::alignTo(*size, alignment));
  if (!end)
    return emitError(loc, "expected a region of less than 2^63 bytes, with ")
           << getTensorType(type) << " it is larger";
  bytes = *end;
  return offset;
}
