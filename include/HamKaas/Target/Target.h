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
#include <optional>
#include <string>
#include <vector>

namespace hamkaas {

/// The target that `--target-cpu` names: "host" is the highest level that this
/// machine supports. The error lists what is allowed.
llvm::Expected<TargetCpu> resolveTargetCpu(llvm::StringRef name);

/// The level named `name`.
std::optional<TargetCpu> findTargetCpu(llvm::StringRef name);

/// The architecture of NVIDIA GPUs that code is written for.
struct GpuArch {
  std::string name; ///< "sm_80"
  /// The version of PTX that its code is written in, as LLVM names it.
  llvm::StringRef ptxFeature;
  /// The architectures that the program has machine code for, oldest first;
  /// none if it is PTX alone.
  std::vector<std::string> machineCode;

  /// Returns whether kernels begin with a wait for the kernel before them,
  /// which may then still run: an instruction since sm_90.
  bool waits() const;

  /// The versions in which the code of a program is written: one without waits
  /// for older GPUs, one with waits, or both. `machineCode` is divided among
  /// them.
  std::vector<GpuArch> versions() const;
};

/// The compute capability from which on kernels wait, as 90.
inline constexpr int waitingCapability = 90;

/// The architecture named `name`, without machine code.
std::optional<GpuArch> findGpuArch(llvm::StringRef name);

/// The older way to ask for the emulator, as an architecture.
inline constexpr llvm::StringLiteral emulationArch = "emulation";

/// Resolves `--gpu-arch`: "compute_80", PTX for all GPUs since sm_80; or
/// "sm_80,sm_90", machine code for these and PTX of the oldest. They are
/// architectures that this compiler knows.
llvm::Expected<GpuArch> resolveGpuArch(llvm::StringRef text);

/// The oldest architecture that code for `--gpu-arch` runs on, "sm_80"; `text`
/// itself if it is none.
std::string getOldestGpu(llvm::StringRef text);

/// A machine that generates PTX.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createGpuTargetMachine(const GpuArch &arch);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_TARGET_H
