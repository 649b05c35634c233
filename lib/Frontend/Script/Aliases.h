//===- Aliases.h - Values as views of written storage -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_ALIASES_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_ALIASES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas::script {

/// Maps values of GRAPH to the statements printed so far: the inverse of
/// `StorageMap`. An in-place statement represents its op and the ops after it
/// that propagate the change to the owner of the storage; these are recognised
/// here and not printed.
class AliasMap {
public:
  /// Which elements of which storage a value is, as of one version.
  struct Alias {
    uint32_t storage = 0;
    int64_t offset = 0;
    uint64_t version = 0;
    /// Of the statement that defines this view, 0 if none was needed so far.
    uint64_t id = 0;
  };

  struct Storage {
    mlir::RankedTensorType type;
    uint64_t ownerId = 0;
    uint64_t version = 0;
    /// The last write went through a view, and no op gave the owner's new value
    /// yet.
    bool awaitsOwner = false;
    mlir::Operation *lastWrite = nullptr;
  };

  /// `value` has the storage of its own that statement `id` defines.
  void addOwner(mlir::Value value, uint64_t id);

  /// `value` is another name for `other`.
  void addSynonym(mlir::Value value, mlir::Value other);

  /// True if `op`, a reshape, slice or replacement, is what an earlier
  /// statement does anyway, or can wait until its result is read; it is
  /// recorded then.
  bool absorb(mlir::Operation *op);

  /// Records the statement `id`, which stands for `op`.
  void define(mlir::Operation *op, uint64_t id);

  bool contains(mlir::Value value) const { return aliases.contains(value); }
  Alias &getAlias(mlir::Value value) { return aliases.find(value)->second; }
  const Storage &getStorage(const Alias &alias) const {
    return storages[alias.storage];
  }

  /// False once the storage of `value` was written later.
  bool isCurrent(mlir::Value value) const;

  /// True if `value` is all that its storage holds now, in its first type.
  bool isContents(mlir::Value value) const;

private:
  std::optional<Alias> getViewAlias(mlir::Operation *op) const;
  bool absorbView(mlir::Operation *op, Alias alias);
  bool absorbWriteBack(mlir::Operation *op);
  void addAlias(mlir::Value value, Alias alias);

  llvm::DenseMap<mlir::Value, Alias> aliases;
  std::vector<Storage> storages;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_ALIASES_H
