//===- Sampler.h - Choosing the next token ------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a token from the scores that a language model gives all tokens. Plain
// C99; needs only libc, throws nothing, never aborts.
//
// The same seed draws the same tokens from the same scores on every machine:
// all steps are IEEE additions, multiplications and divisions of doubles in a
// fixed order, with an exponential of their own (docs/LanguageModels.md has the
// formula).
//
// Errors: as in hamkaas-c/Runtime.h.
//
// Threads: a sampler runs one call at a time, others are independent.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_SAMPLER_H
#define HAMKAAS_C_SAMPLER_H

#include "hamkaas-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HamKaasSampler HamKaasSampler;

/// Set to zeros, all of this is off, and the best token is chosen.
typedef struct HamKaasSamplerOptions {
  size_t structSize;
  /// Scores are divided by it: 0 chooses the best token always, 1 draws by the
  /// probabilities of the model, more is more random.
  float temperature;
  /// Draws from at most so many tokens, the most probable; 0 for all.
  int32_t topK;
  /// Draws from the most probable tokens that together have this probability,
  /// at most 1; 0 for all.
  float topP;
  /// Draws from tokens that have at least this part of the probability of the
  /// most probable one, at most 1; 0 for all.
  float minP;
  /// Scores of tokens that the text has are divided by it if positive,
  /// multiplied if negative; 0 or 1 for no difference.
  float repeatPenalty;
  /// The penalty is for the last so many tokens, 0 for 64.
  int32_t repeatLast;
  uint64_t seed;
} HamKaasSamplerOptions;

/// `options` may be null. On success `*sampler` is owned by the caller, who
/// frees it with HamKaasSamplerDestroy.
HAMKAAS_API HamKaasError HamKaasSamplerCreate(
    const HamKaasSamplerOptions *options, HamKaasSampler **sampler /* out */);

/// Does nothing on null and on other values that are not a sampler.
HAMKAAS_API void HamKaasSamplerDestroy(HamKaasSampler *sampler);

/// Takes tokens for part of the text, as those of a prompt; `choose` does so
/// with what it chooses.
HAMKAAS_API HamKaasError HamKaasSamplerAccept(HamKaasSampler *sampler,
                                              const int64_t *tokens,
                                              uint64_t count);

/// Chooses a token by `scores`, which has `count` entries: logits, of which
/// -infinity excludes a token. Of equal ones the first is the better.
HAMKAAS_API HamKaasError HamKaasSamplerChoose(HamKaasSampler *sampler,
                                              const float *scores,
                                              uint64_t count,
                                              int64_t *token /* out */);

/// Forgets the text, and begins anew with the random numbers.
HAMKAAS_API HamKaasError HamKaasSamplerReset(HamKaasSampler *sampler);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_SAMPLER_H
