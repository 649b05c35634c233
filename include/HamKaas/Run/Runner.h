//===- Runner.h - One way to run a model, whatever the device ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_RUNNER_H
#define HAMKAAS_RUN_RUNNER_H

#include "HamKaas/Emulation/Emulator.h"
#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Run/Tensors.h"
#include "hamkaas-c/Runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace hamkaas {

class EmulatedProgram;
class ReferenceProgram;

/// A named input or output.
struct TensorDeclaration {
  std::string name;
  mlir::RankedTensorType type;
};

struct RunnerOptions {
  /// Of the runtime, as in HamKaasInstanceOptions.
  std::string device = "cpu";
  /// Threads of the CPU device, 0 for one per core.
  int threads = 0;
  /// Name of the model in messages; a program has its own.
  std::string name;
  /// The entry function to run; empty for the first one.
  std::string function;
  /// A safetensors file with the parameters, or empty.
  std::string weightsFile;
  /// As in HamKaasInstanceOptions.
  bool unverified = false;
  /// Contents of the parameters of a graph that is interpreted, which outlive
  /// the runner, or null.
  const ParameterContents *parameters = nullptr;
  /// In which the emulator of a GPU runs the threads of a block.
  emulation::ThreadOrder threadOrder = {};
  /// How it adds the products of tensor cores.
  emulation::ProductSums productSums = emulation::ProductSums::Rounded;
  /// True if to measure the calls of a program.
  bool profile = false;
};

/// A model that is ready to run. State lasts from run to run.
class Runner {
public:
  ~Runner();

  llvm::ArrayRef<TensorDeclaration> inputs() const { return inputDeclarations; }
  llvm::ArrayRef<TensorDeclaration> outputs() const {
    return outputDeclarations;
  }

  /// Runs once. `outputs` holds one tensor an output, of its type.
  llvm::Error run(llvm::ArrayRef<Tensor> inputs,
                  llvm::MutableArrayRef<Tensor> outputs);

  /// "cpu", "cuda:0" or "reference".
  llvm::StringRef device() const;

  /// Times of the program's calls, empty unless the options asked for them.
  llvm::ArrayRef<HamKaasCallProfile> profile() const;

private:
  friend llvm::Expected<std::unique_ptr<Runner>>
  createProgramRunner(const HamKaasProgram &, mlir::MLIRContext *,
                      const RunnerOptions &);
  friend llvm::Expected<std::unique_ptr<Runner>>
  createEmulatedRunner(const HamKaasProgram &, mlir::MLIRContext *,
                       const RunnerOptions &);
  friend llvm::Expected<std::unique_ptr<Runner>>
  createReferenceRunner(mlir::ModuleOp, const RunnerOptions &);

  Runner(const HamKaasProgram &program, mlir::MLIRContext *context);

  llvm::SmallVector<TensorDeclaration> inputDeclarations, outputDeclarations;
  int32_t callCount;
  std::unique_ptr<ReferenceProgram> reference; ///< Null for other programs.
  std::unique_ptr<EmulatedProgram> emulated;   ///< The same.
  HamKaasInstance *instance = nullptr;
};

/// Runs `program`, which must outlive the runner, by the runtime.
llvm::Expected<std::unique_ptr<Runner>>
createProgramRunner(const HamKaasProgram &program, mlir::MLIRContext *context,
                    const RunnerOptions &options);

/// Runs `program`, which must outlive the runner and whose device code was made
/// for it, by the emulator of a GPU.
llvm::Expected<std::unique_ptr<Runner>>
createEmulatedRunner(const HamKaasProgram &program, mlir::MLIRContext *context,
                     const RunnerOptions &options);

/// Interprets a module in the form GRAPH, which must outlive the runner.
llvm::Expected<std::unique_ptr<Runner>>
createReferenceRunner(mlir::ModuleOp graph, const RunnerOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_RUN_RUNNER_H
