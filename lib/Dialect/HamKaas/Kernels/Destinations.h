//===- Destinations.h - Where a program's results are written ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DESTINATIONS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {

/// The arguments of `@main` or `@prepare` that its results are written to: each
/// result has one of its own.
class Destinations {
public:
  /// Finds the arguments of stored states and adds those of the other results.
  /// Emits an error if `program` cannot have them.
  static mlir::FailureOr<Destinations> create(mlir::func::FuncOp program);

  /// The destination that `value` may be computed in, because it is a result,
  /// perhaps reshaped, and nothing reads what lies there before; or null.
  mlir::Value lookup(mlir::Value value) const { return storages.lookup(value); }

  /// Ensures that each result is in its destination when the function returns,
  /// without a copy where it was computed there. The kernels are already calls.
  void writeResults();

private:
  explicit Destinations(mlir::func::FuncOp program) : program(program) {}

  mlir::LogicalResult findStates();
  void addArguments();
  void findStorages();

  mlir::func::FuncOp program;
  /// One a result.
  llvm::SmallVector<mlir::Value> destinations;
  llvm::DenseMap<mlir::Value, mlir::Value> storages;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DESTINATIONS_H
