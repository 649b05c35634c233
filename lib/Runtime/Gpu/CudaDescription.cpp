//===- CudaDescription.cpp - What a program asks a GPU to do --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDescription.h"

#include "CudaCopyKernel.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

const HamKaasCallInfo *hamkaas::rt::findCall(const HamKaasProgram &program,
                                             int64_t call) {
  return call >= 0 && call < program.callCount ? &program.calls[call] : nullptr;
}

// "kernel 'k0' (matmul+add) at mnist.hk:4:6". Null if there is no memory.
static char *describeLaunch(const HamKaasProgram &program, const char *kernel,
                            int64_t callNumber) {
  TextBuilder text;
  text.append("model '%s': kernel '%s'", program.name, kernel);
  if (const HamKaasCallInfo *call = findCall(program, callNumber)) {
    if (call->ops)
      text.append(" (%s)", call->ops);
    if (call->location)
      text.append(" at %s", call->location);
  } else {
    text.append(" of its preparation");
  }
  return text.release();
}

static Error explainLaunch(CudaProgram &device, CUresult result,
                           const HamKaasDeviceKernel &kernel, int64_t call) {
  if (result == CUDA_SUCCESS)
    return Error();
  char *what = describeLaunch(device.program, kernel.name, call);
  Error error = device.context.check(result, "%s", what ? what : "a kernel");
  free(what);
  return error;
}

// A kernel that only checks is a part of the call that follows it.
static bool isCheck(const HamKaasDeviceKernel &kernel) {
  static constexpr char suffix[] = "_checks";
  constexpr size_t length = sizeof(suffix) - 1;
  size_t nameLength = strlen(kernel.name);
  return nameLength > length &&
         strcmp(kernel.name + nameLength - length, suffix) == 0;
}

// HamKaasExecution::launch.
static int32_t launchKernel(void *context, int32_t number,
                            void *const *arguments, int64_t call) {
  Description &description = *static_cast<Description *>(context);
  if (description.error)
    return 1;
  CudaProgram &device = description.device;
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  if (number < 0 || number >= code.kernelCount) {
    description.error = Error::format(
        "model '%s': expected the number of a kernel below %d, got %d",
        device.program.name, code.kernelCount, number);
    return 1;
  }
  const HamKaasDeviceKernel &kernel = code.kernels[number];
  int32_t count = kernel.argumentCount;
  for (int32_t i = 0; i < count; ++i)
    device.words[i] = reinterpret_cast<uint64_t>(arguments[i]);
  device.words[count] = device.bindings.failure();
  device.words[count + 1] = static_cast<uint64_t>(call);
  CUresult result = description.sequence.addKernel(
      {device.module->function(number), kernel, device.module->waits()},
      device.words, count + 2);
  if (result == CUDA_SUCCESS && description.isRun && device.memory.profile)
    result = description.sequence.addTimestamp(call, !isCheck(kernel));
  description.error = explainLaunch(device, result, kernel, call);
  return description.error ? 1 : 0;
}

namespace {
/// A call of an engine that is put on the stream.
struct EngineWork {
  CudaProgram &device;
  int32_t number;
  void *const *arguments;
  /// Of the engine, or of the driver.
  Error error;
  CUresult result = CUDA_SUCCESS;
};
} // namespace

static bool issueEngineCall(void *context, CUstream stream) {
  auto &work = *static_cast<EngineWork *>(context);
  work.error =
      addEngineCall(*work.device.engines, work.number, work.arguments, stream);
  return !work.error;
}

// Packing is on the default stream, which has waited for ours.
static bool packInputs(void *context, CUstream) {
  auto &work = *static_cast<EngineWork *>(context);
  if (!issueEngineCall(context, /*stream=*/nullptr))
    return false;
  work.result = work.device.context.driver().cuStreamSynchronize(nullptr);
  return work.result == CUDA_SUCCESS;
}

