//===- IndexBuilder.cpp - Arithmetic on indices -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpIPredicate;

Value IndexBuilder::resolve(Value index, int64_t size) const {
  Value fromEnd = add(index, size);
  Value position = select(isLess(index, 0), fromEnd, index);
  return minimum(maximum(position, 0), size - 1);
}

SmallVector<Value> IndexBuilder::delinearize(Value linear,
                                             ArrayRef<int64_t> shape) const {
  SmallVector<Value> coordinates(shape.size());
  for (size_t d = shape.size(); d-- > 1;) {
    Value size = constant(shape[d]);
    coordinates[d] = arith::RemUIOp::create(builder, loc, linear, size);
    linear = arith::DivUIOp::create(builder, loc, linear, size);
  }
  if (!shape.empty())
    coordinates[0] = linear;
  return coordinates;
}

ValueRange IndexBuilder::loop(Value lower, Value upper, ValueRange carried,
                              LoopBody body) const {
  auto loop = scf::ForOp::create(
      builder, loc, lower, upper, constant(1), carried,
      [&](OpBuilder &nested, Location inner, Value i, ValueRange values) {
        scf::YieldOp::create(nested, inner,
                             body(IndexBuilder{nested, inner}, i, values));
      });
  return loop.getResults();
}

/// Each index is looked at; of those that mean no element, the first is told.
void hamkaas::buildIndexCheck(const IndexBuilder &b, Value indices,
                              int64_t size) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(indices.getType()).getShape();
  Value valid = arith::ConstantIntOp::create(b.builder, b.loc, 1, 1);
  Value none = b.constant(0);
  ValueRange found = b.loop(
      ShapedType::getNumElements(shape), {valid, none},
      [&](IndexBuilder inner, Value i, ValueRange values) {
        Value index = inner.fromInteger(tensor::ExtractOp::create(
            inner.builder, inner.loc, indices, inner.delinearize(i, shape)));
        Value isValid = inner.both(
            inner.compare(CmpIPredicate::sge, index, inner.constant(-size)),
            inner.isLess(index, size));
        return SmallVector<Value>{inner.both(values[0], isValid),
                                  inner.select(values[0], index, values[1])};
      });
  CheckOp::create(b.builder, b.loc, found[0],
                  llvm::formatv("expected indices from {0} to {1}, got {{0}",
                                -size, size - 1)
                      .str(),
                  b.toInteger(found[1]));
}
