//===- CudaContext.cpp - A GPU as one instance uses it --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include "hamkaas-c/Program.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

static constexpr const char *lostHint =
    "the device was lost: destroy its instances, then create a new instance or "
    "restart the process";
// The context lives until its last holder is gone.
static constexpr const char *heldHint =
    "the device was lost, and is still held by another instance or another "
    "library of this process: restart the process";

// Errors of kernels: CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED.
static bool endsAllWork(CUresult result) {
  return result >= 700 && result <= 719;
}

// Results of cuCtxSynchronize while a thread captures a stream that the default
// stream waits for, which many libraries do: CUDA_ERROR_STREAM_CAPTURE_* and
// CUDA_ERROR_CAPTURED_EVENT.
static bool isAboutCapture(CUresult result) {
  return result >= 900 && result <= 908;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Error CudaContext::check(CUresult result, const char *pattern, ...) {
  if (result == CUDA_SUCCESS)
    return Error();
  TextBuilder text;
  text.append("device '%s': ", deviceName);
  va_list arguments;
  va_start(arguments, pattern);
  text.appendList(pattern, arguments);
  va_end(arguments);
  text.append(": ");
  appendCudaError(text, *functions, result);
  return noteIfLost(Error::adopt(text.release()));
}

Error CudaContext::explain(const Error &problem) {
  return noteIfLost(
      Error::format("device '%s': %s", deviceName, problem.message()));
}

Error CudaContext::noteIfLost(Error error) {
  // An error that ends the context is reported again by this call. Without a
  // context, nothing is lost.
  if (!context || lost)
    return error;
  CUresult state = functions->cuCtxSynchronize();
  if (state == CUDA_SUCCESS || isAboutCapture(state))
    return error;
  lost = strdup(error.message());
  if (!lost)
    return error;
  return Error::format("%s; %s", lost, isOpen ? lostHint : heldHint);
}

Error CudaContext::wait(const char *what) {
  return check(functions->cuStreamSynchronize(work), "%s", what);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

// "sm_80", "sm_90a": 80 and 90. An architecture with a letter runs on no other;
// those of a family on it and its successors of the same first digits.
static bool parseArchitecture(const char *text, int &number, char &suffix) {
  int length = 0;
  if (sscanf(text, "sm_%d%n", &number, &length) != 1 || number <= 0)
    return false;
  suffix = text[length];
  return suffix == '\0' || text[length + 1] == '\0';
}

static bool runsOn(int offered, int needed, char suffix) {
  if (suffix == 'a')
    return offered == needed;
  if (suffix == 'f')
    return offered >= needed && offered / 10 == needed / 10;
  return offered >= needed;
}

Error CudaContext::checkArchitecture(const char *needed) {
  int number = 0, major = 0, minor = 0;
  char suffix = '\0', model[128] = {};
  if (!needed || !parseArchitecture(needed, number, suffix))
    return Error::format("expected device code for an architecture such as "
                         "sm_80, got '%s'",
                         needed ? needed : "");
  const char *what = "cannot ask for its compute capability";
  if (Error error = check(
          functions->cuDeviceGetAttribute(
              &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "%s", what))
    return error;
  if (Error error = check(
          functions->cuDeviceGetAttribute(
              &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "%s", what))
    return error;
  computeCapability = 10 * major + minor;
  if (runsOn(computeCapability, number, suffix))
    return Error();
  if (functions->cuDeviceGetName(model, sizeof(model) - 1, device) !=
      CUDA_SUCCESS)
    strcpy(model, "a GPU");
  return Error::format("device '%s': the program needs a GPU of compute "
                       "capability %d.%d%s, got %s of %d.%d",
                       deviceName, number / 10, number % 10,
                       suffix == 'a'   ? ""
                       : suffix == 'f' ? " or of its family"
                                       : " or newer",
                       model, major, minor);
}

Error CudaContext::retain() {
  CUcontext primary = nullptr;
  CUresult result = functions->cuDevicePrimaryCtxRetain(&primary, device);
  if (Error error = check(result, "cannot use it"))
    return endsAllWork(result)
               ? Error::format("%s; %s", error.message(), heldHint)
               : static_cast<Error &&>(error);
  context = primary;
  CudaScope scope(*this);
  if (Error error = scope.enter())
    return error;
  if (Error error =
          check(functions->cuStreamCreate(&work, /*CU_STREAM_DEFAULT*/ 0),
                "cannot create a stream"))
    return error;
  isOpen = true;
  return Error();
}

Error CudaContext::find(int32_t number, const char *architecture) {
  ordinal = number;
  snprintf(deviceName, sizeof(deviceName), "cuda:%d", number);
  if (Error error = findCudaDriver(functions))
    return Error::format("device '%s': %s", deviceName, error.message());
  int count = 0;
  if (Error error = check(functions->cuDeviceGetCount(&count),
                          "cannot count the NVIDIA GPUs"))
    return error;
  if (count == 0)
    return Error::format("device '%s': found no NVIDIA GPU", deviceName);
  if (number >= count)
    return Error::format("device '%s': expected a number below %d, that of the "
                         "NVIDIA GPUs here",
                         deviceName, count);
  if (Error error =
          check(functions->cuDeviceGet(&device, number), "cannot find it"))
    return error;
  return checkArchitecture(architecture);
}

Error CudaContext::open(int32_t number, const char *architecture) {
  if (Error error = find(number, architecture))
    return error;
  return retain();
}

CudaContext::~CudaContext() {
  if (context && !isForkedFromCuda()) {
    CudaScope scope(*this);
    if (work && scope.enterToRelease())
      functions->cuStreamDestroy(work);
  }
  // NOTE: after the scope, which the context must outlive.
  if (context && !isForkedFromCuda())
    functions->cuDevicePrimaryCtxRelease(device);
  free(lost);
}

//===----------------------------------------------------------------------===//
// The current context
//===----------------------------------------------------------------------===//

Error CudaContext::enter() {
  if (lost)
    return Error::format("%s; %s", lost, lostHint);
  if (isForkedFromCuda())
    return Error::format("device '%s': this process was forked from one that "
                         "had used the GPU, which the driver does not allow",
                         deviceName);
  CUresult result = functions->cuCtxPushCurrent(context);
  if (result == CUDA_SUCCESS)
    return Error();
  // The context cannot be queried now.
  TextBuilder text;
  text.append("device '%s': cannot enter its context: ", deviceName);
  appendCudaError(text, *functions, result);
  return Error::adopt(text.release());
}

void CudaContext::leave() {
  CUcontext left = nullptr;
  functions->cuCtxPopCurrent(&left);
}

bool CudaScope::enterToRelease() {
  isEntered =
      context.context && !isForkedFromCuda() &&
      context.functions->cuCtxPushCurrent(context.context) == CUDA_SUCCESS;
  return isEntered;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error CudaMemory::allocate(CudaContext &context, uint64_t bytes,
                           const char *what) {
  constexpr uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
  if (bytes == 0)
    return Error();
  // Whole lines, as on the processor. No memory is so large as to wrap around.
  uint64_t whole = bytes > UINT64_MAX - mask ? bytes : (bytes + mask) & ~mask;
  return context.check(context.driver().cuMemAlloc(&memory, whole),
                       "cannot allocate %" PRIu64 " bytes for %s", bytes, what);
}

void CudaMemory::release(CudaContext &context) {
  if (memory)
    context.driver().cuMemFree(memory);
  memory = 0;
}
