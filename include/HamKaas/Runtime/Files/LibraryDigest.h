//===- LibraryDigest.h - The digest of a compiled library -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_LIBRARYDIGEST_H
#define HAMKAAS_RUNTIME_FILES_LIBRARYDIGEST_H

#include "HamKaas/Runtime/Files/Digest.h"

namespace hamkaas::rt {

/// The note that holds the digest of a `model.so`: the owner with its zero
/// byte, the type, and the bytes of a Digest.
inline constexpr char digestNoteOwner[8] = "HamKaas";
inline constexpr uint32_t digestNoteType = 1;

/// The digest of a library covers what the system loads of it: the file up to
/// the end of its last segment. It leaves out the digest itself and what the
/// ELF header says of sections, so that a library may be stripped.
struct LibraryDigest {
  size_t offset; // of the digest that the file has
  Digest stored;
  Digest computed; // what it should be
};

/// Reads the ELF file `contents` on `threads` threads, 0 for one a core.
/// Nothing of it is run or believed. `path` names it in messages.
Error readLibraryDigest(const void *contents, size_t size, const char *path,
                        int32_t threads, LibraryDigest &result /* out */);

/// Fails if the library at `path` is not what the linker left there.
Error verifyLibrary(const char *path, int32_t threads);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_LIBRARYDIGEST_H
