//===- EngineError.h - Why a call of the engine failed ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINES_CUBLASLT_ENGINEERROR_H
#define HAMKAAS_ENGINES_CUBLASLT_ENGINEERROR_H

#include "hamkaas-c/Engine.h"

namespace hamkaas::engine {

/// A text that is cut off if it is too long.
struct ErrorText {
  char text[2048];
};
void append(ErrorText &text, const char *pattern, ...)
    __attribute__((format(printf, 2, 3)));

/// Keeps the reason for lastError, and returns HamKaasEngineFailed. Arguments
/// must not point into the last reason.
int32_t fail(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

/// HamKaasEngineLibrary::lastError.
const char *lastError();

} // namespace hamkaas::engine

#endif // HAMKAAS_ENGINES_CUBLASLT_ENGINEERROR_H
