//===- SamplerTest.cpp - Which tokens are chosen --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Sampler.h"
#include "Exponential.h"
#include "Philox.h"
#include "Text.h"
#include "hamkaas-c/Sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace hamkaas::tok;
using namespace hamkaas::test;

using Scores = std::vector<float>;
static constexpr float infinity = std::numeric_limits<float>::infinity();

static std::vector<int64_t> draw(const SamplerSettings &settings,
                                 const Scores &scores, int count) {
  Sampler sampler;
  EXPECT_EQ(textOf(sampler.build(settings)), "");
  std::vector<int64_t> tokens;
  for (int i = 0; i < count; ++i) {
    int64_t token = -1;
    EXPECT_EQ(textOf(sampler.choose(scores.data(), scores.size(), token)), "");
    tokens.push_back(token);
  }
  return tokens;
}

static std::set<int64_t> drawn(const SamplerSettings &settings,
                               const Scores &scores) {
  std::vector<int64_t> tokens = draw(settings, scores, 300);
  return {tokens.begin(), tokens.end()};
}

TEST(SamplerTest, TakesTheBestWithoutATemperature) {
  EXPECT_EQ(draw({}, {1, 3, 3, -infinity}, 2), (std::vector<int64_t>{1, 1}));
}

// The same on every machine.
TEST(SamplerTest, DrawsTheKnownTokens) {
  Scores scores;
  for (int i = 0; i < 1000; ++i)
    scores.push_back(static_cast<float>((i * 7919) % 1000) / 100);
  SamplerSettings settings;
  settings.temperature = 1.5f;
  settings.topK = 400;
  settings.topP = 0.9f;
  settings.minP = 0.05f;
  settings.repeatPenalty = 1.1f;
  settings.seed = 0x123456789ABCDEF;
  EXPECT_EQ(draw(settings, scores, 8),
            (std::vector<int64_t>{778, 321, 509, 496, 828, 816, 976, 717}));
}

TEST(SamplerTest, FrequenciesAreTheProbabilities) {
  SamplerSettings settings;
  settings.temperature = 1;
  settings.seed = 3;
  Scores scores = {0, std::log(2.0f), std::log(5.0f), -infinity};
  int counts[4] = {};
  for (int64_t token : draw(settings, scores, 8000))
    ++counts[token];
  EXPECT_NEAR(counts[0], 1000, 120);
  EXPECT_NEAR(counts[1], 2000, 160);
  EXPECT_NEAR(counts[2], 5000, 180);
  EXPECT_EQ(counts[3], 0);
}

TEST(SamplerTest, Restrictions) {
  // Probabilities 0.4, 0.1, 0.3 and 0.2.
  Scores scores = {std::log(4.0f), std::log(1.0f), std::log(3.0f),
                   std::log(2.0f)};
  SamplerSettings settings;
  settings.temperature = 1;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0, 1, 2, 3}));
  settings.topK = 3;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0, 2, 3}));
  settings.topK = 1;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0}));
  settings.topK = 0;
  settings.topP = 0.65f;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0, 2}));
  settings.topP = 1e-9f;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0}));
  settings.topP = 0;
  settings.minP = 0.4f;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0, 2, 3}));
  settings.minP = 1;
  EXPECT_EQ(drawn(settings, scores), (std::set<int64_t>{0}));
}

