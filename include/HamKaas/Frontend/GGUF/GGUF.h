//===- GGUF.h - Language models as GGUF files -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_GGUF_GGUF_H
#define HAMKAAS_FRONTEND_GGUF_GGUF_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace hamkaas {

/// Returns whether a file with this content is meant to be a GGUF model. It may
/// still be a broken one.
bool isGgufModel(llvm::StringRef content);

/// How the cache has its numbers: as floats, or as integers with a float32 for
/// each head and position.
enum class CacheType { F32, F16, BF16, Int8 };

struct GgufImportOptions {
  /// Positions of the cache; 0 for those of the model, up to 2048.
  int64_t context = 0;
  /// Tokens that `prefill` takes; 0 for 64, or the context if that is less.
  int64_t chunk = 0;
  CacheType cacheType = CacheType::F32;
};

struct GgufModel {
  /// Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const ParameterContents> parameters;
};

/// Reads a language model, `content`, which must outlive the parameters, as a
/// module in the form GRAPH with two functions over one state, the keys and
/// values of the tokens so far:
///
/// * `prefill(tokens: i64[chunk], position: i64[1]) -> next: i64[1]` takes
///   tokens from `position` on;
/// * `decode(token: i64[1], position: i64[1]) -> logits: f32[vocab]` takes one
///   and gives the scores of the next.
///
/// Everything that is wrong or not supported is reported to the diagnostic
/// engine of `context`. `name` is that of the model in messages.
GgufModel importGguf(llvm::StringRef content, llvm::StringRef name,
                     mlir::MLIRContext *context,
                     const GgufImportOptions &options = {});

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_GGUF_GGUF_H
