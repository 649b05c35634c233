//===- CublasLt.cpp - NVIDIA's products of matrices -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Gpu/CublasLt.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cublas;

// By the names under which the system, or a library of the process that uses
// them too, has them; then where the toolkit installs them.
static constexpr const char *usualPlaces[] = {
    "libcublasLt.so.13", "libcublasLt.so.12",
    "/usr/local/cuda/lib64/libcublasLt.so.13",
    "/usr/local/cuda/lib64/libcublasLt.so.12", nullptr};

static constexpr const char *hint =
    "set HAMKAAS_CUBLASLT to the path of libcublasLt.so.12 or .13, or compile "
    "the model without the engine cublaslt";

static Error findFunctions(const char *path, void *handle, CublasLt &library) {
#define HAMKAAS_FIND(name, result, parameters)                                 \
  library.name = reinterpret_cast<PFN_##name>(dlsym(handle, #name));           \
  if (!library.name)                                                           \
    return Error::format("%s has no " #name, path);
  HAMKAAS_CUBLASLT_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
  Dl_info info;
  library.path =
      dladdr(reinterpret_cast<void *>(library.cublasLtCreate), &info) != 0
          ? info.dli_fname
          : path;
  return Error();
}

Error hamkaas::rt::loadCublasLt(const char *path, CublasLt &library) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    return Error::format("%s", dlerror());
  Error error = findFunctions(path, handle, library);
  if (error)
    dlclose(handle);
  return error;
}

Error hamkaas::rt::loadFirstCublasLt(const char *const *places,
                                     CublasLt &library) {
  TextBuilder text;
  text.append("found no cuBLASLt of NVIDIA: ");
  for (; *places; ++places) {
    Error error = loadCublasLt(*places, library);
    if (!error)
      return Error();
    text.append("%s; ", error.message());
  }
  text.append("%s", hint);
  return Error::adopt(text.release());
}

static Error load(CublasLt &library) {
  // Not in a program that runs with more rights than its caller's.
  const char *given = secure_getenv("HAMKAAS_CUBLASLT");
  if (given && *given) {
    Error error = loadCublasLt(given, library);
    return error ? Error::format("cannot load NVIDIA's cuBLASLt, which "
                                 "HAMKAAS_CUBLASLT names: %s; %s",
                                 error.message(), hint)
                 : Error();
  }
  return loadFirstCublasLt(usualPlaces, library);
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

Error hamkaas::rt::findCublasLt(const CublasLt *&library) {
  pthread_mutex_lock(&process.mutex);
  Error error = process.isLoaded ? Error() : load(process.library);
  process.isLoaded |= !error;
  pthread_mutex_unlock(&process.mutex);
  if (!error)
    library = &process.library;
  return error;
}
