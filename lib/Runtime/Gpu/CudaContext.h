//===- CudaContext.h - A GPU as one instance uses it ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDACONTEXT_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDACONTEXT_H

#include "HamKaas/Runtime/Gpu/CudaDriver.h"

#include <cstdint>

namespace hamkaas::rt {

/// The primary context of a GPU, which all libraries of the process share, and
/// a stream in it. The context lives until its last holder is gone.
///
/// After an error the GPU is usable, or lost: an illegal access for example
/// ends all work in the context for good. Then each later use is an error that
/// says so.
class CudaContext {
public:
  CudaContext() = default;
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;
  ~CudaContext();

  /// Takes GPU number `number`. `architecture` is the lowest that will do, such
  /// as "sm_80". Once for each object.
  Error open(int32_t number, const char *architecture);

  /// Returns whether `open` would find a GPU that will do; does not wake it up.
  Error find(int32_t number, const char *architecture);

  const CudaDriver &driver() const { return *functions; }
  cuda::CUcontext handle() const { return context; }
  /// The work on it waits for earlier work on the default stream of the
  /// context.
  cuda::CUstream stream() const { return work; }
  int32_t number() const { return ordinal; }
  /// The GPU's compute capability, 90 for 9.0.
  int32_t capability() const { return computeCapability; }
  /// "cuda:0".
  const char *name() const { return deviceName; }

  /// Makes the error of a call to the driver: "device 'cuda:0': WHAT: TEXT OF
  /// THE DRIVER", and finds out whether the GPU is lost. None for a call that
  /// succeeded.
  Error check(cuda::CUresult result, const char *pattern, ...)
      __attribute__((format(printf, 3, 4)));

  /// The same for a library that uses the GPU, which says what went wrong. Not
  /// while the stream is captured.
  Error explain(const Error &problem);

  bool isLost() const { return lost != nullptr; }

  /// Waits for all work on the stream. `what` is for the message.
  Error wait(const char *what);

private:
  friend class CudaScope;

  Error noteIfLost(Error error);
  Error checkArchitecture(const char *needed);
  Error retain();
  Error enter();
  void leave();

  const CudaDriver *functions = nullptr;
  int32_t ordinal = 0, computeCapability = 0;
  cuda::CUdevice device = 0;
  char deviceName[24] = {};
  cuda::CUcontext context = nullptr;
  cuda::CUstream work = nullptr;
  /// The driver's message when the GPU was lost, from malloc.
  char *lost = nullptr;
  /// Before, nothing of ours was in the context.
  bool isOpen = false;
};

/// Makes a context the thread's current one, and the one before again at the
/// end: the caller's libraries use the same driver.
class CudaScope {
public:
  explicit CudaScope(CudaContext &context) : context(context) {}
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;
  ~CudaScope() {
    if (isEntered)
      context.leave();
  }

  /// Fails if the GPU was lost.
  Error enter() {
    Error error = context.enter();
    isEntered = !error;
    return error;
  }
  /// To give back what is held, also of a lost GPU. False if there is nothing
  /// to enter, or the process was forked.
  bool enterToRelease();

private:
  CudaContext &context;
  bool isEntered = false;
};

/// Memory of a GPU.
class CudaMemory {
public:
  CudaMemory() = default;
  CudaMemory(const CudaMemory &) = delete;
  CudaMemory &operator=(const CudaMemory &) = delete;

  /// In the scope of the context; `what` is for the message.
  Error allocate(CudaContext &context, uint64_t bytes, const char *what);
  /// In the scope of the context.
  void release(CudaContext &context);

  void swap(CudaMemory &other) {
    cuda::CUdeviceptr others = other.memory;
    other.memory = memory;
    memory = others;
  }

  cuda::CUdeviceptr address() const { return memory; }

private:
  cuda::CUdeviceptr memory = 0; // 0 for no bytes
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDACONTEXT_H
