//===- Shape.cpp - Shapes, types and constants ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Tensors importConstant(OpContext &op, GraphBuilder &b) {
  MLIRContext *context = b.context();
  Attributes &attributes = op.attributes;
  Type f32 = Float32Type::get(context);
  if (const TensorProto *value = attributes.getTensor("value"))
    return {op.readTensor(*value)};
  if (auto value = attributes.getFloat("value_float"))
    return {b.scalar(f32, *value)};
  if (auto value = attributes.getInt("value_int"))
    return {b.constant({*value}, {})};
  if (auto values = attributes.getInts("value_ints"))
    return {b.constant(*values)};
  if (auto values = attributes.getFloats("value_floats")) {
    ReferenceTensor tensor(RankedTensorType::get(values->size(), f32));
    llvm::copy(*values, tensor.f32.begin());
    return {Tensor(std::move(tensor))};
  }
  return {b.fail("expected a constant that is a tensor, a number or a list of "
                 "numbers")};
}

static Tensors importConstantOfShape(OpContext &op, GraphBuilder &b) {
  std::optional<Shape> shape = op.constantInts(0);
  Tensor value = b.scalar(Float32Type::get(b.context()), 0);
  if (const TensorProto *given = op.attributes.getTensor("value"))
    value = op.readTensor(*given);
  DataType format = getFormat(value);
  value = withoutFormat(value);
  if (!shape || !value || !op.checkShape(*shape))
    return {};
  if (value.count() != 1)
    return {b.fail("expected one element in the attribute 'value', got " +
                   Twine(value.count()))};
  return {withFormat(b.broadcast(b.reshape(value, {}), *shape), format)};
}

static Tensors importIdentity(OpContext &op, GraphBuilder &b) {
  return {op.input(0)};
}

/// A tensor that is there is its own optional.
static Tensors importOptional(OpContext &op, GraphBuilder &b) {
  if (!op.has(0))
    return {b.fail("optionals without an element are not supported")};
  return {op.input(0)};
}

static Tensors importHasElement(OpContext &op, GraphBuilder &b) {
  Type type = IntegerType::get(b.context(), 1);
  return {b.scalar(type, op.optionalInput(0) ? 1 : 0)};
}

/// The numbers from a start on below a limit, in steps.
static Tensors importRange(OpContext &op, GraphBuilder &b) {
  op.attributes.getInt("stash_type");
  auto start = op.constantFloats(0), limit = op.constantFloats(1),
       step = op.constantFloats(2);
  if (!start || !limit || !step)
    return {};
  if (start->size() != 1 || limit->size() != 1 || step->size() != 1)
    return {b.fail("expected a start, a limit and a step that are scalars")};
  if (step->front() == 0)
    return {b.fail("expected a step other than 0")};
  double count = std::ceil((limit->front() - start->front()) / step->front());
  Type type = op.input(0).elementType();
  if (!(count > 0))
    return {b.empty({0}, type)};
  if (!(count < double(int64_t(1) << 47)))
    return {b.fail("expected fewer than 2^47 elements")};
  Tensor index = b.cast(b.iota({int64_t(count)}, 0), type);
  return {b.add(b.mul(index, step->front()), start->front())};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `x`, of any elements, as elements of that type.
static Tensor convert(OpContext &op, GraphBuilder &b, Tensor x, DataType type) {
  FloatRounding rounding;
  rounding.saturates = op.attributes.getInt("saturate").value_or(1) != 0;
  rounding.mode = op.attributes.getString("round_mode").value_or("up");
  if (!expectOneOf(b, "round_mode", rounding.mode, {"down", "nearest", "up"}) ||
      !x || (type != DataType::Undefined && getFormat(x) == type))
    return x;
  x = decode(b, x);
  if (isFloatFormat(type))
    return encodeFloats(b, x, type, rounding);
  if (isFormat(type))
    return encodeIntegers(b, x, type);
  Type element = op.getElementType(int64_t(type));
  return element ? b.cast(x, element) : Tensor();
}

static Tensors importCast(OpContext &op, GraphBuilder &b) {
  std::optional<int64_t> to = op.attributes.getInt("to");
  if (!to)
    return {b.fail("expected an attribute 'to', got none")};
  return {convert(op, b, op.input(0), DataType(*to))};
}

static Tensors importCastLike(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), like = op.input(1);
  if (like && !like.isPlain())
    return {convert(op, b, x, getFormat(like))};
  op.attributes.getInt("saturate");
  op.attributes.getString("round_mode");
  return {x && like ? b.cast(decode(b, x), like.elementType()) : Tensor()};
}

