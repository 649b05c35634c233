//===- Quantization.cpp - Numbers as small integers -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "Checks.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/Elements.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

/// Where the parameters of a node apply.
struct Placement {
  int64_t axis = 1, block = 0;
};

/// Returns whether all blocks of `x` are full.
static bool hasFullBlocks(const Tensor &x, Placement placement) {
  auto [axis, block] = placement;
  axis += axis < 0 ? x.rank() : 0;
  return block > 0 && axis >= 0 && axis < x.rank() && x.dim(axis) > 0 &&
         x.dim(axis) % block == 0;
}

/// `x` with a dimension of its own for the elements of each block, which are
/// full. Parameters of blocks are then repeated by a product itself, and those
/// of weights stay as small as they are stored.
static Tensor splitBlocks(GraphBuilder &b, Tensor x, Placement placement) {
  auto [axis, block] = placement;
  axis += axis < 0 ? x.rank() : 0;
  Shape shape(x.shape());
  shape[axis] /= block;
  shape.insert(shape.begin() + axis + 1, block);
  return b.reshape(x, shape);
}

/// One number for each block of `size` along `axis`, as one for each element.
static Tensor repeatBlocks(GraphBuilder &b, Tensor x, int64_t axis,
                           int64_t size, int64_t length) {
  Tensor spread = addDim(b, x, axis + 1);
  Shape repeated(spread.shape()), joined(x.shape());
  repeated[axis + 1] = size;
  joined[axis] *= size;
  x = b.reshape(b.broadcast(spread, repeated), joined);
  return b.sliceDim(x, axis, 0, length);
}

/// Scales or zero points in a shape that repeats them over `x`: one for all,
/// one for each index of the axis, or one for each block. With `isSplit`, over
/// `x` as splitBlocks returns it.
static Tensor alignParameters(OpContext &op, GraphBuilder &b, Tensor parameters,
                              const Tensor &x, Placement placement,
                              bool isSplit = false) {
  auto [axis, block] = placement;
  if (!parameters || parameters.count() == 1)
    return parameters ? b.reshape(parameters, {}) : Tensor();
  axis = op.normalizeAxis(axis, x.rank());
  if (b.hasFailed())
    return {};
  Shape expected(x.shape());
  if (block > 0) {
    if (block > x.dim(axis))
      return b.fail("expected the attribute 'block_size' to be at most " +
                    Twine(x.dim(axis)) + ", got " + Twine(block));
    expected[axis] = (x.dim(axis) + block - 1) / block;
    if (!expectShape(b, "parameters", parameters, expected))
      return {};
    if (isSplit)
      return addDim(b, parameters, axis + 1);
    return repeatBlocks(b, parameters, axis, block, x.dim(axis));
  }
  if (!expectShape(b, "parameters", parameters, {x.dim(axis)}))
    return {};
  Shape aligned(x.rank(), 1);
  aligned[axis] = x.dim(axis);
  return b.reshape(parameters, aligned);
}

static Placement readPlacement(OpContext &op) {
  Placement placement;
  if (op.version >= 13)
    placement.axis = op.attributes.getInt("axis").value_or(1);
  if (op.version >= 21)
    placement.block = op.attributes.getInt("block_size").value_or(0);
  return placement;
}

/// The type that an attribute names; `standard` if it names none.
static Type readType(OpContext &op, StringRef attribute, Type standard) {
  int64_t type = op.attributes.getInt(attribute).value_or(0);
  return type == 0 ? standard : op.getElementType(type);
}

//===----------------------------------------------------------------------===//
// One number at a time
//===----------------------------------------------------------------------===//

static Type getByteType(GraphBuilder &b) {
  return IntegerType::get(b.context(), 8, IntegerType::Unsigned);
}

/// The element type of a quantized tensor: one of the two.
struct QuantizedType {
  Type type;
  DataType format = DataType::Undefined;
};

/// That of the zero point, or of the attribute.
static QuantizedType readQuantizedType(OpContext &op, GraphBuilder &b,
                                       const Tensor &zero) {
  QuantizedType type = {zero ? zero.elementType() : getByteType(b),
                        getFormat(zero)};
  if (op.version < 21)
    return type;
  DataType given = DataType(op.attributes.getInt("output_dtype").value_or(0));
  if (isFormat(given))
    return {{}, given};
  if (given != DataType::Undefined)
    return {readType(op, "output_dtype", {})};
  return type;
}

