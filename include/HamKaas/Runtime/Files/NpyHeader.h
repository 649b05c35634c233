//===- NpyHeader.h - The header of an npy file ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_NPYHEADER_H
#define HAMKAAS_RUNTIME_FILES_NPYHEADER_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Type and shape of the array. It is the text of a Python dictionary:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
struct NpyHeader {
  /// numpy's own limit is 64 since 2.0, 32 before.
  static constexpr int32_t maximumRank = 64;

  HamKaasElementType elementType = HamKaasFloat32;
  int32_t rank = 0;
  int64_t shape[maximumRank] = {};

  /// `path` is for messages.
  Error parse(const char *text, size_t length, const char *path);
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_NPYHEADER_H