TEST(SamplerTest, RepeatedTokensArePenalised) {
  SamplerSettings settings;
  settings.repeatPenalty = 2;
  settings.repeatLast = 2;
  // 4, then 3, then 1 of those not among the last two, where 4 is 2 meanwhile.
  EXPECT_EQ(draw(settings, {4, 3, 2.5f, -1}, 5),
            (std::vector<int64_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(draw(settings, {-1, -1.5f}, 3), (std::vector<int64_t>{0, 1, 0}));
}

TEST(SamplerTest, ResetBeginsAnew) {
  SamplerSettings settings;
  settings.temperature = 1;
  Scores scores(100, 0.0f);
  Sampler sampler;
  ASSERT_FALSE(sampler.build(settings));
  std::vector<int64_t> expected = draw(settings, scores, 5);
  for (int round = 0; round < 2; ++round) {
    for (int64_t wanted : expected) {
      int64_t token;
      ASSERT_FALSE(sampler.choose(scores.data(), scores.size(), token));
      EXPECT_EQ(token, wanted);
    }
    sampler.reset();
  }
}

TEST(SamplerTest, ExtremeScores) {
  SamplerSettings settings;
  settings.temperature = 1e-30f;
  settings.topP = 0.9f;
  EXPECT_EQ(drawn(settings, {3e38f, -3e38f, 0}), (std::set<int64_t>{0}));
  settings.temperature = 1e30f;
  EXPECT_EQ(drawn({settings.temperature}, {3, -3}), (std::set<int64_t>{0, 1}));
}

TEST(SamplerTest, Exponential) {
  EXPECT_EQ(computeExponential(0), 1);
  EXPECT_EQ(computeExponential(-800), 0);
  EXPECT_EQ(computeExponential(-std::numeric_limits<double>::infinity()), 0);
  for (double x = 0; x > -708; x -= 0.0173)
    ASSERT_NEAR(computeExponential(x) / std::exp(x), 1, 5e-16) << x;
}

// The first words for key and counter 0 are 6627e8d5 and e169c58d (Random123).
TEST(SamplerTest, Philox) {
  uint64_t bits = 0xE169C58D6627E8D5;
  EXPECT_EQ(drawUniform(0, 0), static_cast<double>(bits >> 11) * 0x1p-53);
}

static std::string errorOf(HamKaasSamplerOptions options) {
  options.structSize =
      options.structSize ? options.structSize : sizeof(options);
  HamKaasSampler *sampler = nullptr;
  std::string text = takeText(HamKaasSamplerCreate(&options, &sampler));
  EXPECT_EQ(sampler, nullptr);
  return text;
}

TEST(SamplerTest, WrongOptions) {
  HamKaasSamplerOptions options = {};
  options.temperature = -1;
  EXPECT_EQ(errorOf(options), "expected a temperature of 0 or more, got -1");
  options = {};
  options.topP = 1.5f;
  EXPECT_EQ(errorOf(options), "expected a top-p of 0 to 1, got 1.5");
  options = {};
  options.minP = std::nanf("");
  EXPECT_EQ(errorOf(options).substr(0, 33),
            "expected a min-p of 0 to 1, got n");
  options = {};
  options.topK = -2;
  EXPECT_EQ(errorOf(options), "expected a top-k of 0 or more, got -2");
  options = {};
  options.repeatPenalty = infinity;
  EXPECT_EQ(errorOf(options),
            "expected a repeat penalty of 0 or more, got inf");
  options = {};
  options.repeatLast = -1;
  EXPECT_EQ(errorOf(options), "expected a repeat penalty for the last 0 to "
                              "16777216 tokens, got -1");
  options = {};
  options.structSize = 3;
  EXPECT_EQ(errorOf(options),
            "expected the size of HamKaasSamplerOptions as structSize, got 3");
}

TEST(SamplerTest, Functions) {
  HamKaasSampler *sampler = nullptr;
  ASSERT_EQ(HamKaasSamplerCreate(nullptr, &sampler), nullptr);
  int64_t token = -1;
  Scores scores = {1, 2, std::nanf("")};
  EXPECT_EQ(HamKaasSamplerChoose(sampler, scores.data(), 2, &token), nullptr);
  EXPECT_EQ(token, 1);
  EXPECT_EQ(HamKaasSamplerAccept(sampler, &token, 1), nullptr);
  EXPECT_EQ(HamKaasSamplerReset(sampler), nullptr);
  EXPECT_EQ(takeText(HamKaasSamplerChoose(sampler, scores.data(), 3, &token))
                .substr(0, 27),
            "expected finite scores, got");
  EXPECT_EQ(takeText(HamKaasSamplerChoose(sampler, scores.data(), 0, &token)),
            "expected scores of 1 token or more, got 0");
  scores = {-infinity, -infinity};
  EXPECT_EQ(takeText(HamKaasSamplerChoose(sampler, scores.data(), 2, &token)),
            "expected the score of a token above -infinity, got none of 2");
  EXPECT_NE(takeText(HamKaasSamplerAccept(sampler, nullptr, 1)), "");
  HamKaasSamplerDestroy(sampler);
  EXPECT_NE(takeText(HamKaasSamplerReset(sampler)), "");
  EXPECT_EQ(takeText(HamKaasSamplerReset(nullptr)),
            "expected a sampler, got null");
  HamKaasSamplerDestroy(nullptr);
}
