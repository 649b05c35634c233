//===- GgufFuzzer.cpp - Any bytes as a GGUF model ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads the bytes as a language model. What is accepted must be a sound graph,
// with the contents of all its parameters within the file.

#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/GGUF/GGUF.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

/// A context costs more than most models, so that several share one. Uniqued
/// types and locations live as long as it does, so that it is renewed at times.
static MLIRContext &getContext() {
  constexpr unsigned renewAfter = 256;
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % renewAfter == 0) {
    DialectRegistry registry;
    hamkaas::registerReferenceSemantics(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
  }
  return *context;
}

static void checkParameters(hamkaas::GgufModel &model, StringRef content) {
  for (auto global : model.module->getOps<ml_program::GlobalOp>()) {
    if (global.getIsMutable())
      continue;
    auto type = cast<RankedTensorType>(global.getType());
    size_t size = type.getNumElements() *
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    ArrayRef<char> bytes =
        model.parameters->lookup(hamkaas::getGlobalName(global));
    if (bytes.size() != size || bytes.begin() < content.begin() ||
        bytes.end() > content.end())
      __builtin_trap();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  StringRef content(reinterpret_cast<const char *>(data), size);
  // The messages are formatted, as a tool would.
  std::string messages;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { messages += diagnostic.str(); });
  hamkaas::GgufModel model =
      hamkaas::importGguf(content, "fuzz.gguf", &context);
  // A model is there, or the reason why not.
  if (bool(model.module) != messages.empty())
    __builtin_trap();
  if (!model.module)
    return 0;
  if (failed(verify(*model.module)))
    __builtin_trap();
  checkParameters(model, content);
  return 0;
}
