//===- IndexingSemantics.cpp - Meaning of choosing elements -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "Semantics.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

/// Copies element `j` of `from` to element `i` of `to`, of the same type.
static void copyElement(const ReferenceTensor &from, int64_t j,
                        ReferenceTensor &to, int64_t i) {
  if (!to.f32.empty())
    to.f32[i] = from.f32[j];
  else if (!to.f64.empty())
    to.f64[i] = from.f64[j];
  else
    to.i64[i] = from.i64[j];
}

FailureOr<int64_t> hamkaas::resolveIndex(Operation *op, int64_t index,
                                         int64_t size) {
  if (index < -size || index >= size)
    return emitError(op->getLoc(), "expected indices from ")
           << -size << " to " << size - 1 << ", got " << index;
  return index < 0 ? index + size : index;
}

namespace {

struct StridedSliceSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<StridedSliceSemantics,
                                                   StridedSliceOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto slice = cast<StridedSliceOp>(op);
    SmallVector<int64_t> source(result.shape().size());
    int64_t i = 0;
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
      // Where the index is 0 the stride may be any number.
      for (auto [dim, at] : llvm::enumerate(index))
        source[dim] = slice.getOffsets()[dim] +
                      (at == 0 ? 0 : at * slice.getStrides()[dim]);
      copyElement(*operands[0], getOffset(operands[0]->shape(), source), result,
                  i++);
    });
    return success();
  }
};

struct PadSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<PadSemantics, PadOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto pad = cast<PadOp>(op);
    fill(pad.getValue(), result);
    SmallVector<int64_t> target(result.shape().size());
    int64_t j = 0;
    forEachIndex(operands[0]->shape(), [&](ArrayRef<int64_t> index) {
      for (auto [dim, at] : llvm::enumerate(index))
        target[dim] = pad.getLow()[dim] +
                      (at == 0 ? 0 : at * (pad.getInterior()[dim] + 1));
      copyElement(*operands[0], j++, result, getOffset(result.shape(), target));
    });
    return success();
  }

private:
  static void fill(TypedAttr value, ReferenceTensor &result) {
    double number = 0;
    int64_t integer = 0;
    if (auto attr = dyn_cast<FloatAttr>(value))
      number = attr.getValueAsDouble();
    else
      integer =
          cast<IntegerAttr>(value).getValue().sextOrTrunc(64).getSExtValue();
    std::fill(result.f32.begin(), result.f32.end(), number);
    std::fill(result.f64.begin(), result.f64.end(), number);
    std::fill(result.i64.begin(), result.i64.end(), integer);
  }
};

struct ConcatSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ConcatSemantics, ConcatOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t dim = cast<ConcatOp>(op).getDim(), first = 0;
    for (const ReferenceTensor *operand : operands) {
      SmallVector<int64_t> target(result.shape().size());
      int64_t j = 0;
      forEachIndex(operand->shape(), [&](ArrayRef<int64_t> index) {
        llvm::copy(index, target.begin());
        target[dim] += first;
        copyElement(*operand, j++, result, getOffset(result.shape(), target));
      });
      first += operand->shape()[dim];
    }
    return success();
  }
};

struct GatherSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<GatherSemantics, GatherOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0], &indices = *operands[1];
    int64_t dim = cast<GatherOp>(op).getDim(), size = x.shape()[dim];
    SmallVector<int64_t> positions;
    for (int64_t index : indices.i64) {
      FailureOr<int64_t> position = resolveIndex(op, index, size);
      if (failed(position))
        return failure();
      positions.push_back(*position);
    }
    int64_t i = 0, rank = indices.shape().size();
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> source(index.take_front(dim));
      source.push_back(
          positions[getOffset(indices.shape(), index.slice(dim, rank))]);
      llvm::append_range(source, index.drop_front(dim + rank));
      copyElement(x, getOffset(x.shape(), source), result, i++);
    });
    return success();
  }
};

struct FlattenIndicesSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<FlattenIndicesSemantics,
                                                   FlattenIndicesOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto flatten = cast<FlattenIndicesOp>(op);
    ArrayRef<int64_t> sizes = flatten.getSizes();
    for (auto [i, index] : llvm::enumerate(operands[0]->i64)) {
      size_t c = i % sizes.size();
      int64_t first = flatten.getNonnegative() ? 0 : -sizes[c];
      if (index < first || index >= sizes[c])
        return refuse(flatten, c, first, index);
      int64_t &flat = result.i64[i / sizes.size()];
      flat = flat * sizes[c] + (index < 0 ? index + sizes[c] : index);
    }
    return success();
  }

private:
  static LogicalResult refuse(FlattenIndicesOp op, int64_t component,
                              int64_t first, int64_t index) {
    int64_t dim = op.getDim() + component, size = op.getSizes()[component];
    if (op.getSizes().size() == 1)
      return emitError(op.getLoc(), "expected indices of dimension ")
             << dim << " from " << first << " to " << size - 1 << ", got "
             << index;
    return emitError(op.getLoc(), "expected component ")
           << component << " of the indices to mean one of the " << size
           << " elements of dimension " << dim << ", got " << index;
  }
};

struct CheckNanSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<CheckNanSemantics,
                                                   CheckNanOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    result = *operands[0];
    if (failed(check(cast<CheckNanOp>(op), result.f32)))
      return failure();
    return check(cast<CheckNanOp>(op), result.f64);
  }

private:
  template <typename Elements>
  static LogicalResult check(CheckNanOp op, const Elements &elements) {
    for (auto [i, element] : llvm::enumerate(elements))
      if (std::isnan(element))
        return emitError(op.getLoc(), "expected numbers in ")
               << op.getValue() << ", got NaN as element " << i;
    return success();
  }
};

} // namespace

void hamkaas::attachIndexingSemantics(MLIRContext &context) {
  CheckNanOp::attachInterface<CheckNanSemantics>(context);
  ConcatOp::attachInterface<ConcatSemantics>(context);
  FlattenIndicesOp::attachInterface<FlattenIndicesSemantics>(context);
  GatherOp::attachInterface<GatherSemantics>(context);
  PadOp::attachInterface<PadSemantics>(context);
  StridedSliceOp::attachInterface<StridedSliceSemantics>(context);
}
