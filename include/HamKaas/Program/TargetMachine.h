//===- TargetMachine.h - Code generators of LLVM ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_TARGETMACHINE_H
#define HAMKAAS_PROGRAM_TARGETMACHINE_H

#include "hamkaas-c/Program.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class TargetMachine;
}

namespace hamkaas {

/// A level of the x86-64 instruction set. Code is generated for exactly a
/// level, never for one model of processor: so a program gives the same bits on
/// all machines of the level.
struct TargetCpu {
  llvm::StringRef name; ///< "x86-64-v3"; lives as long as the process.
  HamKaasIsaLevel level;
};

/// A machine that generates position-independent code for `cpu`. It serves one
/// compilation at a time.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetCpu &cpu);

/// A machine that generates PTX for the architecture of NVIDIA GPUs `arch`,
/// "sm_80", in the version that LLVM names `ptxFeature`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createPtxMachine(llvm::StringRef arch, llvm::StringRef ptxFeature);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_TARGETMACHINE_H
