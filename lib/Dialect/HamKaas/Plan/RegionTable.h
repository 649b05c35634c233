//===- RegionTable.h - Tensors one after the other --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace hamkaas {

/// The tensor whose elements `type` holds.
mlir::RankedTensorType getTensorType(mlir::MemRefType type);

/// The tensors of the constants or the state region, one after the other.
class RegionTable {
public:
  explicit RegionTable(uint64_t alignment) : alignment(alignment) {}

  /// Appends a tensor and returns its offset. Emits an error if the region
  /// becomes too large.
  mlir::FailureOr<int64_t> append(mlir::Location loc, mlir::MemRefType type);

  int64_t getBytes() const { return bytes; }

private:
  uint64_t alignment;
  int64_t bytes = 0;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H
