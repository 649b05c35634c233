//===- Model.h - The program of a compiled model ------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_MODEL_H
#define HAMKAAS_BENCHMARKS_CUDA_MODEL_H

#include "hamkaas-c/Runtime.h"

/// A `model.so`, of which the driver program runs the code by its own runtime.
typedef struct Model {
  void *library;
  const HamKaasProgram *program;
} Model;

/// Returns 0 and prints why if it cannot be loaded.
int loadModel(Model *model, const char *path);
void unloadModel(Model *model);

/// Bytes of all tensors of a table, one after the other.
uint64_t sumBytes(const HamKaasTensorInfo *tensors, int32_t count);

/// Bytes of memory for them, where each has the alignment that it needs, and
/// their addresses there. The caller frees the array.
uint64_t getSpace(const HamKaasTensorInfo *tensors, int32_t count);
void **findTensors(const HamKaasTensorInfo *tensors, int32_t count,
                   void *memory);

/// Memory or the end of the program.
void *allocateOrExit(uint64_t bytes);

/// A file with a zero behind it, which the caller frees; null if there is none.
char *readFile(const char *path, uint64_t *size);

#endif
