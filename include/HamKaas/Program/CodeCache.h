//===- CodeCache.h - Compiled code that is kept on disk ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_CODECACHE_H
#define HAMKAAS_PROGRAM_CODECACHE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <memory>
#include <optional>
#include <string>

namespace hamkaas {

struct CodeCacheOptions {
  /// Empty for no cache.
  std::string directory;
  /// Limit for all entries together, in bytes.
  uint64_t maxBytes = uint64_t(1) << 30;
};

/// The directory is HAMKAAS_CACHE_DIR, or hamkaas in XDG_CACHE_HOME or in
/// ~/.cache; the size is HAMKAAS_CACHE_SIZE, and an error if that is no size.
llvm::Expected<CodeCacheOptions> getCodeCacheOptions();

/// A directory with an entry a file, which any number of processes use at once.
///
/// Entries are machine code that will run. So the directory is used only if it
/// belongs to the user and nobody else may write it, the same holds for each
/// file, and what a file holds is checked against a digest.
class CodeCache {
public:
  /// The digest of all that decides what the entry is.
  using Key = std::array<uint8_t, 32>;

  /// Creates the directory if need be. Nothing if there is none to be used.
  static std::optional<CodeCache> open(const CodeCacheOptions &options);
  CodeCache(CodeCache &&other);
  ~CodeCache();

  /// Null if there is no entry. One that is damaged is removed.
  std::unique_ptr<llvm::MemoryBuffer> lookup(const Key &key) const;

  /// Adds an entry, and removes those that were not used for longest as soon as
  /// there is too much. A failure shows in that the entry is not there.
  void store(const Key &key, llvm::StringRef contents) const;

private:
  CodeCache(int directory, uint64_t maxBytes)
      : directory(directory), maxBytes(maxBytes) {}
  bool write(const std::string &name, llvm::StringRef contents) const;
  void removeOldest() const;

  /// NOTE: names are looked up in this descriptor, so that no other directory
  /// can take the place of the one that was checked.
  int directory;
  uint64_t maxBytes;
};

/// "512", "1KB", "2MB", "3GB", in powers of 1024. Nothing for other texts.
std::optional<uint64_t> parseByteCount(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_CODECACHE_H
