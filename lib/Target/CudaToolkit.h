//===- CudaToolkit.h - Where a CUDA toolkit is ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TARGET_CUDATOOLKIT_H
#define HAMKAAS_LIB_TARGET_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hamkaas {

/// The folders where a CUDA toolkit may be: those of the environment variables
/// CUDA_PATH and CUDA_HOME, or, if neither is set, /usr/local/cuda.
std::vector<std::string> getCudaToolkits();

/// The path of a program of a CUDA toolkit, "ptxas"; empty if there is none. If
/// the environment names no toolkit, one that is in PATH comes first.
std::string findCudaProgram(llvm::StringRef name);

} // namespace hamkaas

#endif // HAMKAAS_LIB_TARGET_CUDATOOLKIT_H
