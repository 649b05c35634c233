//===- EngineCalls.h - What engine libraries compute ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H
#define HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

class EngineCalls;

/// Loads the engine libraries of a program and makes their plans. Null if the
/// program has no engine calls. The program must outlive them.
Error createEngineCalls(const HamKaasProgram &program,
                        EngineCalls *&calls /* out */);

/// Nothing happens on null.
void destroyEngineCalls(EngineCalls *calls);

/// Lets an execution run them, one at a time; `calls` may be null.
void useEngineCalls(EngineCalls *calls, HamKaasExecution &execution);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H
