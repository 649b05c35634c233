//===- AtomicFile.h - Write a file whole or not at all ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ATOMICFILE_H
#define HAMKAAS_RUNTIME_ATOMICFILE_H

#include "HamKaas/Runtime/Error.h"

#include <cstddef>

namespace hamkaas::rt {

/// A stretch of bytes; `data` is the caller's.
struct FilePart {
  const void *data;
  size_t size;
};

/// Writes the parts one after another into `path`. A new file is written
/// beside it and renamed at the end, so that whoever opens `path` sees the old
/// contents or all of the new. What is not a regular file (a pipe, a terminal)
/// is written directly.
Error writeFileAtomically(const char *path, const FilePart *parts,
                          size_t partCount);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ATOMICFILE_H
