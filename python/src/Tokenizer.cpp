//===- Tokenizer.cpp - Tokenizers and samplers ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tokenizer.h"
#include "Buffer.h"

#include <limits>

using namespace hamkaas::python;

Tokenizer::Tokenizer(nb::bytes path) {
  callWithoutLock(
      [&] { return HamKaasTokenizerCreate(path.c_str(), &handle); });
}

/// `encode` writes to an array and says how many tokens there are, so that a
/// second call fits.
template <typename Encode>
static std::vector<int64_t> collectTokens(size_t guess, const Encode &encode) {
  std::vector<int64_t> tokens(guess);
  uint64_t count = 0;
  callWithoutLock([&] {
    HamKaasError error = encode(tokens.data(), tokens.size(), &count);
    if (!error || count <= tokens.size())
      return error;
    HamKaasErrorFree(error);
    tokens.resize(count);
    return encode(tokens.data(), tokens.size(), &count);
  });
  tokens.resize(count);
  return tokens;
}

std::vector<int64_t> Tokenizer::encode(nb::bytes text,
                                       uint32_t encoding) const {
  // No more tokens than bytes, and what comes first and last.
  constexpr size_t others = 8;
  return collectTokens(
      text.size() + others,
      [&](int64_t *tokens, uint64_t capacity, uint64_t *count) {
        return HamKaasTokenizerEncode(handle, text.c_str(), text.size(),
                                      encoding, tokens, capacity, count);
      });
}

std::vector<int64_t>
Tokenizer::encodeChat(std::vector<std::pair<nb::bytes, nb::bytes>> messages,
                      std::optional<nb::bytes> form, bool reply) const {
  std::vector<HamKaasMessage> known;
  size_t guess = 256;
  for (const auto &[role, content] : messages) {
    known.push_back({role.c_str(), content.c_str()});
    guess += 64 + content.size();
  }
  if (known.size() > std::numeric_limits<int32_t>::max())
    throw makeError("expected fewer messages");
  return collectTokens(
      guess, [&](int64_t *tokens, uint64_t capacity, uint64_t *count) {
        return HamKaasTokenizerChat(
            handle, form ? form->c_str() : nullptr, known.data(),
            static_cast<int32_t>(known.size()), reply, tokens, capacity, count);
      });
}

nb::bytes Tokenizer::decode(int64_t token, bool controls) const {
  const char *text = nullptr;
  uint64_t bytes = 0;
  check(HamKaasTokenizerDecode(handle, token, controls, &text, &bytes));
  return nb::bytes(text, bytes);
}

nb::object Tokenizer::chatTemplate() const {
  const char *text = HamKaasTokenizerChatTemplate(handle);
  return text ? nb::object(nb::bytes(text)) : nb::none();
}

Sampler::Sampler(float temperature, int32_t topK, float topP, float minP,
                 float repeatPenalty, int32_t repeatLast, uint64_t seed) {
  HamKaasSamplerOptions options = {
      sizeof(options), temperature, topK, topP, minP,
      repeatPenalty,   repeatLast,  seed};
  check(HamKaasSamplerCreate(&options, &handle));
}

void Sampler::accept(std::vector<int64_t> tokens) {
  check(HamKaasSamplerAccept(handle, tokens.data(), tokens.size()));
}

int64_t Sampler::choose(nb::object scores) {
  PyBuffer buffer(scores, PyBUF_C_CONTIGUOUS);
  int64_t token = -1;
  callWithoutLock([&] {
    return HamKaasSamplerChoose(
        handle, static_cast<const float *>(buffer.get().buf),
        static_cast<uint64_t>(buffer.get().len) / sizeof(float), &token);
  });
  return token;
}

void Sampler::reset() { check(HamKaasSamplerReset(handle)); }
