//===- CudaCopyKernel.h - A copy that a failed check stops ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDACOPYKERNEL_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDACOPYKERNEL_H

#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// A kernel that copies `bytes` bytes unless a check has failed, for GPUs of a
/// compute capability such as 90; its arguments are `to`, `from` and `bytes`.
/// The driver's copy nodes always run, also those that write a state.
const HamKaasDeviceCode &getCudaCopyCode(int32_t capability);

/// The kernel with a grid for so many bytes.
HamKaasDeviceKernel getCudaCopyKernel(uint64_t bytes);

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDACOPYKERNEL_H
