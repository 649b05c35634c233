//===- Target.cpp - The machines code is generated for ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Target.h"
#include "HamKaas/Runtime/Isa.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <vector>

using namespace llvm;

namespace hamkaas {
namespace {

/// The runtime's table is the only one.
std::vector<TargetCpu> targetCpus() {
  std::vector<TargetCpu> cpus;
  for (int32_t level = HamKaasIsaX86_64_V1; rt::isaLevelName(level); ++level)
    cpus.push_back({rt::isaLevelName(level), HamKaasIsaLevel(level)});
  return cpus;
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

Expected<TargetCpu> resolveTargetCpu(StringRef name) {
  // What the runtime will ask before it runs the program.
  HamKaasIsaLevel host = rt::isaLevelOf(rt::readCpuid());
  std::string choices = "host";
  for (const TargetCpu &cpu : targetCpus()) {
    if (cpu.name == name || (name == "host" && cpu.level == host))
      return cpu;
    choices += (", " + cpu.name).str();
  }
  return createStringError("unknown target CPU '" + name +
                           "', expected one of " + choices);
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
