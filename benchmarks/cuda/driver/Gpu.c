//===- Gpu.c - The driver of NVIDIA GPUs ----------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of cuda.h, which need not be there to build this.
typedef unsigned long long Address;
typedef void *Handle;
static struct {
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int *);
  int (*cuDeviceGet)(int *, int);
  int (*cuDeviceGetName)(char *, int, int);
  int (*cuDeviceGetAttribute)(int *, int, int);
  int (*cuDeviceTotalMem_v2)(size_t *, int);
  int (*cuDevicePrimaryCtxRetain)(Handle *, int);
  int (*cuCtxSetCurrent)(Handle);
  int (*cuCtxSynchronize)(void);
  int (*cuMemAlloc_v2)(Address *, size_t);
  int (*cuMemFree_v2)(Address);
  int (*cuMemcpyHtoD_v2)(Address, const void *, size_t);
  int (*cuMemcpyDtoH_v2)(void *, Address, size_t);
  int (*cuMemcpyDtoDAsync_v2)(Address, Address, size_t, Handle);
  int (*cuEventCreate)(Handle *, unsigned);
  int (*cuEventRecord)(Handle, Handle);
  int (*cuEventSynchronize)(Handle);
  int (*cuEventElapsedTime)(float *, Handle, Handle);
  int (*cuGetErrorString)(int, const char **);
} gpu;

enum { Multiprocessors = 16, Major = 75, Minor = 76 }; // CUdevice_attribute

static int device;

static int loadDriver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "no NVIDIA driver: %s\n", dlerror());
    return 0;
  }
#define LOAD(name)                                                             \
  do {                                                                         \
    void *address = dlsym(library, #name);                                     \
    if (!address) {                                                            \
      fprintf(stderr, "the NVIDIA driver has no %s; it is too old\n", #name);  \
      return 0;                                                                \
    }                                                                          \
    memcpy(&gpu.name, &address, sizeof(address));                              \
  } while (0)
  LOAD(cuInit);
  LOAD(cuDriverGetVersion);
  LOAD(cuDeviceGet);
  LOAD(cuDeviceGetName);
  LOAD(cuDeviceGetAttribute);
  LOAD(cuDeviceTotalMem_v2);
  LOAD(cuDevicePrimaryCtxRetain);
  LOAD(cuCtxSetCurrent);
  LOAD(cuCtxSynchronize);
  LOAD(cuMemAlloc_v2);
  LOAD(cuMemFree_v2);
  LOAD(cuMemcpyHtoD_v2);
  LOAD(cuMemcpyDtoH_v2);
  LOAD(cuMemcpyDtoDAsync_v2);
  LOAD(cuEventCreate);
  LOAD(cuEventRecord);
  LOAD(cuEventSynchronize);
  LOAD(cuEventElapsedTime);
  LOAD(cuGetErrorString);
#undef LOAD
  return 1;
}

static const char *explain(int result) {
  const char *text = NULL;
  if (gpu.cuGetErrorString(result, &text) != 0 || !text)
    text = "unknown error";
  return text;
}

static void check(const char *what, int result) {
  if (result == 0)
    return;
  fprintf(stderr, "%s: %s\n", what, explain(result));
  exit(1);
}

int openGpu(void) {
  if (!loadDriver())
    return 0;
  int result = gpu.cuInit(0);
  if (result == 0)
    result = gpu.cuDeviceGet(&device, 0);
  Handle context = NULL;
  if (result == 0)
    result = gpu.cuDevicePrimaryCtxRetain(&context, device);
  if (result == 0)
    result = gpu.cuCtxSetCurrent(context);
  if (result != 0)
    fprintf(stderr, "no NVIDIA GPU can be used: %s\n", explain(result));
  return result == 0;
}

GpuInfo describeGpu(void) {
  GpuInfo info;
  memset(&info, 0, sizeof(info));
  size_t memory = 0;
  check("cuDeviceGetName",
        gpu.cuDeviceGetName(info.name, sizeof(info.name), device));
  check("cuDeviceGetAttribute",
        gpu.cuDeviceGetAttribute(&info.major, Major, device));
  check("cuDeviceGetAttribute",
        gpu.cuDeviceGetAttribute(&info.minor, Minor, device));
  check(
      "cuDeviceGetAttribute",
      gpu.cuDeviceGetAttribute(&info.multiprocessors, Multiprocessors, device));
  check("cuDriverGetVersion", gpu.cuDriverGetVersion(&info.driver));
  check("cuDeviceTotalMem", gpu.cuDeviceTotalMem_v2(&memory, device));
  info.memory = memory;
  return info;
}

static Address toAddress(const void *memory) { return (uintptr_t)memory; }

void *allocateOnGpu(uint64_t bytes) {
  Address address = 0;
  check("cuMemAlloc", gpu.cuMemAlloc_v2(&address, bytes ? bytes : 1));
  return (void *)(uintptr_t)address;
}

void releaseOnGpu(void *memory) {
  check("cuMemFree", gpu.cuMemFree_v2(toAddress(memory)));
}

void copyToGpu(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    check("cuMemcpyHtoD", gpu.cuMemcpyHtoD_v2(toAddress(to), from, bytes));
  check("cuCtxSynchronize", gpu.cuCtxSynchronize());
}

void copyFromGpu(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    check("cuMemcpyDtoH", gpu.cuMemcpyDtoH_v2(to, toAddress(from), bytes));
}

double timeGpuCopies(void *to, const void *from, uint64_t bytes, int times) {
  Handle begin = NULL, end = NULL;
  float milliseconds = 0;
  check("cuEventCreate", gpu.cuEventCreate(&begin, 0));
  check("cuEventCreate", gpu.cuEventCreate(&end, 0));
  check("cuEventRecord", gpu.cuEventRecord(begin, NULL));
  for (int i = 0; i < times; ++i)
    check("cuMemcpyDtoD", gpu.cuMemcpyDtoDAsync_v2(
                              toAddress(to), toAddress(from), bytes, NULL));
  check("cuEventRecord", gpu.cuEventRecord(end, NULL));
  check("cuEventSynchronize", gpu.cuEventSynchronize(end));
  check("cuEventElapsedTime",
        gpu.cuEventElapsedTime(&milliseconds, begin, end));
  return milliseconds / 1000 / times;
}
