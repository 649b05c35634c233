//===- BlockWeights.cpp - Weights of few bits with block scales -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Quantization.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Codes of weights
//===----------------------------------------------------------------------===//

Tensor onnx::unpackRows(GraphBuilder &b, Tensor packed, int64_t bits) {
  if (bits == 8 || !packed)
    return packed;
  int64_t perByte = 8 / bits, rank = packed.rank();
  SmallVector<double> shifts;
  for (int64_t i = 0; i < perByte; ++i)
    shifts.push_back(double(i * bits));
  Type byte = packed.elementType();
  Tensor spread = addDim(b, packed, rank);
  Shape shape(spread.shape());
  shape.back() = perByte;
  Tensor codes = b.shiftRight(b.broadcast(spread, shape),
                              b.constantOf(byte, shifts, {perByte}));
  codes = b.bitAnd(codes, b.scalar(byte, double((1 << bits) - 1)));
  shape.pop_back();
  shape.back() *= perByte;
  return b.reshape(codes, shape);
}

/// `(codes - zeros) * scales` in float32, where the rows of `codes`, rows x
/// (blocks * block), have `blocks` scales and zero points each.
///
/// A form that matchRowCodes (RowCodes.h) recognises, for a constant of bytes
/// `%b` and a row of `k` codes: `%b` unpacked by `broadcast`, `shift_right` and
/// `and`, unless it has 8 bits a code; `reshape` to rows x blocks x block;
/// `cast` to float32; `sub` of a scalar or of rows x blocks x 1; `mul` by rows
/// x blocks x 1; `reshape` to rows x `k`; a `strided_slice` if the last block
/// is not full. A product reads it by `matmul(x, permute[1, 0](...))`.
static Tensor dequantizeRows(GraphBuilder &b, Tensor codes, Tensor scales,
                             Tensor zeros, int64_t block) {
  if (b.hasFailed() || !codes || !scales)
    return {};
  int64_t rows = codes.dim(0), blocks = codes.dim(1) / block;
  Type f32 = Float32Type::get(b.context());
  auto align = [&](Tensor x) {
    return b.reshape(b.cast(x, f32), {rows, blocks, 1});
  };
  Tensor numbers = b.cast(b.reshape(codes, {rows, blocks, block}), f32);
  numbers =
      b.sub(numbers, zeros.rank() == 0 ? b.cast(zeros, f32) : align(zeros));
  numbers = b.mul(numbers, align(scales));
  return b.reshape(numbers, {rows, blocks * block});
}

Tensor onnx::keepPacked(GraphBuilder &b, const Tensor &x) {
  if (!x || !x.isConstant() || x.isEmpty())
    return x;
  Value value = b.materialize(x);
  return value ? Tensor(value) : Tensor();
}

static bool expectBytes(GraphBuilder &b, StringRef name, const Tensor &x) {
  if (!x || (x.elementType().isUnsignedInteger(8) && x.isPlain()))
    return bool(x);
  b.fail("expected " + name + " of UINT8, which hold several numbers each");
  return false;
}

static bool expectCount(GraphBuilder &b, StringRef name, const Tensor &x,
                        int64_t count) {
  if (!x || x.count() == count)
    return bool(x);
  b.fail("expected " + Twine(count) + " " + name + ", got the shape " +
         formatShape(x.shape()));
  return false;
}

/// The zero point of a block is the middle of the codes unless it is given:
/// packed like the codes, each row in bytes of its own, or as floats.
static Tensor readZeros(GraphBuilder &b, Tensor zeros, int64_t bits,
                        int64_t rows, int64_t blocks) {
  if (!zeros)
    return b.scalar(Float32Type::get(b.context()), double(1 << (bits - 1)));
  if (zeros.isFloat()) {
    if (!expectCount(b, "zero points", zeros, rows * blocks))
      return {};
    return b.reshape(zeros, {rows, blocks});
  }
  int64_t bytes = (blocks * bits + 7) / 8;
  if (!expectBytes(b, "zero points", zeros) ||
      !expectCount(b, "bytes of zero points", zeros, rows * bytes))
    return {};
  zeros = b.reshape(keepPacked(b, zeros), {rows, bytes});
  zeros = unpackRows(b, zeros, bits);
  return b.sliceDim(zeros, 1, 0, blocks);
}