// Its error at the line of the call.
static Error explainEngineCall(CudaProgram &device, CUresult result,
                               EngineWork &work, int64_t call) {
  if (result == CUDA_SUCCESS)
    return Error();
  const HamKaasCallInfo *info = findCall(device.program, call);
  TextBuilder text;
  if (char *launch =
          info ? describeLaunch(device.program, info->kernel, call) : nullptr) {
    text.append("%s", launch);
    free(launch);
  } else {
    text.append("model '%s': its preparation", device.program.name);
  }
  if (work.error)
    text.append(": %s", work.error.message());
  Error error = Error::adopt(text.release());
  // NOTE: here nothing is captured any more, so the GPU may be asked.
  return work.error ? device.context.explain(error)
                    : device.context.check(work.result ? work.result : result,
                                           "%s", error.message());
}

// HamKaasExecution::callEngine.
static int32_t callEngine(HamKaasExecution *execution, int32_t number,
                          void *const *arguments, int64_t call) {
  Description &description = *static_cast<Description *>(execution->device);
  if (description.error)
    return 1;
  CudaProgram &device = description.device;
  int32_t count = countEngineArguments(device.engines, number);
  if (count < 0) {
    description.error =
        Error::format("model '%s': expected the number of an engine call for "
                      "this device, got %d",
                      device.program.name, number);
    return 1;
  }
  device.words[0] = static_cast<uint64_t>(number);
  for (int32_t i = 0; i < count; ++i)
    device.words[i + 1] = reinterpret_cast<uint64_t>(arguments[i]);
  EngineWork work = {device, number, arguments, Error()};
  bool packs = packsInputs(*device.engines, number);
  CUresult result = description.sequence.addWork(
      device.words, count + 1, {packs ? packInputs : issueEngineCall, &work});
  if (result == CUDA_SUCCESS && description.isRun && device.memory.profile)
    result = description.sequence.addTimestamp(call, /*isRun=*/true);
  description.error = explainEngineCall(device, result, work, call);
  return description.error ? 1 : 0;
}

static CUresult addCopy(const Description &description, uint64_t to,
                        uint64_t from, uint64_t bytes) {
  const CudaProgram &device = description.device;
  if (!device.copyModule || !description.isRun)
    return description.sequence.addCopy({to, from, bytes});
  if (bytes == 0 || to == from)
    return CUDA_SUCCESS;
  uint64_t words[] = {to, from, bytes, device.bindings.failure(), 0};
  return description.sequence.addKernel({device.copyModule->function(0),
                                         getCudaCopyKernel(bytes),
                                         device.copyModule->waits()},
                                        words, 5);
}

// HamKaasExecution::copy.
static int32_t copyMemory(void *context, void *to, const void *from,
                          uint64_t bytes) {
  Description &description = *static_cast<Description *>(context);
  if (description.error)
    return 1;
  CUresult result = addCopy(description, reinterpret_cast<uint64_t>(to),
                            reinterpret_cast<uint64_t>(from), bytes);
  description.error = description.device.context.check(
      result, "model '%s': a copy of %" PRIu64 " bytes",
      description.device.program.name, bytes);
  return description.error ? 1 : 0;
}

// HamKaasExecution::findConstant.
static const void *findConstant(void *context, const char *name) {
  Description &description = *static_cast<Description *>(context);
  CudaProgram &device = description.device;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CUresult result = device.context.driver().cuModuleGetGlobal(
      &address, &bytes, device.module->handle(), name);
  if (result == CUDA_SUCCESS)
    return reinterpret_cast<const void *>(address);
  if (!description.error)
    description.error =
        device.context.check(result, "model '%s': cannot find constant '%s'",
                             device.program.name, name);
  return nullptr;
}

HamKaasExecution hamkaas::rt::makeExecution(Description &description) {
  HamKaasExecution execution = {};
  execution.structSize = sizeof(execution);
  execution.failure.call = -1;
  execution.launch = launchKernel;
  execution.copy = copyMemory;
  execution.findConstant = findConstant;
  execution.callEngine = callEngine;
  execution.device = &description;
  return execution;
}

Error hamkaas::rt::explainReturn(int32_t failed,
                                 const HamKaasExecution &execution,
                                 Description &description) {
  if (description.error)
    return static_cast<Error &&>(description.error);
  if (!failed)
    return Error();
  if (execution.message)
    return Error::format("%s", execution.message);
  return describeFailure(description.device.program, execution.failure);
}
