//===- Movement.cpp - Lowering of operations that move data -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hamkaas;

namespace {

struct LowerReplaceSlice
    : LinalgLoweringOpInterface::ExternalModel<LowerReplaceSlice,
                                               ReplaceSliceOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    Location loc = op->getLoc();
    Value target = operands[0], replacement = operands[1];
    Value begin = buildPosition(builder, loc, operands[2]);
    if (!cast<ReplaceSliceOp>(op).getUnchecked())
      buildCheck(builder, loc, op, begin,
                 buildPosition(builder, loc, operands[3]));

    auto type = cast<RankedTensorType>(replacement.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        sizes, strides(type.getRank(), builder.getIndexAttr(1));
    offsets.front() = OpFoldResult(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), begin));
    for (int64_t size : type.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    return tensor::InsertSliceOp::create(builder, loc, replacement, target,
                                         offsets, sizes, strides);
  }

private:
  static void buildCheck(OpBuilder &builder, Location loc, Operation *op,
                         Value begin, Value end) {
    auto replace = cast<ReplaceSliceOp>(op);
    int64_t size = replace.getType().getDimSize(0);
    int64_t rows = replace.getReplacement().getType().getDimSize(0);
    // `begin` is compared first and unsigned, so that `begin + rows` cannot
    // wrap where it matters.
    Value inside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, begin,
                              buildInt64(builder, loc, size - rows));
    Value expectedEnd = arith::AddIOp::create(builder, loc, begin,
                                              buildInt64(builder, loc, rows));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       end, expectedEnd);
    Value valid = arith::AndIOp::create(builder, loc, inside, fits);
    CheckOp::create(builder, loc, valid,
                    llvm::formatv("expected 0 <= begin, end <= {0} and end - "
                                  "begin = {1}, got begin {{0} and end {{1}",
                                  size, rows)
                        .str(),
                    ValueRange{begin, end});
  }
};

} // namespace

void hamkaas::registerMovementLowerings(MLIRContext *context) {
  ReplaceSliceOp::attachInterface<LowerReplaceSlice>(*context);
}
