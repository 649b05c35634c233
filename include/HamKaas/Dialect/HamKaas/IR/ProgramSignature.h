//===- ProgramSignature.h - Arguments of a program --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSIGNATURE_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSIGNATURE_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// The regions that the arguments of an entry function, of `@prepare` or of the
/// body of a loop lie in. In PLANNED there are those of `tables`, then those of
/// `regions`.
struct ProgramSignature {
  /// Regions whose tensors are an argument each.
  llvm::ArrayRef<MemoryRegion> tables;
  /// Regions that are one argument each, the workspace last.
  llvm::ArrayRef<MemoryRegion> regions;

  bool hasTable(MemoryRegion region) const {
    return llvm::is_contained(tables, region);
  }
  bool hasRegion(MemoryRegion region) const {
    return llvm::is_contained(regions, region);
  }
};

/// True for what a caller of the program runs: a public function that is
/// neither `@prepare` nor a kernel.
bool isEntryFunction(mlir::FunctionOpInterface function);

/// The entry function of that name, or the first one; null if there is none.
mlir::func::FuncOp findEntryFunction(mlir::ModuleOp module,
                                     llvm::StringRef name = {});

/// The signature of a function of a program; nothing for a kernel.
std::optional<ProgramSignature>
getProgramSignature(mlir::FunctionOpInterface function);

/// The `hamkaas.region` of an argument, if it has one.
std::optional<MemoryRegion> getRegion(mlir::FunctionOpInterface function,
                                      unsigned argument);
std::optional<MemoryRegion> getRegion(mlir::BlockArgument argument);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSIGNATURE_H