/// Whole numbers, rounded to those that the type has.
static Tensor saturate(GraphBuilder &b, Tensor x, QuantizedType type) {
  if (type.format == DataType::Undefined)
    return b.cast(x, type.type);
  if (!x)
    return {};
  auto [least, most] = getFormatRange(type.format);
  x = b.max(x, double(least));
  x = b.min(x, double(most));
  return encodeIntegers(b, x, type.format);
}

static Tensors importQuantizeLinear(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), zero = op.optionalInput(2);
  Placement placement = readPlacement(op);
  FloatRounding rounding;
  if (op.version >= 19)
    rounding.saturates = op.attributes.getInt("saturate").value_or(1) != 0;
  QuantizedType type = readQuantizedType(op, b, zero);
  Type computed = scale.elementType();
  if (op.version >= 23)
    computed = readType(op, "precision", computed);
  if (b.hasFailed() || !x || !scale)
    return {};
  bool isInteger = type.format != DataType::Undefined ||
                   isa_and_nonnull<IntegerType>(type.type);
  if (!isa<FloatType>(computed) || !isInteger)
    return {b.fail("expected a scale that is a float and integers as the "
                   "result")};
  zero = decode(b, zero);
  auto align = [&](Tensor parameters) {
    return alignParameters(op, b, parameters, x, placement);
  };
  Tensor ratio = b.div(b.cast(x, computed), align(b.cast(scale, computed)));
  if (isFloatFormat(type.format)) {
    if (zero)
      ratio = b.add(ratio, b.cast(align(zero), computed));
    return {encodeFloats(b, ratio, type.format, rounding)};
  }
  Tensor rounded = b.round(toComputed(b, ratio));
  if (zero)
    rounded = b.add(rounded, b.cast(align(zero), rounded.elementType()));
  return {saturate(b, rounded, type)};
}

/// Codes without a sign, and the code of 0.
struct PackedCodes {
  Tensor codes;
  int64_t zero = 0;
};

/// Integers of 4 and 2 bits that a file holds, as the program reads them from
/// its bytes. None if input `i` has other elements.
static PackedCodes readPacked(OpContext &op, GraphBuilder &b, unsigned i) {
  DataType format = getFormat(op.optionalInput(i));
  Tensor packed = op.packedInput(i);
  if (!packed || isFloatFormat(format))
    return {};
  Tensor codes = unpackRows(b, keepPacked(b, packed), getFormatBits(format));
  int64_t zero = -getFormatRange(format).first;
  // Two's complement with the other sign bit.
  if (codes && zero != 0)
    codes = b.bitXor(codes, b.scalar(codes.elementType(), double(zero)));
  return {codes, zero};
}

/// The zero points less that of `codes`. Different ones stay packed, so that
/// kernels know how few bits they have.
static Tensor readZeros(OpContext &op, GraphBuilder &b,
                        const PackedCodes &codes) {
  Tensor zeros = decode(b, op.optionalInput(2));
  if (!zeros || !codes.codes)
    return zeros;
  bool isOne = zeros.isConstant() &&
               zeros.elements().withElements([](const auto &elements) {
                 return llvm::all_equal(elements);
               });
  PackedCodes packed = isOne ? PackedCodes{} : readPacked(op, b, 2);
  if (packed.codes || codes.zero == 0)
    return packed.codes ? packed.codes : zeros;
  return b.add(b.cast(zeros, codes.codes.elementType()), double(codes.zero));
}

static Tensors importDequantizeLinear(OpContext &op, GraphBuilder &b) {
  PackedCodes packed = readPacked(op, b, 0);
  Tensor x = packed.codes ? packed.codes : decode(b, op.input(0));
  Tensor scale = op.input(1), zero = readZeros(op, b, packed);
  Placement placement = readPlacement(op);
  Type type = scale.elementType();
  if (op.version >= 23)
    type = readType(op, "output_dtype", type);
  if (b.hasFailed() || !x || !scale)
    return {};
  bool isSplit = hasFullBlocks(x, placement);
  auto align = [&](Tensor parameters) {
    return toComputed(
        b, alignParameters(op, b, parameters, x, placement, isSplit));
  };
  Tensor difference = toComputed(b, isSplit ? splitBlocks(b, x, placement) : x);
  // NOTE: sums of codes and zero points are exact.
  if (zero)
    difference = b.sub(difference, align(zero));
  else if (packed.zero)
    difference = b.sub(difference, double(packed.zero));
  Tensor numbers = b.cast(b.mul(difference, align(scale)), type);
  return {isSplit ? b.reshape(numbers, x.shape()) : numbers};
}

