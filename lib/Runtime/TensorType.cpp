//===- TensorType.cpp - Element types, shapes and sizes -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/TensorType.h"

#include <cinttypes>

using namespace hamkaas::rt;

const char *hamkaas::rt::elementTypeName(int32_t elementType) {
  switch (elementType) {
  case HamKaasFloat32:
    return "float32";
  case HamKaasInt64:
    return "int64";
  default:
    return nullptr;
  }
}

size_t hamkaas::rt::elementTypeSize(int32_t elementType) {
  switch (elementType) {
  case HamKaasFloat32:
    return 4;
  case HamKaasInt64:
    return 8;
  default:
    return 0;
  }
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
