//===- CudaModule.cpp - The kernels of a program on a GPU -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModule.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

// The limit for kernels that do not ask for more.
static constexpr uint32_t defaultSharedBytes = 48 * 1024;
// Kernels with more shared memory get the maximum, at the expense of the L1
// cache: otherwise the driver's guess may leave room for a single block.
static constexpr uint32_t largeSharedBytes = 16 * 1024;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Error CudaModule::load(CudaContext &context, const char *model) {
  // The driver's messages about PTX that it cannot compile.
  char log[1024] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  CUresult result = context.driver().cuModuleLoadDataEx(&module, code->image, 2,
                                                        options, values);
  size_t length = strlen(log);
  while (length > 0 && log[length - 1] == '\n')
    log[--length] = '\0';
  if (Error error = context.check(
          result, "cannot load the device code of model '%s' for %s%s%s", model,
          code->architecture, length ? ": " : "", log))
    return error;
  return findFunctions(context, model);
}

static CUresult giveSharedMemory(const CudaDriver &driver, CUfunction function,
                                 uint32_t bytes) {
  CUresult result = CUDA_SUCCESS;
  if (bytes > defaultSharedBytes)
    result = driver.cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        static_cast<int>(bytes));
  if (bytes > largeSharedBytes && result == CUDA_SUCCESS)
    result = driver.cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100);
  return result;
}

// The driver takes the latest code that the GPU can run, which has the waits.
// If it says that it took other code, there are none.
Error CudaModule::noteVersion(CudaContext &context, const char *model,
                              int32_t kernel) {
  int version = 0;
  if (Error error = context.check(
          context.driver().cuFuncGetAttribute(
              &version, CU_FUNC_ATTRIBUTE_PTX_VERSION, functions[kernel]),
          "cannot ask for the version of kernel '%s' of model "
          "'%s'",
          code->kernels[kernel].name, model))
    return error;
  if (version > 0 && version < code->waitsFrom)
    kernelsWait = false;
  return Error();
}

Error CudaModule::findFunctions(CudaContext &context, const char *model) {
  const CudaDriver &driver = context.driver();
  kernelsWait = code->waitsFrom > 0 && context.capability() >= code->waitsFrom;
  // calloc may return null for zero entries.
  functions = static_cast<CUfunction *>(
      calloc(static_cast<size_t>(code->kernelCount) + 1, sizeof(CUfunction)));
  if (!functions)
    return Error::format("out of memory for %d kernels", code->kernelCount);
  for (int32_t i = 0; i < code->kernelCount; ++i) {
    const HamKaasDeviceKernel &kernel = code->kernels[i];
    if (Error error = context.check(
            driver.cuModuleGetFunction(&functions[i], module, kernel.name),
            "cannot find kernel '%s' of model '%s'", kernel.name, model))
      return error;
    if (Error error = context.check(
            giveSharedMemory(driver, functions[i], kernel.sharedBytes),
            "cannot give kernel '%s' of model '%s' %u bytes of shared memory",
            kernel.name, model, kernel.sharedBytes))
      return error;
    if (kernelsWait)
      if (Error error = noteVersion(context, model, i))
        return error;
  }
  return Error();
}

void CudaModule::destroy(CudaContext &context, bool canUnload) {
  if (module && canUnload)
    context.driver().cuModuleUnload(module);
  free(functions);
  this->~CudaModule();
  free(this);
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// All that are loaded.
static CudaModule *modules;

namespace {
struct Lock {
  Lock() { pthread_mutex_lock(&mutex); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  ~Lock() { pthread_mutex_unlock(&mutex); }
};
} // namespace

Error CudaModule::acquire(CudaContext &context, const HamKaasDeviceCode &code,
                          const char *model, CudaModule *&module) {
  Lock lock;
  for (CudaModule *known = modules; known; known = known->next)
    // The functions of a program have the image in common.
    if (known->code->image == code.image &&
        known->code->kernels == code.kernels &&
        known->device == context.number()) {
      ++known->holders;
      module = known;
      return Error();
    }
  void *memory = malloc(sizeof(CudaModule));
  if (!memory)
    return Error::format("out of memory for a module");
  auto *loaded = new (memory) CudaModule;
  loaded->code = &code;
  loaded->device = context.number();
  if (Error error = loaded->load(context, model)) {
    loaded->destroy(context, /*canUnload=*/true);
    return error;
  }
  loaded->next = modules;
  modules = loaded;
  module = loaded;
  return Error();
}

void CudaModule::release(CudaContext &context, CudaModule *module,
                         bool canUnload) {
  if (!module)
    return;
  Lock lock;
  if (--module->holders > 0)
    return;
  CudaModule **place = &modules;
  while (*place != module)
    place = &(*place)->next;
  *place = module->next;
  module->destroy(context, canUnload);
}
