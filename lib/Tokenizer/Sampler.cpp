//===- Sampler.cpp - Choosing the next token ------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Sampler.h"

#include "Exponential.h"
#include "Philox.h"

#include <algorithm>
#include <cmath>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

static Error checkPart(const char *name, float part) {
  if (part >= 0 && part <= 1)
    return Error();
  return Error::format("expected %s of 0 to 1, got %g", name,
                       static_cast<double>(part));
}

Error Sampler::build(const SamplerSettings &given) {
  if (!(given.temperature >= 0 && std::isfinite(given.temperature)))
    return Error::format("expected a temperature of 0 or more, got %g",
                         static_cast<double>(given.temperature));
  if (!(given.repeatPenalty >= 0 && std::isfinite(given.repeatPenalty)))
    return Error::format("expected a repeat penalty of 0 or more, got %g",
                         static_cast<double>(given.repeatPenalty));
  if (given.topK < 0)
    return Error::format("expected a top-k of 0 or more, got %d", given.topK);
  constexpr int32_t maximumLast = 1 << 24;
  if (given.repeatLast < 0 || given.repeatLast > maximumLast)
    return Error::format("expected a repeat penalty for the last 0 to %d "
                         "tokens, got %d",
                         maximumLast, given.repeatLast);
  if (Error error = checkPart("a top-p", given.topP))
    return error;
  if (Error error = checkPart("a min-p", given.minP))
    return error;
  settings = given;
  if (settings.repeatPenalty == 0)
    settings.repeatPenalty = 1;
  if (settings.repeatLast == 0)
    settings.repeatLast = 64;
  return Error();
}

void Sampler::reset() {
  draws = 0;
  recent.clear();
  oldest = 0;
}

Error Sampler::accept(const int64_t *tokens, size_t count) {
  size_t capacity = static_cast<size_t>(settings.repeatLast);
  for (size_t i = count > capacity ? count - capacity : 0; i < count; ++i) {
    if (recent.size() < capacity) {
      if (!recent.push(tokens[i]))
        return Error::format("out of memory for %zu tokens", capacity);
      continue;
    }
    recent[oldest] = tokens[i];
    oldest = (oldest + 1) % capacity;
  }
  return Error();
}

Error Sampler::readScores(const float *given, size_t count) {
  if (count == 0 || count > INT32_MAX)
    return Error::format("expected scores of 1 token or more, got %zu", count);
  scores.clear();
  if (!scores.append(given, count))
    return Error::format("out of memory for %zu scores", count);
  float penalty = settings.repeatPenalty;
  for (int64_t token : recent)
    if (penalty != 1 && token >= 0 && token < static_cast<int64_t>(count)) {
      // Of the score as given, so that a second time changes nothing.
      float score = given[token];
      scores[token] = score > 0 ? score / penalty : score * penalty;
    }
  best = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(scores[i]) || scores[i] == INFINITY)
      return Error::format("expected finite scores, got %g for token %zu",
                           static_cast<double>(scores[i]), i);
    if (scores[i] > scores[best])
      best = static_cast<uint32_t>(i);
  }
  if (scores[best] == -INFINITY)
    return Error::format("expected the score of a token above -infinity, got "
                         "none of %zu",
                         count);
  return Error();
}

bool Sampler::fillWeights() {
  double highest = scores[best], temperature = settings.temperature;
  kept.clear();
  weights.clear();
  if (!weights.assign(scores.size(), 0) || !kept.assign(scores.size(), 0))
    return false;
  double *weight = weights.data();
  for (size_t i = 0; i < scores.size(); ++i)
    weight[i] = computeExponential((scores[i] - highest) / temperature);
  size_t count = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    kept[count] = static_cast<uint32_t>(i);
    count += weight[i] > 0;
  }
  kept.shrink(count);
  return true;
}

template <typename Condition> void Sampler::keepIf(const Condition &isKept) {
  size_t count = 0;
  for (uint32_t token : kept) {
    kept[count] = token;
    count += isKept(token);
  }
  kept.shrink(count);
}

double Sampler::sumKept() const {
  double sum = 0;
  for (uint32_t token : kept)
    sum += weights[token];
  return sum;
}

void Sampler::keepMostProbable() {
  auto isWorse = [&](uint32_t left, uint32_t right) {
    return scores[left] != scores[right] ? scores[left] < scores[right]
                                         : left > right;
  };
  auto isBetter = [&](uint32_t left, uint32_t right) {
    return isWorse(right, left);
  };
  size_t limit = static_cast<size_t>(settings.topK);
  if (limit && limit < kept.size()) {
    std::partial_sort(kept.begin(), kept.begin() + limit, kept.end(), isBetter);
    std::sort(kept.begin(), kept.begin() + limit);
    kept.shrink(limit);
  }
  if (settings.topP > 0 && settings.topP < 1) {
    double total = sumKept(), wanted = settings.topP * total, sum = 0;
    // All tokens of lower weights add up to half of what is left out at most.
    double lowest = (1 - settings.topP) * total / 2 / kept.size();
    keepIf([&](uint32_t token) { return weights[token] >= lowest; });
    // A heap, because few tokens are wanted of many.
    std::make_heap(kept.begin(), kept.end(), isWorse);
    size_t left = kept.size();
    while (left > 0 && sum < wanted) {
      std::pop_heap(kept.begin(), kept.begin() + left, isWorse);
      sum += weights[kept[--left]];
    }
    kept.removeFirst(left);
    std::sort(kept.begin(), kept.end());
  }
  if (settings.minP > 0) {
    // The best has weight 1.
    keepIf([&](uint32_t token) { return weights[token] >= settings.minP; });
  }
}

int64_t Sampler::draw() {
  double target = drawUniform(settings.seed, draws++) * sumKept(), sum = 0;
  for (uint32_t token : kept) {
    sum += weights[token];
    if (sum > target)
      return token;
  }
  return kept.back(); // Rounding can leave the target at the sum.
}

Error Sampler::choose(const float *given, size_t count, int64_t &token) {
  if (Error error = readScores(given, count))
    return error;
  token = best;
  if (settings.temperature > 0) {
    if (!fillWeights())
      return Error::format("out of memory for %zu weights", count);
    keepMostProbable();
    token = draw();
  }
  return accept(&token, 1);
}
