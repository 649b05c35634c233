//===- ScriptFuzzer.cpp - Any bytes as a script -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads the bytes as a script. What is accepted must print, in the oldest
// version that can say it and in version 3, and what was printed must be
// accepted and print the same.

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Support/SourceDiagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// Bytes that no script needs, however large: 100 errors and as many warnings,
/// with a note each and the lines they are about.
static constexpr size_t messageLimit = 1 << 20;

static OwningOpRef<ModuleOp> import(StringRef text, MLIRContext &context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.hk"), llvm::SMLoc());
  // The messages are formatted, as a tool would.
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  OwningOpRef<ModuleOp> module;
  {
    hamkaas::SourceDiagnostics diagnostics(sources, &context, stream);
    module = hamkaas::importScript(sources, &context);
  }
  if (messages.size() > messageLimit)
    __builtin_trap();
  return module;
}

static std::string print(ModuleOp module,
                         const hamkaas::ScriptExportOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(verify(module)) ||
      failed(hamkaas::exportScript(module, stream, options)))
    __builtin_trap();
  return text;
}

static void checkPrinted(ModuleOp module, MLIRContext &context,
                         const hamkaas::ScriptExportOptions &options) {
  std::string printed = print(module, options);
  OwningOpRef<ModuleOp> again = import(printed, context);
  if (!again || print(*again, options) != printed)
    __builtin_trap();
}

/// A context costs more than most scripts, so that several share one. Uniqued
/// types and locations live as long as it does, so that it is renewed at times.
static MLIRContext &getContext() {
  constexpr unsigned renewAfter = 256;
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % renewAfter == 0)
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  OwningOpRef<ModuleOp> module =
      import(StringRef(reinterpret_cast<const char *>(data), size), context);
  if (!module)
    return 0;
  checkPrinted(*module, context, {});
  checkPrinted(*module, context, {.newest = true});
  return 0;
}
