//===- PackParameters.cpp - Packs constant matrices -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Contraction.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/TensorViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_CPUPACKPARAMETERS
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// `[depth, columns]` into panels `[columns / width][depth][width]`.
struct PanelLayout {
  explicit PanelLayout(OpBuilder &builder, int64_t width)
      : tile(builder.getIndexAttr(width)) {}

  static constexpr int64_t innerDims[] = {1};
  static constexpr int64_t outerPermutation[] = {1, 0};
  OpFoldResult tile;
};

struct CPUPackParameters
    : hamkaas::impl::CPUPackParametersBase<CPUPackParameters> {
  using CPUPackParametersBase::CPUPackParametersBase;

  void runOnOperation() override {
    target = lookupTarget(level);
    if (!target) {
      getOperation().emitError("expected an instruction set level of ")
          << getTargetLevels() << ", got '" << level << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](GroupOp group) {
      if (group.getFamily() == KernelFamily::Contraction)
        packRightSide(group);
    });
  }

private:
  void packRightSide(GroupOp group) {
    auto generics = group.getBody().getOps<linalg::GenericOp>();
    auto root = llvm::find_if(generics, [](linalg::GenericOp op) {
      return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
             op.getNumReductionLoops() == 1 && op.getNumParallelLoops() >= 1;
    });
    if (root == generics.end())
      return;
    OpOperand *right = findRightSide(*root);
    auto argument = right ? dyn_cast<BlockArgument>(right->get()) : nullptr;
    if (!argument || !argument.hasOneUse())
      return;
    Value matrix = group.getInputs()[argument.getArgNumber()];
    auto type = cast<RankedTensorType>(matrix.getType());
    if (type.getRank() != 2 || !dependsOnParametersOnly(matrix))
      return;

    auto result = cast<RankedTensorType>((*root).getResult(0).getType());
    if (!result.hasStaticShape())
      return;
    int64_t width =
        choosePanelWidth(*target, result.getNumElements() / type.getDimSize(1),
                         type.getDimSize(1), type.getDimSize(0));
    Value packed = getPacked(group, matrix, width);

    // Inside, the matrix is what the panels unpack to: the code generator reads
    // them directly.
    group->setOperand(argument.getArgNumber(), packed);
    argument.setType(packed.getType());
    OpBuilder builder(*root);
    PanelLayout layout(builder, width);
    Value empty = tensor::EmptyOp::create(
        builder, group.getLoc(), type.getShape(), type.getElementType());
    right->set(linalg::UnPackOp::create(builder, group.getLoc(), argument,
                                        empty, layout.innerDims, layout.tile,
                                        layout.outerPermutation)
                   .getResult());
  }

  /// The operand read at (reduction dimension, last dimension of the result).
  static OpOperand *findRightSide(linalg::GenericOp root) {
    unsigned loops = root.getNumLoops();
    SmallVector<unsigned> reductions;
    root.getReductionDims(reductions);
    AffineMap expected = AffineMap::getMultiDimMapWithTargets(
        loops, {reductions.front(), loops - 2}, root.getContext());
    for (OpOperand *operand : root.getDpsInputOperands())
      if (root.getMatchingIndexingMap(operand) == expected)
        return operand;
    return nullptr;
  }

  /// The packed `matrix`, computed once for all contractions that read it.
  Value getPacked(GroupOp user, Value matrix, int64_t width) {
    Value &packed = panels[{matrix, width}];
    if (packed)
      return packed;
    OpBuilder builder(user.getContext());
    builder.setInsertionPointAfterValue(matrix);
    Location loc = matrix.getLoc();
    auto type = cast<RankedTensorType>(matrix.getType());
    PanelLayout layout(builder, width);
    auto packedType = linalg::PackOp::inferPackedType(
        type, width, layout.innerDims, layout.outerPermutation);

    auto group = GroupOp::create(
        builder, loc, packedType, matrix,
        KernelFamilyAttr::get(builder.getContext(), KernelFamily::Movement),
        /*updated=*/nullptr);
    group->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr("pack"));
    Block &body = group.getBody().emplaceBlock();
    Value argument = body.addArgument(type, loc);
    builder.setInsertionPointToStart(&body);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    Value empty = tensor::EmptyOp::create(builder, loc, packedType.getShape(),
                                          packedType.getElementType());
    Value result =
        linalg::PackOp::create(builder, loc, argument, empty, layout.innerDims,
                               layout.tile, zero, layout.outerPermutation)
            .getResult();
    YieldOp::create(builder, loc, result);
    return packed = group.getResult(0);
  }

  const TargetDescription *target = nullptr;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> panels;
};

} // namespace
