//===- Sampler.h - Choosing the next token ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_SAMPLER_H
#define HAMKAAS_TOKENIZER_SAMPLER_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Tokenizer/Array.h"

namespace hamkaas::tok {

/// See HamKaasSamplerOptions.
struct SamplerSettings {
  float temperature = 0;
  int32_t topK = 0;
  float topP = 0;
  float minP = 0;
  float repeatPenalty = 0;
  int32_t repeatLast = 0;
  uint64_t seed = 0;
};

class Sampler {
public:
  rt::Error build(const SamplerSettings &settings);

  rt::Error accept(const int64_t *tokens, size_t count);
  rt::Error choose(const float *scores, size_t count, int64_t &token);
  void reset();

private:
  rt::Error readScores(const float *given, size_t count);
  bool fillWeights();
  void keepMostProbable();
  int64_t draw();
  double sumKept() const;
  template <typename Condition> void keepIf(const Condition &isKept);

  SamplerSettings settings;
  uint64_t draws = 0;
  /// The last tokens of the text, the oldest at `oldest` once it is full.
  Array<int64_t> recent;
  size_t oldest = 0;

  // Of the present call.
  Array<float> scores;
  Array<double> weights;
  Array<uint32_t> kept; // tokens to draw from, in ascending order
  uint32_t best = 0;
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_SAMPLER_H
