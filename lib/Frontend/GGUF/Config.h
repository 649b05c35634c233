//===- Config.h - Sizes and kinds of a language model -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_GGUF_CONFIG_H
#define HAMKAAS_LIB_FRONTEND_GGUF_CONFIG_H

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/GGUF/GGUF.h"
#include "HamKaas/Runtime/Files/Gguf.h"
#include <cstdint>
#include <vector>

namespace hamkaas::gguf {

struct Config {
  int64_t dim = 0, hidden = 0, layers = 0, vocab = 0;
  int64_t heads = 0, kvHeads = 0, headSize = 0;
  double epsilon = 0;
  /// The angle of each pair of a head at position 1, half the head's size.
  std::vector<double> frequencies;
  /// Pairs are a number and the one half a head behind it, not neighbours.
  bool pairsHalves = false;
  bool hasGelu = false; ///< Else silu.
  /// Embeddings are multiplied by the root of `dim`.
  bool scalesEmbedding = false;

  int64_t context = 0; ///< Positions of the cache.
  int64_t chunk = 0;   ///< Tokens of `prefill`.
  CacheType cacheType = CacheType::F32;

  /// Heads that share keys and values.
  int64_t group() const { return heads / kvHeads; }
  int64_t queryDim() const { return heads * headSize; }
  int64_t keyDim() const { return kvHeads * headSize; }
};

/// Reads all that the file says of the model. What is wrong, and what it asks
/// for and this front end does not have, is an error of the model.
Config readConfig(const rt::GgufFile &file, const GgufImportOptions &options,
                  graph::Diagnostics &diagnostics);

} // namespace hamkaas::gguf

#endif // HAMKAAS_LIB_FRONTEND_GGUF_CONFIG_H
