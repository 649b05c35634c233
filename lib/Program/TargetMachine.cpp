//===- TargetMachine.cpp - Code generators of LLVM --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/TargetMachine.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hamkaas {

/// NOTE: each target is linked into libhamkaas.so by name, see
/// HAMKAAS_LLVM_TARGETS.
static void initializeTarget() {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    return true;
  }();
  (void)initialized;
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

Expected<std::unique_ptr<TargetMachine>>
createPtxMachine(StringRef arch, StringRef ptxFeature) {
  initializeTarget();
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  TargetOptions options;
  // NOTE: each sum and product is marked as rounded then, or ptxas would fuse
  // them: the bits are those that the program says.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, arch, ptxFeature, options, std::nullopt, std::nullopt,
      CodeGenOptLevel::Aggressive));
}

} // namespace hamkaas
