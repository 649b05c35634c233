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

#include "HamKaas/Runtime/CudaDriver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

static constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT =
    16;

static const CudaDriver *driver;
static CUdevice device;
static CUstream stream;

static void check(const char *what, CUresult result) {
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
  CUcontext context = nullptr;
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUdeviceptr toAddress(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

void *allocateOnGpu(uint64_t bytes) {
  CUdeviceptr address = 0;
  check("cuMemAlloc", driver->cuMemAlloc(&address, bytes ? bytes : 1));
  return reinterpret_cast<void *>(address);
}

void releaseOnGpu(void *memory) {
  check("cuMemFree", driver->cuMemFree(toAddress(memory)));
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

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// Sixteen chains hide the latency of one.
#define HAMKAAS_STEP(i) "fma.rn.f32 %x" #i ", %x" #i ", %a, %b;\n"
#define HAMKAAS_BEGIN(i) "add.f32 %x" #i ", %x, " #i ".0;\n"
#define HAMKAAS_END(i) "add.f32 %x, %x, %x" #i ";\n"
// clang-format off
#define HAMKAAS_EACH(F)                                                        \
  F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)                                      \
  F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
// clang-format on
#define HAMKAAS_ROUND HAMKAAS_EACH(HAMKAAS_STEP)

static constexpr double chains = 16, rounds = 8, repetitions = 4096;

static const char arithmeticCode[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry arithmetic(.param .u64 memory)
{
.reg .b32 %thread, %i;
.reg .b64 %m;
.reg .f32 %a, %b, %x, %x<16>;
.reg .pred %p;
ld.param.u64 %m, [memory];
ld.global.f32 %a, [%m];
ld.global.f32 %b, [%m+4];
mov.u32 %thread, %tid.x;
cvt.rn.f32.u32 %x, %thread;
)" HAMKAAS_EACH(HAMKAAS_BEGIN) R"(
mov.u32 %i, 0;
LOOP:
)" HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND
    HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND R"(
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 4096;
@%p bra LOOP;
)" HAMKAAS_EACH(HAMKAAS_END) R"(
st.global.f32 [%m+8], %x;
ret;
}
)";

static CUfunction loadArithmetic() {
  static CUfunction function = nullptr;
  if (function)
    return function;
  CUmodule module = nullptr;
  check(
      "cuModuleLoadDataEx",
      driver->cuModuleLoadDataEx(&module, arithmeticCode, 0, nullptr, nullptr));
  check("cuModuleGetFunction",
        driver->cuModuleGetFunction(&function, module, "arithmetic"));
  return function;
}

double beginArithmeticOnGpu(void *memory) {
  constexpr unsigned threads = 256, blocksOfMultiprocessor = 8;
  unsigned blocks = blocksOfMultiprocessor *
                    static_cast<unsigned>(
                        getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  CUdeviceptr address = toAddress(memory);
  void *arguments[] = {&address};
  check("cuLaunchKernel",
        driver->cuLaunchKernel(loadArithmetic(), blocks, 1, 1, threads, 1, 1,
                               /*sharedBytes=*/0, stream, arguments,
                               /*extra=*/nullptr));
  return 2 * chains * rounds * repetitions * threads * blocks;
}
