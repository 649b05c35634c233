//===- ParsedFile.h - A mapped file and what is read from it ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_PARSEDFILE_H
#define HAMKAAS_RUNTIME_FILES_PARSEDFILE_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/MappedFile.h"

namespace hamkaas::rt {

/// The common part of all file formats. `Format` derives from this, closes the
/// file in its destructor, and has
///   Error parseChecked(const uint8_t *contents, size_t size, const char *path)
/// and `void clear()`, which forgets what was parsed, also after an error.
template <typename Format> class ParsedFile {
public:
  ParsedFile() = default;
  ParsedFile(const ParsedFile &) = delete;
  ParsedFile &operator=(const ParsedFile &) = delete;

  /// Maps and checks a file. On an error the file is closed.
  Error open(const char *path) {
    close();
    Error error = file.open(path);
    return error ? static_cast<Error &&>(error)
                 : check(file.data(), file.size(), path);
  }

  /// Checks contents in memory, which must outlive this object. `path` stands
  /// for them in messages.
  Error parse(const void *contents, size_t size, const char *path) {
    close();
    return check(static_cast<const uint8_t *>(contents), size, path);
  }

  void close() {
    file.close();
    static_cast<Format *>(this)->clear();
  }

protected:
  ~ParsedFile() = default;

private:
  Error check(const uint8_t *contents, size_t size, const char *path) {
    Error error =
        static_cast<Format *>(this)->parseChecked(contents, size, path);
    if (error)
      close();
    return error;
  }

  MappedFile file;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_PARSEDFILE_H
