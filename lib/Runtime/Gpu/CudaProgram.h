//===- CudaProgram.h - A program on a GPU -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDAPROGRAM_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDAPROGRAM_H

#include "CudaBindings.h"
#include "CudaContext.h"
#include "CudaModule.h"
#include "CudaSequence.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Engine/EngineCalls.h"

#include <cstdlib>

namespace hamkaas::rt {

/// The memory of a run, other than inputs and outputs.
struct ProgramMemory {
  const void *constants;
  void *state;
  void *workspace;
  /// Null, or where to add up the times of the program's calls.
  HamKaasCallProfile *profile;
};

/// A run as a graph, and the addresses that it is for.
struct RunGraph {
  explicit RunGraph(CudaContext &context) : sequence(context) {}
  RunGraph(const RunGraph &) = delete;
  RunGraph &operator=(const RunGraph &) = delete;
  ~RunGraph() { free(addresses); }

  CudaSequence sequence;
  /// As CudaBindings::copyAddresses has them, if the sequence is complete.
  void **addresses = nullptr;
};

/// The context of a Device.
struct CudaProgram {
  explicit CudaProgram(const HamKaasProgram &program) : program(program) {}

  const HamKaasProgram &program;
  CudaContext context;
  CudaModule *module = nullptr;
  /// True if a run may fail. Then the GPU notes how, and what comes after does
  /// nothing.
  bool hasChecks = true;
  /// getCudaCopyCode; null if the program checks nothing, so that the driver's
  /// own copies will do.
  CudaModule *copyModule = nullptr;
  /// Null if the program has no engine calls.
  EngineCalls *engines = nullptr;
  CudaBindings bindings;
  /// Those of the last two sets of addresses: callers often have two buffers
  /// for an output, or outputs that are inputs of the next run. The first one
  /// is that of the run before.
  RunGraph first{context}, second{context};
  RunGraph *graphs[2] = {&first, &second};
  ProgramMemory memory = {};
  /// True if each kernel is waited for.
  bool isBlocking = false;
  /// The most that a kernel or an engine of the program takes, and room for
  /// them.
  int32_t maximumWords = 0;
  uint64_t *words = nullptr;
};

/// Device::prepare.
Error prepareOnCuda(Instance &instance, const void *const *parameters,
                    void *workspace);

/// Device::start.
Error startOnCuda(Instance &instance);

/// Device::run.
Error runOnCuda(Instance &instance, const void *const *inputs,
                void *const *outputs);

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDAPROGRAM_H
