//===- CachedCompilation.h - Programs that were compiled before -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_CACHEDCOMPILATION_H
#define HAMKAAS_LIB_DRIVER_CACHEDCOMPILATION_H

#include "HamKaas/Driver/CompileOptions.h"
#include "HamKaas/Program/CodeCache.h"
#include "HamKaas/Program/ProgramCode.h"
#include "HamKaas/Target/Target.h"

namespace hamkaas {

/// A compilation's entry in the user's cache. The key covers the graph as it
/// was read, including source positions, the options that affect code, and the
/// compiler, but not the weights.
class CachedCompilation {
public:
  /// Looks for nothing and keeps nothing if there is no cache. Fails on
  /// settings in the environment that are wrong. `module` is the graph;
  /// `assembler` is that for GPUs, as findAssembler names it.
  static llvm::Expected<CachedCompilation>
  create(mlir::ModuleOp module, const TargetCpu &cpu, llvm::StringRef assembler,
         const CompileOptions &options);

  std::optional<ProgramCode> lookup() const;
  void store(ProgramCode &code) const;

private:
  std::optional<CodeCache> cache;
  CodeCache::Key key = {};
};

/// A digest of this compiler, of LLVM and of MLIR as they are loaded, by their
/// build identifiers. Nothing if one of them has none.
std::optional<std::array<uint8_t, 32>> getCompilerDigest();

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_CACHEDCOMPILATION_H
