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
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace hamkaas {

/// A graph as a program like those of the compiler, whose run interprets it. So
/// instances, their parameters and their state work on the device `reference`
/// as on any other.
class ReferenceProgram {
public:
  /// Describes the entry function `function` of `graph`, a module in the form
  /// GRAPH, which is not kept; an empty name means the first one.
  /// `contents`, which outlives the program, is what its parameters hold, null
  /// if instances bring them.
  ReferenceProgram(mlir::ModuleOp graph, llvm::StringRef name,
                   const ParameterContents *contents = nullptr,
                   llvm::StringRef function = {});
  ReferenceProgram(const ReferenceProgram &) = delete;

  /// Instances of it need a device of createDevice.
  const HamKaasProgram &program() const { return descriptor; }

  /// The device of one instance: it interprets `graph`, a module equal to the
  /// one that was described. `owner` keeps it as long as the device lives. No
  /// one else may use its context while the instance runs.
  rt::Device createDevice(mlir::ModuleOp graph,
                          std::shared_ptr<void> owner) const;

private:
  /// Adds a tensor to `region` and returns its place there.
  static uint64_t place(const TensorInfo &tensor, uint64_t &region);
  /// Adds a state or a parameter.
  void addGlobal(mlir::ml_program::GlobalOp global);

  ProgramInfo info;
  std::vector<HamKaasTensorInfo> inputs, outputs, parameters, states;
  std::vector<const HamKaasProgram *> functions;
  HamKaasProgram descriptor = {};
};

} // namespace hamkaas

#endif // HAMKAAS_RUN_REFERENCEPROGRAM_H
