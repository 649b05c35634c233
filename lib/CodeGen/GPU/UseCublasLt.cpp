//===- UseCublasLt.cpp - Products for a library -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_USECUBLASLT
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// A matmul and its epilogue, as far as the library computes it in one call:
/// sums, then an activation.
class ProductMatcher {
public:
  explicit ProductMatcher(MatMulOp product) : product(product) {
    auto result = product.getType();
    ArrayRef<int64_t> shape = result.getShape();
    columns = shape.back();
    rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    batches = result.getNumElements() / (rows * columns);
    depth = product.getLhs().getType().getShape().back();
  }

  /// The attribute of `group`, whose body begins with the product; null if it
  /// holds anything else.
  MatmulAttr match(GroupOp group) {
    left = findInput(product.getLhs());
    right = findInput(product.getRhs());
    if (!product.getType().getElementType().isF32() || left < 0 || right < 0 ||
        batches > INT32_MAX)
      return nullptr;
    Value value = product.getResult();
    for (Operation &op : llvm::drop_begin(group.getBody().front())) {
      // Each takes the result of the one before.
      if (!llvm::is_contained(op.getOperands(), value))
        return nullptr;
      if (isa<YieldOp>(op))
        break;
      if (!add(op, value))
        return nullptr;
      value = op.getResult(0);
    }
    return MatmulAttr::get(group.getContext(), batches, rows, columns, depth,
                           left, right, bias, addend, activation,
                           /*alignment=*/sizeof(float));
  }

private:
  /// The number of the group's input that `value` is, -1 for none.
  static int32_t findInput(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? int32_t(argument.getArgNumber()) : -1;
  }

  /// Returns whether `op`, a user of the result so far, can join the epilogue.
  bool add(Operation &op, Value value) {
    if (activation != MatmulActivation::None)
      return false;
    if (auto sum = dyn_cast<AddOp>(op))
      return addOperand(sum.getLhs() == value ? sum.getRhs() : sum.getLhs());
    if (isa<ReluOp>(op))
      activation = MatmulActivation::Relu;
    else if (auto gelu = dyn_cast<GeluOp>(op);
             gelu && gelu.getApproximate() == GeluApproximation::Tanh)
      activation = MatmulActivation::GeluTanh;
    return activation != MatmulActivation::None;
  }

  /// A residual as large as the result, or a number a column.
  bool addOperand(Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool isWhole = type.getNumElements() == product.getType().getNumElements();
    bool isRow =
        type.getNumElements() == columns && type.getShape().back() == columns;
    int32_t &place = isWhole ? addend : bias;
    if (place >= 0 || !(isWhole || isRow))
      return false;
    place = findInput(operand);
    return place >= 0;
  }

  MatMulOp product;
  int64_t batches, rows, columns, depth;
  int32_t left = -1, right = -1, bias = -1, addend = -1;
  MatmulActivation activation = MatmulActivation::None;
};

struct UseCublasLtPass : hamkaas::impl::UseCublasLtBase<UseCublasLtPass> {
  void runOnOperation() override {
    getOperation().walk([](GroupOp group) {
      auto product = dyn_cast<MatMulOp>(group.getBody().front().front());
      if (!product || group.getUpdated())
        return;
      if (MatmulAttr matmul = ProductMatcher(product).match(group))
        group->setAttr(HamKaasDialect::matmulAttrName, matmul);
    });
  }
};

} // namespace
