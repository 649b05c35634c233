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
  return clamp(select(isLess(index, 0), fromEnd, index), size);
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

static SmallVector<Value> loopNest(const IndexBuilder &b,
                                   ArrayRef<int64_t> shape,
                                   SmallVector<Value> &at, ValueRange carried,
                                   IndexBuilder::ElementBody body) {
  if (at.size() == shape.size())
    return body(b, at, carried);
  return SmallVector<Value>(b.loop(
      shape[at.size()], carried,
      [&](IndexBuilder inner, Value i, ValueRange values) {
        at.push_back(i);
        SmallVector<Value> results = loopNest(inner, shape, at, values, body);
        at.pop_back();
        return results;
      }));
}

SmallVector<Value> IndexBuilder::forEach(ArrayRef<int64_t> shape,
                                         ValueRange carried,
                                         ElementBody body) const {
  SmallVector<Value> at;
  return loopNest(*this, shape, at, carried, body);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks each index and reports the first one out of bounds. NOTE: the initial
/// values of the loops pass the check, so a kernel whose caller has already
/// checked runs them in zero iterations.
void hamkaas::buildIndexCheck(const IndexBuilder &b, Value indices,
                              int64_t size) {
  Value valid = arith::ConstantIntOp::create(b.builder, b.loc, 1, 1);
  SmallVector<Value> found = b.forEach(
      cast<RankedTensorType>(indices.getType()).getShape(),
      {valid, b.constant(0)},
      [&](IndexBuilder inner, ValueRange at, ValueRange values) {
        Value index = inner.fromInteger(
            tensor::ExtractOp::create(inner.builder, inner.loc, indices, at));
        Value isValid = inner.isWithin(index, -size, size);
        return SmallVector<Value>{inner.both(values[0], isValid),
                                  inner.select(values[0], index, values[1])};
      });
  CheckOp::create(b.builder, b.loc, found[0],
                  llvm::formatv("expected indices from {0} to {1}, got {{0}",
                                -size, size - 1)
                      .str(),
                  b.toInteger(found[1]));
}