DynamicQuantization onnx::quantizeDynamically(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  Shape all = getDimRange(0, x.rank());
  Tensor none = b.scalar(x.elementType(), 0);
  Tensor most =
      b.max(b.reduce(Combiner::Max, x, all, /*keepDims=*/false), none);
  Tensor least =
      b.min(b.reduce(Combiner::Min, x, all, /*keepDims=*/false), none);
  // All numbers may be 0.
  Tensor range = b.sub(most, least);
  range = b.select(b.eq(range, none), b.scalar(x.elementType(), 1), range);
  DynamicQuantization q;
  q.scale = b.div(range, 255.0);
  auto clamp = [&](Tensor x) {
    x = b.max(x, none);
    return b.min(x, double(255));
  };
  q.zeroPoint = b.round(clamp(b.neg(b.div(least, q.scale))));
  q.values = clamp(b.add(b.round(b.div(x, q.scale)), q.zeroPoint));
  return q;
}

static Tensors importDynamicQuantizeLinear(OpContext &op, GraphBuilder &b) {
  DynamicQuantization q = quantizeDynamically(b, op.input(0));
  Type byte = getByteType(b);
  return {b.cast(q.values, byte), q.scale, b.cast(q.zeroPoint, byte)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Tensor onnx::subtractZeroPoint(OpContext &op, GraphBuilder &b, Tensor x,
                               unsigned input, int64_t dim) {
  Type wide = IntegerType::get(b.context(), 32);
  Tensor zero = op.optionalInput(input);
  x = b.cast(x, wide);
  if (!zero || !x)
    return x;
  if (zero.count() == 1)
    return b.sub(x, b.reshape(b.cast(zero, wide), {}));
  if (zero.rank() == 1 && dim >= 0 && dim < x.rank()) {
    if (!expectShape(b, "zero points", zero, {x.dim(dim)}))
      return {};
    Shape aligned(x.rank(), 1);
    aligned[dim] = x.dim(dim);
    zero = b.reshape(zero, aligned);
  }
  return b.sub(x, b.cast(zero, wide));
}

Tensor onnx::requantize(GraphBuilder &b, Tensor sum, Tensor scale,
                        Tensor zeroPoint, Type like) {
  if (!sum || !scale)
    return {};
  Type f32 = Float32Type::get(b.context());
  Tensor x = b.round(b.mul(b.cast(sum, f32), b.cast(scale, f32)));
  if (zeroPoint)
    x = b.add(x, b.cast(zeroPoint, f32));
  return b.cast(x, zeroPoint ? zeroPoint.elementType() : like);
}

/// Zero points of rows on the left, of columns on the right.
static Tensors importMatMulInteger(OpContext &op, GraphBuilder &b) {
  Tensor l = op.input(0), r = op.input(1);
  l = subtractZeroPoint(op, b, l, 2, l.rank() - 2);
  r = subtractZeroPoint(op, b, r, 3, r.rank() - 1);
  return {multiplyAsNumpy(b, l, r)};
}

static Tensors importQLinearMatMul(OpContext &op, GraphBuilder &b) {
  Tensor l = op.input(0), r = op.input(3);
  Type type = l.elementType();
  l = subtractZeroPoint(op, b, l, 2, l.rank() - 2);
  r = subtractZeroPoint(op, b, r, 5, r.rank() - 1);
  Tensor leftScale = op.input(1);
  if (leftScale && leftScale.rank() == 1 && leftScale.count() > 1)
    leftScale = addDim(b, leftScale, 1);
  Tensor scale = b.div(b.mul(leftScale, op.input(4)), op.input(6));
  return {requantize(b, multiplyAsNumpy(b, l, r), scale, op.input(7), type)};
}

ArrayRef<OpDefinition> onnx::getQuantizationOps() {
  static constexpr OpDefinition ops[] = {
      {"DequantizeLinear", importDequantizeLinear, 28, "", Takes::Formats},
      {"DynamicQuantizeLinear", importDynamicQuantizeLinear, 11},
      {"MatMulInteger", importMatMulInteger, 10},
      {"QLinearMatMul", importQLinearMatMul, 21},
      {"QuantizeLinear", importQuantizeLinear, 28, "", Takes::Formats},
  };
  return ops;
}
