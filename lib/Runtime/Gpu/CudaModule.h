//===- CudaModule.h - The kernels of a program on a GPU ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDAMODULE_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDAMODULE_H

#include "CudaContext.h"
#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// A loaded image of device code. Users of the same code on one GPU share it,
/// because the driver may have to compile it, which takes seconds.
class CudaModule {
public:
  /// Loads the image, or finds it loaded. `model` is for messages. In the scope
  /// of the context.
  static Error acquire(CudaContext &context, const HamKaasDeviceCode &code,
                       const char *model, CudaModule *&module /* out */);
  /// In the scope of a context of that GPU, unless `canUnload` is false. Does
  /// nothing on null.
  static void release(CudaContext &context, CudaModule *module, bool canUnload);

  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  cuda::CUmodule handle() const { return module; }
  /// In the order of HamKaasDeviceCode::kernels.
  cuda::CUfunction function(int32_t kernel) const { return functions[kernel]; }
  /// Returns whether each kernel begins with a wait for those before it, so
  /// that it may start while they run.
  bool waits() const { return kernelsWait; }

private:
  CudaModule() = default;

  Error load(CudaContext &context, const char *model);
  Error findFunctions(CudaContext &context, const char *model);
  Error noteVersion(CudaContext &context, const char *model, int32_t kernel);
  void destroy(CudaContext &context, bool canUnload);

  const HamKaasDeviceCode *code = nullptr;
  int32_t device = 0;
  cuda::CUmodule module = nullptr;
  cuda::CUfunction *functions = nullptr;
  bool kernelsWait = false;
  // These are guarded by a mutex.
  uint32_t holders = 1;
  CudaModule *next = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDAMODULE_H
