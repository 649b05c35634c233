//===- MovementSemantics.cpp - Meaning of moving elements -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "Semantics.h"

using namespace mlir;
using namespace hamkaas;

/// Calls `move` with the elements of `from` and of `to`, of the same type.
template <typename Fn>
static void withElements(const ReferenceTensor &from, ReferenceTensor &to,
                         Fn move) {
  if (ReferenceTensor::holdsFloat32(to.type))
    move(from.f32, to.f32);
  else if (to.type.getElementType().isF64())
    move(from.f64, to.f64);
  else
    move(from.i64, to.i64);
}

/// Number of elements in a row of the first dimension.
static int64_t getRowSize(const ReferenceTensor &tensor) {
  return tensor.type.getNumElements() / tensor.shape().front();
}

namespace {

struct ReshapeSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ReshapeSemantics,
                                                   ReshapeOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    withElements(*operands[0], result,
                 [](const auto &from, auto &to) { to = from; });
    return success();
  }
};

struct SliceSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<SliceSemantics, SliceOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t first = cast<SliceOp>(op).getBegin() * getRowSize(*operands[0]);
    withElements(*operands[0], result, [&](const auto &from, auto &to) {
      std::copy_n(from.begin() + first, to.size(), to.begin());
    });
    return success();
  }
};

struct PermuteSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<PermuteSemantics,
                                                   PermuteOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0];
    ArrayRef<int64_t> permutation = cast<PermuteOp>(op).getPermutation();
    SmallVector<int64_t> source(permutation.size());
    int64_t i = 0;
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
      for (auto [dim, position] : llvm::zip_equal(permutation, index))
        source[dim] = position;
      int64_t j = getOffset(x.shape(), source);
      withElements(x, result,
                   [&](const auto &from, auto &to) { to[i] = from[j]; });
      ++i;
    });
    return success();
  }
};

struct ReplaceSliceSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ReplaceSliceSemantics,
                                                   ReplaceSliceOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &target = *operands[0], &replacement = *operands[1];
    int64_t begin = operands[2]->i64.front(), end = operands[3]->i64.front();
    int64_t rows = target.shape().front();
    int64_t replaced = replacement.shape().front();
    // NOTE: the order keeps the difference from overflowing. `unchecked` is a
    // promise of the caller, but no reason to write elsewhere.
    if (begin < 0 || end < begin || end > rows || end - begin != replaced)
      return emitError(op->getLoc(), "expected 0 <= begin, end <= ")
             << rows << " and end - begin = " << replaced << ", got begin "
             << begin << " and end " << end;
    int64_t first = begin * getRowSize(target);
    withElements(target, result, [](const auto &from, auto &to) { to = from; });
    withElements(replacement, result, [&](const auto &from, auto &to) {
      llvm::copy(from, to.begin() + first);
    });
    return success();
  }
};

} // namespace

void hamkaas::attachMovementSemantics(MLIRContext &context) {
  PermuteOp::attachInterface<PermuteSemantics>(context);
  ReplaceSliceOp::attachInterface<ReplaceSliceSemantics>(context);
  ReshapeOp::attachInterface<ReshapeSemantics>(context);
  SliceOp::attachInterface<SliceSemantics>(context);
}
