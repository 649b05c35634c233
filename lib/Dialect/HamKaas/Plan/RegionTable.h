//===- RegionTable.h - Tensors one after the other --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace hamkaas {

/// The tensor whose elements `type` holds.
mlir::RankedTensorType getTensorType(mlir::MemRefType type);

/// The tensors of the constants or the state region, one after the other.
class RegionTable {
public:
  explicit RegionTable(uint64_t alignment) : alignment(alignment) {}

  /// Appends a tensor that `key` ("name" or "index") identifies and that GRAPH
  /// has as `graphType`. Emits an error if the region becomes too large.
  mlir::LogicalResult append(mlir::Location loc, llvm::StringRef key,
                             mlir::Attribute value, mlir::MemRefType type,
                             mlir::TypeAttr graphType);

  size_t size() const { return offsets.size(); }
  int64_t getOffset(size_t i) const { return offsets[i]; }
  int64_t getBytes() const { return bytes; }
  /// The dictionaries of `hamkaas.states` and `hamkaas.constants`.
  mlir::ArrayAttr getAttr(mlir::MLIRContext *context) const {
    return mlir::ArrayAttr::get(context, entries);
  }

private:
  uint64_t alignment;
  llvm::SmallVector<mlir::Attribute> entries;
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_REGIONTABLE_H
