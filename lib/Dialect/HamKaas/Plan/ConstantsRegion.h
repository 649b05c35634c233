//===- ConstantsRegion.h - Where constants lie ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_CONSTANTSREGION_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_CONSTANTSREGION_H

#include "RegionTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace hamkaas {

/// The index of an argument in the constants region, or -1.
int64_t getConstantIndex(mlir::func::FuncOp program, unsigned argument);

/// The constants region, which `@prepare` writes and `@main` reads.
class ConstantsRegion {
public:
  explicit ConstantsRegion(uint64_t alignment) : table(alignment) {}

  /// Adds the constants that are arguments of `program`. Emits an error if they
  /// contradict those of another function.
  mlir::LogicalResult collect(mlir::func::FuncOp program);
  /// Gives each constant its offset, in the order of their indices.
  mlir::LogicalResult layOut(mlir::Location loc);

  int64_t getOffset(int64_t index) const { return offsets.at(index); }
  int64_t getBytes() const { return table.getBytes(); }

private:
  std::map<int64_t, mlir::MemRefType> types;
  std::map<int64_t, int64_t> offsets;
  RegionTable table;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_CONSTANTSREGION_H