static bool expectBits(GraphBuilder &b, int64_t bits) {
  if (bits == 2 || bits == 4 || bits == 8)
    return true;
  b.fail("expected the attribute 'bits' to be 2, 4 or 8, got " + Twine(bits));
  return false;
}

/// Large sizes would overflow products of them.
static constexpr int64_t largestSize = int64_t(1) << 31;

static bool expectSize(GraphBuilder &b, StringRef name, int64_t size) {
  if (size >= 1 && size < largestSize)
    return true;
  b.fail("expected the attribute '" + name +
         "' to be from 1 to 2^31 - 1, got " + Twine(size));
  return false;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Fails unless input 4 says that the codes are in order: element i of a row is
/// in block i / block.
static bool expectOrderedGroups(OpContext &op, GraphBuilder &b, int64_t block) {
  if (!op.has(4))
    return true;
  std::optional<Shape> groups = op.constantInts(4);
  if (!groups)
    return false;
  for (auto [i, group] : llvm::enumerate(*groups))
    if (group != int64_t(i) / block) {
      b.fail("expected group indices (g_idx) in order, " +
             Twine(int64_t(i) / block) + " at " + Twine(i) + ", got " +
             Twine(group) + "; weights that are reordered are not supported");
      return false;
    }
  return true;
}

static Tensors importMatMulNBits(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), packed = op.input(1), scales = op.input(2);
  Tensor zeros = op.optionalInput(3), bias = op.optionalInput(5);
  int64_t depth = op.attributes.getInt("K").value_or(0);
  int64_t rows = op.attributes.getInt("N").value_or(0);
  int64_t bits = op.attributes.getInt("bits").value_or(4);
  int64_t block = op.attributes.getInt("block_size").value_or(0);
  // The least precision of products that the model allows.
  op.attributes.getInt("accuracy_level");
  if (op.attributes.getInt("weight_prepacked").value_or(0) != 0)
    return {b.fail("weights in the order of a device are not supported")};
  if (!expectBits(b, bits) || !expectSize(b, "K", depth) ||
      !expectSize(b, "N", rows) || !expectSize(b, "block_size", block))
    return {};
  if (block * bits % 8 != 0)
    return {b.fail("expected the attribute 'block_size' to make whole bytes "
                   "of " +
                   Twine(bits) + " bits, got " + Twine(block))};
  int64_t blocks = (depth + block - 1) / block, bytes = block * bits / 8;
  if (!expectOrderedGroups(op, b, block) || !op.expectRank(x, 1) ||
      !expectBytes(b, "weights", packed) ||
      !expectShape(b, "weights", packed, {rows, blocks, bytes}) ||
      !expectCount(b, "scales", scales, rows * blocks))
    return {};
  if (!x.isFloat() || !scales.isFloat())
    return {b.fail("expected a left side and scales that are floats")};
  if (x.shape().back() != depth)
    return {b.fail("expected rows of the attribute 'K', " + Twine(depth) +
                   " elements, got the shape " + formatShape(x.shape()))};
  zeros = readZeros(b, zeros, bits, rows, blocks);
  Tensor codes = unpackRows(
      b, b.reshape(keepPacked(b, packed), {rows, blocks * bytes}), bits);
  Tensor weights = dequantizeRows(b, codes, scales, zeros, block);
  weights = b.permute(b.sliceDim(weights, 1, 0, depth), {1, 0});
  Type type = x.elementType();
  Tensor product =
      multiplyAsNumpy(b, b.cast(x, Float32Type::get(b.context())), weights);
  if (bias)
    product = addBias(b, product, b.cast(bias, product.elementType()));
  return {b.cast(product, type)};
}

