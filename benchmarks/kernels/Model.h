//===- Model.h - A compiled model and its operands --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_KERNELS_MODEL_H
#define HAMKAAS_BENCHMARKS_KERNELS_MODEL_H

#include "Buffer.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Run/Tensors.h"
#include "hamkaas-c/Runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace hamkaas::benchmarks {

/// A script compiled in this process for one thread, with random operands whose
/// parameters are given when the program is loaded, as a user's would be.
class Model {
public:
  static llvm::Expected<std::unique_ptr<Model>> load(llvm::StringRef path,
                                                     llvm::StringRef targetCpu);
  ~Model();

  /// Compares a run with the interpreter.
  llvm::Error check();
  void run();

  const HamKaasProgram &program() const { return loaded->program(); }
  /// Floating point operations of a run.
  double flops() const;
  uint64_t parameterBytes() const;
  uint64_t inputBytes() const;
  uint64_t outputBytes() const;

private:
  Model();

  llvm::Error compile(llvm::StringRef path, llvm::StringRef targetCpu);
  void allocateOperands();
  llvm::Error instantiate();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  std::unique_ptr<LoadedProgram> loaded;
  HamKaasInstance *instance = nullptr;
  std::vector<Tensor> inputs, parameters;
  std::vector<Buffer> inputBuffers, outputBuffers;
  /// Addresses of the buffers.
  std::vector<const void *> inputData;
  std::vector<void *> outputData;
};

} // namespace hamkaas::benchmarks

#endif // HAMKAAS_BENCHMARKS_KERNELS_MODEL_H
