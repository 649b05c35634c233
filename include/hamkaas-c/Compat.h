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

/// Begins the use of the library, as often as one likes.
HAMKAAS_API HamKaasInitializeResult HamKaasInitialize(void);

/// Models of the handle go on to work with another one. Does nothing on null.
HAMKAAS_API void HamKaasFinalize(void *handle);

typedef struct HamKaasCompilationOptions {
  /// A wish: without an NVIDIA GPU that could be used the model runs on the CPU,
  /// which is said once a process on standard error.
  bool use_gpu;
  /// An error without use_gpu, otherwise without a meaning.
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

/// Compiles `script`. `constants` gives each constant of it once, `count` in
/// all; the data is copied and may be freed afterwards.
HAMKAAS_API HamKaasCompilationResult HamKaasCompileModel(
    void *handle, HamKaasCompilationOptions options, const char *script,
    const HamKaasNamedBuffer *constants, int count);

/// Does nothing on null.
HAMKAAS_API void HamKaasFreeModel(void *handle, void *model);

/// Runs the model once. `inputs` gives each input of it once, `count` in all;
/// the result is written whole to `output`. Calls on one model at the same time
/// are an error in all but one of them.
HAMKAAS_API const char *HamKaasEvaluateModel(void *handle, void *model,
                                             const HamKaasNamedBuffer *inputs,
                                             int count, void *output);

/// Writes 1 / input[i] to output[i] for `size` elements, which may be 0. A zero
/// in the input is an error, and the output then undefined.
HAMKAAS_API const char *HamKaasInverseElements(const float *input,
                                               float *output, int size);

/// Frees what any of these functions returned as an error. Does nothing on
/// null.
HAMKAAS_API void HamKaasFreeErrorMessage(const char *error);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_COMPAT_H
