//===- ExpandFloat32Math.cpp - Functions of float32 -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloat32Math.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

static constexpr double log2e = 1.44269504088896341;

/// 2^0, 2^(1/16), ..., 2^(15/16).
static constexpr float rootsOfTwo[] = {
    1.0f,          1.0442737824f, 1.0905077327f, 1.1387886348f,
    1.1892071150f, 1.2418578121f, 1.2968395547f, 1.3542555469f,
    1.4142135624f, 1.4768261459f, 1.5422108254f, 1.6104903319f,
    1.6817928305f, 1.7562521604f, 1.8340080864f, 1.9152065614f};

/// The operands that an exponential may have.
enum class Argument { Any, NonPositive, Difference };

/// `x - n * ln 2 / factor`, ln 2 in two parts of which the first is so short
/// that its multiples are exact. A difference was rounded, by up to eleven
/// times as much as one float for ln 2 errs.
static Value subtractMultipleOfLn2(Float32Builder &f, Value x, Value n,
                                   Argument argument, double factor = 1) {
  if (argument == Argument::Difference)
    return f.multiplyAdd(n, f.number(-0.693147180559945 / factor), x);
  Value r = f.multiplyAdd(n, f.number(-0.693359375 / factor), x);
  return f.multiplyAdd(n, f.number(2.12194440e-4 / factor), r);
}

/// How an exponential scales, by an instruction (no factors) or without one: `p
/// * 2^n` as a product of `p` times a constant and of factors whose exponents
/// are the low bits of an integer. The offset makes these 0, and with them a
/// factor, for the greatest `n` whose power rounds to 0: to find that by
/// rounding takes a processor a hundred cycles. The other powers are normal
/// factors, so subnormal results are rounded once.
struct Scaling {
  double constant;
  int32_t offset;
  int factors;
};
/// Up to 2^103.
static constexpr Scaling scalingToOne{0x1p-24, 151, 1};
/// Two factors of about the square root of the power, up to infinity.
static constexpr Scaling scalingToInfinity{0x1p102, 152, 2};

/// `p * 2^n` for `n` in the low bits of `shifted`.
static Value scaleByBits(Float32Builder &f, Value p, Value shifted,
                         const Scaling &scaling) {
  auto scale = [&](Value value, Value exponent) {
    return f.multiply(value, f.fromBits(f.shiftLeft(exponent, 23)));
  };
  Value bits = f.bits(shifted);
  if (scaling.factors == 1)
    return scale(p, bits);
  Value half = f.shiftRight(bits, 1);
  return scale(scale(p, half), f.subtractIntegers(bits, half));
}

/// The sum `a * b + c` and, if `rest` is not null, its rounding error. `c` has
/// the largest magnitude.
static Value emitSum(Float32Builder &f, Value a, Value b, Value c,
                     Value *rest) {
  Value sum = f.multiplyAdd(a, b, c);
  if (rest)
    *rest = f.multiplyAdd(a, b, f.subtract(c, sum));
  return sum;
}

/// exp(x) = 2^n * exp(r) with n the multiple of 1/16 nearest to x / ln 2. The
/// fraction of 2^n comes from a table in a register, so a polynomial of degree
/// 3 suffices for exp(r).
static Value emitExpByTable(Float32Builder &f, Value x, Argument argument,
                            Value *rest) {
  // Twice the necessary bound: the instruction takes as long as two hundred
  // additions for a result near 0, but no extra time for one far below.
  x = f.clamp(x, -2000.0, 89.0);
  // Adding this rounds to a multiple of 1/16, whose fraction is in the low
  // bits.
  Value magic = f.number(786432.0);
  Value shifted = f.multiplyAdd(x, f.number(log2e), magic);
  Value n = f.subtract(shifted, magic);
  Value r = subtractMultipleOfLn2(f, x, n, argument);
  Value root = f.lookup(rootsOfTwo, f.bits(shifted));
  Value p = f.polynomial(r, {0.16666718567281752, 0.50001618977834551});
  p = f.multiplyAdd(p, f.multiply(r, r), r);
  Value sum = emitSum(f, root, p, root, rest);
  if (rest)
    *rest = f.scale(*rest, n);
  return f.scale(sum, n);
}

namespace {
/// A number times a factor as a multiple of ln 2 and a rest of at most half of
/// it, which is divided by the factor.
struct Reduced {
  /// A float with the integer `n` and an offset in its low bits.
  Value shifted;
  Value n, r;
};
} // namespace

