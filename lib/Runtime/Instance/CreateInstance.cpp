//===- CreateInstance.cpp - A program with its memory -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "HamKaas/Runtime/Instance/Parameters.h"

#include "HamKaas/Runtime/Core/Clock.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Cpu/FloatingPoint.h"
#include "HamKaas/Runtime/Cpu/Isa.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"
#include "SharedRegions.h"
#include "State.h"

#include <cstdlib>
#include <new>

using namespace hamkaas::rt;

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

// HamKaasExecution::callDone. What lies between two calls, such as a copy,
// counts for the second.
static void recordCall(void *context, int64_t call) {
  Instance &instance = *static_cast<Instance *>(context);
  // Errors are reported at the end of the run.
  (void)instance.device.synchronise(instance.device.context);
  uint64_t now = readClock();
  HamKaasCallProfile &entry = instance.profile[call];
  entry.runs += 1;
  entry.nanoseconds += now - instance.lastTime;
  instance.lastTime = now;
}

static Error createProfile(Instance &instance) {
  // One more than there are calls, because a model may have none.
  instance.profile = static_cast<HamKaasCallProfile *>(
      calloc(static_cast<size_t>(instance.program->callCount) + 1,
             sizeof(HamKaasCallProfile)));
  if (!instance.profile)
    return Error::format("out of memory for a profile");
  instance.execution.callDone = recordCall;
  instance.execution.profile = &instance;
  return Error();
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void end(const KeepAlive &keepAlive) {
  if (keepAlive.release)
    keepAlive.release(keepAlive.context);
}

static void destroyInstance(void *object) {
  Instance *instance = static_cast<Instance *>(object);
  // The others may use this one's device.
  for (int32_t i = 0;
       instance->functions && i < functionCount(*instance->program); ++i)
    if (instance->functions[i] && instance->functions[i] != instance)
      destroyInstance(instance->functions[i]);
  free(static_cast<void *>(instance->functions));
  releaseRegion(instance->device, instance->constants);
  releaseRegion(instance->device, instance->state);
  releaseRegion(instance->device, instance->workspace);
  destroyEngineCalls(instance->engineCalls);
  free(instance->profile);
  if (instance->ownsDevice)
    instance->device.destroy(instance->device.context);
  KeepAlive keepAlive = instance->keepAlive;
  instance->~Instance();
  free(instance);
  end(keepAlive);
}

static Error allocate(const Instance &instance, const char *what,
                      uint64_t bytes, Region *&region) {
  return createRegion(instance.device, instance.program->name, what, bytes,
                      region);
}

Error hamkaas::rt::prepareInProcess(Instance &instance,
                                    const void *const *parameters,
                                    void *workspace) {
  if (!instance.program->prepare)
    return Error();
  const Device &device = instance.device;
  instance.execution.failure.call = -1;
  instance.execution.message = nullptr;
  int32_t failed = instance.program->prepare(
      &instance.execution, parameters, instance.constants->memory, workspace);
  Error error = device.synchronise(device.context);
  return failed ? explainFailure(instance) : static_cast<Error &&>(error);
}

// Runs the program's preparation on the parameters.
static Error runPreparation(Instance &instance, const Parameters &parameters) {
  const HamKaasProgram &program = *instance.program;
  const Device &device = instance.device;
  Region *workspace = nullptr;
  if (Error error = allocate(instance, "preparation workspace",
                             program.prepareWorkspaceBytes, workspace))
    return error;
  FloatingPointScope defaultModes;
  Error error =
      device.prepare(instance, parameters.addresses(), workspace->memory);
  releaseRegion(device, workspace);
  return error;
}

// Makes the constants from the parameters, wherever they are.
static Error prepareConstants(Instance &instance,
                              const HamKaasInstanceOptions &options) {
  const HamKaasProgram &program = *instance.program;
  Parameters parameters(program, options, instance.device);
  if (Error error = parameters.resolve())
    return error;
  if (Error error = allocate(instance, "constants", program.constantsBytes,
                             instance.constants))
    return error;
  return runPreparation(instance, parameters);
}

static Error createState(Instance &instance) {
  if (Error error = allocate(instance, "state", instance.program->stateBytes,
                             instance.state))
    return error;
  return initializeState(instance);
}

Error hamkaas::rt::startInProcess(Instance &) { return Error(); }

//===----------------------------------------------------------------------===//
// The entry functions
//===----------------------------------------------------------------------===//

// Takes the device over, also when there is no memory.
static Instance *newInstance(const HamKaasProgram &program,
                             const Device &device, bool ownsDevice) {
  void *memory = malloc(sizeof(Instance));
  if (!memory) {
    if (ownsDevice)
      device.destroy(device.context);
    return nullptr;
  }
  Instance *created = new (memory) Instance;
  created->program = &program;
  created->device = device;
  created->ownsDevice = ownsDevice;
  created->execution.structSize = sizeof(HamKaasExecution);
  created->execution.parallelFor = device.runKernel;
  created->execution.pool = device.context;
  return created;
}

// The functions run one at a time, so that they can share the memory.
static uint64_t countWorkspaceBytes(const HamKaasProgram &program) {
  uint64_t bytes = 0;
  for (int32_t i = 0; i < functionCount(program); ++i)
    if (functionAt(program, i)->workspaceBytes > bytes)
      bytes = functionAt(program, i)->workspaceBytes;
  return bytes;
}

// Makes the instance of one more function, in all memory of `owner`.
static Error createFunction(const Instance &owner,
                            const HamKaasProgram &function,
                            Instance *&created) {
  Device device = owner.device;
  bool ownsDevice = owner.device.createForFunction != nullptr;
  if (ownsDevice)
    if (Error error =
            owner.device.createForFunction(owner.device, function, device))
      return error;
  created = newInstance(function, device, ownsDevice);
  if (!created)
    return Error::format("out of memory for an instance");
  created->execution.features = owner.execution.features;
  useEngineCalls(owner.engineCalls, created->execution);
  created->constants = shareRegion(owner.constants);
  created->state = shareRegion(owner.state);
  created->workspace = shareRegion(owner.workspace);
  if (owner.profile)
    if (Error error = createProfile(*created))
      return error;
  return created->device.start(*created);
}

static Error createFunctions(Instance &instance) {
  int32_t count = functionCount(*instance.program);
  if (count == 1)
    return Error();
  instance.functions = static_cast<Instance **>(
      calloc(static_cast<size_t>(count), sizeof(Instance *)));
  if (!instance.functions)
    return Error::format("out of memory for %d functions", count);
  for (int32_t i = 0; i < count; ++i) {
    const HamKaasProgram &function = *functionAt(*instance.program, i);
    if (&function == instance.program) {
      instance.functions[i] = &instance;
      continue;
    }
    if (Error error = createFunction(instance, function, instance.functions[i]))
      return error;
  }
  return Error();
}

// Before the preparation, which packs inputs. Other devices make their own.
static Error createEngines(Instance &instance) {
  if (!instance.device.isInProcess)
    return Error();
  if (Error error = createEngineCalls(*instance.program, EnginePlace(),
                                      instance.engineCalls))
    return error;
  useEngineCalls(instance.engineCalls, instance.execution);
  return Error();
}

// The preparation comes first: its workspace is free again before the run's is
// taken.
static Error fillInstance(Instance &instance,
                          const HamKaasInstanceOptions &options) {
  if (Error error = findCpuFeatures(instance.program->isaLevel,
                                    instance.execution.features))
    return error;
  if (Error error = createEngines(instance))
    return error;
  if (Error error = options.constantsOf ? shareConstants(instance, options)
                                        : prepareConstants(instance, options))
    return error;
  if (Error error =
          allocate(instance, "workspace",
                   countWorkspaceBytes(*instance.program), instance.workspace))
    return error;
  if (Error error = options.stateOf ? shareState(instance, options)
                                    : createState(instance))
    return error;
  if (options.profile)
    if (Error error = createProfile(instance))
      return error;
  if (Error error = instance.device.start(instance))
    return error;
  return createFunctions(instance);
}

static Error fillAndRegister(Instance &instance,
                             const HamKaasInstanceOptions &options,
                             HamKaasInstance *&handle) {
  if (Error error = fillInstance(instance, options))
    return error;
  void *added = nullptr;
  Error error =
      handleTable().add(instanceKind, &instance, destroyInstance, added);
  handle = static_cast<HamKaasInstance *>(added);
  return error;
}

Error hamkaas::rt::createInstance(const HamKaasProgram &program,
                                  const HamKaasInstanceOptions &options,
                                  const Device &device,
                                  HamKaasInstance *&instance,
                                  const KeepAlive &keepAlive) {
  Instance *created = newInstance(program, device, /*ownsDevice=*/true);
  if (!created) {
    end(keepAlive);
    return Error::format("out of memory for an instance");
  }
  created->keepAlive = keepAlive;
  Error error = fillAndRegister(*created, options, instance);
  if (error)
    destroyInstance(created);
  return error;
}

// Checks the arguments and makes the device that they name.
static Error readArguments(const HamKaasProgram *program,
                           const HamKaasInstanceOptions *options,
                           HamKaasInstanceOptions &known, Device &device) {
  if (Error error = checkProgram(program))
    return error;
  if (Error error = readOptions(options, known))
    return error;
  return createDevice(known.device, {known.threads, known.sharedThreads != 0},
                      *program, device);
}

Error hamkaas::rt::createInstance(const HamKaasProgram *program,
                                  const HamKaasInstanceOptions *options,
                                  const KeepAlive &keepAlive,
                                  HamKaasInstance *&instance) {
  HamKaasInstanceOptions known;
  Device device;
  if (Error error = readArguments(program, options, known, device)) {
    end(keepAlive);
    return error;
  }
  return createInstance(*program, known, device, instance, keepAlive);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

void HamKaasErrorFree(HamKaasError error) { freeErrorText(error); }

HamKaasError HamKaasInstanceCreate(const HamKaasProgram *program,
                                   const HamKaasInstanceOptions *options,
                                   HamKaasInstance **instance) {
  if (!instance)
    return Error::format("expected a place for the instance, got null")
        .release();
  *instance = nullptr;
  return createInstance(program, options, KeepAlive(), *instance).release();
}

void HamKaasInstanceDestroy(HamKaasInstance *instance) {
  handleTable().remove(instance, instanceKind);
}
