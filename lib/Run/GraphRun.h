//===- GraphRun.h - A graph interpreted on random inputs --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUN_GRAPHRUN_H
#define HAMKAAS_LIB_RUN_GRAPHRUN_H

#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Run/KnownTensors.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace hamkaas {

/// True if the interpreter knows all operations of all entry functions.
bool isInterpretable(mlir::ModuleOp graph);

/// The results of one run: outputs, then states, by name.
struct GraphResult {
  std::vector<std::pair<std::string, ReferenceTensor>> tensors;
};

/// Runs each entry function of `graph` once. States are random, the same for
/// equal names; so are the inputs and parameters that are not known. Random
/// parameters of two or more dimensions are scaled, so that the results of many
/// products neither vanish nor overflow. Errors are diagnostics.
mlir::FailureOr<GraphResult>
runOnRandomInputs(mlir::ModuleOp graph, const KnownTensors &known,
                  Interpreter::Observer observer = nullptr);

} // namespace hamkaas

#endif // HAMKAAS_LIB_RUN_GRAPHRUN_H
