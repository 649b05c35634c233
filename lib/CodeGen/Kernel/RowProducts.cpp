//===- RowProducts.cpp - Dot products of rows in memory ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Adds the dot products of the current rows and the columns, which are rows of
/// the right side in memory, so that neither side is transposed.
SmallVector<Value> ContractionEmitter::addDotProducts(ValueRange sums,
                                                      const Columns &columns) {
  kernel.forbidAlias(root.getDpsInputOperand(0)->get());
  kernel.forbidAlias(root.getDpsInputOperand(1)->get());
  SmallVector<Value> dots = multiplyDots(columns);
  SmallVector<Value> results;
  for (auto [r, sum] : llvm::enumerate(sums)) {
    ArrayRef<Value> ofRow = ArrayRef(dots).slice(r * lanes, lanes);
    results.push_back(
        arith::AddFOp::create(kernel.ir(), kernel.loc(), sum,
                              joinSums(kernel, SmallVector<Value>(ofRow))));
  }
  return results;
}

/// Vectors of partial sums, by row and then by column. Columns beyond the last
/// one repeat it.
SmallVector<Value> ContractionEmitter::multiplyDots(const Columns &columns) {
  int64_t steps = kernel.target().lanes;
  OpOperand &left = *root.getDpsInputOperand(0);
  OpOperand &right = *root.getDpsInputOperand(1);
  auto load = [&](OpOperand &operand, Value row, Value column,
                  const LaneBlock &block) {
    SmallVector<Value> indices;
    for (const Coordinate &coordinate :
         operandPoint(operand, row, {column}, block.index))
      indices.push_back(coordinate.index);
    return kernel.load(operand.get(), indices, steps, block.active);
  };
  auto type = VectorType::get(steps, kernel.ir().getF32Type());
  Value zero = arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                         kernel.ir().getZeroAttr(type));
  SmallVector<Value> sums(rows.size() * lanes, zero);
  forEachLaneBlock(
      kernel, kernel.constant(0), depthCount, steps, /*unroll=*/1, sums,
      /*writes=*/false, [&](LaneBlock block, MutableArrayRef<Value> current) {
        SmallVector<Value> lefts;
        for (Value row : rows)
          lefts.push_back(load(left, row, /*column=*/nullptr, block));
        for (int64_t c = 0; c < lanes; ++c) {
          int64_t at = std::min(c, columns.lastActive - 1);
          Value factor = load(right, /*row=*/nullptr,
                              kernel.add(columns.first, at), block);
          for (auto [r, vector] : llvm::enumerate(lefts)) {
            Value &sum = current[r * lanes + c];
            sum = kernel.multiplyAdd(vector, factor, sum);
          }
        }
      });
  return sums;
}
