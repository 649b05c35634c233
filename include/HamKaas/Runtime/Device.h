//===- Device.h - Where programs run ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To add a device: write a function like createCpuDevice and add it to the
// table in Device.cpp. No operator and no kernel knows devices.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_DEVICE_H
#define HAMKAAS_RUNTIME_DEVICE_H

#include "HamKaas/Runtime/Error.h"
#include "hamkaas-c/Program.h"

#include <cstdint>

namespace hamkaas::rt {

/// Memory and a way to run kernels on it. A table of functions rather than a
/// class with virtual ones: those need the C++ standard library at link time.
/// Each function gets `context` first. Plain data; whoever holds it last calls
/// `destroy`.
struct Device {
  /// Memory of one device may be used and released by each of the same name.
  const char *name;
  void *context;

  /// Returns memory aligned to HAMKAAS_REGION_ALIGNMENT, or null. `bytes` is
  /// at least 1.
  void *(*allocate)(void *context, uint64_t bytes);
  void (*release)(void *context, void *memory);

  /// From the caller's memory to the device's.
  void (*copy)(void *context, void *to, const void *from, uint64_t bytes);
  /// From the device's memory to the caller's, where it is when this returns.
  void (*copyToCaller)(void *context, void *to, const void *from,
                       uint64_t bytes);
  void (*zero)(void *context, void *memory, uint64_t bytes);

  /// HamKaasExecution::parallelFor.
  int32_t (*runKernel)(void *context, HamKaasKernelFunction kernel,
                       void *const *arguments, int64_t tiles, int64_t *values);

  /// Returns when all that was asked for before is done.
  void (*synchronise)(void *context);

  void (*destroy)(void *context);
};

/// Makes the device of that name. `threads` as in HamKaasInstanceOptions.
Error createDevice(const char *name, int32_t threads, Device &device /* out */);

/// The processor this runs on. Its memory is the process's own.
Error createCpuDevice(int32_t threads, Device &device /* out */);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_DEVICE_H
