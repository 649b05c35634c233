//===- GuardedBuffer.h - Memory for foreign code ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_ENGINE_GUARDEDBUFFER_H
#define HAMKAAS_LIB_ENGINE_GUARDEDBUFFER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas {

/// Bytes between guards: on both sides bytes of a known pattern, then pages
/// that cannot be accessed. For a child process with one thread that makes
/// them, because they are in a list of the process.
class GuardedBuffer {
public:
  enum class Place {
    Aligned, ///< To HAMKAAS_REGION_ALIGNMENT.
    /// Pages that cannot be accessed follow the last byte, so that reading
    /// beyond it is found out, too.
    AtEnd
  };

  /// Filled with `pattern`. `name` is that in messages, "the result".
  GuardedBuffer(std::string name, uint64_t bytes, Place place,
                unsigned char pattern);
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  ~GuardedBuffer();

  /// Null if there is no memory.
  char *data() const { return first; }
  uint64_t bytes() const { return count; }
  llvm::StringRef getName() const { return name; }

  /// "wrote beyond the result"; empty if nobody did.
  std::string findDamage() const;

private:
  friend void reportForbiddenAccess(char *report, size_t size);
  static void report(int signal, void *address);
  bool guards(const void *address) const;

  std::string name;
  char *mapping = nullptr, *first = nullptr;
  uint64_t mapped = 0, count;
  GuardedBuffer *next; ///< In the list of the process.
};

/// From now on, an access to the pages around a buffer writes "read or wrote
/// beyond input 0" to `report`, of `size` bytes, and ends the process.
void reportForbiddenAccess(char *report, size_t size);

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_GUARDEDBUFFER_H
