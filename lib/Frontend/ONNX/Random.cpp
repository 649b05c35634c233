//===- Random.cpp - Numbers that a seed decides -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

namespace {

/// 64 bits that choose a sequence of random numbers.
struct Seed {
  uint32_t low = 0, high = 0;
};

} // namespace

/// A program has no state that a model does not give it, so it cannot make up a
/// seed: all its runs draw the same numbers.
static void failWithoutSeed(GraphBuilder &b) {
  b.fail("random numbers without a seed are not supported: expected an "
         "attribute 'seed', got none; each run draws the numbers of that "
         "seed");
}

/// The bits of the attribute, a float; none after a failure.
static std::optional<Seed> readSeed(OpContext &op, GraphBuilder &b) {
  std::optional<double> seed = op.attributes.getFloat("seed");
  if (seed)
    return Seed{llvm::bit_cast<uint32_t>(float(*seed)), 0};
  failWithoutSeed(b);
  return std::nullopt;
}

static std::optional<Seed> readIntegerSeed(OpContext &op, GraphBuilder &b) {
  std::optional<int64_t> seed = op.attributes.getInt("seed");
  if (seed)
    return Seed{uint32_t(*seed), uint32_t(uint64_t(*seed) >> 32)};
  failWithoutSeed(b);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static Tensor rotateLeft(GraphBuilder &b, Tensor x, int bits) {
  Type type = x.elementType();
  return b.bitOr(b.shiftLeft(x, b.scalar(type, bits)),
                 b.shiftRight(x, b.scalar(type, 32 - bits)));
}

/// Threefry-2x32 with 20 rounds, of Salmon et al., Parallel random numbers: as
/// easy as 1, 2, 3, SC 2011: two words for each element, of the counter
/// {element, 0} and the seed as key. It needs nothing but additions, rotations
/// and exclusive ors, so the words are the same wherever they are computed.
static std::pair<Tensor, Tensor> drawWords(GraphBuilder &b, Seed seed,
                                           ArrayRef<int64_t> shape) {
  constexpr int rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[] = {seed.low, seed.high,
                           0x1BD11BDA ^ seed.low ^ seed.high};
  Type word = IntegerType::get(b.context(), 32, IntegerType::Unsigned);
  auto key = [&](int i) { return b.scalar(word, keys[i % 3]); };
  int64_t count = countElements(shape);
  if (count >= int64_t(1) << 32)
    return {
        b.fail("expected fewer than 2^32 random numbers, got " + Twine(count)),
        {}};
  Tensor low = b.add(b.reshape(b.count(count, word), shape), key(0));
  Tensor high = key(1);
  for (int round = 0; round < 20; ++round) {
    low = b.add(low, high);
    high = b.bitXor(rotateLeft(b, high, rotations[round % 8]), low);
    if (round % 4 != 3)
      continue;
    int injection = round / 4 + 1;
    low = b.add(low, key(injection));
    high = b.add(b.add(high, key(injection + 1)), double(injection));
  }
  return {low, high};
}

/// The `bits` upper bits of 32, as a float times 2^-`bits`.
static Tensor scaleWord(GraphBuilder &b, Tensor word, int bits, Type type) {
  if (!word)
    return {};
  Tensor upper = b.shiftRight(word, b.scalar(word.elementType(), 32 - bits));
  return b.mul(b.cast(upper, type), std::ldexp(1.0, -bits));
}

/// Numbers of [0, 1): all multiples of 2^-p are equally likely, where p is the
/// precision of `type`.
static Tensor drawUniform(GraphBuilder &b, Seed seed, ArrayRef<int64_t> shape,
                          Type type) {
  if (llvm::is_contained(shape, 0))
    return b.empty(shape, type);
  auto [low, high] = drawWords(b, seed, shape);
  int precision = cast<FloatType>(type).getFPMantissaWidth();
  if (precision <= 32)
    return scaleWord(b, low, precision, type);
  Tensor rest = scaleWord(b, high, precision - 32, type);
  return b.add(scaleWord(b, low, 32, type), b.mul(rest, std::ldexp(1.0, -32)));
}

//===----------------------------------------------------------------------===//
// The normal distribution
//===----------------------------------------------------------------------===//

/// The polynomial of `x` with these factors, that of the highest power first.
static Tensor evaluate(GraphBuilder &b, Tensor x, ArrayRef<double> factors) {
  Tensor sum = b.scalar(x.elementType(), factors.front());
  for (double factor : factors.drop_front())
    sum = b.add(b.mul(x, sum), factor);
  return sum;
}

/// Standard normal numbers, float32: the inverse of the distribution, by
/// Wichura's algorithm AS 241 (PPND7), 1988, of a number between 0 and 1/2,
/// with a bit as sign. The number is at least 2^-33, so the branch of the
/// algorithm for those below e^-25 is not needed.
static Tensor drawNormal(GraphBuilder &b, Seed seed, ArrayRef<int64_t> shape) {
  Type f32 = Float32Type::get(b.context());
  if (llvm::is_contained(shape, 0))
    return b.empty(shape, f32);
  Tensor word = drawWords(b, seed, shape).first;
  if (!word)
    return {};
  Tensor tail = b.bitAnd(word, b.scalar(word.elementType(), 0x7FFFFFFF));
  tail = b.mul(b.add(b.cast(tail, f32), 0.5), std::ldexp(1.0, -32));

  Tensor q = b.sub(b.scalar(f32, 0.5), tail);
  Tensor r = b.sub(b.scalar(f32, 0.180625), b.mul(q, q));
  Tensor inner = b.div(
      b.mul(q,
            evaluate(b, r,
                     {59.109374720, 159.29113202, 50.434271938, 3.3871327179})),
      evaluate(b, r, {67.187563600, 78.757757664, 17.895169469, 1}));

  Tensor s = b.sub(b.sqrt(b.neg(b.log(tail))), 1.6);
  Tensor outer = b.div(
      evaluate(b, s, {0.17023821103, 1.3067284816, 2.7568153900, 1.4234372777}),
      evaluate(b, s, {0.12021132975, 0.73700164250, 1}));

  Tensor size = b.select(b.le(q, b.scalar(f32, 0.425)), inner, outer);
  Tensor isNegative = b.lt(word, b.scalar(word.elementType(), 0x80000000));
  return b.select(isNegative, b.neg(size), size);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

struct Draw {
  Seed seed;
  Shape shape;
  Type type;
};

} // namespace

/// The seed, shape and type of a node: those of its input, which may leave the
/// type to the attribute, or of its attributes.
static std::optional<Draw> readDraw(OpContext &op, GraphBuilder &b,
                                    bool isLike) {
  std::optional<Seed> seed = readSeed(op, b);
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
  return Draw{*seed, *shape, type};
}

template <bool isLike>
static Tensors importUniform(OpContext &op, GraphBuilder &b) {
  double low = op.attributes.getFloat("low").value_or(0);
  double high = op.attributes.getFloat("high").value_or(1);
  std::optional<Draw> draw = readDraw(op, b, isLike);
  if (!draw)
    return {};
  Tensor x = drawUniform(b, draw->seed, draw->shape, draw->type);
  return {low == 0 && high == 1 ? x : b.add(b.mul(x, high - low), low)};
}

template <bool isLike>
static Tensors importNormal(OpContext &op, GraphBuilder &b) {
  double mean = op.attributes.getFloat("mean").value_or(0);
  double scale = op.attributes.getFloat("scale").value_or(1);
  std::optional<Draw> draw = readDraw(op, b, isLike);
  if (!draw)
    return {};
  Tensor x = drawNormal(b, draw->seed, draw->shape);
  return {b.cast(b.add(b.mul(x, scale), mean), draw->type)};
}

static Tensors importBernoulli(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<int64_t> dataType = op.attributes.getInt("dtype");
  std::optional<Seed> seed = readSeed(op, b);
  Type type = dataType ? op.getElementType(*dataType) : x.elementType();
  if (b.hasFailed() || !x || !x.isFloat())
    return {b.fail("expected probabilities that are floats")};
  Tensor chance = toComputed(b, x);
  Tensor drawn = drawUniform(b, *seed, x.shape(), chance.elementType());
  return {b.cast(b.lt(drawn, chance), type)};
}

/// `x` are logarithms of what each class is worth: rows x classes.
static Tensors importMultinomial(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t samples = op.attributes.getInt("sample_size").value_or(1);
  Type type = op.getElementType(op.attributes.getInt("dtype").value_or(6));
  std::optional<Seed> seed = readSeed(op, b);
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
  Tensor drawn = b.mul(drawUniform(b, *seed, {rows, samples}, x.elementType()),
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
/// or with a ratio of 0.
static bool dropsElements(OpContext &op, GraphBuilder &b) {
  Tensor ratio = op.optionalInput(1), trains = op.optionalInput(2);
  if (!trains || !op.expectConstant(2))
    return false;
  if (!trains.isBool() || trains.count() != 1) {
    b.fail("expected input 2 to be a boolean");
    return false;
  }
  if (trains.elements().i64.front() == 0)
    return false;
  if (!ratio)
    return true;
  if (ratio.count() != 1 || !ratio.isFloat()) {
    b.fail("expected input 1 to be a float");
    return false;
  }
  return !ratio.isConstant() || op.constantFloats(1)->front() != 0;
}

/// Keeps each element with the probability `1 - ratio`, and divides it by that.
static Tensors dropElements(OpContext &op, GraphBuilder &b, Seed seed) {
  Tensor x = op.input(0), ratio = op.optionalInput(1);
  ratio = ratio ? toComputed(b, b.reshape(ratio, {}))
                : b.scalar(Float32Type::get(b.context()), 0.5);
  if (!ratio || !x)
    return {};
  Tensor drawn = drawUniform(b, seed, x.shape(), ratio.elementType());
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
  if (op.version >= 12 && dropsElements(op, b)) {
    std::optional<Seed> seed = readIntegerSeed(op, b);
    return seed ? dropElements(op, b, *seed) : Tensors();
  }
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