/// The same bits as elements of another type. A float of 8 bits is a byte.
static Tensors importBitCast(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  DataType to = DataType(op.attributes.getInt("to").value_or(0));
  for (DataType type : {getFormat(x), to})
    if (isFormat(type) && getFormatBits(type) < 8)
      return {b.fail("casts of the bits of " + getDataTypeName(type) +
                     " are not supported")};
  Type type = isFormat(to) ? getStorageType(b.context(), to)
                           : op.getElementType(int64_t(to));
  if (!type || !x)
    return {};
  x = withoutFormat(x);
  // A boolean is a byte in memory.
  Type byte = IntegerType::get(b.context(), 8, IntegerType::Unsigned);
  if (x.isBool() && type.getIntOrFloatBitWidth() == 8)
    x = b.cast(x, byte);
  if (type.isInteger(1) && x.elementType().getIntOrFloatBitWidth() == 8)
    return {b.cast(x, type)};
  if (!x || x.elementType() == type)
    return {withFormat(x, isFormat(to) ? to : DataType::Undefined)};
  if (x.isEmpty())
    return {withFormat(b.empty(x.shape(), type),
                       isFormat(to) ? to : DataType::Undefined)};
  Tensor result = b.bitcast(x, type);
  return {withFormat(result, isFormat(to) ? to : DataType::Undefined)};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static Tensors importShape(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t rank = x.rank();
  auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  int64_t start = clamp(op.attributes.getInt("start").value_or(0));
  int64_t end = clamp(op.attributes.getInt("end").value_or(rank));
  return {
      b.constant(x.shape().slice(start, std::max<int64_t>(end - start, 0)))};
}

static Tensors importSize(OpContext &op, GraphBuilder &b) {
  return {b.constant({op.input(0).count()}, {})};
}

//===----------------------------------------------------------------------===//
// Other shapes of the same elements
//===----------------------------------------------------------------------===//

static Tensors importReshape(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> given = op.constantInts(1);
  bool allowsZero = op.attributes.getInt("allowzero").value_or(0) != 0;
  if (!x || !given)
    return {};
  Shape shape = *given;
  auto failShape = [&]() -> Tensors {
    return {b.fail("expected a shape of the " + Twine(x.count()) +
                   " elements of " + formatShape(x.shape()) + ", got " +
                   formatShape(*given))};
  };
  int64_t known = 1;
  std::optional<size_t> inferred;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allowsZero) {
      if (i >= size_t(x.rank()))
        return failShape();
      shape[i] = x.dim(i);
    }
    if (shape[i] == -1 && !inferred)
      inferred = i;
    else if (shape[i] < 0 || llvm::MulOverflow(known, shape[i], known))
      return failShape();
  }
  if (inferred) {
    if (known == 0 || x.count() % known != 0)
      return failShape();
    shape[*inferred] = x.count() / known;
    known *= shape[*inferred];
  }
  if (known != x.count())
    return failShape();
  return {b.reshape(x, shape)};
}

static Tensors importFlatten(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t axis = op.attributes.getInt("axis").value_or(1);
  if (axis != x.rank())
    axis = op.normalizeAxis(axis, x.rank());
  if (b.hasFailed())
    return {};
  int64_t rows = 1, columns = 1;
  for (auto [i, size] : llvm::enumerate(x.shape()))
    (int64_t(i) < axis ? rows : columns) *= size;
  return {b.reshape(x, {rows, columns})};
}

