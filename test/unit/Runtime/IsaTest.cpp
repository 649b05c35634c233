//===- IsaTest.cpp - Levels of the instruction set ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/Isa.h"
#include "Text.h"

#include <cpuid.h>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>

using namespace hamkaas::rt;
using namespace hamkaas::test;

// All that the levels and features ask for.
static constexpr CpuidWords everything = {~0u, ~0u, ~0u, 0x600E7,
                                          ~0u, ~0u, ~0u};

TEST(Isa, EachLevelNeedsAllItsInstructions) {
  EXPECT_EQ(isaLevelOf(everything), HamKaasIsaX86_64_V4);
  EXPECT_EQ(isaLevelOf({}), HamKaasIsaX86_64_V1);

  CpuidWords words = everything;
  words.featuresEbx &= ~bit_AVX512VL;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V3);

  words = everything;
  words.basicEcx &= ~bit_FMA;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V2);

  words = everything;
  words.extendedEcx &= ~bit_LZCNT;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V2);

  words = everything;
  words.basicEcx &= ~bit_SSE4_2;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V1);
}

// A processor's registers are of no use if the system does not save them.
TEST(Isa, NeedsTheRegistersSaved) {
  CpuidWords words = everything;
  words.savedState = 0x7;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V3);
  words.savedState = 0x3;
  EXPECT_EQ(isaLevelOf(words), HamKaasIsaX86_64_V2);
}

TEST(Isa, AgreesWithTheCompiler) {
  HamKaasIsaLevel level = isaLevelOf(readCpuid());
  EXPECT_EQ(level >= HamKaasIsaX86_64_V3,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(level >= HamKaasIsaX86_64_V4,
            __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512vl"));
}

namespace {
/// Sets a variable of the environment for a test.
class Variable {
public:
  explicit Variable(const char *name) : name(name) {
    if (const char *text = getenv(name))
      before = text;
    unsetenv(name);
  }
  ~Variable() {
    if (before)
      setenv(name, before->c_str(), 1);
    else
      unsetenv(name);
  }
  void set(const char *text) { setenv(name, text, 1); }

private:
  const char *name;
  std::optional<std::string> before;
};
} // namespace

TEST(Isa, IsLimitedByTheEnvironment) {
  Variable limit("HAMKAAS_MAX_CPU");
  HamKaasIsaLevel level;
  limit.set("x86-64");
  EXPECT_EQ(textOf(findIsaLevel(level)), "");
  EXPECT_EQ(level, HamKaasIsaX86_64_V1);
  limit.set("x86-64-v4");
  EXPECT_EQ(textOf(findIsaLevel(level)), "");
  EXPECT_EQ(level, isaLevelOf(readCpuid()));
  limit.set("avx2");
  EXPECT_EQ(textOf(findIsaLevel(level)),
            "HAMKAAS_MAX_CPU: expected x86-64, x86-64-v2, x86-64-v3 or "
            "x86-64-v4, got 'avx2'");
}

TEST(Isa, FeaturesAreLimitedByTheEnvironment) {
  Variable limit("HAMKAAS_MAX_CPU"), names("HAMKAAS_CPU_FEATURES");
  for (HamKaasIsaLevel level : {HamKaasIsaX86_64_V3, HamKaasIsaX86_64_V4}) {
    unsetenv("HAMKAAS_MAX_CPU");
    unsetenv("HAMKAAS_CPU_FEATURES");
    uint64_t all = 0, features = 0;
    EXPECT_EQ(textOf(findCpuFeatures(level, all)), "");
    names.set("vnni,amx");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, all);
    names.set("vnni");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, all & HamKaasCpuDotProducts);
    names.set("amx");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, all & HamKaasCpuTileProducts);
    names.set("");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, 0u);
    limit.set("x86-64-v4");
    names.set("vnni,amx");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, all);
    unsetenv("HAMKAAS_CPU_FEATURES");
    EXPECT_EQ(textOf(findCpuFeatures(level, features)), "");
    EXPECT_EQ(features, 0u);
  }
}

TEST(Isa, RefusesUnknownFeatures) {
  Variable names("HAMKAAS_CPU_FEATURES");
  uint64_t features;
  for (const char *text : {"avx512", "vnni,", ",", "vnni amx", "VNNI", "vnn"}) {
    names.set(text);
    EXPECT_EQ(textOf(findCpuFeatures(HamKaasIsaX86_64_V4, features)),
              std::string("HAMKAAS_CPU_FEATURES: expected vnni or amx, or both "
                          "with a comma between them, got '") +
                  text + "'");
  }
}

TEST(Isa, FeaturesDependOnTheLevelOfTheProgram) {
  EXPECT_EQ(cpuFeaturesOf(everything, HamKaasIsaX86_64_V4),
            uint64_t(HamKaasCpuDotProducts | HamKaasCpuTileProducts));
  EXPECT_EQ(cpuFeaturesOf(everything, HamKaasIsaX86_64_V3),
            uint64_t(HamKaasCpuDotProducts));
  EXPECT_EQ(cpuFeaturesOf(everything, HamKaasIsaX86_64_V2), 0u);

  CpuidWords words = everything;
  words.featuresEcx &= ~bit_AVX512VNNI;
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V4),
            uint64_t(HamKaasCpuTileProducts));
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V3),
            uint64_t(HamKaasCpuDotProducts));

  words = everything;
  words.moreEax &= ~bit_AVXVNNI;
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V3), 0u);

  words = everything;
  words.savedState = 0x7;
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V4), 0u);
}

TEST(Isa, TilesNeedBothInstructionsAndRegisters) {
  uint64_t withoutTiles = HamKaasCpuDotProducts;
  for (unsigned bit : {bit_AMXTILE, bit_AMXINT8}) {
    CpuidWords words = everything;
    words.featuresEdx &= ~bit;
    EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V4), withoutTiles);
  }
  // The tiles' configuration is saved, but not their data.
  CpuidWords words = everything;
  words.savedState = 0x200E7;
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V4), withoutTiles);
}

TEST(Isa, FeaturesAgreeWithTheCompiler) {
  CpuidWords words = readCpuid();
  uint64_t wide = cpuFeaturesOf(words, HamKaasIsaX86_64_V4);
  EXPECT_EQ((wide & HamKaasCpuDotProducts) != 0,
            isaLevelOf(words) == HamKaasIsaX86_64_V4 &&
                __builtin_cpu_supports("avx512vnni"));
  EXPECT_LE((wide & HamKaasCpuTileProducts) != 0,
            __builtin_cpu_supports("amx-int8") != 0);
  EXPECT_EQ(cpuFeaturesOf(words, HamKaasIsaX86_64_V3) != 0,
            isaLevelOf(words) >= HamKaasIsaX86_64_V3 &&
                __builtin_cpu_supports("avxvnni"));
}

TEST(Isa, SaysWhatIsNeededAndOffered) {
  EXPECT_EQ(textOf(checkIsaLevel(HamKaasIsaX86_64_V3, HamKaasIsaX86_64_V3)),
            "");
  EXPECT_EQ(textOf(checkIsaLevel(HamKaasIsaX86_64_V4, HamKaasIsaX86_64_V3)),
            "program needs x86-64-v4 (AVX-512), this machine offers x86-64-v3");
  EXPECT_EQ(textOf(checkIsaLevel(7, HamKaasIsaX86_64_V3)),
            "program needs instruction set level 7, which this runtime does "
            "not know");
}
