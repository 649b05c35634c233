//===- HostProgram.h - The runtime used from C ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_HOSTPROGRAM_H
#define HAMKAAS_TEST_UNIT_RUNTIME_HOSTPROGRAM_H

#include "hamkaas-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates an instance of the fake program, runs it once and frees it, as a
/// program in C99 does. Returns 0 if all went well.
int hamkaasRunFromC(const HamKaasProgram *program, const float *scale,
                    const float *bias, const float *x, float *y, int64_t *runs);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_TEST_UNIT_RUNTIME_HOSTPROGRAM_H
