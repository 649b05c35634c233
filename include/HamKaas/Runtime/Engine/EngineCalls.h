//===- EngineCalls.h - What engine libraries compute ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H
#define HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Engine.h"

namespace hamkaas::rt {

class EngineCalls;

/// Where engines run.
struct EnginePlace {
  HamKaasEngineDevice device = HamKaasEngineCpu;
  int32_t number = 0; ///< Of the GPU.
};

/// Loads the engine libraries of a program, and makes the plans of its calls
/// for that device; on a GPU, in its context. Null if the program has no engine
/// calls. The program must outlive them.
Error createEngineCalls(const HamKaasProgram &program, EnginePlace place,
                        EngineCalls *&calls /* out */);

/// Nothing happens on null. On a GPU, in its context.
void destroyEngineCalls(EngineCalls *calls);
/// The same where the context is out of reach: leaves the plans as they are.
void abandonEngineCalls(EngineCalls *calls);

/// Lets an execution on the processor run them, one at a time; `calls` may be
/// null.
void useEngineCalls(EngineCalls *calls, HamKaasExecution &execution);

/// How many arguments a call has; -1 if there is no such call. `calls` may be
/// null.
int32_t countEngineArguments(const EngineCalls *calls, int32_t number);

/// Returns whether a call packs constant inputs.
bool packsInputs(const EngineCalls &calls, int32_t number);

/// Adds a call to a stream of a GPU, or to the default stream if it packs.
Error addEngineCall(const EngineCalls &calls, int32_t number,
                    void *const *arguments, void *stream);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ENGINE_ENGINECALLS_H
