//===- SafetensorsWriter.h - Write a safetensors file -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_SAFETENSORSWRITER_H
#define HAMKAAS_RUNTIME_FILES_SAFETENSORSWRITER_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Where the data of tensors comes from.
struct TensorSource {
  /// Copies `bytes` bytes of a tensor, from `offset` in it on, to `to`.
  Error (*read)(void *context, size_t tensor, uint64_t offset, void *to,
                uint64_t bytes);
  void *context;
};

/// Writes a file that appears whole or not at all, and is on the disk when this
/// returns. Of each tensor its name,
/// type and size are used; names must be what SafetensorsFile reads: different
/// UTF-8 texts without control characters, and not "__metadata__". In the file
/// the tensors of large elements come first, so that the data of each is
/// aligned for its type, and those of one size in the order that is given.
Error writeSafetensors(const char *path, const HamKaasTensorInfo *tensors,
                       size_t count, const TensorSource &source);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_SAFETENSORSWRITER_H
