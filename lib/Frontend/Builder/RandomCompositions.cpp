//===- RandomCompositions.cpp - Random numbers ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool checkGenerator(GraphBuilder &b, const Tensor &generator) {
  if (generator.shape() == ArrayRef<int64_t>(3))
    return true;
  b.fail("expected 'generator' of the shape [3], its key and counter, got " +
         formatList(generator.shape()));
  return false;
}

/// Fails unless a draw of `shape` may begin at the block `offset`. No draw
/// fails then.
static bool checkDraw(GraphBuilder &b, const Tensor &generator,
                      ArrayRef<int64_t> shape, int64_t offset) {
  if (!checkGenerator(b, generator))
    return false;
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; }) ||
      !hasFewElements(shape)) {
    b.fail("expected 'shape' of sizes of at least 1 and fewer than 2^47 "
           "elements, got " +
           formatList(shape));
    return false;
  }
  // Some draws take up to four words an element, one range behind the other.
  if (offset >= 0 &&
      offset <= std::numeric_limits<int64_t>::max() - elementLimit)
    return true;
  b.fail("expected 'offset' of at least 0 and less than 2^63 - 2^47, got " +
         Twine(offset));
  return false;
}

/// Fails unless `low <= high`, both finite.
static bool checkLimits(GraphBuilder &b, double low, double high) {
  if (low <= high && std::isfinite(low) && std::isfinite(high) &&
      std::isfinite(high - low))
    return true;
  b.fail("expected finite 'low' and 'high' with low <= high, got " +
         std::to_string(low) + " and " + std::to_string(high));
  return false;
}

static bool checkNormal(GraphBuilder &b, double mean, double std) {
  if (std >= 0 && std::isfinite(std) && std::isfinite(mean))
    return true;
  b.fail("expected a finite 'mean' and a finite 'std' of at least 0, got " +
         std::to_string(mean) + " and " + std::to_string(std));
  return false;
}

static bool checkProbability(GraphBuilder &b, double p) {
  if (p >= 0 && p <= 1)
    return true;
  b.fail("expected 'p' from 0 to 1, got " + std::to_string(p));
  return false;
}

