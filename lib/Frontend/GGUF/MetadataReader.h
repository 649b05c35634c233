//===- MetadataReader.h - What a GGUF file says of its model ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_GGUF_METADATAREADER_H
#define HAMKAAS_LIB_FRONTEND_GGUF_METADATAREADER_H

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Runtime/Files/Gguf.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace hamkaas::gguf {

/// Reads values by key. A value that is wrong is an error of the model, in
/// place of which the reader gives the least or the default.
class MetadataReader {
public:
  MetadataReader(const rt::GgufFile &file, graph::Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics) {}

  /// Begins the keys that follow, and stands before them in the file.
  void setPrefix(llvm::StringRef prefix) { this->prefix = prefix.str(); }

  bool has(llvm::StringRef key) const { return find(key) != nullptr; }
  /// An integer of a range; without a default it must be there.
  int64_t getCount(llvm::StringRef key, int64_t least, int64_t most,
                   std::optional<int64_t> otherwise = std::nullopt);
  double getNumber(llvm::StringRef key,
                   std::optional<double> otherwise = std::nullopt);
  llvm::StringRef
  getText(llvm::StringRef key,
          std::optional<llvm::StringRef> otherwise = std::nullopt);
  /// Elements of an array, none if it is not there.
  std::optional<int64_t> getLength(llvm::StringRef key);

  /// The value of this key has no effect on what the model computes.
  void ignore(llvm::StringRef key) { known.insert(prefix + key.str()); }
  /// Keys of the prefix that nobody has asked for are errors.
  void reportUnknown();

private:
  const rt::GgufValue *find(llvm::StringRef key) const;
  /// Reports that the value, null if there is none, is another than expected.
  void report(llvm::StringRef key, const llvm::Twine &expected,
              const rt::GgufValue *value);

  const rt::GgufFile &file;
  graph::Diagnostics &diagnostics;
  std::string prefix;
  llvm::StringSet<> known;
};

} // namespace hamkaas::gguf

#endif // HAMKAAS_LIB_FRONTEND_GGUF_METADATAREADER_H
