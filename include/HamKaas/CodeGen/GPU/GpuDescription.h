//===- GpuDescription.h - Facts about GPUs ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_GPUDESCRIPTION_H
#define HAMKAAS_CODEGEN_GPU_GPUDESCRIPTION_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"

namespace hamkaas {

/// An NVIDIA data center GPU of the size of an H100. Facts of a multiprocessor
/// are the minimum over sm_80 and later.
extern const MachineFacts gpuFacts;

/// A warp as the emitters see it: the lanes of a vector are its threads.
extern const TargetDescription gpuDescription;

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_GPUDESCRIPTION_H
