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
#include <string>

namespace hamkaas {

/// A file under construction. It is written under a temporary name beside its
/// final one; `commit` gives it the final name, the destructor or a signal
/// removes it. So a failure leaves neither half a file nor a missing old one.
/// A path that is no regular file, such as /dev/null, gets the contents copied.
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
  llvm::Error commit();

private:
  OutputFile(llvm::StringRef path, std::string temporary, int descriptor,
             bool special);
  void remove();

  std::string path;
  std::string temporary; ///< Empty when there is no temporary file any more.
  int descriptor;
  bool special; ///< What stands at `path` is no regular file.
};

/// Creates or replaces the file `path`; `-` is standard output.
llvm::Error writeOutputFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_OUTPUTFILE_H
