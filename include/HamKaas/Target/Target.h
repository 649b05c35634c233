//===- Target.h - The machines code is generated for ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_TARGET_H
#define HAMKAAS_TARGET_TARGET_H

#include "HamKaas/Program/TargetMachine.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace hamkaas {

/// The target that `--target-cpu` names: "host" is the highest level that this
/// machine supports. The error lists what is allowed.
llvm::Expected<TargetCpu> resolveTargetCpu(llvm::StringRef name);

/// The devices that a program is for, one or both.
struct ProgramTargets {
  bool cpu = true;
  bool cuda = false;
};

/// The targets that `--target` names: "cpu", "cuda" or "cpu,cuda".
llvm::Expected<ProgramTargets> parseTargets(llvm::StringRef text);

/// The architecture of NVIDIA GPUs that code is written for.
struct GpuArch {
  std::string name; ///< "sm_80"
  /// The version of PTX that its code is written in, as LLVM names it.
  llvm::StringRef ptxFeature;
  /// The architectures that the program has machine code for, oldest first;
  /// none if it is PTX alone.
  std::vector<std::string> machineCode;

  /// Returns whether the code is for the emulator of lib/Emulation.
  bool isEmulation() const { return name == "emulation"; }
};

/// Resolves an architecture: "compute_80", PTX for all GPUs since sm_80;
/// "sm_80,sm_90", machine code for these and PTX of the oldest; or "emulation".
/// They are architectures that this compiler knows.
llvm::Expected<GpuArch> resolveGpuArch(llvm::StringRef text);

/// The oldest architecture that code for `--gpu-arch` runs on, "sm_80"; `text`
/// itself if it is none.
std::string getOldestGpu(llvm::StringRef text);

/// The name of NVIDIA's library as an engine.
inline constexpr llvm::StringLiteral cublasLtEngine = "cublaslt";

/// Checks what `--engine` asks for: nothing, or an engine that one of the
/// targets has.
llvm::Error checkEngine(llvm::StringRef engine, const ProgramTargets &targets);

/// The level of GPUs (TargetDescription) for the precision that `--precision`
/// names: "exact", which alone processors have, too, or one of tensor cores.
llvm::Expected<llvm::StringRef> resolvePrecision(llvm::StringRef name,
                                                 const ProgramTargets &targets);

/// A machine that generates PTX.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createGpuTargetMachine(const GpuArch &arch);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_TARGET_H
