//===- Random.cpp - Numbers that a seed decides -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

/// A program has no state that a model does not give it, so it cannot make up a
/// seed: all its runs draw the same numbers.
static void failWithoutSeed(GraphBuilder &b) {
  b.fail("random numbers without a seed are not supported: expected an "
         "attribute 'seed', got none; each run draws the numbers of that "
         "seed");
}

/// The generator with that key, from the first block on.
static Tensor makeGenerator(GraphBuilder &b, int64_t key) {
  Type word = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
  return b.cast(b.constant({key, 0, 0}, {3}), word);
}

/// A generator with the bits of the attribute, a float, as key; null after a
/// failure.
static Tensor readSeed(OpContext &op, GraphBuilder &b) {
  std::optional<double> seed = op.attributes.getFloat("seed");
  if (seed)
    return makeGenerator(b, llvm::bit_cast<uint32_t>(float(*seed)));
  failWithoutSeed(b);
  return {};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Numbers of [0, 1).
static Tensor drawUniform(GraphBuilder &b, Tensor generator,
                          ArrayRef<int64_t> shape, Type type,
                          int64_t offset = 0) {
  if (llvm::is_contained(shape, 0))
    return b.empty(shape, type);
  return compose(b, compositions::RandomUniform{.generator = generator,
                                                .shape = shape,
                                                .type = type,
                                                .offset = offset});
}

static Tensor drawNormal(GraphBuilder &b, Tensor generator,
                         ArrayRef<int64_t> shape, Type type, double mean,
                         double scale) {
  if (llvm::is_contained(shape, 0))
    return b.empty(shape, type);
  return compose(b, compositions::RandomNormal{.generator = generator,
                                               .shape = shape,
                                               .type = type,
                                               .mean = mean,
                                               .std = scale});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

struct Draw {
  Tensor generator;
  Shape shape;
  Type type;
};

} // namespace

/// The seed, shape and type of a node: those of its input, which may leave the
/// type to the attribute, or of its attributes.
static std::optional<Draw> readDraw(OpContext &op, GraphBuilder &b,
                                    bool isLike) {
  Tensor generator = readSeed(op, b);
  std::optional<int64_t> dataType = op.attributes.getInt("dtype");
  Tensor like = isLike ? op.input(0) : Tensor();
  std::optional<Shape> shape;
  if (isLike)
    shape = Shape(like.shape());
  else
    shape = op.attributes.getInts("shape");
  if (!shape)
    b.fail("expected an attribute 'shape', got none");
  Type type = dataType         ? op.getElementType(*dataType)
              : like.isFloat() ? like.elementType()
                               : Float32Type::get(b.context());
  if (!b.hasFailed() && !isa<FloatType>(type))
    b.fail("expected the attribute 'dtype' to be a float");
  if (b.hasFailed() || !op.checkShape(*shape))
    return std::nullopt;
  return Draw{generator, *shape, type};
}

template <bool isLike>
static Tensors importUniform(OpContext &op, GraphBuilder &b) {
  double low = op.attributes.getFloat("low").value_or(0);
  double high = op.attributes.getFloat("high").value_or(1);
  std::optional<Draw> draw = readDraw(op, b, isLike);
  if (!draw)
    return {};
  Tensor x = drawUniform(b, draw->generator, draw->shape, draw->type);
  return {low == 0 && high == 1 ? x : b.add(b.mul(x, high - low), low)};
}

template <bool isLike>
static Tensors importNormal(OpContext &op, GraphBuilder &b) {
  double mean = op.attributes.getFloat("mean").value_or(0);
  double scale = op.attributes.getFloat("scale").value_or(1);
  std::optional<Draw> draw = readDraw(op, b, isLike);
  if (!draw)
    return {};
  return {drawNormal(b, draw->generator, draw->shape, draw->type, mean, scale)};
}

static Tensors importBernoulli(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<int64_t> dataType = op.attributes.getInt("dtype");
  Tensor generator = readSeed(op, b);
  Type type = dataType ? op.getElementType(*dataType) : x.elementType();
  if (b.hasFailed() || !x || !x.isFloat())
    return {b.fail("expected probabilities that are floats")};
  Tensor chance = toComputed(b, x);
  Tensor drawn = drawUniform(b, generator, x.shape(), chance.elementType());
  return {b.cast(b.lt(drawn, chance), type)};
}

/// `x` are logarithms of what each class is worth: rows x classes.
static Tensors importMultinomial(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t samples = op.attributes.getInt("sample_size").value_or(1);
  Type type = op.getElementType(op.attributes.getInt("dtype").value_or(6));
  Tensor generator = readSeed(op, b);
  if (b.hasFailed() || !op.expectRank(x, 2, 2) ||
      !op.checkShape({x.dim(0), samples, x.dim(1)}))
    return {};
  if (samples < 1)
    return {b.fail("expected an attribute 'sample_size' of at least 1, got " +
                   Twine(samples))};
  int64_t rows = x.dim(0), classes = x.dim(1);
  x = toComputed(b, x);
  Tensor worth =
      b.exp(b.sub(x, b.reduce(Combiner::Max, x, 1, /*keepDims=*/true)));
  Tensor sums = b.cumsum(worth, 1, /*isExclusive=*/false, /*isReverse=*/false);
  Tensor drawn =
      b.mul(drawUniform(b, generator, {rows, samples}, x.elementType()),
            b.sliceDim(sums, 1, classes - 1, 1));
  // The first class whose sum is beyond the number that was drawn.
  Tensor isBelow =
      b.le(b.broadcast(addDim(b, sums, 1), {rows, samples, classes}),
           addDim(b, drawn, 2));
  Tensor index =
      b.reduce(Combiner::Sum, b.cast(isBelow, type), 2, /*keepDims=*/false);
  return {b.min(index, b.scalar(type, double(classes - 1)))};
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Returns whether elements are dropped: none are if the model is not trained,
/// or with a ratio of 0. A training step drops them unless the node forbids it.
static bool dropsElements(OpContext &op, GraphBuilder &b) {
  bool isStep = op.training == OnnxTraining::Step;
  if (op.version < 12)
    return isStep && op.attributes.getFloat("ratio").value_or(0.5f) != 0;
  Tensor ratio = op.optionalInput(1), trains = op.optionalInput(2);
  if (op.training == OnnxTraining::Inference || (!trains && !isStep))
    return false;
  if (trains && !op.expectConstant(2))
    return false;
  if (trains && (!trains.isBool() || trains.count() != 1)) {
    b.fail("expected input 2 to be a boolean");
    return false;
  }
  if (trains && trains.elements().i64.front() == 0)
    return false;
  if (!ratio)
    return true;
  if (ratio.count() != 1 || !ratio.isFloat()) {
    b.fail("expected input 1 to be a float");
    return false;
  }
  return !ratio.isConstant() || op.constantFloats(1)->front() != 0;
}

/// Numbers for `x`: those of the seed in each run, or others in each run.
static Tensor drawForDropout(OpContext &op, GraphBuilder &b, Tensor x,
                             Type type) {
  if (std::optional<int64_t> seed = op.attributes.getInt("seed"))
    return drawUniform(b, makeGenerator(b, *seed), x.shape(), type);
  int64_t words = type.isF64() ? 2 : 1;
  auto [generator, offset] =
      b.takeRandomBlocks(words * llvm::divideCeil(x.count(), 4));
  return generator ? drawUniform(b, generator, x.shape(), type, offset)
                   : Tensor();
}

/// Before opset 12 an attribute, then an input.
static Tensor readRatio(OpContext &op, GraphBuilder &b) {
  if (Tensor ratio = op.version >= 12 ? op.optionalInput(1) : Tensor())
    return toComputed(b, b.reshape(ratio, {}));
  std::optional<double> given;
  if (op.version < 12)
    given = op.attributes.getFloat("ratio");
  return b.scalar(Float32Type::get(b.context()), given.value_or(0.5));
}

/// Keeps each element with the probability `1 - ratio`, and divides it by that.
static Tensors dropElements(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), ratio = readRatio(op, b);
  if (!ratio || !x)
    return {};
  Tensor drawn = drawForDropout(op, b, x, ratio.elementType());
  if (!drawn)
    return {};
  Tensor isKept = b.ge(drawn, ratio);
  Tensor one = b.scalar(ratio.elementType(), 1);
  Tensor scale = b.div(one, b.sub(one, ratio));
  Tensor scaled =
      b.mul(toComputed(b, x), b.cast(scale, toComputed(b, x).elementType()));
  Tensor none = b.scalar(x.elementType(), 0);
  return {b.select(isKept, b.cast(scaled, x.elementType()), none), isKept};
}

static Tensors importDropout(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (dropsElements(op, b))
    return dropElements(op, b);
  if (op.version >= 12)
    op.attributes.getInt("seed");
  else
    op.attributes.getFloat("ratio");
  Tensor all = b.scalar(IntegerType::get(b.context(), 1), 1);
  return {x, b.broadcast(all, x.shape())};
}

ArrayRef<OpDefinition> onnx::getRandomOps() {
  static constexpr OpDefinition ops[] = {
      {"Bernoulli", importBernoulli, 22},
      {"Dropout", importDropout, 22},
      {"Multinomial", importMultinomial, 22},
      {"RandomNormal", importNormal<false>, 22},
      {"RandomNormalLike", importNormal<true>, 22},
      {"RandomUniform", importUniform<false>, 22},
      {"RandomUniformLike", importUniform<true>, 22},
  };
  return ops;
}
