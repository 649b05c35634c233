//===- FlattenIndices.cpp - Lowering of several indices to one --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hamkaas;

static Value readIndex(const IndexBuilder &b, Value indices, ValueRange at) {
  return b.fromInteger(
      tensor::ExtractOp::create(b.builder, b.loc, indices, at));
}

/// The least index of a dimension of `size` elements.
static int64_t getFirst(FlattenIndicesOp op, int64_t size) {
  return op.getNonnegative() ? 0 : -size;
}

/// Ends the run unless `valid`: `index` is what was found as that component.
static void buildComponentCheck(const IndexBuilder &b, FlattenIndicesOp op,
                                Value valid, Value component, Value index) {
  ArrayRef<int64_t> sizes = op.getSizes();
  if (sizes.size() == 1) {
    std::string message = llvm::formatv(
        "expected indices of dimension {0} from {1} to {2}, got {{0}",
        op.getDim(), getFirst(op, sizes[0]), sizes[0] - 1);
    CheckOp::create(b.builder, b.loc, valid, message, b.toInteger(index));
    return;
  }
  Value size = b.constant(sizes[0]);
  for (auto [c, other] : llvm::drop_begin(llvm::enumerate(sizes)))
    size = b.select(b.isLess(component, c), size, b.constant(other));
  Value dim = b.add(component, op.getDim());
  CheckOp::create(b.builder, b.loc, valid,
                  "expected component {0} of the indices to mean one of the "
                  "{2} elements of dimension {1}, got {3}",
                  ValueRange{b.toInteger(component), b.toInteger(dim),
                             b.toInteger(size), b.toInteger(index)});
}

/// Of the components that mean no element, the first is told.
static void buildComponentChecks(const IndexBuilder &b, Value indices,
                                 FlattenIndicesOp op) {
  Value valid = arith::ConstantIntOp::create(b.builder, b.loc, 1, 1);
  Value zero = b.constant(0);
  SmallVector<Value> found = b.forEach(
      cast<RankedTensorType>(indices.getType()).getShape().drop_back(),
      {valid, zero, zero},
      [&](IndexBuilder inner, ValueRange at, ValueRange values) {
        Value all = values[0], component = values[1], told = values[2];
        for (auto [c, size] : llvm::enumerate(op.getSizes())) {
          SmallVector<Value> place(at);
          place.push_back(inner.constant(c));
          Value index = readIndex(inner, indices, place);
          component = inner.select(all, inner.constant(c), component);
          told = inner.select(all, index, told);
          all =
              inner.both(all, inner.isWithin(index, getFirst(op, size), size));
        }
        return SmallVector<Value>{all, component, told};
      });
  buildComponentCheck(b, op, found[0], found[1], found[2]);
}

namespace {

struct LowerFlattenIndices
    : LinalgLoweringOpInterface::ExternalModel<LowerFlattenIndices,
                                               FlattenIndicesOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto flatten = cast<FlattenIndicesOp>(op);
    if (flatten.checksValues())
      buildComponentChecks({builder, op->getLoc()}, operands[0], flatten);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return buildParallel(
        builder, op->getLoc(), type, {}, {},
        [&](OpBuilder &nested, Location loc, ValueRange) {
          IndexBuilder b{nested, loc};
          SmallVector<Value> place;
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            place.push_back(linalg::IndexOp::create(nested, loc, dim));
          return buildFlatIndex(b, flatten, operands[0], place);
        });
  }

private:
  /// The one index for the components at `place`.
  static Value buildFlatIndex(const IndexBuilder &b, FlattenIndicesOp op,
                              Value indices, SmallVector<Value> place) {
    Value flat;
    for (auto [c, size] : llvm::enumerate(op.getSizes())) {
      place.push_back(b.constant(c));
      Value index = readIndex(b, indices, place);
      place.pop_back();
      index =
          op.getNonnegative() ? b.clamp(index, size) : b.resolve(index, size);
      flat = flat ? b.add(b.multiply(flat, size), index) : index;
    }
    return b.toInteger(flat);
  }
};

} // namespace

void hamkaas::registerFlattenIndicesLowering(MLIRContext *context) {
  FlattenIndicesOp::attachInterface<LowerFlattenIndices>(*context);
}
