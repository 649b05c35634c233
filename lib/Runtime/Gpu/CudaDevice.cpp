//===- CudaDevice.cpp - An NVIDIA GPU that runs one program ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Device.h"

#include "CudaCopyKernel.h"
#include "CudaProgram.h"
#include "HamKaas/Runtime/Core/Functions.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

static CudaProgram &toDevice(void *context) {
  return *static_cast<CudaProgram *>(context);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocate(void *context, uint64_t bytes, Error &reason) {
  CudaProgram &device = toDevice(context);
  CudaScope scope(device.context);
  reason = scope.enter();
  CudaMemory memory;
  if (!reason)
    reason = memory.allocate(device.context, bytes, "a region");
  return reinterpret_cast<void *>(memory.address());
}

static void release(void *context, void *memory) {
  CudaProgram &device = toDevice(context);
  CudaScope scope(device.context);
  if (scope.enterToRelease())
    device.context.driver().cuMemFree(reinterpret_cast<CUdeviceptr>(memory));
}

// Both ways; the driver knows which memory is whose.
static Error copyAndWait(CudaProgram &device, const void *to, const void *from,
                         uint64_t bytes, const char *what) {
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  if (Error error =
          device.context.check(device.context.driver().cuMemcpyAsync(
                                   reinterpret_cast<CUdeviceptr>(to),
                                   reinterpret_cast<CUdeviceptr>(from), bytes,
                                   device.context.stream()),
                               "%s", what))
    return error;
  return device.context.wait(what);
}

static Error copy(void *context, void *to, const void *from, uint64_t bytes) {
  return copyAndWait(toDevice(context), to, from, bytes,
                     "cannot copy to its memory");
}

static Error copyToCaller(void *context, void *to, const void *from,
                          uint64_t bytes) {
  return copyAndWait(toDevice(context), to, from, bytes,
                     "cannot copy from its memory");
}

static Error zero(void *context, void *memory, uint64_t bytes) {
  CudaProgram &device = toDevice(context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  return device.context.check(device.context.driver().cuMemsetD8Async(
                                  reinterpret_cast<CUdeviceptr>(memory), 0,
                                  bytes, device.context.stream()),
                              "cannot set its memory to zero");
}

static Error synchronise(void *context) {
  CudaProgram &device = toDevice(context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  return device.context.wait("cannot wait for it");
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void destroy(void *context) {
  CudaProgram *device = static_cast<CudaProgram *>(context);
  // In a forked child the driver's things are the parent's.
  if (!isForkedFromCuda()) {
    CudaScope scope(device->context);
    bool isEntered = scope.enterToRelease();
    if (isEntered) {
      for (RunGraph *graph : device->graphs)
        graph->sequence.clear();
      destroyEngineCalls(device->engines);
      device->engines = nullptr;
      device->bindings.release(device->context);
    }
    CudaModule::release(device->context, device->module, isEntered);
    CudaModule::release(device->context, device->copyModule, isEntered);
  }
  abandonEngineCalls(device->engines);
  free(device->words);
  device->~CudaProgram();
  free(device);
}

static bool hasChecks(const HamKaasProgram &program) {
  for (int32_t i = 0; i < program.callCount; ++i)
    if (program.calls[i].check)
      return true;
  return false;
}

static Error createWords(CudaProgram &device) {
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  // As many as the kernel that copies takes, at the least.
  device.maximumWords = 5;
  for (int32_t i = 0; i < code.kernelCount; ++i)
    if (code.kernels[i].argumentCount + 2 > device.maximumWords)
      device.maximumWords = code.kernels[i].argumentCount + 2;
  // An engine call has its number and its arguments.
  int32_t engineCalls =
      hasEngineCalls(device.program) ? device.program.engineCallCount : 0;
  for (int32_t i = 0; i < engineCalls; ++i)
    if (int32_t count = countEngineArguments(device.engines, i);
        count + 1 > device.maximumWords)
      device.maximumWords = count + 1;
  device.words = static_cast<uint64_t *>(
      calloc(static_cast<size_t>(device.maximumWords) + 1, sizeof(uint64_t)));
  return device.words ? Error() : Error::format("out of memory for a device");
}

// The convention of CUDA's own runtime.
static bool isBlockingAskedFor() {
  const char *value = getenv("CUDA_LAUNCH_BLOCKING");
  return value && *value && strcmp(value, "0") != 0;
}

static Error open(CudaProgram &device, int32_t number, bool &isUsable) {
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  if (Error error = device.context.open(number, code.architecture))
    return error;
  isUsable = true;
  device.isBlocking = isBlockingAskedFor();
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  const char *name = device.program.name;
  if (Error error =
          CudaModule::acquire(device.context, code, name, device.module))
    return error;
  device.hasChecks = hasChecks(device.program);
  if (device.hasChecks)
    if (Error error = CudaModule::acquire(
            device.context, getCudaCopyCode(device.context.capability()), name,
            device.copyModule))
      return error;
  if (Error error = createEngineCalls(
          device.program, {HamKaasEngineCuda, number}, device.engines))
    return device.context.explain(error);
  if (Error error = createWords(device))
    return error;
  return device.bindings.start(device.context, device.program,
                               device.hasChecks);
}

Error hamkaas::rt::findCudaDevice(int32_t number, const char *architecture) {
  CudaContext context;
  return context.find(number, architecture);
}

static Error createForFunction(const Device &device,
                               const HamKaasProgram &function,
                               Device &created) {
  bool isUsable = false;
  return createCudaDevice(toDevice(device.context).context.number(), function,
                          created, isUsable);
}

Error hamkaas::rt::createCudaDevice(int32_t number,
                                    const HamKaasProgram &program,
                                    Device &device, bool &isUsable) {
  isUsable = false;
  if (!program.deviceCode)
    return Error::format("device 'cuda:%d': model '%s' has no code for it; "
                         "compile it for the target cuda",
                         number, program.name);
  void *memory = malloc(sizeof(CudaProgram));
  if (!memory)
    return Error::format("out of memory for a device");
  auto *created = new (memory) CudaProgram(program);
  if (Error error = open(*created, number, isUsable)) {
    destroy(created);
    return error;
  }
  device = {};
  device.name = created->context.name();
  device.context = created;
  device.allocate = allocate;
  device.release = release;
  device.copy = copy;
  device.copyToCaller = copyToCaller;
  device.zero = zero;
  device.synchronise = synchronise;
  device.destroy = destroy;
  device.createForFunction = createForFunction;
  device.isInProcess = false;
  device.prepare = prepareOnCuda;
  device.start = startOnCuda;
  device.run = runOnCuda;
  return Error();
}
