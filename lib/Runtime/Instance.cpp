//===- Instance.cpp - A program with its memory ---------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance.h"
#include "HamKaas/Runtime/Parameters.h"

#include "FloatingPoint.h"
#include "ProgramCheck.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

using namespace hamkaas::rt;

namespace {

/// Lets one call at a time use an instance.
class BusyScope {
public:
  explicit BusyScope(HamKaasInstance &instance)
      : busy(instance.busy),
        entered(!busy.exchange(true, std::memory_order_acquire)) {}
  BusyScope(const BusyScope &) = delete;
  BusyScope &operator=(const BusyScope &) = delete;
  ~BusyScope() {
    if (entered)
      busy.store(false, std::memory_order_release);
  }

  bool isEntered() const { return entered; }

private:
  std::atomic<bool> &busy;
  bool entered;
};

} // namespace

static Error alreadyRunning(const HamKaasInstance &instance) {
  return Error::format("model '%s': the instance is running already",
                       instance.program->name);
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

static uint64_t readClock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 +
         static_cast<uint64_t>(time.tv_nsec);
}

// HamKaasExecution::callDone. What lies between two calls, such as a copy,
// counts for the second.
static void recordCall(void *context, int64_t call) {
  HamKaasInstance &instance = *static_cast<HamKaasInstance *>(context);
  instance.device.synchronise(instance.device.context);
  uint64_t now = readClock();
  HamKaasCallProfile &entry = instance.profile[call];
  entry.runs += 1;
  entry.nanoseconds += now - instance.lastTime;
  instance.lastTime = now;
}

static Error createProfile(HamKaasInstance &instance) {
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

static Error allocateRegion(const HamKaasInstance &instance, const char *what,
                            uint64_t bytes, void *&region) {
  region = nullptr;
  if (bytes == 0)
    return Error();
  region = instance.device.allocate(instance.device.context, bytes);
  if (!region)
    return Error::format("model '%s': cannot allocate %" PRIu64
                         " bytes for its %s",
                         instance.program->name, bytes, what);
  return Error();
}

static void releaseRegion(const HamKaasInstance &instance, void *region) {
  if (region)
    instance.device.release(instance.device.context, region);
}

static void zeroState(const HamKaasInstance &instance) {
  if (instance.state)
    instance.device.zero(instance.device.context, instance.state,
                         instance.program->stateBytes);
}

// Runs the program's preparation on the parameters, wherever they are.
static Error prepareConstants(HamKaasInstance &instance,
                              const HamKaasInstanceOptions &options) {
  const HamKaasProgram &program = *instance.program;
  Parameters parameters(program, options, instance.device);
  if (Error error = parameters.resolve())
    return error;
  if (Error error = allocateRegion(instance, "constants",
                                   program.constantsBytes, instance.constants))
    return error;
  if (!program.prepare)
    return Error();
  void *workspace = nullptr;
  if (Error error = allocateRegion(instance, "preparation workspace",
                                   program.prepareWorkspaceBytes, workspace))
    return error;
  FloatingPointScope defaultModes;
  instance.execution.failure.call = -1;
  int32_t failed = program.prepare(&instance.execution, parameters.addresses(),
                                   instance.constants, workspace);
  instance.device.synchronise(instance.device.context);
  releaseRegion(instance, workspace);
  return failed ? describeFailure(program, instance.execution.failure)
                : Error();
}

// The preparation comes first: its workspace is free again before the run's is
// taken.
static Error fillInstance(HamKaasInstance &instance,
                          const HamKaasInstanceOptions &options) {
  const HamKaasProgram &program = *instance.program;
  if (Error error = prepareConstants(instance, options))
    return error;
  if (Error error = allocateRegion(instance, "workspace",
                                   program.workspaceBytes, instance.workspace))
    return error;
  if (Error error =
          allocateRegion(instance, "state", program.stateBytes, instance.state))
    return error;
  zeroState(instance);
  instance.device.synchronise(instance.device.context);
  return options.profile ? createProfile(instance) : Error();
}

Error hamkaas::rt::createInstance(const HamKaasProgram &program,
                                  const HamKaasInstanceOptions &options,
                                  const Device &device,
                                  HamKaasInstance *&instance) {
  void *memory = malloc(sizeof(HamKaasInstance));
  if (!memory) {
    device.destroy(device.context);
    return Error::format("out of memory for an instance");
  }
  HamKaasInstance *created = new (memory) HamKaasInstance;
  created->program = &program;
  created->device = device;
  created->execution.structSize = sizeof(HamKaasExecution);
  created->execution.parallelFor = device.runKernel;
  created->execution.pool = device.context;
  if (Error error = fillInstance(*created, options)) {
    HamKaasInstanceDestroy(created);
    return error;
  }
  instance = created;
  return Error();
}

static Error createFromOptions(const HamKaasProgram *program,
                               const HamKaasInstanceOptions *options,
                               HamKaasInstance *&instance) {
  if (Error error = checkProgram(program))
    return error;
  HamKaasInstanceOptions known;
  if (Error error = readOptions(options, known))
    return error;
  Device device;
  if (Error error = createDevice(known.device, known.threads, device))
    return error;
  return createInstance(*program, known, device, instance);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static Error runInstance(HamKaasInstance &instance, const void *const *inputs,
                         void *const *outputs) {
  BusyScope scope(instance);
  if (!scope.isEntered())
    return alreadyRunning(instance);
  const HamKaasProgram &program = *instance.program;
  if (Error error =
          checkBuffers("input", program.inputs, program.inputCount, inputs))
    return error;
  if (Error error =
          checkBuffers("output", program.outputs, program.outputCount, outputs))
    return error;
  FloatingPointScope defaultModes;
  if (instance.profile)
    instance.lastTime = readClock();
  int32_t failed =
      program.run(&instance.execution, inputs, outputs, instance.constants,
                  instance.state, instance.workspace);
  instance.device.synchronise(instance.device.context);
  return failed ? describeFailure(program, instance.execution.failure)
                : Error();
}

static Error resetState(HamKaasInstance &instance) {
  BusyScope scope(instance);
  if (!scope.isEntered())
    return alreadyRunning(instance);
  zeroState(instance);
  instance.device.synchronise(instance.device.context);
  return Error();
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

void HamKaasErrorFree(HamKaasError error) { freeErrorText(error); }

HamKaasError HamKaasInstanceCreate(const HamKaasProgram *program,
                                   const HamKaasInstanceOptions *options,
                                   HamKaasInstance **instance) {
  if (!instance)
    return Error::format("expected a place for the instance, found null")
        .release();
  *instance = nullptr;
  return createFromOptions(program, options, *instance).release();
}

void HamKaasInstanceDestroy(HamKaasInstance *instance) {
  if (!instance)
    return;
  releaseRegion(*instance, instance->constants);
  releaseRegion(*instance, instance->state);
  releaseRegion(*instance, instance->workspace);
  free(instance->profile);
  instance->device.destroy(instance->device.context);
  instance->~HamKaasInstance();
  free(instance);
}

HamKaasError HamKaasInstanceRun(HamKaasInstance *instance,
                                const void *const *inputs,
                                void *const *outputs) {
  if (!instance)
    return Error::format("expected an instance, found null").release();
  return runInstance(*instance, inputs, outputs).release();
}

const HamKaasCallProfile *
HamKaasInstanceProfile(const HamKaasInstance *instance) {
  return instance ? instance->profile : nullptr;
}

HamKaasError HamKaasInstanceResetState(HamKaasInstance *instance) {
  if (!instance)
    return Error::format("expected an instance, found null").release();
  return resetState(*instance).release();
}
