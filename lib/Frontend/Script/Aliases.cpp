//===- Aliases.cpp - Values as views of written storage ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t getRowSize(RankedTensorType type) {
  return type.getNumElements() / type.getDimSize(0);
}

/// The value of a position that is known now.
static std::optional<int64_t> getKnownPosition(Value position) {
  DenseIntElementsAttr value;
  if (!matchPattern(position, m_Constant(&value)))
    return std::nullopt;
  return value.getValues<int64_t>()[0];
}

void AliasMap::addOwner(Value value, uint64_t id) {
  Storage storage;
  storage.type = getTensorType(value);
  storage.ownerId = id;
  storages.push_back(storage);
  aliases[value] = {uint32_t(storages.size() - 1), 0, 0, id};
}

void AliasMap::addSynonym(Value value, Value other) {
  Alias alias = getAlias(other);
  aliases[value] = alias;
}

bool AliasMap::isCurrent(Value value) const {
  const Alias &alias = aliases.find(value)->second;
  return alias.version == storages[alias.storage].version;
}

bool AliasMap::isContents(Value value) const {
  const Alias &alias = aliases.find(value)->second;
  return isCurrent(value) && alias.offset == 0 &&
         value.getType() == storages[alias.storage].type;
}

/// A value that turns out to be the owner's needs no statement of its own.
void AliasMap::addAlias(Value value, Alias alias) {
  aliases[value] = alias;
  Storage &storage = storages[alias.storage];
  if (!storage.awaitsOwner || !isContents(value))
    return;
  storage.awaitsOwner = false;
  aliases[value].id = storage.ownerId;
}

std::optional<AliasMap::Alias> AliasMap::getViewAlias(Operation *op) const {
  int64_t offset = 0;
  if (auto slice = dyn_cast<SliceOp>(op))
    offset = int64_t(slice.getBegin()) * getRowSize(slice.getType());
  else if (!isa<ReshapeOp>(op))
    return std::nullopt;
  auto base = aliases.find(op->getOperand(0));
  if (base == aliases.end())
    return std::nullopt;
  Alias alias = base->second;
  alias.offset += offset;
  alias.id = 0;
  return alias;
}

bool AliasMap::absorb(Operation *op) {
  if (std::optional<Alias> view = getViewAlias(op))
    return absorbView(op, *view);
  return absorbWriteBack(op);
}

/// While a storage awaits its owner's value, views of it may be on the way
/// there.
bool AliasMap::absorbView(Operation *op, Alias alias) {
  const Storage &storage = storages[alias.storage];
  if (alias.version == storage.version && !storage.awaitsOwner)
    return false;
  addAlias(op->getResult(0), alias);
  return true;
}

/// Recognises the op that inserts a written view into the elements around it.
/// The written elements are within the view, so the result is the content of
/// the storage.
bool AliasMap::absorbWriteBack(Operation *op) {
  auto replace = dyn_cast<ReplaceSliceOp>(op);
  if (!replace || !replace.getUnchecked())
    return false;
  auto target = aliases.find(replace.getTarget());
  auto rows = aliases.find(replace.getReplacement());
  std::optional<int64_t> begin = getKnownPosition(replace.getBegin());
  std::optional<int64_t> end = getKnownPosition(replace.getEnd());
  if (target == aliases.end() || rows == aliases.end() || !begin || !end)
    return false;
  Alias alias = target->second;
  const Storage &storage = storages[alias.storage];
  int64_t rowSize = getRowSize(replace.getType());
  int64_t count = replace.getReplacement().getType().getNumElements();
  if (rows->second.storage != alias.storage || !storage.awaitsOwner ||
      rows->second.version != storage.version ||
      alias.version + 1 != storage.version ||
      alias.offset + *begin * rowSize != rows->second.offset ||
      (*end - *begin) * rowSize != count)
    return false;
  Value written = storage.lastWrite->getResult(0);
  int64_t first = aliases.find(written)->second.offset;
  if (first < rows->second.offset ||
      first + getTensorType(written).getNumElements() >
          rows->second.offset + count)
    return false;
  alias.version = storage.version;
  addAlias(replace.getResult(), alias);
  return true;
}

void AliasMap::define(Operation *op, uint64_t id) {
  Value result = op->getResult(0);
  if (std::optional<Alias> view = getViewAlias(op)) {
    view->id = id;
    aliases[result] = *view;
    return;
  }
  OpOperand *updated = cast<KernelOpInterface>(op).getUpdatedOperand();
  if (!updated)
    return addOwner(result, id);
  Alias alias = getAlias(updated->get());
  Storage &storage = storages[alias.storage];
  alias.version = ++storage.version;
  alias.id = id;
  aliases[result] = alias;
  storage.lastWrite = op;
  storage.awaitsOwner = !isContents(result);
}
