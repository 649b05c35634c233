//===- Contents.h - What parameters and inputs hold ---------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_CONTENTS_H
#define HAMKAAS_BENCHMARKS_CUDA_CONTENTS_H

#include "hamkaas-c/Runtime.h"

/// Reads what is not random, if `path` is not null. Returns 0 and prints why if
/// it is not what the program needs.
int readIntegers(const HamKaasProgram *program, const char *path,
                 char **integers);

/// Random floats, and the integers of the program, zeros if `integers` is null.
/// The caller releases them.
HamKaasNamedData *makeParameters(const HamKaasProgram *program,
                                 const char *integers);
void releaseParameters(HamKaasNamedData *parameters, int32_t count);

/// The same for inputs, in the places that `findTensors` gives them. Another
/// `seed` gives other floats.
char *makeInputs(const HamKaasProgram *program, const char *integers,
                 uint64_t seed);

/// Takes the absolute values of all float32 of such inputs.
void makePositive(const HamKaasProgram *program, char *inputs);

#endif
