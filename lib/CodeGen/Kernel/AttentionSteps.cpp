//===- AttentionSteps.cpp - What forms of attention share -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

Scratch::Scratch(KernelBuilder &kernel, int64_t rows, int64_t columns)
    : kernel(kernel), memory(kernel.allocate(rows, columns)) {}

Value Scratch::load(Value row, Value column, int64_t lanes) {
  return vector::LoadOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, kernel.ir().getF32Type()), memory,
      ValueRange{row, column});
}

Value Scratch::loadElement(Value row, Value column) {
  return memref::LoadOp::create(kernel.ir(), kernel.loc(), memory,
                                ValueRange{row, column});
}

void Scratch::store(Value vector, Value row, Value column) {
  vector::StoreOp::create(kernel.ir(), kernel.loc(), vector, memory,
                          ValueRange{row, column});
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value AttentionSteps::splat(float value) {
  return kernel.broadcast(
      arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                kernel.ir().getF32FloatAttr(value)),
      lanes);
}

Value AttentionSteps::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(kernel.ir(), kernel.loc(), lhs, rhs);
}

Value AttentionSteps::multiply(Value lhs, Value rhs) {
  return arith::MulFOp::create(kernel.ir(), kernel.loc(), lhs, rhs);
}

Value AttentionSteps::divide(Value lhs, Value rhs) {
  return arith::DivFOp::create(kernel.ir(), kernel.loc(), lhs, rhs);
}

Value AttentionSteps::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (kernel.target().fma)
    return vector::FMAOp::create(kernel.ir(), kernel.loc(), lhs, rhs, sum);
  return add(sum, multiply(lhs, rhs));
}

/// A NaN on the left may be lost: its exponential makes the sum NaN.
Value AttentionSteps::maximum(Value lhs, Value rhs) {
  Value isBetter = arith::CmpFOp::create(kernel.ir(), kernel.loc(),
                                         arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(kernel.ir(), kernel.loc(), isBetter, lhs, rhs);
}

Value AttentionSteps::exponential(Value x, Value largest) {
  Value difference =
      arith::SubFOp::create(kernel.ir(), kernel.loc(), x, largest);
  auto exp = math::ExpOp::create(kernel.ir(), kernel.loc(), difference);
  exp->setAttr(nonPositiveAttrName, kernel.ir().getUnitAttr());
  return exp;
}

Value AttentionSteps::finiteOrZero(Value largest) {
  Value infinity = splat(-std::numeric_limits<float>::infinity());
  Value isInfinite = arith::CmpFOp::create(
      kernel.ir(), kernel.loc(), arith::CmpFPredicate::OEQ, largest, infinity);
  return arith::SelectOp::create(kernel.ir(), kernel.loc(), isInfinite,
                                 splat(0), largest);
}

Value AttentionSteps::keepActive(Value value, int64_t active, Value other) {
  if (active == lanes)
    return value;
  return arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                 kernel.mask(active, lanes), value, other);
}

Value AttentionSteps::combineLanes(Value vector,
                                   function_ref<Value(Value, Value)> step) {
  return kernel.combineAcross(vector, step);
}

Value AttentionSteps::anyNonzero(ArrayRef<Value> vectors) {
  OpBuilder &ir = kernel.ir();
  Value any;
  for (Value vector : vectors) {
    // NaN is nonzero.
    Value isNonzero = arith::CmpFOp::create(
        ir, kernel.loc(), arith::CmpFPredicate::UNE, vector, splat(0));
    any = any ? arith::OrIOp::create(ir, kernel.loc(), any, isNonzero)
              : isNonzero;
  }
  return vector::ReductionOp::create(ir, kernel.loc(),
                                     vector::CombiningKind::OR, any);
}