/// The factor is a power of 2 or the opposite of one: it costs no operation and
/// changes no rounding.
static Reduced reduceByLn2(Float32Builder &f, Value x, int32_t offset,
                           Argument argument = Argument::Any,
                           double factor = 1) {
  // Adding this rounds to an integer, which is then in the low bits.
  Value magic = f.number(12582912.0 + offset);
  Value shifted = f.multiplyAdd(x, f.number(log2e * factor), magic);
  Value n = f.subtract(shifted, magic);
  return {shifted, n, subtractMultipleOfLn2(f, x, n, argument, factor)};
}

/// (exp(r) - 1) / r where |r| is at most half of ln 2, with the least error
/// relative to exp(r) that there is for the degree, 3e-9.
static constexpr double expCoefficients[] = {
    1.3814540579915047e-3, 8.36874544620514e-3,  4.166838899254799e-2,
    1.666652113199234e-1,  4.999999403953552e-1, 1.0};

/// The same with an error of 9e-8, for differences: from |x| = 1.5 on, their
/// rounding changes exp(x) as much.
static constexpr double shortExpCoefficients[] = {
    8.290314936939401e-3, 4.1897929304237566e-2, 1.666763619140778e-1,
    4.999914953069833e-1, 9.999997071904619e-1};

/// The coefficients of (exp(factor * r) - 1) / r times `scale`.
static SmallVector<double> getExpCoefficients(double factor, double scale) {
  SmallVector<double> coefficients(llvm::reverse(expCoefficients));
  for (double &coefficient : coefficients)
    coefficient *= scale *= factor;
  return SmallVector<double>(llvm::reverse(coefficients));
}

/// exp(x) = 2^n * exp(r) with n the integer nearest to x / ln 2. NaN passes
/// through every step, as no float is ever converted to an integer.
static Value emitExpByPolynomial(Float32Builder &f, Value x, Argument argument,
                                 const Scaling &scaling, Value *rest) {
  auto [shifted, n, r] = reduceByLn2(f, x, scaling.offset, argument);
  ArrayRef<double> given(expCoefficients);
  if (argument == Argument::Difference)
    given = shortExpCoefficients;
  SmallVector<double> coefficients(given);
  for (double &coefficient : coefficients)
    coefficient *= scaling.constant;
  Value p = f.polynomial(r, coefficients);
  auto scale = [&, shifted = shifted, n = n](Value value) {
    return scaling.factors == 0 ? f.scale(value, n)
                                : scaleByBits(f, value, shifted, scaling);
  };
  Value sum = emitSum(f, p, r, f.number(scaling.constant), rest);
  if (rest)
    *rest = scale(*rest);
  return scale(sum);
}

static Value emitExpWithRest(Float32Builder &f, Value x, Argument argument,
                             Value *rest) {
  if (f.scaleLanes() == 16)
    return emitExpByTable(f, x, argument, rest);
  // Beyond these bounds the result is 0 or infinite anyway.
  constexpr double lowest = -105.0, highest = 89.0;
  if (f.scaleLanes() > 0)
    return emitExpByPolynomial(f, f.clamp(x, -2000.0, highest), argument,
                               {1.0, 0, 0}, rest);
  if (argument != Argument::Any)
    return emitExpByPolynomial(f, f.raise(x, lowest), argument, scalingToOne,
                               rest);
  return emitExpByPolynomial(f, f.clamp(x, lowest, highest), argument,
                             scalingToInfinity, rest);
}

Value hamkaas::emitExp(Float32Builder &f, Value x) {
  return emitExpWithRest(f, x, Argument::Any, /*rest=*/nullptr);
}

Value hamkaas::emitExpOfNonPositive(Float32Builder &f, Value x) {
  return emitExpWithRest(f, x, Argument::NonPositive, /*rest=*/nullptr);
}

Value hamkaas::emitExpOfDifference(Float32Builder &f, Value x) {
  // Other roundings would add up.
  Argument argument = f.hasFma() ? Argument::Difference : Argument::NonPositive;
  return emitExpWithRest(f, x, argument, /*rest=*/nullptr);
}