static bool checkFloat(GraphBuilder &b, Type type) {
  if (isa<FloatType>(type))
    return true;
  b.fail("expected 'type' to be a type of floats, got " + formatType(type));
  return false;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {

/// Consecutive blocks of a generator, by draws of one shape.
class Draws {
public:
  Draws(GraphBuilder &b, Tensor generator, ArrayRef<int64_t> shape,
        int64_t offset)
      : b(b), generator(generator), shape(shape.begin(), shape.end()),
        offset(offset) {}

  /// Words of 32 bits.
  Tensor next() {
    Tensor words = b.create<RandomBitsOp>(
        generator,
        {.offset = IntegerAttr::get(IntegerType::get(b.context(), 64), offset),
         .shape = DenseI64ArrayAttr::get(b.context(), shape)});
    offset += llvm::divideCeil(countElements(shape), 4);
    return words;
  }

  /// Numbers of [0, 1), multiples of 2^-`bits`.
  Tensor nextUniform(Type type, int bits) {
    constexpr int wordBits = 32;
    Tensor word = next();
    if (bits <= wordBits)
      return scale(word, bits, type);
    Tensor high = scale(word, wordBits, type);
    Tensor low = scale(next(), bits - wordBits, type);
    return b.add(high, b.mul(low, std::ldexp(1.0, -wordBits)));
  }

private:
  /// The `bits` upper bits times 2^-`bits`.
  Tensor scale(Tensor word, int bits, Type type) {
    if (!word)
      return {};
    Tensor upper = b.shiftRight(word, b.scalar(word.elementType(), 32 - bits));
    // CPUs before AVX-512 have no conversion of unsigned words.
    if (bits < 32)
      upper = b.cast(upper, IntegerType::get(b.context(), 32));
    return b.mul(b.cast(upper, type), std::ldexp(1.0, -bits));
  }

  GraphBuilder &b;
  Tensor generator;
  SmallVector<int64_t> shape;
  int64_t offset;
};

} // namespace

/// How many bits numbers of `type` have.
static int getPrecision(Type type) {
  return cast<FloatType>(type).getFPMantissaWidth();
}

/// The type that random floats of `type` are computed in.
static Type getComputedFloat(Type type) {
  return type.isF64() ? type : Type(Float32Type::get(type.getContext()));
}

/// True with the probability `p`.
static Tensor drawBelow(GraphBuilder &b, Draws draws, ArrayRef<int64_t> shape,
                        double p) {
  constexpr double words = 4294967296;
  double limit = std::round(p * words);
  if (limit == words)
    return b.broadcast(b.scalar(IntegerType::get(b.context(), 1), 1), shape);
  Tensor word = draws.next();
  return word ? b.lt(word, b.scalar(word.elementType(), limit)) : Tensor();
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// `low + (high - low) * u`.
static Tensor drawBetween(GraphBuilder &b, Draws &draws, Type type, int bits,
                          double low, double high) {
  Tensor u = draws.nextUniform(type, bits);
  if (high - low != 1)
    u = b.mul(u, high - low);
  return low == 0 ? u : b.add(u, low);
}

Tensor compositions::compose(GraphBuilder &b, const RandomUniform &given) {
  if (!checkDraw(b, given.generator, given.shape, given.offset) ||
      !checkFloat(b, given.type) || !checkLimits(b, given.low, given.high))
    return {};
  Draws draws(b, given.generator, given.shape, given.offset);
  Type type = getComputedFloat(given.type);
  return b.cast(drawBetween(b, draws, type, getPrecision(given.type), given.low,
                            given.high),
                given.type);
}

Tensor compositions::compose(GraphBuilder &b, const RandomNormal &given) {
  if (!checkDraw(b, given.generator, given.shape, given.offset) ||
      !checkFloat(b, given.type) || !checkNormal(b, given.mean, given.std))
    return {};
  Draws draws(b, given.generator, given.shape, given.offset);
  Type type = getComputedFloat(given.type);
  int bits = getPrecision(type);
  Tensor u = draws.nextUniform(type, bits), v = draws.nextUniform(type, bits);
  // NOTE: 1 - u is not 0, and exact.
  Tensor radius = b.sqrt(b.mul(b.log(b.sub(b.scalar(type, 1), u)), -2.0));
  Tensor x = b.mul(radius, b.cos(b.mul(v, 2 * M_PI)));
  return b.cast(b.add(b.mul(x, given.std), given.mean), given.type);
}

Tensor compositions::compose(GraphBuilder &b,
                             const RandomTruncatedNormal &given) {
  if (!checkDraw(b, given.generator, given.shape, given.offset) ||
      !checkFloat(b, given.type) || !checkNormal(b, given.mean, given.std) ||
      !checkLimits(b, given.low, given.high))
    return {};
  // Farther from the mean the error function is 1 to the last place.
  constexpr double farthest = 5;
  double low = (given.low - given.mean) / given.std;
  double high = (given.high - given.mean) / given.std;
  if (!(given.std > 0) || low > farthest || high < -farthest)
    return b.fail("expected a 'std' above 0 and limits of which one is within "
                  "5 * std of the mean or both are around it, got the mean " +
                  std::to_string(given.mean) + ", the std " +
                  std::to_string(given.std) + " and limits from " +
                  std::to_string(given.low) + " to " +
                  std::to_string(given.high));
  Draws draws(b, given.generator, given.shape, given.offset);
  Type type = getComputedFloat(given.type);
  Tensor t = drawBetween(b, draws, type, getPrecision(type),
                         std::erf(low * M_SQRT1_2), std::erf(high * M_SQRT1_2));
  Tensor x = compose(b, Erfinv{t});
  x = b.add(b.mul(x, M_SQRT2 * given.std), given.mean);
  return b.cast(clamp(b, x, given.low, given.high), given.type);
}

//===----------------------------------------------------------------------===//
// Booleans and integers
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const RandomBernoulli &given) {
  if (!checkDraw(b, given.generator, given.shape, given.offset) ||
      !checkProbability(b, given.p))
    return {};
  return drawBelow(b, {b, given.generator, given.shape, given.offset},
                   given.shape, given.p);
}

/// Fails unless `type` has all integers from `low` to `high - 1`.
static bool checkIntegers(GraphBuilder &b, IntegerType type, int64_t low,
                          int64_t high) {
  if (!type || type.getWidth() == 1) {
    b.fail("expected 'type' to be a type of integers");
    return false;
  }
  unsigned width = type.getWidth();
  auto has = [&](int64_t number) {
    if (type.isUnsigned())
      return number >= 0 && llvm::isUIntN(width, number);
    return llvm::isIntN(width, number);
  };
  if (low < high && has(low) && has(high - 1))
    return true;
  b.fail("expected integers from 'low' to before 'high' of the type " +
         formatType(type) + ", got " + Twine(low) + " and " + Twine(high));
  return false;
}

/// Words of 64 bits.
static Tensor drawWide(GraphBuilder &b, Draws &draws) {
  Type wide = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
  Tensor high = b.cast(draws.next(), wide), low = b.cast(draws.next(), wide);
  return b.bitOr(b.shiftLeft(high, b.scalar(wide, 32)), low);
}

/// `floor(range * w / 2^64)` of a word `w` of 64 bits. No sum overflows.
static Tensor drawNarrow(GraphBuilder &b, Draws &draws, Tensor range) {
  Type wide = range.elementType();
  Tensor half = b.scalar(wide, 32);
  Tensor high = b.mul(b.cast(draws.next(), wide), range);
  Tensor low = b.mul(b.cast(draws.next(), wide), range);
  return b.shiftRight(b.add(high, b.shiftRight(low, half)), half);
}

Tensor compositions::compose(GraphBuilder &b, const RandomIntegers &given) {
  auto type = dyn_cast<IntegerType>(given.type);
  if (!checkDraw(b, given.generator, given.shape, given.offset) ||
      !checkIntegers(b, type, given.low, given.high))
    return {};
  Draws draws(b, given.generator, given.shape, given.offset);
  Type wide = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
  uint64_t size = uint64_t(given.high) - uint64_t(given.low);
  Tensor range = b.cast(b.constant({int64_t(size)}, {}), wide);
  Tensor above = size <= uint64_t(1) << 32 ? drawNarrow(b, draws, range)
                                           : b.rem(drawWide(b, draws), range);
  Tensor low = b.cast(b.constant({given.low}, {}), type);
  return b.add(b.cast(above, type), low);
}

Tensor compositions::compose(GraphBuilder &b, const RandomPermutation &given) {
  if (!checkDraw(b, given.generator, given.n, given.offset))
    return {};
  Draws draws(b, given.generator, given.n, given.offset);
  return b.argsort(drawWide(b, draws), /*isDescending=*/false);
}

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const RandomAdvance &given) {
  Tensor x = given.generator;
  if (!checkGenerator(b, x))
    return {};
  if (given.blocks < 0)
    return b.fail("expected 'blocks' of at least 0, got " +
                  Twine(given.blocks));
  Tensor low = b.sliceDim(x, 0, 1, 1);
  Tensor sum =
      b.add(low, b.cast(b.constant({given.blocks}, {1}), x.elementType()));
  Tensor wraps = b.cast(b.lt(sum, low), x.elementType());
  return b.concat(
      {b.sliceDim(x, 0, 0, 1), sum, b.add(b.sliceDim(x, 0, 2, 1), wraps)}, 0);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Dropout &given) {
  Tensor x = given.x;
  if (!checkDraw(b, given.generator, x.shape(), given.offset) ||
      !checkProbability(b, given.p))
    return {};
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor isDropped = drawBelow(b, {b, given.generator, x.shape(), given.offset},
                               x.shape(), given.p);
  if (given.p == 1)
    return b.select(isDropped, zero, x);
  Tensor kept = b.mul(toComputed(b, x), 1 / (1 - given.p));
  return b.select(isDropped, zero, b.cast(kept, x.elementType()));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The polynomial of `x` with these factors, that of the highest power first.
static Tensor evaluate(GraphBuilder &b, Tensor x, ArrayRef<double> factors) {
  Tensor sum = b.scalar(x.elementType(), factors.front());
  for (double factor : factors.drop_front())
    sum = b.add(b.mul(x, sum), factor);
  return sum;
}

/// A step of Halley's method from `y` towards `erf(y) = x`.
static Tensor refineErfinv(GraphBuilder &b, Tensor x, Tensor y) {
  Tensor error = b.sub(b.erf(y), x);
  // The error over the derivative, 2 / sqrt(pi) * exp(-y^2).
  Tensor step = b.mul(b.mul(error, b.exp(b.mul(y, y))), 1 / M_2_SQRTPI);
  return b.sub(y, b.div(step, b.add(b.mul(y, step), 1.0)));
}

Tensor compositions::compose(GraphBuilder &b, const Erfinv &given) {
  Tensor x = toComputed(b, given.x);
  Type type = x.elementType();
  Tensor one = b.scalar(type, 1);
  Tensor w = b.neg(b.log(b.mul(b.sub(one, x), b.add(x, 1.0))));
  Tensor inner = evaluate(b, b.sub(w, 2.5),
                          {2.81022636e-08, 3.43273939e-07, -3.5233877e-06,
                           -4.39150654e-06, 0.00021858087, -0.00125372503,
                           -0.00417768164, 0.246640727, 1.50140941});
  Tensor outer = evaluate(b, b.sub(b.sqrt(b.max(w, 5.0)), 3.0),
                          {-0.000200214257, 0.000100950558, 0.00134934322,
                           -0.00367342844, 0.00573950773, -0.0076224613,
                           0.00943887047, 1.00167406, 2.83297682});
  Tensor y = b.mul(b.select(b.lt(w, b.scalar(type, 5)), inner, outer), x);
  if (type.isF64())
    y = refineErfinv(b, x, refineErfinv(b, x, y));
  double infinity = std::numeric_limits<double>::infinity();
  y = b.select(b.eq(b.abs(x), one), b.mul(x, infinity), y);
  return b.cast(y, given.x.elementType());
}
