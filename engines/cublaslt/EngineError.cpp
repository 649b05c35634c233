//===- EngineError.cpp - Why a call of the engine failed ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineError.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace hamkaas::engine;

static thread_local ErrorText last;

void hamkaas::engine::append(ErrorText &text, const char *pattern, ...) {
  size_t length = strlen(text.text);
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(text.text + length, sizeof(text.text) - length, pattern, arguments);
  va_end(arguments);
}

int32_t hamkaas::engine::fail(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(last.text, sizeof(last.text), pattern, arguments);
  va_end(arguments);
  return HamKaasEngineFailed;
}

const char *hamkaas::engine::lastError() { return last.text; }
