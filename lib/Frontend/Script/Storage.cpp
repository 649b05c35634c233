//===- Storage.cpp - Writes in place as new values --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Elements of one row of the first dimension.
static int64_t getRowSize(ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : ShapedType::getNumElements(shape.drop_front());
}

SmallVector<int64_t> hamkaas::script::getRowShape(RankedTensorType contents,
                                                  const View &view) {
  int64_t rowSize = getRowSize(contents.getShape());
  if (contents.getRank() > 0 && view.offset % rowSize == 0 &&
      view.type.getNumElements() % rowSize == 0)
    return SmallVector<int64_t>(contents.getShape());
  return {contents.getNumElements()};
}

uint32_t StorageMap::addOwner(Value value) {
  storages.push_back({value});
  views.push_back({uint32_t(storages.size() - 1), 0, getTensorType(value),
                   value, 0, value.getLoc()});
  return views.size() - 1;
}

uint32_t StorageMap::addView(uint32_t base, int64_t offset, Value value) {
  const View &whole = views[base];
  views.push_back({whole.storage, whole.offset + offset, getTensorType(value),
                   value, storages[whole.storage].version, value.getLoc()});
  return views.size() - 1;
}

Value StorageMap::read(uint32_t node) {
  View &view = views[node];
  const Storage &storage = storages[view.storage];
  if (view.version == storage.version)
    return view.value;
  RankedTensorType contents = getTensorType(storage.contents);
  Value value = storage.contents;
  int64_t count = view.type.getNumElements();
  if (count != contents.getNumElements()) {
    SmallVector<int64_t> shape = getRowShape(contents, view);
    int64_t rowSize = getRowSize(shape);
    value = reshape(value, shape, view.location);
    value = slice(value, view.offset / rowSize, (view.offset + count) / rowSize,
                  view.location);
  }
  view.value = reshape(value, view.type.getShape(), view.location);
  view.version = storage.version;
  return view.value;
}

void StorageMap::write(uint32_t node, Value value, Location location) {
  View &view = views[node];
  Storage &storage = storages[view.storage];
  RankedTensorType contents = getTensorType(storage.contents);
  int64_t count = view.type.getNumElements();
  view.value = value;
  if (count != contents.getNumElements()) {
    SmallVector<int64_t> shape = getRowShape(contents, view);
    int64_t rowSize = getRowSize(shape);
    Value target = reshape(storage.contents, shape, location);
    shape.front() = count / rowSize;
    value = replaceRows(target, reshape(value, shape, location),
                        view.offset / rowSize, location);
  }
  storage.contents = reshape(value, contents.getShape(), location);
  view.version = ++storage.version;
}

Value StorageMap::reshape(Value value, ArrayRef<int64_t> shape,
                          Location location) {
  RankedTensorType type = getTensorType(value);
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(builder, location, type.clone(shape), value);
}

Value StorageMap::slice(Value value, int64_t begin, int64_t end,
                        Location location) {
  return SliceOp::create(builder, location, value, begin, end);
}

Value StorageMap::replaceRows(Value target, Value rows, int64_t begin,
                              Location location) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  auto position = [&](int64_t row) -> Value {
    return arith::ConstantOp::create(
        builder, location,
        DenseElementsAttr::get(type, ArrayRef<int64_t>(row)));
  };
  Value first = position(begin);
  Value last = position(begin + getTensorType(rows).getDimSize(0));
  // The positions are right by construction.
  return ReplaceSliceOp::create(builder, location, target, rows, first, last,
                                /*unchecked=*/true);
}
