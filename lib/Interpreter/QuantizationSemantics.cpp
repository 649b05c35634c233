//===- QuantizationSemantics.cpp - Meaning of few bits ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "Semantics.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {

/// The bytes of a block, each in an int64_t.
class BlockBytes {
public:
  explicit BlockBytes(const int64_t *bytes) : bytes(bytes) {}

  int64_t byte(int64_t at) const { return bytes[at]; }
  int64_t signedByte(int64_t at) const { return int8_t(bytes[at]); }
  /// Bits `begin` to `begin + count - 1` of a byte.
  int64_t bits(int64_t at, int64_t begin, int64_t count) const {
    return bytes[at] >> begin & ((1 << count) - 1);
  }
  /// The little-endian float16 that begins at `at`.
  float half(int64_t at) const {
    APFloat number(APFloat::IEEEhalf(),
                   APInt(16, bytes[at] | bytes[at + 1] << 8));
    return number.convertToFloat();
  }

private:
  const int64_t *bytes;
};

} // namespace

// Each function below computes number `i` of a block by the float32 operations
// of the package `gguf` (quants.py), where `d` and `m` are the two float16 of
// the block.
// NOTE: products are statements of their own, because compilers may contract an
// expression to an FMA, which rounds once.

static float decodeQ4_0(BlockBytes b, float d, float, int64_t i) {
  return d * float(b.bits(2 + i % 16, i / 16 * 4, 4) - 8);
}

static float decodeQ4_1(BlockBytes b, float d, float m, int64_t i) {
  float product = d * float(b.bits(4 + i % 16, i / 16 * 4, 4));
  return product + m;
}

static float decodeQ5_0(BlockBytes b, float d, float, int64_t i) {
  int64_t high = b.bits(2 + i / 8, i % 8, 1);
  return d * float((b.bits(6 + i % 16, i / 16 * 4, 4) | high << 4) - 16);
}

static float decodeQ5_1(BlockBytes b, float d, float m, int64_t i) {
  int64_t high = b.bits(4 + i / 8, i % 8, 1);
  float product = d * float(b.bits(8 + i % 16, i / 16 * 4, 4) | high << 4);
  return product + m;
}

static float decodeQ8_0(BlockBytes b, float d, float, int64_t i) {
  return float(b.signedByte(2 + i)) * d;
}

