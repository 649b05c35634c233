//===- AttentionProducts.cpp - Products of queries and keys -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Returns whether an element of `tensor` is more than one in memory.
static bool isComputed(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  return op && (op.getBlock()->getOperations().size() > 1 ||
                llvm::any_of(op.getDpsInputs(), isComputed));
}

ComputedKeys::ComputedKeys(KernelBuilder &kernel, const Attention &attention,
                           int64_t count, int64_t queries)
    : ComputedKeys(kernel, attention) {
  if (queries > 1 && isComputed(attention.k))
    scratch.emplace(kernel, count, llvm::alignTo(attention.keyWidth, lanes));
}

void ComputedKeys::compute(Value batch, Value key, int64_t count) {
  if (!scratch)
    return;
  SmallVector<Value> none;
  forEachLaneBlock(
      kernel, kernel.constant(0), attention.keyWidth, lanes, /*unroll=*/1, none,
      /*writes=*/false, [&](LaneBlock block, MutableArrayRef<Value>) {
        TreeEmitter tree(kernel, lanes, block.active);
        for (int64_t j = 0; j < count; ++j)
          scratch->store(tree.evaluateVector(
                             attention.k, lanePoint({batch, kernel.add(key, j)},
                                                    block.index)),
                         kernel.constant(j), block.index);
      });
}

Value ComputedKeys::read(Value batch, Value key, int64_t at, Coordinate column,
                         int64_t active) {
  if (!scratch)
    return TreeEmitter(kernel, lanes, active)
        .evaluateVector(attention.k, {{batch}, {kernel.add(key, at)}, column});
  Value row = kernel.constant(at);
  if (column.step)
    return scratch->load(row, column.index, lanes);
  return kernel.broadcast(scratch->loadElement(row, column.index), lanes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Combines vectors whose first `groups` groups of lanes hold partial sums, a
/// group per key, into one with twice as many groups of half the size.
static Value joinSums(KernelBuilder &kernel, AttentionSteps &steps, Value lhs,
                      Value rhs, int64_t groups, int64_t lanes) {
  int64_t width = lanes / groups, half = width / 2;
  SmallVector<int64_t> low, high;
  for (int64_t from : {int64_t(0), lanes})
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t i = 0; i < half; ++i) {
        low.push_back(from + group * width + i);
        high.push_back(from + group * width + half + i);
      }
  Value a = vector::ShuffleOp::create(kernel.ir(), kernel.loc(), lhs, rhs, low);
  Value b =
      vector::ShuffleOp::create(kernel.ir(), kernel.loc(), lhs, rhs, high);
  return steps.add(a, b);
}

/// `lhs + rhs` across `distance` lanes: the sums of `lhs` in the lanes whose
/// number does not have that bit, those of `rhs` in the others.
static Value joinAcross(KernelBuilder &kernel, AttentionSteps &steps, Value lhs,
                        Value rhs, int64_t distance) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  int64_t lanes = cast<VectorType>(lhs.getType()).getDimSize(0);
  SmallVector<bool> bits;
  SmallVector<int64_t> others;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bits.push_back(lane & distance);
    others.push_back(lane ^ distance);
  }
  Value isRight = arith::ConstantOp::create(
      ir, loc,
      DenseElementsAttr::get(VectorType::get(lanes, ir.getI1Type()), bits));
  Value kept = arith::SelectOp::create(ir, loc, isRight, rhs, lhs);
  Value given = arith::SelectOp::create(ir, loc, isRight, lhs, rhs);
  given = vector::ShuffleOp::create(ir, loc, given, given, others);
  return steps.add(kept, given);
}

/// The totals of `sums`, a vector of partial sums per key, as one vector.
static Value joinAll(KernelBuilder &kernel, AttentionSteps &steps,
                     SmallVector<Value> sums, int64_t lanes) {
  if (!kernel.target().permutes) {
    for (int64_t distance = lanes / 2; distance >= 1; distance /= 2)
      for (int64_t i = 0; i < distance; ++i)
        sums[i] =
            joinAcross(kernel, steps, sums[i], sums[i + distance], distance);
    return sums.front();
  }
  for (int64_t groups = 1; groups < lanes; groups *= 2) {
    for (size_t i = 0; i < sums.size() / 2; ++i)
      sums[i] =
          joinSums(kernel, steps, sums[2 * i], sums[2 * i + 1], groups, lanes);
    sums.truncate(sums.size() / 2);
  }
  return sums.front();
}

/// Accumulates a vector of partial sums per key, then adds its lanes, so that
/// each key gets a lane.
Value AttentionSteps::multiplyKeys(ComputedKeys &keys, Value batch, Value query,
                                   Value key, int64_t active) {
  SmallVector<Value> sums(active, splat(0));
  forEachLaneBlock(
      kernel, kernel.constant(0), attention.keyWidth, lanes, /*unroll=*/1, sums,
      /*writes=*/false, [&](LaneBlock block, MutableArrayRef<Value> current) {
        TreeEmitter tree(kernel, lanes, block.active);
        Value q = tree.evaluateVector(attention.q,
                                      lanePoint({batch, query}, block.index));
        for (int64_t j = 0; j < active; ++j) {
          Value k =
              keys.read(batch, key, j, {block.index, /*step=*/1}, block.active);
          k = keepActive(k, block.active, splat(0));
          current[j] = multiplyAdd(q, k, current[j]);
        }
      });
  sums.resize(lanes, splat(0));
  return joinAll(kernel, *this, sums, lanes);
}
