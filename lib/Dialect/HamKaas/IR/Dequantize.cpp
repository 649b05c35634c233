//===- Dequantize.cpp - Numbers from codes of few bits ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "ShapeArithmetic.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

BlockSize hamkaas::getBlockSize(BlockFormat format) {
  switch (format) {
  case BlockFormat::Q4_0:
    return {32, 18};
  case BlockFormat::Q4_1:
    return {32, 20};
  case BlockFormat::Q5_0:
    return {32, 22};
  case BlockFormat::Q5_1:
    return {32, 24};
  case BlockFormat::Q8_0:
    return {32, 34};
  case BlockFormat::Q2_K:
    return {256, 84};
  case BlockFormat::Q3_K:
    return {256, 110};
  case BlockFormat::Q4_K:
    return {256, 144};
  case BlockFormat::Q5_K:
    return {256, 176};
  case BlockFormat::Q6_K:
    return {256, 210};
  }
  llvm_unreachable("unknown format");
}

LogicalResult DequantizeBlocksOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto blocks = cast<ShapedType>(adaptor.getBlocks().getType());
  BlockFormat format = adaptor.getFormat();
  BlockSize size = getBlockSize(format);
  if (blocks.getRank() == 0 ||
      blocks.getShape().back() % size.bytes != 0) // C1.
    return emitOptionalError(loc, "expected rows of blocks of ", size.bytes,
                             " bytes, as ", stringifyBlockFormat(format),
                             " has them, got ", blocks);
  SmallVector<int64_t> shape(blocks.getShape());
  shape.back() = multiplyCounts(shape.back() / size.bytes, size.numbers);
  auto result = RankedTensorType::get(shape, Float32Type::get(context));
  if (!isSupportedShape(result)) // C2.
    return emitOptionalError(loc,
                             "expected a result of fewer than 2^47 elements, "
                             "got blocks ",
                             blocks);
  types.push_back(result);
  return success();
}

/// A product and a sum each.
int64_t DequantizeBlocksOp::getFlops() {
  return multiplyCounts(getElementCount(getType()), 2);
}

bool DequantizeBlocksOp::isCheap() { return false; }

namespace {
/// Computes only the rows that are gathered, such as those of an embedding.
struct GatherBlocks : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto numbers = gather.getX().getDefiningOp<DequantizeBlocksOp>();
    if (!numbers ||
        int64_t(gather.getDim()) + 1 == gather.getX().getType().getRank())
      return rewriter.notifyMatchFailure(gather, "no rows of blocks");
    if (getElementCount(gather.getType()) >
        getElementCount(gather.getX().getType()))
      return rewriter.notifyMatchFailure(gather, "more rows than there are");
    Value rows = GatherOp::create(rewriter, gather.getLoc(),
                                  numbers.getBlocks(), gather.getIndices(),
                                  gather.getDim(), gather.getUnchecked());
    rewriter.replaceOpWithNewOp<DequantizeBlocksOp>(gather, numbers.getFormat(),
                                                    rows);
    return success();
  }
};
} // namespace

void DequantizeBlocksOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherBlocks>(context);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

static LogicalResult verifyFactors(std::optional<Location> loc,
                                   DequantizePanelsOp::Adaptor adaptor,
                                   int64_t rows) {
  auto scales = cast<ShapedType>(adaptor.getScales().getType());
  Value factors = adaptor.getFactors();
  if (scales.getElementType().isInteger(8) != (factors != nullptr))
    return emitOptionalError(loc,
                             "expected factors exactly if the scales are "
                             "i8, got scales ",
                             scales);
  if (!factors)
    return success();
  auto type = cast<ShapedType>(factors.getType());
  if (adaptor.getBits() == 8 &&
      (adaptor.getOffsets() || adaptor.getZero() != 0))
    return emitOptionalError(loc,
                             "expected no offsets and a zero of 0 with "
                             "codes of 8 bits and factors, got a zero of ",
                             adaptor.getZero());
  int64_t levels = adaptor.getOffsets() ? 2 : 1, block = adaptor.getBlock();
  if (type.getRank() != 4 || type.getDimSize(0) != scales.getDimSize(0) ||
      type.getDimSize(1) < 1 || rows % type.getDimSize(1) != 0 ||
      rows / type.getDimSize(1) % block != 0 || type.getDimSize(2) != levels ||
      type.getDimSize(3) != scales.getDimSize(2))
    return emitOptionalError(loc, "expected ", levels,
                             " factors of groups of whole blocks of ", block,
                             " of ", rows, " rows, got ", type);
  return success();
}

