//===- JoinSums.cpp - Sums across the lanes of several vectors --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

static int64_t countLanes(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

/// Combines vectors of `groups` groups of lanes, each with the partial sums of
/// one result, into one with twice as many groups of half the size.
static Value joinGroups(KernelBuilder &kernel, Value lhs, Value rhs,
                        int64_t groups) {
  int64_t lanes = countLanes(lhs), width = lanes / groups, half = width / 2;
  SmallVector<int64_t> low, high;
  for (int64_t from : {int64_t(0), lanes})
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t i = 0; i < half; ++i) {
        low.push_back(from + group * width + i);
        high.push_back(from + group * width + half + i);
      }
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value a = vector::ShuffleOp::create(ir, loc, lhs, rhs, low);
  Value b = vector::ShuffleOp::create(ir, loc, lhs, rhs, high);
  return arith::AddFOp::create(ir, loc, a, b);
}

/// `lhs + rhs` across `distance` lanes: the sums of `lhs` in the lanes whose
/// number does not have that bit, those of `rhs` in the others.
static Value joinAcross(KernelBuilder &kernel, Value lhs, Value rhs,
                        int64_t distance) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  int64_t lanes = countLanes(lhs);
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
  return arith::AddFOp::create(ir, loc, kept, given);
}

Value hamkaas::joinSums(KernelBuilder &kernel, SmallVector<Value> sums) {
  int64_t lanes = countLanes(sums.front()), count = sums.size(), groups = 1;
  if (!kernel.target().permutes && count == lanes) {
    for (int64_t distance = lanes / 2; distance >= 1; distance /= 2)
      for (int64_t i = 0; i < distance; ++i)
        sums[i] = joinAcross(kernel, sums[i], sums[i + distance], distance);
    return sums.front();
  }
  for (; sums.size() > 1; groups *= 2) {
    for (size_t i = 0; i < sums.size() / 2; ++i)
      sums[i] = joinGroups(kernel, sums[2 * i], sums[2 * i + 1], groups);
    sums.truncate(sums.size() / 2);
  }
  Value joined = sums.front();
  // The two halves of each group.
  while (countLanes(joined) > count) {
    int64_t width = countLanes(joined) / count;
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < countLanes(joined); ++lane)
      (lane % width < width / 2 ? low : high).push_back(lane);
    OpBuilder &ir = kernel.ir();
    Location loc = kernel.loc();
    Value a = vector::ShuffleOp::create(ir, loc, joined, joined, low);
    Value b = vector::ShuffleOp::create(ir, loc, joined, joined, high);
    joined = arith::AddFOp::create(ir, loc, a, b);
  }
  return joined;
}
