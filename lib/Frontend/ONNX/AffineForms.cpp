//===- AffineForms.cpp - Sums of what is known at run time only -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineForms.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

/// One element of a value.
using Element = std::pair<Value, int64_t>;

/// `constant + sum of factor * element`.
struct AffineForm {
  int64_t constant = 0;
  llvm::MapVector<Element, int64_t> factors;
  /// How many sums, products and elements were looked at.
  int parts = 0;

  /// Adds `factor * element`; an element that is computed from others is
  /// replaced by them. False where a number is too large.
  bool add(Element element, int64_t factor, int depth = 0);

private:
  bool addConstant(int64_t value, int64_t factor) {
    std::optional<int64_t> sum = llvm::checkedMulAdd(value, factor, constant);
    constant = sum.value_or(0);
    return sum.has_value();
  }
};

} // namespace

/// An element of an integer constant.
static std::optional<int64_t> getNumber(Element element) {
  DenseIntElementsAttr elements;
  if (!matchPattern(element.first, m_Constant(&elements)))
    return std::nullopt;
  return elements.getValues<APInt>()[element.second].getSExtValue();
}

/// Element `i` of a tensor is repeated over `shape` as numpy does.
static int64_t getRepeated(ArrayRef<int64_t> from, ArrayRef<int64_t> shape,
                           int64_t i) {
  int64_t result = 0, stride = 1;
  for (size_t d = 0; d < from.size(); ++d) {
    int64_t size = shape[shape.size() - 1 - d], own = from[from.size() - 1 - d];
    result += own == 1 ? 0 : i % size * stride;
    stride *= own;
    i /= size;
  }
  return result;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The element that `element` is a copy of.
static std::optional<Element> findSource(Element element) {
  auto [value, i] = element;
  if (auto op = value.getDefiningOp<ReshapeOp>())
    return Element{op->getOperand(0), i};
  if (auto op = value.getDefiningOp<BroadcastOp>()) {
    Value x = op->getOperand(0);
    return Element{x, getRepeated(getShape(x), getShape(value), i)};
  }
  if (auto op = value.getDefiningOp<CastOp>()) {
    // Integers that fit; others wrap.
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(value.getType());
    bool isWider = from.isSignlessInteger() && to.isSignlessInteger() &&
                   !from.isInteger(1) &&
                   from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
    return isWider ? std::optional(Element{op->getOperand(0), i})
                   : std::nullopt;
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat || getShape(value).size() != 1)
    return std::nullopt;
  for (Value part : concat->getOperands()) {
    if (i < getShape(part)[0])
      return Element{part, i};
    i -= getShape(part)[0];
  }
  return std::nullopt;
}

bool AffineForm::add(Element element, int64_t factor, int depth) {
  // Enough for any position that a model computes. Sums of sums have twice as
  // many parts with each step.
  constexpr int deepest = 16, mostParts = 1024;
  if (++parts > mostParts)
    return false;
  if (std::optional<int64_t> number = getNumber(element))
    return addConstant(*number, factor);
  auto [value, i] = element;
  Operation *op = value.getDefiningOp();
  if (op && depth < deepest) {
    if (std::optional<Element> source = findSource(element))
      return add(*source, factor, depth + 1);
    auto getOperand = [&](unsigned operand) {
      Value x = op->getOperand(operand);
      return Element{x, getRepeated(getShape(x), getShape(value), i)};
    };
    if (isa<AddOp, SubOp>(op)) {
      auto other = isa<SubOp>(op) ? llvm::checkedSub<int64_t>(0, factor)
                                  : std::optional(factor);
      return other && add(getOperand(0), factor, depth + 1) &&
             add(getOperand(1), *other, depth + 1);
    }
    for (unsigned side = 0; isa<MulOp>(op) && side < 2; ++side)
      if (std::optional<int64_t> number = getNumber(getOperand(side))) {
        auto product = llvm::checkedMul(factor, *number);
        return product && add(getOperand(1 - side), *product, depth + 1);
      }
  }
  auto sum = llvm::checkedAdd(factors[element], factor);
  factors[element] = sum.value_or(0);
  return sum.has_value();
}

std::optional<int64_t> onnx::findDifference(const Tensor &from,
                                            const Tensor &to, int64_t j) {
  AffineForm form;
  for (auto [tensor, factor] : {std::pair(&to, 1), std::pair(&from, -1)}) {
    if (!tensor->isInteger())
      return std::nullopt;
    // A constant need not be a value of the graph yet.
    int64_t number = tensor->isConstant() ? tensor->elements().i64[j] : 0;
    std::optional<int64_t> sum =
        llvm::checkedMulAdd<int64_t>(number, factor, form.constant);
    if (!sum)
      return std::nullopt;
    form.constant = *sum;
    if (!tensor->isConstant() && !form.add({tensor->value(), j}, factor))
      return std::nullopt;
  }
  for (const auto &[element, factor] : form.factors)
    if (factor != 0)
      return std::nullopt;
  return form.constant;
}