/// With t = exp(-|x|), 1 / (1 + t) or t / (1 + t). The quotient is corrected by
/// what is left of a division by the rounded sum, with the digits that t and
/// the sum have lost.
static Value emitSigmoidWithRest(Float32Builder &f, Value x) {
  Value zero = f.number(0.0), one = f.number(1.0), rest;
  Value t =
      emitExpWithRest(f, f.negate(f.absolute(x)), Argument::NonPositive, &rest);
  Value sum = f.add(one, t);
  Value lost = f.add(f.subtract(t, f.subtract(sum, one)), rest);
  Value inverse = f.divide(one, sum);
  Value isNegative = f.isLess(x, zero);
  Value numerator = f.select(isNegative, t, one);
  Value quotient = f.multiply(numerator, inverse);
  Value negated = f.subtract(zero, quotient);
  Value left = f.multiplyAdd(negated, sum, numerator);
  left = f.add(left, f.select(isNegative, rest, zero));
  left = f.multiplyAdd(negated, lost, left);
  return f.multiplyAdd(left, inverse, quotient);
}

/// 1 / (1 + exp(-x)) with both terms of the sum divided by 2^24. So exp(-x)
/// needs a single factor 2^n: below 70 it is a normal number that does not
/// change the sum, and up to 105, where the result is 0, it is finite. The sum
/// 1 + 2^n + 2^n * (exp(r) - 1) is rounded once, as 1 + 2^n is exact up to n
/// = 23; at 24 the error is the greatest, 2.4 ulp.
Value hamkaas::emitSigmoid(Float32Builder &f, Value x) {
  if (f.hasScale())
    return emitSigmoidWithRest(f, x);
  constexpr double factor = -1;
  auto [shifted, n, r] = reduceByLn2(f, f.clamp(x, -105.0, 70.0),
                                     /*offset=*/103, Argument::Any, factor);
  Value power = f.fromBits(f.shiftLeft(f.bits(shifted), 23));
  Value p = f.multiply(f.polynomial(r, getExpCoefficients(factor, 1)), r);
  Value unit = f.number(0x1p-24);
  return f.divide(unit, f.multiplyAdd(power, p, f.add(unit, power)));
}

/// h / s for h = 1 - exp(y), s = 1 + exp(y) and y = -2 |x|, with the sign of x.
/// With y = n * ln 2 + r and p = (exp(r) - 1) / -2, h is 2^(n + 1) * p + (1 -
/// 2^n) and s is -2^(n + 1) * p + (1 + 2^n): two multiply-adds each. Near 0, n
/// is 0, so h has all digits of p.
Value hamkaas::emitTanh(Float32Builder &f, Value x) {
  constexpr double factor = -2;
  auto [shifted, n, r] = reduceByLn2(f, f.lower(f.absolute(x), 20.0),
                                     /*offset=*/128, Argument::Any, factor);
  Value power = f.fromBits(f.shiftLeft(f.bits(shifted), 23));
  SmallVector<double> coefficients = getExpCoefficients(factor, 1 / factor);
  Value p = f.polynomial(r, ArrayRef(coefficients).drop_back());
  p = f.multiplyAdd(p, f.multiply(r, r), r);
  Value one = f.number(1.0);
  Value difference =
      f.multiplyAdd(power, p, f.multiplyAdd(power, f.number(-0.5), one));
  Value sum = f.multiplyAdd(f.negate(power), p,
                            f.multiplyAdd(power, f.number(0.5), one));
  return f.flipSign(f.divide(difference, sum), x);
}

