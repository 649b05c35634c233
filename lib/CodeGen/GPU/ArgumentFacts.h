//===- ArgumentFacts.h - What the calls of a kernel pass it -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H
#define HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H

#include "HamKaas/Dialect/HamKaas/Kernels/OperandPlaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {

/// Facts about a kernel's argument that hold in all calls.
struct ArgumentFacts {
  /// Bytes of which its address is a multiple.
  int64_t alignment = 1;
  /// True if nothing that the kernel writes is memory of this argument and of
  /// another one.
  bool isApart = false;
  bool isWritten = false;
};

/// Looks at the calls in the functions of a program in the form PLANNED.
class CallFacts {
public:
  explicit CallFacts(mlir::ModuleOp module);

  /// One for each argument; nothing is known of a kernel that is not called.
  llvm::SmallVector<ArgumentFacts> get(mlir::func::FuncOp kernel) const;

private:
  /// Of those arguments, which are all that a kernel has or those of one that
  /// is fused.
  void add(llvm::ArrayRef<mlir::func::CallOp> calls, unsigned begin,
           llvm::MutableArrayRef<ArgumentFacts> facts) const;

  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::func::CallOp>> calls;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H
