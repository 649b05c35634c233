//===- CompileOptions.h - How a model is compiled ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_COMPILEOPTIONS_H
#define HAMKAAS_DRIVER_COMPILEOPTIONS_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Run/KnownTensors.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hamkaas {

/// The forms of a model that are MLIR; see docs/Design.md.
enum class Form { Graph, Kernels, Planned, Llvm };

struct CompileOptions {
  /// As parseTargets takes it.
  std::string target = "cpu";
  /// As resolveTargetCpu takes it; of a program for a GPU alone the code for
  /// the processor, which only launches, is for any.
  std::string targetCpu = "host";
  /// As resolveGpuArch takes it.
  std::string gpuArch = "compute_80";
  /// The library that computes what it can on a GPU, "cublaslt"; empty for
  /// none.
  std::string engine = {};
  /// As resolvePrecision takes it.
  std::string precision = "exact";
  /// Largest workspace allowed in bytes, 0 for no limit.
  uint64_t maxWorkspace = 0;
  /// As PipelineOptions has them.
  std::vector<std::string> disabledOptimizations = {};
  /// As PipelineOptions has them.
  double winogradError = 1e-5;
  std::string graphPasses = {};
  /// Name of the model, a C identifier.
  std::string name = "model";
  /// The model's text, for the program's digest.
  llvm::StringRef source;
  /// Where the parameters come from.
  DescriptorOptions descriptor;
  /// Contents of the parameters, which the program is to hold, or null.
  std::shared_ptr<const ParameterContents> parameters = nullptr;
  /// Interpret the graph before and after each pass that leaves it one, on
  /// random inputs and parameters, and fail at the first that changes what it
  /// computes. The code is not taken from the cache then.
  bool checkEachPass = false;
  /// Tensors for that in place of random ones, beside `parameters`.
  KnownTensors checkedTensors = {};
  /// Look for the code in the user's cache of compiled code, and leave it
  /// there.
  bool useCache = false;
  /// Threads to compile on, 0 for as many as the context uses. With another
  /// number the context uses one thread afterwards.
  static constexpr unsigned maxThreads = 4096;
  unsigned threads = 0;
  /// Called before each of `total` steps with its name and the number of those
  /// that are done. The compilation ends with an error if it returns false.
  /// Code from the cache is one step, the last.
  std::function<bool(llvm::StringRef step, int done, int total)> progress = {};
  /// Called while machine code is made, one call at a time but from any thread,
  /// with the numbers of kernels that have theirs and of all.
  std::function<void(int done, int total)> kernelProgress = {};
};

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_COMPILEOPTIONS_H
