//===- Tensors.h - Contents of tensors ----------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_TENSORS_H
#define HAMKAAS_BENCHMARKS_CUDA_TENSORS_H

#include "hamkaas-c/Program.h"

int isFloat(const HamKaasTensorInfo *tensor);

/// Fills a tensor, the same for the same `seed`. As a parameter, values are
/// such that a deep network neither vanishes nor overflows: matrices are scaled
/// by their depth, vectors lie around 1. All but floats is 0.
void fillTensor(const HamKaasTensorInfo *tensor, void *data, uint64_t seed,
                int isParameter);

/// How much two tensors of floats differ, or in how many elements.
typedef struct Difference {
  double largest;   /* difference of two finite values */
  double magnitude; /* the largest finite value expected */
  uint64_t unequal; /* integers, NaN and infinities that are not the same */
} Difference;

Difference compareTensors(const HamKaasTensorInfo *tensor, const void *got,
                          const void *expected);

/// True if that is within `tolerance` times the largest value.
int isWithin(Difference difference, double tolerance);

#endif
