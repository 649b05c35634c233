//===- CompileOptions.h - How a model is compiled ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_COMPILEOPTIONS_H
#define HAMKAAS_DRIVER_COMPILEOPTIONS_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Options/CompileSettings.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Run/KnownTensors.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <string>

namespace hamkaas {

/// The forms of a model that are MLIR; see docs/Design.md.
enum class Form { Graph, Kernels, Planned, Llvm };

/// A compilation: the options of the user, and what the driver adds.
struct CompileOptions : CompileSettings {
  /// Name of the model, a C identifier.
  std::string name = "model";
  /// The model's text, for the program's digest.
  llvm::StringRef source;
  /// Where the parameters come from.
  DescriptorOptions descriptor;
  /// Contents of the parameters, which the program is to hold, or null.
  std::shared_ptr<const ParameterContents> parameters = nullptr;
  /// Tensors for `checkEachPass` in place of random ones, beside `parameters`.
  KnownTensors checkedTensors = {};
  /// The engines of groups, as `hamkaas-use-engines` takes them, in place of
  /// `choose` and `choices`.
  std::string knownChoices = {};
  /// The most that `compileThreads` may be; 0 is as many as the context uses.
  /// With another number the context uses one thread afterwards.
  static constexpr unsigned maxThreads = 4096;
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
