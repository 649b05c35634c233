//===- Functions.cpp - Asking for the entry functions of a program --------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Functions.h"
#include "hamkaas-c/Runtime.h"

#include <cstring>

using namespace hamkaas::rt;

int32_t HamKaasProgramFunctionCount(const HamKaasProgram *program) {
  return program ? functionCount(*program) : 0;
}

const HamKaasProgram *HamKaasProgramFunction(const HamKaasProgram *program,
                                             int32_t number) {
  bool isThere = program && number >= 0 && number < functionCount(*program);
  return isThere ? functionAt(*program, number) : nullptr;
}

const char *HamKaasProgramFunctionName(const HamKaasProgram *program) {
  return program ? functionName(*program) : nullptr;
}

int32_t HamKaasProgramFindFunction(const HamKaasProgram *program,
                                   const char *name) {
  for (int32_t i = 0; name && i < HamKaasProgramFunctionCount(program); ++i) {
    const HamKaasProgram *function = functionAt(*program, i);
    if (function && strcmp(functionName(*function), name) == 0)
      return i;
  }
  return -1;
}
