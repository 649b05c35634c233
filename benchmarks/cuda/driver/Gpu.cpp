//===- Gpu.cpp - The driver of NVIDIA GPUs --------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By the runtime's table of the driver's functions.
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include "GpuState.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;
using gpu::check, gpu::context, gpu::driver, gpu::stream;

static constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT =
    16;

const CudaDriver *gpu::driver;
CUstream gpu::stream;
CUcontext gpu::context;
static CUdevice device;

void gpu::check(const char *what, CUresult result) {
  if (result == CUDA_SUCCESS)
    return;
  TextBuilder text;
  appendCudaError(text, *driver, result);
  fprintf(stderr, "%s: %s\n", what, Error::adopt(text.release()).message());
  exit(1);
}

int openGpu(const char *name) {
  const char *colon = strchr(name, ':');
  int number = colon ? atoi(colon + 1) : 0;
  if (Error error = findCudaDriver(driver)) {
    fprintf(stderr, "%s\n", error.message());
    return 0;
  }
  CUresult result = driver->cuDeviceGet(&device, number);
  if (result == CUDA_SUCCESS)
    result = driver->cuDevicePrimaryCtxRetain(&context, device);
  if (result == CUDA_SUCCESS)
    result = driver->cuCtxPushCurrent(context);
  if (result == CUDA_SUCCESS)
    result = driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    return 1;
  TextBuilder text;
  appendCudaError(text, *driver, result);
  fprintf(stderr, "cannot use GPU %d: %s\n", number,
          Error::adopt(text.release()).message());
  return 0;
}

int isGpuLost() { return driver->cuCtxSynchronize() != CUDA_SUCCESS; }

static int getAttribute(CUdevice_attribute attribute) {
  int value = 0;
  check("cuDeviceGetAttribute",
        driver->cuDeviceGetAttribute(&value, attribute, device));
  return value;
}

GpuInfo describeGpu() {
  GpuInfo info = {};
  check("cuDeviceGetName",
        driver->cuDeviceGetName(info.name, sizeof(info.name), device));
  check("cuDriverGetVersion", driver->cuDriverGetVersion(&info.driver));
  info.major = getAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.minor = getAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.multiprocessors = getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return info;
}

static const char badAccessCode[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry bad_access()
{
.reg .b64 %m;
mov.u64 %m, 16;
st.global.u32 [%m], 0;
ret;
}
)";

void beginBadAccessOnGpu() {
  CUfunction function = gpu::loadKernel(badAccessCode, "bad_access");
  check("cuLaunchKernel",
        driver->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, /*sharedMemBytes=*/0,
                               stream, nullptr, nullptr));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUdeviceptr toAddress(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

CUfunction gpu::loadKernel(const char *code, const char *name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check("cuModuleLoadDataEx",
        driver->cuModuleLoadDataEx(&module, code, 0, nullptr, nullptr));
  check("cuModuleGetFunction",
        driver->cuModuleGetFunction(&function, module, name));
  return function;
}

void *allocateOnGpu(uint64_t bytes) {
  CUdeviceptr address = 0;
  check("cuMemAlloc", driver->cuMemAlloc(&address, bytes ? bytes : 1));
  return reinterpret_cast<void *>(address);
}

void *allocatePinned(uint64_t bytes) {
  void *memory = nullptr;
  check("cuMemAllocHost", driver->cuMemAllocHost(&memory, bytes));
  return memory;
}

void releaseOnGpu(void *memory) {
  check("cuMemFree", driver->cuMemFree(toAddress(memory)));
}

// Allocations that were made one after the other.
namespace {
struct Filling {
  CUdeviceptr address;
  Filling *next;
};
} // namespace

void *fillGpuMemory() {
  Filling *last = nullptr;
  for (uint64_t bytes = uint64_t(1) << 32; bytes >= 4096;) {
    CUdeviceptr address = 0;
    if (driver->cuMemAlloc(&address, bytes) != CUDA_SUCCESS) {
      bytes /= 2;
      continue;
    }
    auto *filling = static_cast<Filling *>(malloc(sizeof(Filling)));
    if (!filling)
      abort();
    *filling = {address, last};
    last = filling;
  }
  return last;
}

void releaseGpuMemory(void *filling) {
  while (filling) {
    auto *last = static_cast<Filling *>(filling);
    filling = last->next;
    check("cuMemFree", driver->cuMemFree(last->address));
    free(last);
  }
}

void beginCopyOnGpu(void *to, const void *from, uint64_t bytes) {
  check("cuMemcpyAsync",
        driver->cuMemcpyAsync(toAddress(to), toAddress(from), bytes, stream));
}

void waitForGpu() {
  check("cuStreamSynchronize", driver->cuStreamSynchronize(stream));
}

// The addresses say where the memory is.
static void copy(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    beginCopyOnGpu(to, from, bytes);
  waitForGpu();
}

void copyToGpu(void *to, const void *from, uint64_t bytes) {
  copy(to, from, bytes);
}

void copyFromGpu(void *to, const void *from, uint64_t bytes) {
  copy(to, from, bytes);
}
