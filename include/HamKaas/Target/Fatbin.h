//===- Fatbin.h - Machine code for several GPUs -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_FATBIN_H
#define HAMKAAS_TARGET_FATBIN_H

#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Target/Target.h"

namespace hamkaas {

/// Fails if there is no CUDA toolkit to make the machine code of `arch`. The
/// text tells the toolkits from each other that are found at different times;
/// it is empty if `arch` is PTX alone.
llvm::Expected<std::string> findAssembler(const GpuArch &arch);

/// The PTX of a program in one of its versions.
struct PtxVersion {
  GpuArch arch;
  std::string ptx;
};

/// Has a CUDA toolkit make machine code of each PTX for the architectures of
/// its version, and puts all of it into one image, a fatbin, of which the
/// driver takes what fits its GPU. An error names the kernel, whose place is
/// among the calls of `info`.
llvm::Expected<std::string> makeFatbin(llvm::ArrayRef<PtxVersion> versions,
                                       const ProgramInfo &info);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_FATBIN_H
