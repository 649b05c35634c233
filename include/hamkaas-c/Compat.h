//===- Compat.h - The interface of the first HamKaas --------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seven functions that the first HamKaas offered, for programs written for
// it. New programs use hamkaas-c/Compiler.h. Plain C99; they are exported by
// libhamkaas.so.
//
// Data is in the caller's memory, dense and row-major, aligned for its element
// type; texts are UTF-8 and end with a zero byte. Errors are texts that the
// caller frees with HamKaasFreeErrorMessage; null means success. Handles that
// are null, were freed or are of another kind are errors.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_COMPAT_H
#define HAMKAAS_C_COMPAT_H

#include "hamkaas-c/Runtime.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HamKaasInitializeResult {
  void *handle; /* freed by HamKaasFinalize */
  const char *error;
} HamKaasInitializeResult;

/// Begins the use of the library. May be called any number of times.
HAMKAAS_API HamKaasInitializeResult HamKaasInitialize(void);

/// Models of the handle keep working with another handle. Does nothing on null.
HAMKAAS_API void HamKaasFinalize(void *handle);

typedef struct HamKaasCompilationOptions {
  /// A preference: without a usable NVIDIA GPU the model runs on the CPU, and a
  /// warning appears on standard error once per process.
  bool use_gpu;
  /// An error without use_gpu, otherwise ignored.
  bool use_cudnn;
} HamKaasCompilationOptions;

typedef struct HamKaasNamedBuffer {
  const char *name;
  const void *data;
} HamKaasNamedBuffer;

typedef struct HamKaasCompilationResult {
  void *model; /* freed by HamKaasFreeModel */
  const char *error;
} HamKaasCompilationResult;

/// Compiles `script`. `constants` lists each of its `count` constants once; the
/// data is copied and may be freed afterwards.
HAMKAAS_API HamKaasCompilationResult HamKaasCompileModel(
    void *handle, HamKaasCompilationOptions options, const char *script,
    const HamKaasNamedBuffer *constants, int count);

/// Does nothing on null.
HAMKAAS_API void HamKaasFreeModel(void *handle, void *model);

/// Runs the model once. `inputs` lists each of its `count` inputs once; the
/// result is written to `output`. Of concurrent calls on one model, all but one
/// return an error.
HAMKAAS_API const char *HamKaasEvaluateModel(void *handle, void *model,
                                             const HamKaasNamedBuffer *inputs,
                                             int count, void *output);

/// Writes 1 / input[i] to output[i] for `size` elements, which may be 0. A zero
/// in the input is an error, and the output then undefined.
HAMKAAS_API const char *HamKaasInverseElements(const float *input,
                                               float *output, int size);

/// Frees an error that one of these functions returned. Does nothing on null.
HAMKAAS_API void HamKaasFreeErrorMessage(const char *error);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_COMPAT_H
