//===- Instance.cpp - What an instance tells --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance/Instance.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"

using namespace hamkaas::rt;

Error hamkaas::rt::explainUse(const Instance &instance, const RegionUse &use) {
  if (!use.other())
    return Error();
  const char *name = instance.program->name;
  if (use.other() == &instance)
    return Error::format("model '%s': the instance is running already", name);
  return Error::format("model '%s': an instance that shares its state is "
                       "running",
                       name);
}

Error hamkaas::rt::explainFailure(const Instance &instance) {
  const HamKaasExecution &execution = instance.execution;
  if (execution.message)
    return Error::format("%s", execution.message);
  return describeFailure(*instance.program, execution.failure);
}

Instance *hamkaas::rt::findFunction(Instance &instance, int32_t number) {
  if (number < 0 || number >= functionCount(*instance.program))
    return nullptr;
  return instance.functions ? instance.functions[number] : &instance;
}

const char *HamKaasInstanceDevice(const HamKaasInstance *handle) {
  PinnedInstance instance(handle, instanceKind);
  return instance ? instance->device.name : nullptr;
}

const HamKaasCallProfile *
HamKaasInstanceProfile(const HamKaasInstance *handle) {
  PinnedInstance instance(handle, instanceKind);
  return instance ? instance->profile : nullptr;
}

const HamKaasCallProfile *
HamKaasInstanceFunctionProfile(const HamKaasInstance *handle, int32_t number) {
  PinnedInstance instance(handle, instanceKind);
  const Instance *function =
      instance ? findFunction(*instance, number) : nullptr;
  return function ? function->profile : nullptr;
}
