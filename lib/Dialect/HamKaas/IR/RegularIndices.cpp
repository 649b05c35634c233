//===- RegularIndices.cpp - Indices that loops count ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RegularIndices.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

/// Positions from the beginning; empty if one is of no element.
static SmallVector<int64_t> getPositions(ArrayRef<int64_t> indices,
                                         int64_t size) {
  SmallVector<int64_t> positions;
  for (int64_t index : indices) {
    positions.push_back(index < 0 ? index + size : index);
    if (positions.back() < 0 || positions.back() >= size)
      return {};
  }
  return positions;
}

std::optional<RegularIndices>
hamkaas::findRegularIndices(ArrayRef<int64_t> indices, int64_t size) {
  SmallVector<int64_t> at = getPositions(indices, size);
  if (at.empty())
    return std::nullopt;
  int64_t count = at.size(), length = 1;
  int64_t step = count > 1 ? at[1] - at[0] : 1;
  while (length < count && at[length] - at[length - 1] == step)
    ++length;
  if (count % length)
    return std::nullopt;
  RegularIndices found{at[0], count / length, 0, length, step};
  if (length < count)
    found.groupStep = at[length] - at[0];
  for (int64_t i = 0; i < count; ++i)
    if (at[i] != found.first + i / length * found.groupStep + i % length * step)
      return std::nullopt;
  return found;
}

std::optional<RegularIndices> hamkaas::findRegularIndices(Value indices,
                                                          int64_t size) {
  DenseIntElementsAttr elements;
  if (cast<ShapedType>(indices.getType()).getRank() != 1 ||
      !matchPattern(indices, m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &index : elements.getValues<APInt>())
    numbers.push_back(index.getSExtValue());
  return findRegularIndices(numbers, size);
}
