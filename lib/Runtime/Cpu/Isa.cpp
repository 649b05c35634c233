//===- Isa.cpp - What the processor can do --------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/Isa.h"

#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

using namespace hamkaas::rt;

// The levels as the x86-64 psABI defines them. SSE and SSE2 are in every
// x86-64; the bits are those of <cpuid.h>.
static constexpr uint32_t basicV2 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 |
                                    bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B;
static constexpr uint32_t extendedV2 = bit_LAHF_LM;

static constexpr uint32_t basicV3 =
    bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE;
static constexpr uint32_t featuresV3 = bit_AVX2 | bit_BMI | bit_BMI2;
static constexpr uint32_t extendedV3 = bit_LZCNT;
static constexpr uint64_t stateV3 = 0x6; // XMM and YMM

static constexpr uint32_t featuresV4 =
    bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
static constexpr uint64_t stateV4 = 0xE6; // also ZMM and the mask registers

static constexpr uint32_t tileFeatures = bit_AMXTILE | bit_AMXINT8; // in EDX
static constexpr int tileDataComponent = 18; // of the saved state
static constexpr uint64_t tileState =
    uint64_t{1} << tileDataComponent | uint64_t{1} << 17; // data, configuration

// XCR0. The instruction faults where the system has not enabled it. Spelled as
// assembly because the intrinsic needs a compiler flag.
static uint64_t readSavedState(uint32_t basicEcx) {
  if (!(basicEcx & bit_OSXSAVE))
    return 0;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

CpuidWords hamkaas::rt::readCpuid() {
  CpuidWords words = {};
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    words.basicEcx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    words.featuresEbx = ebx;
    words.featuresEcx = ecx;
    words.featuresEdx = edx;
    uint32_t subleaves = eax;
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
      words.moreEax = eax;
  }
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
    words.extendedEcx = ecx;
  words.savedState = readSavedState(words.basicEcx);
  return words;
}

static bool hasAll(uint64_t offered, uint64_t needed) {
  return (offered & needed) == needed;
}

HamKaasIsaLevel hamkaas::rt::isaLevelOf(const CpuidWords &words) {
  if (!hasAll(words.basicEcx, basicV2) ||
      !hasAll(words.extendedEcx, extendedV2))
    return HamKaasIsaX86_64_V1;
  if (!hasAll(words.basicEcx, basicV3) ||
      !hasAll(words.featuresEbx, featuresV3) ||
      !hasAll(words.extendedEcx, extendedV3) ||
      !hasAll(words.savedState, stateV3))
    return HamKaasIsaX86_64_V2;
  if (!hasAll(words.featuresEbx, featuresV4) ||
      !hasAll(words.savedState, stateV4))
    return HamKaasIsaX86_64_V3;
  return HamKaasIsaX86_64_V4;
}

namespace {
struct LevelText {
  const char *name;
  const char *instructions;
};
} // namespace

// By level; there is no level 0.
static constexpr LevelText levelTexts[] = {{nullptr, nullptr},
                                           {"x86-64", "SSE2"},
                                           {"x86-64-v2", "SSE4.2"},
                                           {"x86-64-v3", "AVX2 and FMA"},
                                           {"x86-64-v4", "AVX-512"}};

const char *hamkaas::rt::isaLevelName(int32_t level) {
  if (level < HamKaasIsaX86_64_V1 || level > HamKaasIsaX86_64_V4)
    return nullptr;
  return levelTexts[level].name;
}

Error hamkaas::rt::findIsaLevel(HamKaasIsaLevel &level) {
  level = isaLevelOf(readCpuid());
  const char *most = getenv("HAMKAAS_MAX_CPU");
  if (!most)
    return Error();
  for (int32_t i = HamKaasIsaX86_64_V1; isaLevelName(i); ++i)
    if (strcmp(isaLevelName(i), most) == 0) {
      if (i < level)
        level = static_cast<HamKaasIsaLevel>(i);
      return Error();
    }
  return Error::format("HAMKAAS_MAX_CPU: expected x86-64, x86-64-v2, x86-64-v3 "
                       "or x86-64-v4, got '%s'",
                       most);
}

uint64_t hamkaas::rt::cpuFeaturesOf(const CpuidWords &words, int32_t level) {
  if (isaLevelOf(words) < level)
    return 0;
  // Kernels of the levels below have no code for them.
  bool hasDotProducts =
      (level == HamKaasIsaX86_64_V3 && (words.moreEax & bit_AVXVNNI)) ||
      (level == HamKaasIsaX86_64_V4 && (words.featuresEcx & bit_AVX512VNNI));
  bool hasTileProducts = level == HamKaasIsaX86_64_V4 &&
                         hasAll(words.featuresEdx, tileFeatures) &&
                         hasAll(words.savedState, tileState);
  return (hasDotProducts ? HamKaasCpuDotProducts : 0) |
         (hasTileProducts ? HamKaasCpuTileProducts : 0);
}

// Fails where Linux is older than these registers, and where a signal handler's
// stack has no room for them.
static bool requestTileRegisters() {
  constexpr int requestState = 0x1023; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, requestState, tileDataComponent) == 0;
}

namespace {
struct FeatureName {
  const char *name;
  uint64_t feature;
};
} // namespace

static constexpr FeatureName featureNames[] = {{"vnni", HamKaasCpuDotProducts},
                                               {"amx", HamKaasCpuTileProducts}};

// The feature that the first `length` characters of `name` name, 0 for none.
static uint64_t findFeature(const char *name, size_t length) {
  for (const FeatureName &known : featureNames)
    if (strlen(known.name) == length && strncmp(name, known.name, length) == 0)
      return known.feature;
  return 0;
}

// The features that the environment allows.
static Error readAllowedFeatures(uint64_t &allowed) {
  const char *names = getenv("HAMKAAS_CPU_FEATURES");
  allowed = names || getenv("HAMKAAS_MAX_CPU") ? 0 : ~uint64_t{0};
  const char *name = names && *names ? names : nullptr;
  while (name) {
    const char *comma = strchr(name, ',');
    uint64_t feature = findFeature(
        name, comma ? static_cast<size_t>(comma - name) : strlen(name));
    if (!feature)
      return Error::format(
          "HAMKAAS_CPU_FEATURES: expected vnni or amx, or both "
          "with a comma between them, got '%s'",
          names);
    allowed |= feature;
    name = comma ? comma + 1 : nullptr;
  }
  return Error();
}

Error hamkaas::rt::findCpuFeatures(int32_t level, uint64_t &features) {
  uint64_t allowed;
  if (Error error = readAllowedFeatures(allowed))
    return error;
  features = cpuFeaturesOf(readCpuid(), level) & allowed;
  if ((features & HamKaasCpuTileProducts) && !requestTileRegisters())
    features &= ~uint64_t{HamKaasCpuTileProducts};
  return Error();
}

Error hamkaas::rt::checkIsaLevel(int32_t needed, HamKaasIsaLevel offered) {
  if (!isaLevelName(needed))
    return Error::format("program needs instruction set level %d, which this "
                         "runtime does not know",
                         needed);
  if (needed <= offered)
    return Error();
  return Error::format("program needs %s (%s), this machine offers %s",
                       levelTexts[needed].name, levelTexts[needed].instructions,
                       levelTexts[offered].name);
}
