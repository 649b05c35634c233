//===- LibDevice.h - NVIDIA's library of functions --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TARGET_LIBDEVICE_H
#define HAMKAAS_LIB_TARGET_LIBDEVICE_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace hamkaas {

/// Defines the functions `__nv_...` that `module` declares, by the bitcode
/// library libdevice of a CUDA toolkit: that of the environment variable
/// CUDA_PATH or CUDA_HOME, or the one in /usr/local/cuda. An error that names
/// the functions if there is none.
llvm::Error linkLibDevice(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace hamkaas

#endif // HAMKAAS_LIB_TARGET_LIBDEVICE_H
