//===- Descriptor.h - The HamKaasProgram of a module ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_DESCRIPTOR_H
#define HAMKAAS_PROGRAM_DESCRIPTOR_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace hamkaas {

/// "HamKaas 0.1.0".
llvm::StringRef compilerVersion();

/// The BLAKE3 of `source`, for ProgramInfo::digest; on `threads` threads, 0 for
/// one a core.
std::array<uint8_t, 32> sourceDigest(llvm::StringRef source,
                                     unsigned threads = 1);

/// The symbol of the contents of parameter `index`, if they are embedded.
std::string parameterSymbol(size_t index);

struct DescriptorOptions {
  /// The parameters' contents are data symbols that are linked in later; see
  /// parameterSymbol.
  bool embedParameters = false;
  /// Absolute path of the file with the parameters that are not embedded; empty
  /// if the caller provides them.
  std::string weightsFile;
  /// Size and BLAKE3 of that file.
  uint64_t weightsBytes = 0;
  std::array<uint8_t, 32> weightsDigest = {};
  /// The program is a library with a digest of its own.
  bool hasDigest = false;
};

/// Adds the constant HamKaasModelProgram to a module that defines or declares
/// `hamkaas_run`, and `hamkaas_prepare` if there are constants, or those of the
/// device code, as `info` says. What else it defines becomes local to it.
llvm::Error addProgramDescriptor(llvm::Module &module, const ProgramInfo &info,
                                 const DescriptorOptions &options = {});

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_DESCRIPTOR_H