static float decodeQ2_K(BlockBytes b, float d, float m, int64_t i) {
  float scale = d * float(b.bits(i / 16, 0, 4));
  float offset = m * float(b.bits(i / 16, 4, 4));
  int64_t code = b.bits(16 + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
  float product = scale * float(code);
  return product - offset;
}

static float decodeQ3_K(BlockBytes b, float d, float, int64_t i) {
  int64_t part = i / 16;
  int64_t scale = b.bits(96 + part % 8, part / 8 * 4, 4) |
                  b.bits(104 + part % 4, part / 4 * 2, 2) << 4;
  int64_t code = b.bits(32 + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
  // The offset is 0 where the bit is 1.
  int64_t offset = b.bits(i % 32, i / 32, 1) ? 0 : 4;
  return d * float(scale - 32) * float(code - offset);
}

/// `number`, which has the factors of eight parts of a block of q4_k or q5_k,
/// is the scale (0) or the minimum (1) of `part`.
static int64_t getFactorOfK(BlockBytes b, int64_t part, int64_t number) {
  int64_t first = 4 + 4 * number;
  if (part < 4)
    return b.bits(first + part, 0, 6);
  return b.bits(12 + part - 4, number * 4, 4) | b.bits(first + part - 4, 6, 2)
                                                    << 4;
}

static float decodeQ4_K(BlockBytes b, float d, float m, int64_t i) {
  float scale = d * float(getFactorOfK(b, i / 32, 0));
  float offset = m * float(getFactorOfK(b, i / 32, 1));
  int64_t code = b.bits(16 + i / 64 * 32 + i % 32, i / 32 % 2 * 4, 4);
  float product = scale * float(code);
  return product - offset;
}

static float decodeQ5_K(BlockBytes b, float d, float m, int64_t i) {
  float scale = d * float(getFactorOfK(b, i / 32, 0));
  float offset = m * float(getFactorOfK(b, i / 32, 1));
  int64_t code = b.bits(48 + i / 64 * 32 + i % 32, i / 32 % 2 * 4, 4) |
                 b.bits(16 + i % 32, i / 32, 1) << 4;
  float product = scale * float(code);
  return product - offset;
}

static float decodeQ6_K(BlockBytes b, float d, float, int64_t i) {
  float scale = d * float(b.signedByte(192 + i / 16));
  int64_t code = b.bits(i / 128 * 64 + i % 64, i / 64 % 2 * 4, 4) |
                 b.bits(128 + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2) << 4;
  return scale * float(code - 32);
}

namespace {

struct Decoder {
  float (*decode)(BlockBytes block, float d, float m, int64_t i);
  /// Where the two float16 begin. Formats with one have it twice.
  int64_t d, m;
};

} // namespace

static Decoder getDecoder(BlockFormat format) {
  switch (format) {
  case BlockFormat::Q4_0:
    return {decodeQ4_0, 0, 0};
  case BlockFormat::Q4_1:
    return {decodeQ4_1, 0, 2};
  case BlockFormat::Q5_0:
    return {decodeQ5_0, 0, 0};
  case BlockFormat::Q5_1:
    return {decodeQ5_1, 0, 2};
  case BlockFormat::Q8_0:
    return {decodeQ8_0, 0, 0};
  case BlockFormat::Q2_K:
    return {decodeQ2_K, 80, 82};
  case BlockFormat::Q3_K:
    return {decodeQ3_K, 108, 108};
  case BlockFormat::Q4_K:
    return {decodeQ4_K, 0, 2};
  case BlockFormat::Q5_K:
    return {decodeQ5_K, 0, 2};
  case BlockFormat::Q6_K:
    return {decodeQ6_K, 208, 208};
  }
  llvm_unreachable("unknown format");
}

namespace {

struct DequantizeBlocksSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<DequantizeBlocksSemantics,
                                                   DequantizeBlocksOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    BlockFormat format = cast<DequantizeBlocksOp>(op).getFormat();
    BlockSize size = getBlockSize(format);
    Decoder decoder = getDecoder(format);
    const int64_t *bytes = operands[0]->i64.data();
    for (size_t at = 0; at < result.f32.size();
         at += size.numbers, bytes += size.bytes) {
      BlockBytes block(bytes);
      float d = block.half(decoder.d), m = block.half(decoder.m);
      for (int64_t i = 0; i < size.numbers; ++i)
        result.f32[at + i] = decoder.decode(block, d, m, i);
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

struct DequantizePanelsSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<DequantizePanelsSemantics,
                                                   DequantizePanelsOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto panels = cast<DequantizePanelsOp>(op);
    const ReferenceTensor &codes = *operands[0], &scales = *operands[1];
    bool hasOffsets = panels.getOffsets() != nullptr;
    const ReferenceTensor *offsets = hasOffsets ? operands[2] : nullptr;
    const ReferenceTensor *factors =
        panels.getFactors() ? operands.back() : nullptr;
    int64_t width = codes.shape()[2], rows = result.shape()[0], i = 0;
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> at) {
      int64_t row = at[0], panel = at[1] / width, lane = at[1] % width;
      float code = float(getCode(panels, codes, panel, row, lane) -
                         int64_t(panels.getZero()));
      int64_t scale = getOffset(
          scales.shape(), {panel, row / int64_t(panels.getBlock()), lane});
      auto getNumber = [&](const ReferenceTensor &numbers, int64_t level) {
        if (!factors)
          return numbers.f32[scale];
        int64_t group = row / (rows / factors->shape()[1]);
        return float(numbers.i64[scale]) *
               factors->f32[getOffset(factors->shape(),
                                      {panel, group, level, lane})];
      };
      float product = code * getNumber(scales, 0);
      result.f32[i++] = offsets ? product + getNumber(*offsets, 1) : product;
    });
    return success();
  }

private:
  static int64_t getCode(DequantizePanelsOp panels,
                         const ReferenceTensor &codes, int64_t panel,
                         int64_t row, int64_t lane) {
    auto getByte = [&](int64_t word, int64_t byte) {
      return codes.i64[getOffset(codes.shape(), {panel, word, lane, byte})] &
             255;
    };
    if (panels.getBits() == 8)
      return int8_t(getByte(row / 4, row % 4));
    // A span has its first half in the lower halves of its bytes.
    int64_t span = panels.getSpan(), half = span / 2, bits = panels.getBits();
    int64_t within = row % half, first = row / span * (span * bits / 32);
    int64_t byte = getByte(first + within / 4, within % 4);
    int64_t code = row % span < half ? byte & 15 : byte >> 4;
    if (bits == 4)
      return code;
    int64_t upper = getByte(first + 4 + row % 8 / 4, row % 4);
    return code | (upper >> (row % span / 8 * 2) & 3) << 4;
  }
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

struct DequantizeRowsSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<DequantizeRowsSemantics,
                                                   DequantizeRowsOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t block = cast<DequantizeRowsOp>(op).getBlock();
    for (size_t i = 0; i < result.f32.size(); ++i)
      result.f32[i] = float(operands[0]->i64[i]) * operands[1]->f32[i / block];
    return success();
  }
};

} // namespace

void hamkaas::attachQuantizationSemantics(MLIRContext &context) {
  DequantizeBlocksOp::attachInterface<DequantizeBlocksSemantics>(context);
  DequantizePanelsOp::attachInterface<DequantizePanelsSemantics>(context);
  DequantizeRowsOp::attachInterface<DequantizeRowsSemantics>(context);
}
