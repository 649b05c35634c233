//===- FoldConstants.cpp - Computes what depends on constants ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

namespace hamkaas {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct FoldConstants : hamkaas::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        // In order, so that one visit folds a chain.
        for (Operation &op : llvm::make_early_inc_range(block))
          fold(op);
  }

private:
  void fold(Operation &op);
  bool isSmallEnough(Operation &op) const;
};

} // namespace

bool FoldConstants::isSmallEnough(Operation &op) const {
  auto size = uint64_t(getByteCount(op.getResult(0).getType()));
  uint64_t operands = 0;
  for (Value operand : op.getOperands())
    operands += getByteCount(operand.getType());
  return size <= std::max<uint64_t>(maxBytes, operands);
}

/// The elements of a constant, nothing for another value.
static DenseElementsAttr getConstant(Value value) {
  DenseElementsAttr elements;
  matchPattern(value, m_Constant(&elements));
  return elements;
}

/// The result of an op for these operands, nothing if they do not allow one.
static std::optional<ReferenceTensor>
interpret(ReferenceSemanticsOpInterface op,
          ArrayRef<DenseElementsAttr> constants) {
  SmallVector<ReferenceTensor> tensors;
  SmallVector<const ReferenceTensor *> operands;
  for (DenseElementsAttr constant : constants)
    tensors.push_back(getReferenceTensor(constant));
  for (const ReferenceTensor &tensor : tensors)
    operands.push_back(&tensor);
  ReferenceTensor result(cast<RankedTensorType>(op->getResult(0).getType()));
  // The error will be reported by the run, if it comes to that.
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(op.interpret(operands, result)))
    return std::nullopt;
  roundToType(result);
  return result;
}

void FoldConstants::fold(Operation &op) {
  auto semantics = dyn_cast<ReferenceSemanticsOpInterface>(op);
  // An operation without operands, or one that repeats or decodes one, is
  // cheaper to compute than to read.
  if (!semantics || isa<BroadcastOp, DequantizeBlocksOp>(op) ||
      op.getNumOperands() == 0 || op.use_empty() || !isSmallEnough(op))
    return;
  SmallVector<DenseElementsAttr> constants;
  for (Value operand : op.getOperands()) {
    constants.push_back(getConstant(operand));
    if (!constants.back())
      return;
  }
  std::optional<ReferenceTensor> result = interpret(semantics, constants);
  if (!result)
    return;
  OpBuilder builder(&op);
  op.replaceAllUsesWith(
      ConstantOp::create(builder, op.getLoc(), getCompactElements(*result)));
  op.erase();
}
