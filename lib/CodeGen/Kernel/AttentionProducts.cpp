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
  return joinSums(kernel, sums);
}
