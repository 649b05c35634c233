//===- Decoder.h - The graph of a language model ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_GGUF_DECODER_H
#define HAMKAAS_LIB_FRONTEND_GGUF_DECODER_H

#include "Config.h"
#include "Weights.h"
#include <optional>

namespace hamkaas::gguf {

/// The states that have the keys or the values of a layer: a row for each head
/// and position, and for integers a scale for each row.
struct Cache {
  uint32_t rows = 0;
  std::optional<uint32_t> scales;
};

/// Builds the functions of a model, each over the same weights and caches.
class Decoder {
public:
  Decoder(const Config &config, const Weights &weights, graph::UserGraph &graph,
          graph::Diagnostics &diagnostics, mlir::Location location)
      : config(config), weights(weights), graph(graph),
        diagnostics(diagnostics), location(location) {}

  /// The keys and values of all layers, before the first function.
  llvm::Error addCaches();
  llvm::Error addPrefill();
  llvm::Error addDecode();

private:
  /// A function of so many tokens. Gives its output the name.
  llvm::Error addFunction(llvm::StringRef name, llvm::StringRef tokensName,
                          int64_t tokens, bool isDecode,
                          llvm::StringRef outputName);

  const Config &config;
  const Weights &weights;
  graph::UserGraph &graph;
  graph::Diagnostics &diagnostics;
  mlir::Location location;
  /// By layer, keys before values.
  std::vector<Cache> caches;
};

} // namespace hamkaas::gguf

#endif // HAMKAAS_LIB_FRONTEND_GGUF_DECODER_H
