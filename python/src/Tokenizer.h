//===- Tokenizer.h - Tokenizers and samplers --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_TOKENIZER_H
#define HAMKAAS_PYTHON_TOKENIZER_H

#include "Error.h"
#include "hamkaas-c/Sampler.h"
#include "hamkaas-c/Tokenizer.h"

#include <optional>
#include <utility>
#include <vector>

namespace hamkaas::python {

/// A HamKaasTokenizer. All functions need the GIL, which those that compute or
/// read files release meanwhile.
class Tokenizer {
public:
  explicit Tokenizer(nb::bytes path);
  Tokenizer(const Tokenizer &) = delete;
  Tokenizer &operator=(const Tokenizer &) = delete;
  ~Tokenizer() { HamKaasTokenizerDestroy(handle); }

  std::vector<int64_t> encode(nb::bytes text, uint32_t encoding) const;
  /// Messages of role and content.
  std::vector<int64_t>
  encodeChat(std::vector<std::pair<nb::bytes, nb::bytes>> messages,
             std::optional<nb::bytes> form, bool reply) const;
  nb::bytes decode(int64_t token, bool controls) const;
  nb::object chatTemplate() const;

  HamKaasTokenizer *get() const { return handle; }

private:
  HamKaasTokenizer *handle = nullptr;
};

/// A HamKaasSampler.
class Sampler {
public:
  Sampler(float temperature, int32_t topK, float topP, float minP,
          float repeatPenalty, int32_t repeatLast, uint64_t seed);
  Sampler(const Sampler &) = delete;
  Sampler &operator=(const Sampler &) = delete;
  ~Sampler() { HamKaasSamplerDestroy(handle); }

  void accept(std::vector<int64_t> tokens);
  /// `scores` is a dense array of float32.
  int64_t choose(nb::object scores);
  void reset();

private:
  HamKaasSampler *handle = nullptr;
};

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_TOKENIZER_H
