//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_OUTPUTFILE_H
#define HAMKAAS_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace hamkaas {

namespace rt {
class AtomicFile;
class Error;
} // namespace rt

/// rt::AtomicFile for the compiler: a signal removes it too, and a path that is
/// no regular file, such as /dev/null, gets the contents when all are there.
class OutputFile {
public:
  /// Fails, with the path and the reason, where `path` cannot be written.
  static llvm::Expected<OutputFile> create(llvm::StringRef path);
  OutputFile(OutputFile &&other);
  ~OutputFile();

  /// Where to write the contents: a file that exists and is empty. It may be
  /// replaced by another file of this name. The path is absolute.
  llvm::StringRef temporaryPath() const { return temporary; }

  llvm::Error write(llvm::StringRef contents);
  llvm::Error write(llvm::function_ref<rt::Error(rt::AtomicFile &)> writer);
  llvm::Error commit();

  /// Removes the file after its commit, unless it is no regular file.
  void remove();

private:
  OutputFile(llvm::StringRef path, std::unique_ptr<rt::AtomicFile> target,
             std::unique_ptr<rt::AtomicFile> contents);
  rt::AtomicFile &file() { return contents ? *contents : *target; }

  std::string path;
  std::unique_ptr<rt::AtomicFile> target;
  /// A file elsewhere that holds the contents until `target`, which is no
  /// regular file, gets them; otherwise null.
  std::unique_ptr<rt::AtomicFile> contents;
  std::string temporary; ///< Empty when there is no temporary file any more.
};

/// Creates or replaces the file `path`; `-` is standard output.
llvm::Error writeOutputFile(llvm::StringRef path, llvm::StringRef contents);

/// Writes what standard output still holds back. Fails if it, or anything
/// before it, could not be written.
llvm::Error flushStandardOutput();

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_OUTPUTFILE_H
