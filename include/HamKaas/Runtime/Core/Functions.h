//===- Functions.h - The entry functions of a program -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_FUNCTIONS_H
#define HAMKAAS_RUNTIME_CORE_FUNCTIONS_H

#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// Size of a program of one function `main`, which may lack the members after.
inline constexpr size_t minimalProgramSize = offsetof(HamKaasProgram, function);

inline bool hasFunctions(const HamKaasProgram &program) {
  return program.structSize >= sizeof(HamKaasProgram) && program.functions;
}

inline bool hasEngineCalls(const HamKaasProgram &program) {
  return program.structSize >= sizeof(HamKaasProgram) &&
         program.engineCallCount > 0;
}

inline int32_t functionCount(const HamKaasProgram &program) {
  return hasFunctions(program) ? program.functionCount : 1;
}

/// Null only in a program that checkProgram refuses.
inline const HamKaasProgram *functionAt(const HamKaasProgram &program,
                                        int32_t number) {
  return hasFunctions(program) ? program.functions[number] : &program;
}

inline const char *functionName(const HamKaasProgram &program) {
  return hasFunctions(program) ? program.function : "main";
}

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_FUNCTIONS_H
