//===- CachedCompilation.cpp - Programs that were compiled before ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CachedCompilation.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hamkaas;

/// Raise it when the same graph would compile to other code for a reason
/// outside of the compiler, or when ProgramCode changes its fields.
static constexpr llvm::StringLiteral version = "HamKaas program 9";

/// Writes everything that decides the code; nothing if that is unknown.
static std::optional<CodeCache::Key> makeKey(ModuleOp module,
                                             const TargetCpu &cpu,
                                             StringRef assembler,
                                             const CompileOptions &options) {
  std::optional<std::array<uint8_t, 32>> compiler = getCompilerDigest();
  if (!compiler)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream stream(text);
  // The resolved level instead of "host".
  CompileSettings settings = options;
  settings.targetCpu = cpu.name;
  // Each text ends with a zero, which none contains.
  stream << version << '\0' << assembler << '\0';
  writeKey(settings, stream);
  if (failed(writeBytecodeToFile(module, stream)))
    return std::nullopt;
  llvm::BLAKE3 hasher;
  hasher.update(*compiler);
  hasher.update(text);
  return hasher.final<32>();
}

llvm::Expected<CachedCompilation>
CachedCompilation::create(ModuleOp module, const TargetCpu &cpu,
                          StringRef assembler, const CompileOptions &options) {
  CachedCompilation result;
  if (options.noCache)
    return result;
  auto settings = getCodeCacheOptions();
  if (!settings)
    return settings.takeError();
  if (settings->directory.empty())
    return result;
  if (auto key = makeKey(module, cpu, assembler, options)) {
    result.key = *key;
    if (auto opened = CodeCache::open(*settings))
      result.cache.emplace(std::move(*opened));
  }
  return result;
}

std::optional<ProgramCode> CachedCompilation::lookup() const {
  std::unique_ptr<llvm::MemoryBuffer> entry =
      cache ? cache->lookup(key) : nullptr;
  return entry ? loadCode(entry->getBuffer()) : std::nullopt;
}

void CachedCompilation::store(ProgramCode &code) const {
  if (cache)
    cache->store(key, saveCode(code));
}
