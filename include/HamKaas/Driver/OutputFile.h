//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_OUTPUTFILE_H
#define HAMKAAS_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>
#include <utility>

namespace hamkaas {

/// A file under construction. It is written under a temporary name beside its
/// final one; `commit` gives it the final name, the destructor or a signal
/// removes it. So a failure leaves neither half a file nor a missing old one.
/// A path that is no regular file, such as /dev/null, gets the contents copied.
class OutputFile {
public:
  /// Fails, with the path and the reason, where `path` cannot be written.
  static llvm::Expected<OutputFile> create(llvm::StringRef path);
  OutputFile(OutputFile &&other)
      : path(std::move(other.path)),
        file(std::exchange(other.file, std::nullopt)), special(other.special) {}
  ~OutputFile();

  /// Where to write the contents: a file that exists and is empty. It may be
  /// replaced by another file of this name.
  llvm::StringRef temporaryPath() const { return file->TmpName; }

  llvm::Error write(llvm::StringRef contents);
  llvm::Error commit();

private:
  OutputFile(std::string path, llvm::sys::fs::TempFile file, bool special)
      : path(std::move(path)), file(std::move(file)), special(special) {}

  std::string path;
  std::optional<llvm::sys::fs::TempFile> file;
  bool special;
};

/// Creates or replaces the file `path`.
llvm::Error writeOutputFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_OUTPUTFILE_H
