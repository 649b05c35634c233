//===- TransposedMatrices.cpp - Masks transposed for attention --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

/// Bytes are booleans.
static bool canTurn(Value tensor, const Attention &attention) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return isa<BlockArgument>(tensor) && type && type.getRank() == 3 &&
         attention.queries > 1 && attention.keys > 1 &&
         type.getDimSize(1) == attention.queries &&
         type.getDimSize(2) == attention.keys &&
         (type.getElementType().isF32() || type.getElementType().isInteger(8));
}

TransposedMatrices::TransposedMatrices(KernelBuilder &kernel,
                                       const Attention &attention, int64_t part,
                                       int64_t width)
    : kernel(kernel), lanes(kernel.target().lanes) {
  llvm::SetVector<Value> tree;
  tree.insert(attention.scores);
  for (size_t i = 0; i < tree.size(); ++i) {
    Operation *op = tree[i].getDefiningOp();
    if (op && op != attention.products)
      tree.insert_range(op->getOperands());
    if (canTurn(tree[i], attention))
      matrices.push_back({tree[i], Scratch(kernel, part, width)});
  }
}

void TransposedMatrices::transpose(Value batch, Value query, int64_t rows,
                                   Value key, int64_t count) {
  SmallVector<Value> none;
  for (Matrix &matrix : matrices)
    forEachLaneBlock(
        kernel, kernel.constant(0), rows, lanes, /*unroll=*/1, none,
        /*writes=*/false, [&](LaneBlock row, MutableArrayRef<Value>) {
          SmallVector<Value> none;
          forEachLaneBlock(
              kernel, kernel.constant(0), count, lanes, /*unroll=*/1, none,
              /*writes=*/false, [&](LaneBlock at, MutableArrayRef<Value>) {
                transposeMasks(matrix, batch, kernel.add(query, row.index),
                               row.active, kernel.add(key, at.index), at.active,
                               at.index, row.index);
              });
        });
}

/// Lanes beyond the last query repeat one.
void TransposedMatrices::transposeMasks(Matrix &matrix, Value batch,
                                        Value query, int64_t rows, Value key,
                                        int64_t keys, Value at, Value column) {
  auto type = cast<RankedTensorType>(matrix.tensor.getType());
  Value first = type.getDimSize(0) == 1 ? kernel.constant(0) : batch;
  SmallVector<Value> square;
  for (int64_t i = 0; i < lanes; ++i)
    square.push_back(
        i < rows ? readRow(matrix, {first, kernel.add(query, i), key}, keys)
                 : square.back());
  transposeSquare(kernel, square);
  for (int64_t j = 0; j < keys; ++j)
    matrix.scratch.store(square[j], kernel.add(at, j), column);
}

/// A boolean is true if its byte is not zero.
Value TransposedMatrices::readRow(const Matrix &matrix, ValueRange indices,
                                  int64_t active) {
  Value row = kernel.load(matrix.tensor, indices, lanes, active);
  if (getElementTypeOrSelf(row).isF32())
    return row;
  return arith::UIToFPOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, kernel.ir().getF32Type()), row);
}

Value TransposedMatrices::load(Value tensor, Value at, Value column) {
  auto *found = llvm::find_if(
      matrices, [&](const Matrix &matrix) { return matrix.tensor == tensor; });
  if (found == matrices.end())
    return nullptr;
  Value numbers = found->scratch.load(at, column, lanes);
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (type.isF32())
    return numbers;
  return arith::FPToUIOp::create(kernel.ir(), kernel.loc(),
                                 VectorType::get(lanes, type), numbers);
}
