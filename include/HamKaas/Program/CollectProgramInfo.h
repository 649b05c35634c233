//===- CollectProgramInfo.h - Facts from a module in PLANNED ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_COLLECTPROGRAMINFO_H
#define HAMKAAS_PROGRAM_COLLECTPROGRAMINFO_H

#include "HamKaas/Program/ProgramInfo.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// Collects the facts about the program that `module` becomes. It passed
/// `hamkaas-verify-planned`, and its kernels still hold their checks. Name,
/// target, digest and compile time are left to the caller.
ProgramInfo collectProgramInfo(mlir::ModuleOp module);

/// A tensor of f32 or i64 as the program's tables have it.
TensorInfo getTensorInfo(llvm::StringRef name, mlir::Type type);

/// The source positions in `location`, "model.hk:4:1, 6:1" if several
/// statements were fused; empty if it has none.
std::string formatLocation(mlir::Location location);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_COLLECTPROGRAMINFO_H
