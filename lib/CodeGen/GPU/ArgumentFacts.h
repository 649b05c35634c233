//===- ArgumentFacts.h - What the calls of a kernel pass it -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H
#define HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {

/// A range of the memory of a program argument or a constant.
struct Place {
  mlir::Value whole;
  int64_t offset, bytes;
  int64_t alignment;

  bool overlaps(const Place &other) const {
    return whole == other.whole && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
};

/// The place of an operand in the form PLANNED; a place of its own for any
/// other value.
Place getPlace(mlir::Value operand);

/// Returns whether `a` and `b` may alias. Inputs and outputs must not overlap,
/// but the rows and values of a loop may be anything.
bool mayShare(const Place &a, const Place &b);

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

  /// Returns whether a call of the kernel writes memory that is a state, or may
  /// be one.
  bool mayWriteState(mlir::func::FuncOp kernel) const;

private:
  /// Of those arguments, which are all that a kernel has or those of one that
  /// is fused.
  void add(llvm::ArrayRef<mlir::func::CallOp> calls, unsigned begin,
           llvm::MutableArrayRef<ArgumentFacts> facts) const;

  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::func::CallOp>> calls;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_ARGUMENTFACTS_H
