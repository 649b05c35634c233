//===- SafetensorsTensor.h - A tensor of a safetensors file -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_SAFETENSORSTENSOR_H
#define HAMKAAS_RUNTIME_FILES_SAFETENSORSTENSOR_H

#include <cstdint>

namespace hamkaas::rt {

/// A tensor in a safetensors file: dense, row-major. All that it points to is
/// owned by the file.
struct SafetensorsTensor {
  const char *name;    // UTF-8 without control characters
  const char *dtype;   // as the format spells it, e.g. "F32"
  int32_t elementType; // a HamKaasElementType, -1 if ours has no such type
  int32_t rank;
  const int64_t *shape;
  /// In the mapped file and not aligned in any way: copy with memcpy.
  const void *data;
  uint64_t bytes;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_SAFETENSORSTENSOR_H
