//===- Aot.h - Program files for other programs -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_AOT_H
#define HAMKAAS_PROGRAM_AOT_H

#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Program/LinkProgram.h"
#include "llvm/ADT/ArrayRef.h"

namespace hamkaas {

struct AotOptions {
  /// The file to write: .so, .o or .a. The header goes beside it, with the
  /// ending .h.
  std::string output;
  /// Those that the program's descriptor was made with.
  DescriptorOptions descriptor;
  /// Contents of the parameters in the order of ProgramInfo, if the descriptor
  /// embeds them; owned by the caller.
  llvm::ArrayRef<llvm::ArrayRef<char>> parameters;
  /// See LinkJob::runtimeArchive.
  std::string runtimeArchive;
  /// See LinkJob::keepDebugInfo.
  bool keepDebugInfo = false;
};

/// Links `objects`, compiled from modules with a descriptor, with the runtime
/// into a file that a C compiler or dlopen takes, and writes the header. Both
/// files appear, or none; where replacing an older program fails at the very
/// end, its header is gone.
llvm::Error writeProgram(const ProgramInfo &info, const ProgramObjects &objects,
                         const AotOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_AOT_H