LogicalResult DequantizePanelsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto codes = cast<ShapedType>(adaptor.getCodes().getType());
  auto scales = cast<ShapedType>(adaptor.getScales().getType());
  int64_t bits = adaptor.getBits(), span = adaptor.getSpan();
  int64_t block = adaptor.getBlock(), columns = adaptor.getColumns();
  bool isNibbles = bits == 4 && span > 0 && span % 8 == 0;
  if (!isNibbles && (bits != 6 || span != 32) &&
      (bits != 8 || span != 4)) // C1.
    return emitOptionalError(
        loc,
        "expected codes of 4 bits and a span that is a multiple of 8, of 6 "
        "bits and a span of 32, or of 8 bits and a span of 4, got ",
        bits, " bits and a span of ", span);
  if (codes.getRank() != 4 || codes.getDimSize(3) != 4 ||
      scales.getRank() != 3 || columns < 1 ||
      codes.getDimSize(0) != scales.getDimSize(0) ||
      codes.getDimSize(2) != scales.getDimSize(2) ||
      llvm::divideCeil(columns, codes.getDimSize(2)) !=
          uint64_t(codes.getDimSize(0))) // C2.
    return emitOptionalError(loc, "expected codes and scales of the panels of ",
                             columns, " columns, got ", codes, " and ", scales);
  // Rows that are not whole words are not whole spans either.
  int64_t rows = codes.getDimSize(1) * 32 / bits;
  bool isWithin =
      block > 0 && (block % span == 0 || (isNibbles && span / 2 % block == 0) ||
                    (bits == 6 && block % 8 == 0 && span % block == 0));
  if (!isWithin || rows * bits != codes.getDimSize(1) * 32 || block % 4 != 0 ||
      rows % span != 0 || rows % block != 0 ||
      scales.getDimSize(1) != rows / block) // C3.
    return emitOptionalError(loc, "expected scales of each block of ", block,
                             " of ", rows, " rows in spans of ", span, ", got ",
                             scales);
  if (Value offsets = adaptor.getOffsets();
      offsets && offsets.getType() != scales) // C4.
    return emitOptionalError(loc,
                             "expected offsets of the type of the scales (",
                             scales, "), got ", offsets.getType());
  int64_t zero = adaptor.getZero(), least = bits == 8 ? -128 : 0;
  if (zero < least || zero >= least + (int64_t(1) << bits)) // C5.
    return emitOptionalError(loc, "expected a code of ", bits,
                             " bits as zero, got ", zero);
  if (failed(verifyFactors(loc, adaptor, rows))) // C6.
    return failure();
  types.push_back(
      RankedTensorType::get({rows, columns}, Float32Type::get(context)));
  return success();
}

/// A product and a sum each.
int64_t DequantizePanelsOp::getFlops() {
  return multiplyCounts(getElementCount(getType()), 2);
}

bool DequantizePanelsOp::isCheap() { return false; }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

LogicalResult DequantizeRowsOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto codes = cast<RankedTensorType>(adaptor.getCodes().getType());
  auto scales = cast<RankedTensorType>(adaptor.getScales().getType());
  auto sums = cast<RankedTensorType>(adaptor.getSums().getType());
  int64_t block = adaptor.getBlock(), step = adaptor.getStep();
  if (codes.getRank() != 2 || block < 1 || step < 1 || step % 4 != 0 ||
      block % step != 0 || codes.getDimSize(1) % block != 0) // C1.
    return emitOptionalError(loc, "expected a matrix of blocks of ", block,
                             " codes with sums of ", step, " each, got ",
                             codes);
  int64_t rows = codes.getDimSize(0), columns = codes.getDimSize(1);
  auto hasShape = [&](RankedTensorType type, int64_t size) {
    return type.getShape() == ArrayRef<int64_t>{rows, columns / size};
  };
  if (!hasShape(scales, block) || !hasShape(sums, step)) // C2.
    return emitOptionalError(loc, "expected a scale of each ", block,
                             " and a sum of each ", step, " codes, got ",
                             scales, " and ", sums);
  types.push_back(codes.clone(Float32Type::get(context)));
  return success();
}

int64_t DequantizeRowsOp::getFlops() { return getElementCount(getType()); }

bool DequantizeRowsOp::isCheap() { return false; }
