//===- RunInstance.cpp - Runs of an instance --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Clock.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Cpu/FloatingPoint.h"
#include "HamKaas/Runtime/Instance/Instance.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"

using namespace hamkaas::rt;

Error hamkaas::rt::runInProcess(Instance &instance, const void *const *inputs,
                                void *const *outputs) {
  const Device &device = instance.device;
  if (instance.profile)
    instance.lastTime = readClock();
  int32_t failed = instance.program->run(
      &instance.execution, inputs, outputs, instance.constants->memory,
      instance.state->memory, instance.workspace->memory);
  Error error = device.synchronise(device.context);
  return failed ? explainFailure(instance) : static_cast<Error &&>(error);
}

static Error runInstance(Instance &instance, const void *const *inputs,
                         void *const *outputs) {
  RegionUse use(*instance.state, &instance);
  if (use.other())
    return explainUse(instance, use);
  const HamKaasProgram &program = *instance.program;
  if (Error error =
          checkBuffers("input", program.inputs, program.inputCount, inputs))
    return error;
  if (Error error =
          checkBuffers("output", program.outputs, program.outputCount, outputs))
    return error;
  FloatingPointScope defaultModes;
  return instance.device.run(instance, inputs, outputs);
}

HamKaasError HamKaasInstanceRun(HamKaasInstance *handle,
                                const void *const *inputs,
                                void *const *outputs) {
  PinnedInstance instance(handle, instanceKind);
  if (!instance)
    return instance.explain().release();
  return runInstance(*instance, inputs, outputs).release();
}

HamKaasError HamKaasInstanceRunFunction(HamKaasInstance *handle, int32_t number,
                                        const void *const *inputs,
                                        void *const *outputs) {
  PinnedInstance instance(handle, instanceKind);
  if (!instance)
    return instance.explain().release();
  if (Instance *function = findFunction(*instance, number))
    return runInstance(*function, inputs, outputs).release();
  const HamKaasProgram &program = *instance->program;
  return Error::format("model '%s': expected the number of a function from 0 "
                       "to %d, got %d",
                       program.name, functionCount(program) - 1, number)
      .release();
}
