//===- Target.cpp - The machines code is generated for ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hamkaas {
namespace {

/// A level and what it adds to the one before, as the x86-64 psABI defines it.
struct Level {
  TargetCpu cpu;
  ArrayRef<StringRef> features;
};

constexpr StringRef v2Features[] = {"cx16",   "popcnt", "sahf", "sse3",
                                    "sse4.1", "sse4.2", "ssse3"};
constexpr StringRef v3Features[] = {"avx",  "avx2", "bmi",   "bmi2",
                                    "f16c", "fma",  "lzcnt", "movbe"};
constexpr StringRef v4Features[] = {"avx512bw", "avx512cd", "avx512dq",
                                    "avx512f", "avx512vl"};

const Level levels[] = {
    {{"x86-64", HamKaasIsaX86_64_V1}, {}},
    {{"x86-64-v2", HamKaasIsaX86_64_V2}, v2Features},
    {{"x86-64-v3", HamKaasIsaX86_64_V3}, v3Features},
    {{"x86-64-v4", HamKaasIsaX86_64_V4}, v4Features},
};

Expected<TargetCpu> hostCpu() {
  if (Triple(sys::getProcessTriple()).getArch() != Triple::x86_64)
    return createStringError("expected an x86-64 machine for target CPU "
                             "'host'; name a level to compile for another");
  StringMap<bool> features = sys::getHostCPUFeatures();
  auto supported = [&](StringRef name) { return features.lookup(name); };
  TargetCpu best = levels[0].cpu;
  for (const Level &level : levels) {
    if (!all_of(level.features, supported))
      break;
    best = level.cpu;
  }
  return best;
}

void initializeTarget() {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    return true;
  }();
  (void)initialized;
}

} // namespace

std::string targetCpuChoices() {
  std::string choices = "host";
  for (const Level &level : levels)
    choices += (", " + level.cpu.name).str();
  return choices;
}

Expected<TargetCpu> resolveTargetCpu(StringRef name) {
  if (name == "host")
    return hostCpu();
  for (const Level &level : levels)
    if (level.cpu.name == name)
      return level.cpu;
  return createStringError("unknown target CPU '" + name +
                           "', expected one of " + targetCpuChoices());
}

Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const TargetCpu &cpu) {
  initializeTarget();
  Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);

  TargetOptions options;
  // The linker drops what a program does not use, section by section.
  options.FunctionSections = true;
  options.DataSections = true;
  // LLVM tunes x86-64-v4 for the first processors with AVX-512, which were
  // slower with 512-bit registers; the kernels are written for those registers.
  StringRef features =
      cpu.level >= HamKaasIsaX86_64_V4 ? "-prefer-256-bit" : "";
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, cpu.name, features, options, Reloc::PIC_, CodeModel::Small,
      CodeGenOptLevel::Aggressive));
}

} // namespace hamkaas
