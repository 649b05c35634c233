//===- Storage.h - Where tensors live that are written in place -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_STORAGE_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_STORAGE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hamkaas::script {

/// A tensor that a script can write in place: an input, a constant, a buffer or
/// the result of an operator.
struct Storage {
  /// The contents now, as a tensor of the type it was defined with.
  mlir::Value contents;
  /// Number of writes so far.
  uint64_t version = 0;
};

/// A way to see a storage. Reshapes, and slices of the first dimension, of a
/// row-major tensor are ranges of its elements, so that a view of a view is a
/// range again: reading it takes the same few ops however it came about.
struct View {
  uint32_t storage = 0;
  /// The first element seen.
  int64_t offset = 0;
  mlir::RankedTensorType type;
  /// Its value when the storage had version `version`.
  mlir::Value value;
  uint64_t version = 0;
  mlir::Location location;
};

/// Tracks the storages of a script and turns reads and writes of their views
/// into values.
class StorageMap {
public:
  explicit StorageMap(mlir::OpBuilder &builder) : builder(builder) {}

  /// A node with a storage of its own.
  uint32_t addOwner(mlir::Value value);

  /// A node that shows `value`, elements of the storage of `base` from its
  /// element `offset` on.
  uint32_t addView(uint32_t base, int64_t offset, mlir::Value value);

  /// The node's present value. Creates ops if its storage was written since it
  /// was read last.
  mlir::Value read(uint32_t node);

  /// Makes `value` what `node` shows, and changes its storage accordingly.
  /// Every other view of the storage is out of date from then on.
  void write(uint32_t node, mlir::Value value, mlir::Location location);

  mlir::RankedTensorType getType(uint32_t node) const {
    return views[node].type;
  }
  mlir::Location getLocation(uint32_t node) const {
    return views[node].location;
  }

private:
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                      mlir::Location location);
  mlir::Value slice(mlir::Value value, int64_t begin, int64_t end,
                    mlir::Location location);
  mlir::Value replaceRows(mlir::Value target, mlir::Value rows, int64_t begin,
                          mlir::Location location);

  mlir::OpBuilder &builder;
  std::vector<Storage> storages;
  std::vector<View> views;
};

/// Shape of the storage's contents under which a view is a range of rows: that
/// of the contents if possible, otherwise all elements in one dimension.
llvm::SmallVector<int64_t> getRowShape(mlir::RankedTensorType contents,
                                       const View &view);

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_STORAGE_H
