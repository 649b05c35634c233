//===- SamplerFunctions.cpp - The C interface of samplers -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Sampler.h"
#include "Objects.h"
#include "hamkaas-c/Sampler.h"

#include <algorithm>
#include <cinttypes>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

static constexpr HandleKind samplerKind = {9, "a sampler"};
using PinnedSampler = PinnedObject<Sampler>;

static Error createSampler(const HamKaasSamplerOptions *given,
                           HamKaasSampler *&sampler) {
  HamKaasSamplerOptions options = {};
  if (given) {
    if (given->structSize < sizeof(size_t))
      return Error::format("expected the size of HamKaasSamplerOptions as "
                           "structSize, got %zu",
                           given->structSize);
    memcpy(&options, given, std::min(given->structSize, sizeof(options)));
  }
  Sampler *created = createObject<Sampler>();
  if (!created)
    return Error::format("out of memory for a sampler");
  Error error = created->build({options.temperature, options.topK, options.topP,
                                options.minP, options.repeatPenalty,
                                options.repeatLast, options.seed});
  if (error) {
    destroyObject<Sampler>(created);
    return error;
  }
  return addObject(samplerKind, created, sampler);
}

HamKaasError HamKaasSamplerCreate(const HamKaasSamplerOptions *options,
                                  HamKaasSampler **sampler) {
  if (!sampler)
    return Error::format("expected where to put a sampler, got null").release();
  *sampler = nullptr;
  return createSampler(options, *sampler).release();
}

void HamKaasSamplerDestroy(HamKaasSampler *sampler) {
  handleTable().remove(sampler, samplerKind);
}

HamKaasError HamKaasSamplerAccept(HamKaasSampler *sampler,
                                  const int64_t *tokens, uint64_t count) {
  PinnedSampler pinned(sampler, samplerKind);
  if (!pinned)
    return pinned.explain().release();
  if (!tokens && count)
    return Error::format("expected %" PRIu64 " tokens, got null", count)
        .release();
  return pinned->accept(tokens, static_cast<size_t>(count)).release();
}

HamKaasError HamKaasSamplerChoose(HamKaasSampler *sampler, const float *scores,
                                  uint64_t count, int64_t *token) {
  PinnedSampler pinned(sampler, samplerKind);
  if (!pinned)
    return pinned.explain().release();
  if (!scores || !token)
    return Error::format("expected scores and where to put a token, got null")
        .release();
  return pinned->choose(scores, static_cast<size_t>(count), *token).release();
}

HamKaasError HamKaasSamplerReset(HamKaasSampler *sampler) {
  PinnedSampler pinned(sampler, samplerKind);
  if (!pinned)
    return pinned.explain().release();
  pinned->reset();
  return nullptr;
}