/// The axes of Squeeze and Unsqueeze: an attribute at first, then an input.
static std::optional<Shape> getAxes(OpContext &op) {
  if (op.version < 13)
    return op.attributes.getInts("axes");
  return op.has(1) ? op.constantInts(1) : std::nullopt;
}

static Tensors importSqueeze(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> given = getAxes(op);
  if (b.hasFailed())
    return {};
  Shape axes, shape;
  if (given)
    axes = op.normalizeAxes(*given, x.rank());
  for (auto [i, size] : llvm::enumerate(x.shape())) {
    bool isDropped = given ? llvm::is_contained(axes, int64_t(i)) : size == 1;
    if (isDropped && size != 1)
      return {b.fail("expected dimension " + Twine(i) + " of " +
                     formatShape(x.shape()) + " to be 1")};
    if (!isDropped)
      shape.push_back(size);
  }
  return {b.hasFailed() ? Tensor() : b.reshape(x, shape)};
}

static Tensors importUnsqueeze(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> given = getAxes(op);
  if (!given && !b.hasFailed())
    b.fail("expected axes, got none");
  if (b.hasFailed())
    return {};
  int64_t rank = x.rank() + given->size();
  Shape axes = op.normalizeAxes(*given, rank), shape;
  for (int64_t i = 0, next = 0; i < rank && !b.hasFailed(); ++i)
    shape.push_back(llvm::is_contained(axes, i) ? 1 : x.dim(next++));
  return {b.hasFailed() ? Tensor() : b.reshape(x, shape)};
}

static Tensors importTranspose(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<SmallVector<int64_t>> permutation =
      op.attributes.getInts("perm");
  if (!permutation)
    permutation =
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, x.rank())));
  // Unlike axes, these do not count from the end.
  Shape sorted(*permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, x.rank())))
    return {b.fail("expected the attribute 'perm' to be a permutation of the "
                   "dimensions of " +
                   formatShape(x.shape()) + " from 0 on, got " +
                   formatList(*permutation))};
  return {b.permute(x, *permutation)};
}

static Tensors importExpand(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> shape = op.constantInts(1);
  if (!x || !shape || !op.checkShape(*shape))
    return {};
  std::optional<Shape> result = getBroadcastShape(x.shape(), *shape);
  if (!result)
    return {b.fail("expected a shape that " + formatShape(x.shape()) +
                   " can be broadcast to, got " + formatShape(*shape))};
  return {b.broadcast(x, *result)};
}

ArrayRef<OpDefinition> onnx::getShapeOps() {
  static constexpr OpDefinition ops[] = {
      {"BitCast", importBitCast, 26, "", Takes::Formats},
      {"Cast", importCast, 28, "", Takes::Formats},
      {"CastLike", importCastLike, 25, "", Takes::Formats},
      {"Constant", importConstant, 25},
      {"ConstantOfShape", importConstantOfShape, 25},
      {"Expand", importExpand, 13, "", Takes::Bits},
      {"Flatten", importFlatten, 25, "", Takes::Bits},
      {"Identity", importIdentity, 25, "", Takes::All},
      {"Optional", importOptional, 28, "", Takes::All},
      {"OptionalGetElement", importOptional, 28, "", Takes::All},
      {"OptionalHasElement", importHasElement, 28, "", Takes::All},
      {"Range", importRange, 27},
      {"Reshape", importReshape, 25, "", Takes::Bits},
      {"Shape", importShape, 25, "", Takes::Formats},
      {"Size", importSize, 25, "", Takes::Formats},
      {"Squeeze", importSqueeze, 25, "", Takes::Bits},
      {"Transpose", importTranspose, 25, "", Takes::Bits},
      {"Unsqueeze", importUnsqueeze, 25, "", Takes::Bits},
  };
  return ops;
}