/// Both parts as Norbert Juffa found them ("Accurate, fast erff", 2015): near 0
/// x + x * p(x^2), elsewhere 1 - exp(q(|x|)).
Value hamkaas::emitErf(Float32Builder &f, Value x) {
  Value square = f.multiply(x, x);
  Value p =
      f.polynomial(square, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                            1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  Value near = f.multiplyAdd(p, x, x);
  Value magnitude = f.absolute(x);
  Value negative = f.subtract(f.number(0.0), magnitude);
  Value q = f.polynomial(magnitude, {-1.72853470e-5, 3.83197126e-4});
  Value low = f.polynomial(magnitude, {-3.88396438e-3, 2.42546219e-2});
  q = f.multiplyAdd(q, square, low);
  for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    q = f.multiplyAdd(q, magnitude, f.number(coefficient));
  q = f.multiplyAdd(q, magnitude, negative);
  Value far = f.subtract(f.number(1.0), emitExpOfNonPositive(f, q));
  return f.select(f.isLess(magnitude, f.number(0.927734375)), near,
                  f.copySign(far, x));
}

/// 1 + x * p(x^2), p with the least error relative to 1. To add up without
/// cancellation, p is written in a variable from -1 to 1.
Value hamkaas::emitOnePlusErf(Float32Builder &f, Value x) {
  constexpr double last = 3.85;
  Value one = f.number(1.0), bounded = f.lower(x, last);
  Value s = f.multiplyAdd(f.multiply(bounded, bounded),
                          f.number(2 / (last * last)), f.number(-1.0));
  Value p = f.polynomial(
      s, {0.00128076193385, -0.00330969965693, 0.00266213403155,
          -0.00343071693158, 0.0110603832923, -0.020172623249, 0.028335472738,
          -0.0404169526594, 0.0564052198365, -0.0733127462003, 0.0908191132125,
          -0.110374695264, 0.136211540708, -0.183301747491, 0.367284818867});
  Value sum = f.multiplyAdd(p, bounded, one);
  return f.select(f.isLess(x, f.number(-last)), f.number(0.0), sum);
}

/// log(x) = e * ln 2 + log(m) with m from 2/3 to 4/3 and log(m) = f - f^2 / 2 +
/// f^3 * p(f) for f = m - 1.
Value hamkaas::emitLog(Float32Builder &f, Value x) {
  // Subnormal numbers are made normal ones first.
  Value isTiny = f.isLess(x, f.number(0x1p-126));
  Value scaled = f.select(isTiny, f.multiply(x, f.number(0x1p23)), x);
  Value zero = f.number(0.0);
  Value offset = f.select(isTiny, f.number(-23.0), zero);
  // The bits of 2/3: with those less, the exponent changes at 4/3.
  Value bits = f.bits(scaled);
  Value exponent =
      f.shiftRightSigned(f.subtractIntegers(bits, f.integer(0x3f2aaaab)), 23);
  Value m = f.fromBits(f.subtractIntegers(bits, f.shiftLeft(exponent, 23)));
  Value e = f.add(f.toFloat(exponent), offset);

  Value r = f.subtract(m, f.number(1.0));
  Value p = f.polynomial(
      r, {0.12008765257300584, -0.1284642353646737, 0.107538525930419,
          -0.12195503087018057, 0.14304487101044709, -0.16679595211969789,
          0.19999596858237757, -0.2499981996661628, 0.33333335751170906});
  p = f.multiplyAdd(p, r, f.number(-0.5));
  p = f.multiply(p, f.multiply(r, r));
  // ln 2 in two parts, as for exponentials.
  p = f.multiplyAdd(e, f.number(-2.12194440e-4), p);
  Value log = f.multiplyAdd(e, f.number(0.693359375), f.add(r, p));

  double infinity = std::numeric_limits<double>::infinity();
  Value highest = f.number(infinity);
  Value special = f.select(
      f.isLess(x, zero), f.number(std::numeric_limits<double>::quiet_NaN()),
      f.select(f.isEqual(x, zero), f.number(-infinity), x));
  Value isNumber = f.isLess(zero, x);
  log = f.select(f.isLess(x, highest), log, special);
  return f.select(isNumber, log, special);
}

/// sin(x + quadrants * pi / 2) for |x| <= maxSineArgument. With n the integer
/// nearest to x / (pi / 2) and r = x - n * pi / 2, it is the sine or the cosine
/// of r, with the sign that n and the quadrants give. pi / 2 has three parts:
/// the first difference is exact, the third one matters where r is near 0. All
/// are positive, so r keeps the sign of a zero.
Value hamkaas::emitSine(Float32Builder &f, Value x, int32_t quadrants) {
  // Adding this rounds to an integer, which is then in the low bits.
  Value magic = f.number(12582912.0);
  Value shifted = f.multiplyAdd(x, f.number(0.63661977236758134), magic);
  Value n = f.subtract(shifted, magic);
  Value r = f.multiplyAdd(n, f.number(-1.570796251296997), x);
  r = f.multiplyAdd(n, f.number(-7.549789415861596e-08), r);
  r = f.multiplyAdd(n, f.number(-5.390302953474238e-15), r);

  Value one = f.number(1.0), square = f.multiply(r, r);
  Value p = f.polynomial(square,
                         {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  // The sum with a product of the other sign loses that of a zero.
  Value sine = f.copySign(f.multiplyAdd(f.multiply(r, square), p, r), r);
  Value cosine =
      f.polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3,
                            4.166664568298827e-2, -0.5, 1.0});
  Value quadrant = f.subtractIntegers(f.bits(shifted), f.integer(-quadrants));
  // The lowest bit, and the next one, as signs.
  Value isOdd = f.copySign(one, f.fromBits(f.shiftLeft(quadrant, 31)));
  Value sign =
      f.copySign(one, f.fromBits(f.shiftLeft(f.shiftRight(quadrant, 1), 31)));
  return f.multiply(sign,
                    f.select(f.isLess(isOdd, f.number(0.0)), cosine, sine));
}
