//===- Model.h - Reading a model in any of its languages -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_MODEL_H
#define HAMKAAS_DRIVER_MODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace hamkaas {

/// What a file holds, told by its content, not by its name.
enum class ModelKind { Script, Mlir, SharedLibrary, Unknown };

ModelKind getModelKind(llvm::StringRef content);

struct ModelOptions {
  /// Leave out the run-time checks of positions; the caller vouches for them.
  bool unchecked = false;
};

/// Parses the main file of `sourceMgr`, a script or MLIR, and brings it to the
/// form GRAPH. Null after an error, which the diagnostics of `context` got.
mlir::OwningOpRef<mlir::ModuleOp> parseModel(llvm::SourceMgr &sourceMgr,
                                             mlir::MLIRContext *context,
                                             const ModelOptions &options);

/// The name of a model as a C identifier: the file's name without its ending,
/// each character that C does not allow replaced by `_`.
std::string getModelName(llvm::StringRef path);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_MODEL_H
