//===- ReferenceProgram.h - The interpreter as a program --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_REFERENCEPROGRAM_H
#define HAMKAAS_RUN_REFERENCEPROGRAM_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace hamkaas {

/// A graph as a program like those of the compiler, whose run interprets it. So
/// instances, their parameters and their state work on the device `reference`
/// as on any other.
class ReferenceProgram {
public:
  /// Describes `graph`, a module in the form GRAPH, which is not kept.
  /// `contents`, which outlives the program, is what its parameters hold, null
  /// if instances bring them.
  ReferenceProgram(mlir::ModuleOp graph, llvm::StringRef name,
                   const ParameterContents *contents = nullptr);
  ReferenceProgram(const ReferenceProgram &) = delete;

  /// The entry function of that name, which exists, or the first one. Instances
  /// of it need a device of createDevice.
  const HamKaasProgram &program(llvm::StringRef function = {}) const;

  /// The device of one instance of `program`: it interprets `graph`, a module
  /// equal to the one that was described. `owner` keeps it as long as the
  /// device lives. No one else may use its context while the instance runs.
  static rt::Device createDevice(const HamKaasProgram &program,
                                 mlir::ModuleOp graph,
                                 std::shared_ptr<void> owner);

private:
  /// Adds a tensor to `region` and returns its place there.
  static uint64_t place(const TensorInfo &tensor, uint64_t &region);
  /// Adds a state or a parameter.
  void addGlobal(mlir::ml_program::GlobalOp global);

  /// An entry function and its tables.
  struct Function {
    FunctionInfo info;
    std::vector<HamKaasTensorInfo> inputs, outputs;
    HamKaasProgram descriptor;
  };
  void addFunction(mlir::func::FuncOp function);
  /// The members that all functions have in common.
  HamKaasProgram describe() const;

  ProgramInfo info; ///< Of no function.
  std::vector<HamKaasTensorInfo> parameters, states;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<const HamKaasProgram *> table;
};

} // namespace hamkaas

#endif // HAMKAAS_RUN_REFERENCEPROGRAM_H
