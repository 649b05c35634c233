//===- CudaDescription.h - What a program asks a GPU to do ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDADESCRIPTION_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDADESCRIPTION_H

#include "CudaProgram.h"

namespace hamkaas::rt {

/// A call of a function of the program that describes the GPU's work: the
/// context of HamKaasExecution::launch and so on.
struct Description {
  CudaProgram &device;
  CudaSequence &sequence;
  bool isRun; // or a preparation, which checks nothing
  Error error;
};

/// The function's argument.
HamKaasExecution makeExecution(Description &description);

/// The function's error, by its result.
Error explainReturn(int32_t failed, const HamKaasExecution &execution,
                    Description &description);

const HamKaasCallInfo *findCall(const HamKaasProgram &program, int64_t call);

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDADESCRIPTION_H
