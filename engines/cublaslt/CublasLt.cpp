//===- CublasLt.cpp - NVIDIA's products of matrices -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"

#include "EngineError.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

using namespace hamkaas::engine;
using namespace hamkaas::engine::cublas;

// By the names under which the system, or a library of the process that uses
// them too, has them; then where the toolkit installs them.
static constexpr const char *usualPlaces[] = {
    "libcublasLt.so.13", "libcublasLt.so.12",
    "/usr/local/cuda/lib64/libcublasLt.so.13",
    "/usr/local/cuda/lib64/libcublasLt.so.12", nullptr};

static constexpr const char *hint =
    "set HAMKAAS_CUBLASLT to the path of libcublasLt.so.12 or .13, or compile "
    "the model without the engine cublaslt";

static int32_t findFunctions(const char *path, void *handle,
                             CublasLt &library) {
#define HAMKAAS_FIND(name, result, parameters)                                 \
  library.name = reinterpret_cast<PFN_##name>(dlsym(handle, #name));           \
  if (!library.name)                                                           \
    return fail("%s has no " #name, path);
  HAMKAAS_CUBLASLT_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
  Dl_info info;
  library.path =
      dladdr(reinterpret_cast<void *>(library.cublasLtCreate), &info) != 0
          ? info.dli_fname
          : path;
  return HamKaasEngineOk;
}

int32_t hamkaas::engine::loadCublasLt(const char *path, CublasLt &library) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    return fail("%s", dlerror());
  int32_t status = findFunctions(path, handle, library);
  if (status != HamKaasEngineOk)
    dlclose(handle);
  return status;
}

int32_t hamkaas::engine::loadFirstCublasLt(const char *const *places,
                                           CublasLt &library) {
  ErrorText problems = {};
  for (; *places; ++places) {
    if (loadCublasLt(*places, library) == HamKaasEngineOk)
      return HamKaasEngineOk;
    append(problems, "%s; ", lastError());
  }
  return fail("found no cuBLASLt of NVIDIA: %s%s", problems.text, hint);
}

static int32_t load(CublasLt &library) {
  // Not in a program that runs with more rights than its caller's.
  const char *given = secure_getenv("HAMKAAS_CUBLASLT");
  if (!given || !*given)
    return loadFirstCublasLt(usualPlaces, library);
  if (loadCublasLt(given, library) == HamKaasEngineOk)
    return HamKaasEngineOk;
  ErrorText problem = {};
  append(problem, "%s", lastError());
  return fail("cannot load NVIDIA's cuBLASLt, which HAMKAAS_CUBLASLT names: "
              "%s; %s",
              problem.text, hint);
}

namespace {
/// Never destroyed: an instance may be in use until the process ends.
struct ProcessLibrary {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool isLoaded = false;
  CublasLt library = {};
};
} // namespace

static ProcessLibrary process;

int32_t hamkaas::engine::findCublasLt(const CublasLt *&library) {
  pthread_mutex_lock(&process.mutex);
  int32_t status = process.isLoaded ? HamKaasEngineOk : load(process.library);
  process.isLoaded |= status == HamKaasEngineOk;
  pthread_mutex_unlock(&process.mutex);
  if (status == HamKaasEngineOk)
    library = &process.library;
  return status;
}
