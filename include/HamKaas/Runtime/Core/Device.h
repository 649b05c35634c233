//===- Device.h - Where programs run ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To add a device: write a function like createCpuDevice and call it in
// createDevice. No operator and no kernel knows devices.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_DEVICE_H
#define HAMKAAS_RUNTIME_CORE_DEVICE_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Runtime.h"

#include <cstdint>

namespace hamkaas::rt {

struct Instance;

// The work of a device in process memory: HamKaasProgram::prepare and run,
// which hand kernels to Device::runKernel.
Error prepareInProcess(Instance &instance, const void *const *parameters,
                       void *workspace);
Error startInProcess(Instance &instance);
Error runInProcess(Instance &instance, const void *const *inputs,
                   void *const *outputs);

/// Memory and a way to run kernels on it. A function table instead of a class
/// with virtual functions, which would need the C++ standard library at link
/// time. Each function gets `context` first. Plain data; the last holder calls
/// `destroy`.
struct Device {
  /// Memory of one device may be used and released by each of the same name.
  const char *name;
  void *context;

  /// Returns memory aligned to HAMKAAS_REGION_ALIGNMENT, or null and perhaps
  /// why. `bytes` is at least 1.
  void *(*allocate)(void *context, uint64_t bytes, Error &reason /* out */);
  void (*release)(void *context, void *memory);

  /// From the caller's memory to the device's. The caller's may change when
  /// this returns.
  Error (*copy)(void *context, void *to, const void *from, uint64_t bytes);
  /// From the device's memory to the caller's, where it is when this returns.
  Error (*copyToCaller)(void *context, void *to, const void *from,
                        uint64_t bytes);
  Error (*zero)(void *context, void *memory, uint64_t bytes);

  /// HamKaasExecution::parallelFor, for prepareInProcess and runInProcess. Null
  /// if the device uses neither.
  int32_t (*runKernel)(void *context, HamKaasKernelFunction kernel,
                       void *const *arguments, int64_t tiles, int64_t *values);

  /// Returns when all that was asked for before is done.
  Error (*synchronise)(void *context);

  void (*destroy)(void *context);

  /// Makes the device of another entry function of the program, which uses the
  /// same memory. Null if this one runs all of them.
  Error (*createForFunction)(const Device &device,
                             const HamKaasProgram &function,
                             Device &created /* out */) = nullptr;

  /// False for a device with its own memory. Then parameters, inputs and
  /// outputs may be addresses of either.
  bool isInProcess = true;

  /// True if kernels may be given parameters at any address.
  bool readsMisaligned = false;

  /// Writes the instance's constants.
  Error (*prepare)(Instance &instance, const void *const *parameters,
                   void *workspace) = prepareInProcess;
  /// Makes ready to run on the instance's memory, which lives until `destroy`.
  Error (*start)(Instance &instance) = startInProcess;
  /// Runs once; all is done when this returns.
  Error (*run)(Instance &instance, const void *const *inputs,
               void *const *outputs) = runInProcess;
};

/// Returns whether createDevice knows the name.
bool isDeviceName(const char *name);

/// The target of programs that run on the device: "cpu" or "cuda", for "best"
/// depending on the GPUs here; `architecture` as in HamKaasDeviceCode. Null if
/// the device is not known.
const char *targetOfDevice(const char *name, const char *architecture);

/// `threads` and `sharedThreads` of HamKaasInstanceOptions.
struct CpuThreads {
  int32_t count = 0;
  bool areShared = false;
};

/// Makes the device of that name for a program.
Error createDevice(const char *name, CpuThreads threads,
                   const HamKaasProgram &program, Device &device /* out */);

/// The processor this runs on. Its memory is the process's own.
Error createCpuDevice(int32_t threads, Device &device /* out */);
/// The same, with threads that all such devices have in common.
Error createSharedCpuDevice(int32_t threads, Device &device /* out */);

/// NVIDIA GPU number `number`, to run the program, which must outlive the
/// device. After an error `isUsable` says whether there is a GPU that can run
/// it.
Error createCudaDevice(int32_t number, const HamKaasProgram &program,
                       Device &device /* out */, bool &isUsable /* out */);

/// Returns whether there is a GPU of that number that runs code for
/// `architecture`.
Error findCudaDevice(int32_t number, const char *architecture);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_DEVICE_H
