//===- CudaDriver.cpp - The driver of NVIDIA GPUs -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Gpu/CudaDriver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

void hamkaas::rt::appendCudaError(TextBuilder &text, const CudaDriver &driver,
                                  CUresult result) {
  const char *what = nullptr, *name = nullptr;
  if (driver.cuGetErrorString(result, &what) != CUDA_SUCCESS || !what)
    what = "unknown error";
  if (driver.cuGetErrorName(result, &name) == CUDA_SUCCESS && name)
    text.append("%s (%s)", what, name);
  else
    text.append("%s (%d)", what, result);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

using GetProcAddress = CUresult (*)(const char *symbol, void **function,
                                    int version, uint64_t flags,
                                    CUdriverProcAddressQueryResult *status);

// A driver that is too old says its version; what is no driver at all does not.
static Error explainMissing(const char *library, void *handle,
                            const char *function) {
  auto getVersion = reinterpret_cast<PFN_cuDriverGetVersion>(
      dlsym(handle, "cuDriverGetVersion"));
  int version = 0;
  if (getVersion && getVersion(&version) == CUDA_SUCCESS &&
      version < CudaDriver::version)
    return Error::format("expected an NVIDIA driver for CUDA %d.%d or newer, "
                         "got one for CUDA %d.%d",
                         CudaDriver::version / 1000,
                         CudaDriver::version % 1000 / 10, version / 1000,
                         version % 1000 / 10);
  return Error::format("found no NVIDIA driver: %s has no %s", library,
                       function);
}

// Null if there is none.
static void *findFunction(GetProcAddress getProcAddress, const char *name,
                          int version) {
  void *function = nullptr;
  CUdriverProcAddressQueryResult status = 0;
  CUresult result =
      getProcAddress(name, &function, version, /*flags=*/0, &status);
  return result == CUDA_SUCCESS ? function : nullptr;
}

// An older driver may know a function of that name with other parameters, so
// it is not asked.
static void findNewerFunctions(GetProcAddress getProcAddress,
                               CudaDriver &driver) {
  int version = 0;
  if (driver.cuDriverGetVersion(&version) != CUDA_SUCCESS)
    version = 0;
#define HAMKAAS_FIND(name, since, parameters)                                  \
  driver.name = version < since ? nullptr                                      \
                                : reinterpret_cast<PFN_##name>(findFunction(   \
                                      getProcAddress, #name, since));
  HAMKAAS_CUDA_NEWER_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
}

static Error findFunctions(const char *library, void *handle,
                           CudaDriver &driver) {
  // Of 12.0; the one before cannot say that a function is missing.
  auto getProcAddress =
      reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (!getProcAddress)
    return explainMissing(library, handle, "cuGetProcAddress_v2");
#define HAMKAAS_FIND(name, since, parameters)                                  \
  static_assert(since <= CudaDriver::version);                                 \
  driver.name = reinterpret_cast<PFN_##name>(                                  \
      findFunction(getProcAddress, #name, CudaDriver::version));               \
  if (!driver.name)                                                            \
    return explainMissing(library, handle, #name);
  HAMKAAS_CUDA_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
  findNewerFunctions(getProcAddress, driver);
  return Error();
}

Error hamkaas::rt::loadCudaDriver(const char *library, CudaDriver &driver) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error::format("found no NVIDIA driver: %s", dlerror());
  Error error = findFunctions(library, handle, driver);
  if (error)
    dlclose(handle);
  return error;
}

//===----------------------------------------------------------------------===//
// The driver of the process
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: an instance may be in use until the process ends.
struct ProcessDriver {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool isLoaded = false, isInitialised = false;
  CudaDriver driver = {};
  pid_t id = 0; // of the process that initialised it
};
} // namespace

static ProcessDriver process;

static Error initialise(const CudaDriver &driver) {
  CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS)
    return Error();
  TextBuilder text;
  text.append("found no NVIDIA GPU: ");
  appendCudaError(text, driver, result);
  return Error::adopt(text.release());
}

// With the mutex held.
static Error loadOnce() {
  if (!process.isLoaded) {
    if (Error error = loadCudaDriver("libcuda.so.1", process.driver))
      return error;
    process.isLoaded = true;
  }
  if (!process.isInitialised) {
    if (Error error = initialise(process.driver))
      return error;
    process.id = getpid();
    __atomic_store_n(&process.isInitialised, true, __ATOMIC_RELEASE);
  }
  return Error();
}

bool hamkaas::rt::isForkedFromCuda() {
  return __atomic_load_n(&process.isInitialised, __ATOMIC_ACQUIRE) &&
         getpid() != process.id;
}

Error hamkaas::rt::findCudaDriver(const CudaDriver *&driver) {
  // NOTE: before the mutex, which a thread of the parent may have held when it
  // forked.
  if (isForkedFromCuda())
    return Error::format("this process was forked from one that had used the "
                         "GPU, which the driver does not allow; start it anew");
  pthread_mutex_lock(&process.mutex);
  Error error = loadOnce();
  pthread_mutex_unlock(&process.mutex);
  if (!error)
    driver = &process.driver;
  return error;
}
