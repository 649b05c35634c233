//===- Isa.h - What the processor can do ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CPU_ISA_H
#define HAMKAAS_RUNTIME_CPU_ISA_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

#include <cstdint>

namespace hamkaas::rt {

/// Identification of the processor and the operating system; see the CPUID
/// instruction.
struct CpuidWords {
  uint32_t basicEcx;    // leaf 1
  uint32_t featuresEbx; // leaf 7
  uint32_t extendedEcx; // leaf 0x80000001
  uint64_t savedState;  // XCR0: registers that the system saves; 0 if unknown
  uint32_t featuresEcx; // leaf 7
  uint32_t moreEax;     // leaf 7, subleaf 1
  uint32_t featuresEdx; // leaf 7
};

/// Reads them on this machine.
CpuidWords readCpuid();

/// The highest level all of whose instructions can be used.
HamKaasIsaLevel isaLevelOf(const CpuidWords &words);

/// "x86-64-v3"; null for a number that is no HamKaasIsaLevel.
const char *isaLevelName(int32_t level);

/// The level to use on this machine: its own, or the one that the environment
/// variable HAMKAAS_MAX_CPU names, whichever is lower. Fails if that is no
/// level.
Error findIsaLevel(HamKaasIsaLevel &level /* out */);

/// The sum of HamKaasCpuFeature that programs of a level can use.
uint64_t cpuFeaturesOf(const CpuidWords &words, int32_t level);

/// Those to use on this machine: of what it has, those that the environment
/// variable HAMKAAS_CPU_FEATURES names ("vnni,amx"); if it is not set, none if
/// HAMKAAS_MAX_CPU is, because that names a level, and all otherwise. Fails if
/// it names something else. Asks Linux for the registers of tiles, which a
/// process may use only then.
Error findCpuFeatures(int32_t level, uint64_t &features /* out */);

/// Fails if a program of level `needed` cannot run where `offered` is.
Error checkIsaLevel(int32_t needed, HamKaasIsaLevel offered);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CPU_ISA_H