Value AttentionSteps::isMasked(PointRef point, int64_t width, int64_t active) {
  OpBuilder &ir = kernel.ir();
  auto op = cast<linalg::LinalgOp>(attention.masking->getOwner());
  TreeEmitter tree(kernel, width, active);
  Value elements = kernel.broadcast(
      tree.evaluate(attention.masking->get(),
                    applyLinear(kernel,
                                op.getMatchingIndexingMap(attention.masking),
                                point)),
      width);
  if (isa<FloatType>(getElementTypeOrSelf(elements))) {
    Value infinity = kernel.broadcast(
        arith::ConstantOp::create(ir, kernel.loc(), attention.maskedScore),
        width);
    return arith::CmpFOp::create(ir, kernel.loc(), arith::CmpFPredicate::OEQ,
                                 elements, infinity);
  }
  Value zero = arith::ConstantOp::create(ir, kernel.loc(),
                                         ir.getZeroAttr(elements.getType()));
  return arith::CmpIOp::create(ir, kernel.loc(), arith::CmpIPredicate::ne,
                               elements, zero);
}

Value AttentionSteps::allSet(Value mask) {
  return vector::ReductionOp::create(kernel.ir(), kernel.loc(),
                                     vector::CombiningKind::AND, mask);
}

//===----------------------------------------------------------------------===//
// The destination
//===----------------------------------------------------------------------===//

SmallVector<Value> AttentionSteps::resultIndices(Value batch, Value query,
                                                 Value column) const {
  Value all[] = {batch, query, column};
  SmallVector<Value> indices;
  for (int64_t dim : attention.order)
    indices.push_back(all[dim]);
  return indices;
}

void AttentionSteps::scaleRow(Value batch, Value query, Value factor) {
  SmallVector<Value> none;
  forEachLaneBlock(
      kernel, kernel.constant(0), attention.valueWidth, lanes, /*unroll=*/1,
      none, /*writes=*/true, [&](LaneBlock block, MutableArrayRef<Value>) {
        SmallVector<Value> indices = resultIndices(batch, query, block.index);
        Value value = splat(0);
        if (factor)
          value = multiply(factor, kernel.load(kernel.destination, indices,
                                               lanes, block.active));
        kernel.store(value, indices, block.active);
      });
}

void AttentionSteps::forEachColumnBlock(
    int64_t vectors, function_ref<void(const ColumnBlock &)> body) {
  int64_t width = vectors * lanes;
  int64_t whole = attention.valueWidth / width * width;
  int64_t rest = attention.valueWidth - whole;
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(whole), width,
      [&](Value column) { body({column, vectors, lanes, lanes}); });
  if (rest == 0)
    return;
  int64_t restVectors = llvm::divideCeil(rest, lanes);
  body({kernel.constant(whole), restVectors, lanes,
        rest - (restVectors - 1) * lanes});
}

SmallVector<Value> AttentionSteps::loadRows(Value batch, ValueRange queries,
                                            const ColumnBlock &columns,
                                            ValueRange factors) {
  SmallVector<Value> rows;
  for (auto [query, factor] : llvm::zip_equal(queries, factors))
    for (int64_t v = 0; v < columns.vectors; ++v)
      rows.push_back(multiply(
          factor,
          kernel.load(kernel.destination,
                      resultIndices(batch, query, columns.at(kernel, v)), lanes,
                      columns.active(v))));
  return rows;
}

void AttentionSteps::storeRows(Value batch, ValueRange queries,
                               const ColumnBlock &columns, ValueRange sums,
                               ValueRange factors) {
  for (auto [r, query] : llvm::enumerate(queries))
    for (int64_t v = 0; v < columns.vectors; ++v) {
      Value sum = sums[r * columns.vectors + v];
      if (!factors.empty())
        sum = multiply(sum, factors[r]);
      kernel.store(sum, resultIndices(batch, query, columns.at(kernel, v)),
                   columns.active(v));
    }
}

void hamkaas::forEachPart(
    KernelBuilder &kernel, int64_t total, int64_t size,
    SmallVectorImpl<Value> &carried,
    function_ref<void(Value, int64_t, SmallVectorImpl<Value> &)> body) {
  int64_t whole = total / size * size;
  SmallVector<Value> results =
      kernel.loop(kernel.constant(0), kernel.constant(whole), size, carried,
                  /*writes=*/true, [&](Value base, ValueRange values) {
                    SmallVector<Value> current(values);
                    body(base, size, current);
                    return current;
                  });
  carried.assign(results.begin(), results.end());
  if (whole < total)
    body(kernel.constant(whole), total - whole, carried);
}