/// Rows of a matrix like that of MatMulNBits, without a product. Elements of
/// INT4 and UINT4 are not packed in the graph.
static Tensors importGatherBlockQuantized(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1), scales = op.input(2);
  Tensor zeros = op.optionalInput(3);
  int64_t axis = op.attributes.getInt("gather_axis").value_or(0);
  int64_t blocked = op.attributes.getInt("quantize_axis").value_or(1);
  int64_t block = op.attributes.getInt("block_size").value_or(128);
  int64_t bits = op.attributes.getInt("bits").value_or(4);
  if (!expectBits(b, bits) || !expectSize(b, "block_size", block) ||
      !op.expectRank(x, 2, 2) || !op.expectElements(indices) ||
      !op.expectRank(scales, 2, 2))
    return {};
  if (!indices.isInteger() || !indices.isPlain() || !scales.isFloat())
    return {b.fail("expected indices that are integers and scales that are "
                   "floats")};
  if (zeros && getFormat(zeros) != getFormat(x))
    return {b.fail("expected zero points of the type of the data")};
  if (op.normalizeAxis(axis, 2) != 0 || op.normalizeAxis(blocked, 2) != 1)
    return {b.fail("only rows that have blocks along them are supported, "
                   "'gather_axis' 0 and 'quantize_axis' 1")};
  bool isPacked = x.isPlain();
  if (isPacked && !expectBytes(b, "data", x))
    return {};
  if (!isPacked && getFormat(x) != DataType::Int4 &&
      getFormat(x) != DataType::UInt4)
    return {b.fail("expected data of UINT8, INT4 or UINT4")};
  int64_t rows = x.dim(0), columns = x.dim(1) * (isPacked ? 8 / bits : 1);
  // One block that is not full is one of fewer elements.
  block = std::min(block, columns);
  int64_t blocks = (columns + block - 1) / block;
  if (!expectShape(b, "scales", scales, {rows, blocks}))
    return {};
  if (!isPacked)
    zeros = zeros ? withoutFormat(zeros)
                  : b.scalar(Float32Type::get(b.context()), 0);
  else
    zeros = readZeros(b, zeros, bits, rows, blocks);
  if (!zeros || (zeros.rank() != 0 &&
                 !expectShape(b, "zero points", zeros, {rows, blocks})))
    return {};
  Tensor taken = b.gather(keepPacked(b, withoutFormat(x)), indices, 0);
  auto takeRows = [&](Tensor parameters) {
    return b.gather(parameters, indices, 0);
  };
  if (b.hasFailed() || !taken)
    return {};
  Shape shape(indices.shape());
  int64_t found = countElements(shape);
  taken = b.reshape(taken, {found, x.dim(1)});
  Tensor codes = isPacked ? unpackRows(b, taken, bits) : taken;
  // A last block that is not full.
  int64_t padding = blocks * block - columns;
  if (padding > 0)
    codes = b.pad(codes, b.scalar(codes.elementType(), 0), {0, 0}, {0, padding},
                  {0, 0});
  Tensor numbers =
      dequantizeRows(b, codes, takeRows(scales),
                     zeros.rank() == 0 ? zeros : takeRows(zeros), block);
  shape.push_back(columns);
  return {b.cast(b.reshape(b.sliceDim(numbers, 1, 0, columns), shape),
                 scales.elementType())};
}

ArrayRef<OpDefinition> onnx::getBlockWeightOps() {
  static constexpr OpDefinition ops[] = {
      {"GatherBlockQuantized", importGatherBlockQuantized, 1, "com.microsoft",
       Takes::Formats},
      {"MatMulNBits", importMatMulNBits, 1, "com.microsoft"},
  };
  return ops;
}
