//===- LinkProgram.h - Programs from object files ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_LINKPROGRAM_H
#define HAMKAAS_PROGRAM_LINKPROGRAM_H

#include "HamKaas/Program/DataObject.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hamkaas {

enum class ProgramFileKind {
  SharedLibrary, ///< model.so
  Object,        ///< model.o
  Archive        ///< model.a, with model.o in it
};

/// The kind that the ending of `path` stands for; none for an unknown one.
std::optional<ProgramFileKind> programFileKind(llvm::StringRef path);

/// The objects that a program is compiled to: the first has its descriptor.
using ProgramObjects = std::vector<std::unique_ptr<llvm::MemoryBuffer>>;

/// The contents of a program file.
struct LinkJob {
  llvm::ArrayRef<llvm::MemoryBufferRef> objects;
  llvm::ArrayRef<EmbeddedData> data;
  /// The names that the outside sees. All others are local to the file, so that
  /// several programs, and any other library, meet in one process.
  llvm::ArrayRef<std::string> exports;
  /// The runtime as a static library; empty for the one that belongs to this
  /// compiler.
  std::string runtimeArchive;
  /// Keep the debug information of the objects, and of the runtime if it has
  /// any.
  bool keepDebugInfo = false;
};

/// Links `job` with the runtime, in this process. `path`, whose ending must be
/// one that programFileKind knows, appears when the result is committed. Calls
/// from several threads wait for each other: the linker has global state.
llvm::Expected<OutputFile> linkProgram(const LinkJob &job,
                                       llvm::StringRef path);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_LINKPROGRAM_H
