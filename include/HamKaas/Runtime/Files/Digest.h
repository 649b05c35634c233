//===- Digest.h - BLAKE3 of memory ------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BLAKE3 (https://github.com/BLAKE3-team/BLAKE3-specs), written from its
// specification: the digest that `b3sum` prints and that LLVM computes for the
// compiler. It is a tree, so threads share a file; and a program that names the
// digest of its weights names no other weights, which a checksum could not
// promise.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_DIGEST_H
#define HAMKAAS_RUNTIME_FILES_DIGEST_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Cpu/Isa.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hamkaas::rt {

struct Digest {
  uint8_t bytes[32];

  bool operator==(const Digest &other) const {
    return memcmp(bytes, other.bytes, sizeof(bytes)) == 0;
  }
};

/// A digest as 64 digits.
class DigestText {
public:
  explicit DigestText(const Digest &digest);
  const char *c_str() const { return text; }

private:
  char text[65];
};

/// The instructions that this machine has.
inline HamKaasIsaLevel ownIsaLevel() { return isaLevelOf(readCpuid()); }

/// Digest of `size` bytes, on `threads` threads, 0 for one a core. Fails if
/// there is no memory for threads or for 32 bytes of each 256 KiB. It is the
/// same for each `level`, a lower one is slower.
Error computeDigest(const void *data, size_t size, int32_t threads,
                    Digest &digest /* out */,
                    HamKaasIsaLevel level = ownIsaLevel());

/// Digest of a regular file and its size.
Error computeFileDigest(const char *path, int32_t threads,
                        Digest &digest /* out */, uint64_t &bytes /* out */);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_DIGEST_H
