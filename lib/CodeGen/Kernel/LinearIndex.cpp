//===- LinearIndex.cpp - Indices that are sums of loops ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

using namespace mlir;
using namespace hamkaas;

namespace {
/// `constant + sum of factors[i] * di`.
struct LinearForm {
  explicit LinearForm(unsigned dims) : factors(dims) {}

  /// Adds `factor` times `expr`; false if that is of another form.
  bool add(AffineExpr expr, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      factors[dim.getPosition()] += factor;
      return true;
    }
    if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
      constant += factor * value.getValue();
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (binary.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), factor) && add(binary.getRHS(), factor);
    // Constants are on the right.
    auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && times &&
           add(binary.getLHS(), factor * times.getValue());
  }

  SmallVector<int64_t> factors;
  int64_t constant = 0;
};
} // namespace

bool hamkaas::isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return LinearForm(map.getNumDims()).add(expr, 1);
  });
}

SmallVector<int64_t> hamkaas::getFactors(AffineMap map, unsigned result) {
  LinearForm form(map.getNumDims());
  form.add(map.getResult(result), 1);
  form.factors.push_back(form.constant);
  return form.factors;
}

std::optional<int64_t> hamkaas::findUnitLoop(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  std::optional<int64_t> left = findUnitLoop(sum.getLHS());
  std::optional<int64_t> right = findUnitLoop(sum.getRHS());
  return left && right ? std::max(*left, *right) : left ? left : right;
}

/// Adds `kernel.constant(distance)`, which may be negative.
static Value move(KernelBuilder &kernel, Value index, int64_t distance) {
  return distance < 0 ? kernel.subtract(index, kernel.constant(-distance))
                      : kernel.add(index, distance);
}

/// Equal lanes have equal coordinates: a common step is one, and the index is
/// that of the first lane.
Coordinate Coordinate::fromOffsets(KernelBuilder &kernel, Value index,
                                   ArrayRef<int64_t> offsets) {
  Coordinate result{move(kernel, index, offsets.front())};
  for (int64_t offset : offsets)
    result.offsets.push_back(offset - offsets.front());
  int64_t step = result.offsets.size() > 1 ? result.offsets[1] : 0;
  bool hasStep = llvm::all_of(llvm::enumerate(result.offsets), [&](auto lane) {
    return lane.value() == int64_t(lane.index()) * step;
  });
  if (!hasStep)
    return result;
  result.step = step;
  result.offsets.clear();
  return result;
}

/// `at`, the sum of the first lanes and steps, with the distances of lanes that
/// have no common step.
static Coordinate addOffsets(KernelBuilder &kernel, const LinearForm &form,
                             PointRef point, Coordinate at) {
  SmallVector<int64_t> offsets;
  for (auto [factor, coordinate] : llvm::zip_equal(form.factors, point))
    if (factor != 0 && !coordinate.offsets.empty())
      offsets.resize(coordinate.offsets.size());
  if (offsets.empty())
    return at;
  for (auto [factor, coordinate] : llvm::zip_equal(form.factors, point))
    for (auto [lane, offset] : llvm::enumerate(offsets))
      if (factor != 0)
        offset += factor * coordinate.offset(lane);
  return Coordinate::fromOffsets(kernel, at.index, offsets);
}

/// Additions come before subtractions, so that no intermediate value is below
/// the result, which is no negative number.
static Coordinate apply(KernelBuilder &kernel, const LinearForm &form,
                        PointRef point) {
  Value index = kernel.constant(std::max<int64_t>(form.constant, 0));
  int64_t step = 0;
  for (auto [factor, at] : llvm::zip_equal(form.factors, point)) {
    if (factor > 0)
      index = kernel.add(index, kernel.multiply(at.index, factor));
    step += factor * at.step;
  }
  for (auto [factor, at] : llvm::zip_equal(form.factors, point))
    if (factor < 0)
      index = kernel.subtract(index, kernel.multiply(at.index, -factor));
  if (form.constant < 0)
    index = kernel.subtract(index, kernel.constant(-form.constant));
  return addOffsets(kernel, form, point, {index, step});
}

Point hamkaas::applyLinear(KernelBuilder &kernel, AffineMap map,
                           PointRef point) {
  Point result;
  for (AffineExpr expr : map.getResults()) {
    LinearForm form(map.getNumDims());
    form.add(expr, 1);
    result.push_back(apply(kernel, form, point));
  }
  return result;
}
