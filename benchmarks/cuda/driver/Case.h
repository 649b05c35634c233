//===- Case.h - A case of the conformance suite -------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_CASE_H
#define HAMKAAS_BENCHMARKS_CUDA_CASE_H

#include "Model.h"

enum { MaxName = 256 };

/// A model with its inputs, and its outputs or its error.
typedef struct Case {
  char name[MaxName];
  int runs;
  double tolerance; /* of the outputs, in parts of the largest value */
  Model model;
  void *inputMemory, *outputMemory, *expected;
  void **inputs, **outputs; /* addresses in the memory */
  char *expectedError;      /* null if the outputs are expected */
  /// Of a case whose contents are random, else null.
  HamKaasNamedData *parameters;
} Case;

/// Reads a line of `cases.txt` and the files that it names. Returns 0 and
/// prints why if a file is missing or has another size. The case is to be
/// released in either case.
int loadCase(Case *test, const char *folder, const char *line);
void releaseCase(Case *test);

/// Runs a program on the inputs of a case. The error of the last run, or null.
HamKaasError runProgram(const HamKaasProgram *program, const Case *test,
                        int runs, const char *device, void *const *outputs);

#endif
