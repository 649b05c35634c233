//===- RandomCompositions.td - Random numbers --------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_RANDOMCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_RANDOMCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// A draw of `n` elements, of which each takes some words of `random_bits`.
class HamKaas_Draw<string name> : HamKaas_Composition<name> {
  string source = "The generator is that of `random_bits`, from the block "
      "`offset` on. ";
  string floats = "The element type is `type`, one of floats; those of 16 bits "
      "are rounded from float32. Each element takes a word, in float64 two: "
      "`ceil(n / 4)` blocks for the `n` elements, in float64 two times that.\n";
}

def HamKaas_RandomGenerator : HamKaas_TensorOf<[UI64], "ui64">;

def HamKaas_RandomUniform : HamKaas_Draw<"random_uniform"> {
  let summary = "random numbers between two limits";
  let description = "`low + (high - low) * u` of independent `u` in [0, 1), all "
      "multiples of 2^-24 being equally likely; of 2^-53 in float64, 2^-11 in "
      "float16 and 2^-8 in bfloat16. Rounding may give `high` if that is not 1 "
      "above a `low` of 0. " # source # floats;
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_uniform(g, shape=[2], type=float32)
    y: float32 [2] = 0.39904642 0.88052016
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator,
                       DenseI64ArrayAttr:$shape, HamKaas_ElementTypeAttr:$type,
                       HamKaas_Real<"0.0">:$low, HamKaas_Real<"1.0">:$high,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_RandomNormal : HamKaas_Draw<"random_normal"> {
  let summary = "random numbers of a normal distribution";
  let description = "`mean + std * sqrt(-2 log(1 - u)) * cos(2 pi v)` of "
      "independent `u` and `v` as in `random_uniform` (Box and Muller, A Note on "
      "the Generation of Random Normal Deviates, 1958). Devices whose logarithms "
      "differ in the last place give numbers that differ there. " # source #
      "The element type is `type`, one of floats; those of 16 bits are rounded "
      "from float32. `u` takes the blocks that `random_uniform` would take, and "
      "`v` as many behind them.\n";
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_normal(g, shape=[2], type=float32)
    y: float32 [2] = 0.99388421 -1.3347159
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator,
                       DenseI64ArrayAttr:$shape, HamKaas_ElementTypeAttr:$type,
                       HamKaas_Real<"0.0">:$mean, HamKaas_Real<"1.0">:$std,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_RandomTruncatedNormal : HamKaas_Draw<"random_truncated_normal"> {
  let summary = "random numbers of a normal distribution between limits";
  let description = "Normal numbers of `mean` and `std`, of those in [`low`, "
      "`high`] alone: `mean + std * sqrt(2) * erfinv(t)`, limited to them, where "
      "`t` is uniform between the error functions of the limits. The limits are "
      "at most 5 `std` from the mean, or beyond on either side. " # source #
      floats;
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_truncated_normal(g, shape=[2], type=float32)
    y: float32 [2] = -0.24393697 1.0948389
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator,
                       DenseI64ArrayAttr:$shape, HamKaas_ElementTypeAttr:$type,
                       HamKaas_Real<"0.0">:$mean, HamKaas_Real<"1.0">:$std,
                       HamKaas_Real<"-2.0">:$low, HamKaas_Real<"2.0">:$high,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_RandomBernoulli : HamKaas_Draw<"random_bernoulli"> {
  let summary = "random booleans";
  let description = "True with the probability `p`, to 2^-32: where a word is "
      "less than `p * 2^32`. " # source #
      "Each element takes a word: `ceil(n / 4)` blocks for `n` elements.\n";
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_bernoulli(g, shape=[4], p=0.7)
    y: bool [4] = 1 0 0 1
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator,
                       DenseI64ArrayAttr:$shape, F64Attr:$p,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_BooleanTensor:$result);
}

def HamKaas_RandomIntegers : HamKaas_Draw<"random_integers"> {
  let summary = "random integers between two limits";
  let description = "`low + floor(r * w / 2^64)` with `r = high - low` and words "
      "`w` of 64 bits; `low + w mod r` if `r` is more than 2^32. So all integers "
      "from `low` to `high - 1` are equally likely to `r / 2^64`. The element "
      "type is `type`, which has all of them. " # source #
      "Each element takes two words, `ceil(n / 4)` blocks for the upper halves "
      "of `n` elements and as many behind them for the lower ones.\n";
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_integers(g, shape=[4], type=int64, low=-5, high=5)
    y: int64 [4] = -2 3 2 1
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator,
                       DenseI64ArrayAttr:$shape, HamKaas_ElementTypeAttr:$type,
                       I64Attr:$low, I64Attr:$high,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_IntegerTensor:$result);
}

def HamKaas_RandomPermutation : HamKaas_Draw<"random_permutation"> {
  let summary = "numbers in random order";
  let description = "The numbers 0 to `n - 1`, of int64, in the order of `n` "
      "random words of 64 bits. " # source #
      "The words take the blocks of `random_integers` of `n` elements.\n";
  let example = [{
    g: uint64 [3] = 0 0 0
    y = random_permutation(g, n=4)
    y: int64 [4] = 0 3 2 1
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator, I64Attr:$n,
                       HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_TensorOf<[I64], "i64">:$result);
}

def HamKaas_RandomAdvance : HamKaas_Composition<"random_advance"> {
  let summary = "a generator of random numbers behind blocks that are used";
  let description = [{
    The generator of `random_bits` whose counter is `blocks` further. What is
    drawn of the result with `offset` 0 is what is drawn of `generator` with
    `offset` `blocks`.
  }];
  let example = [{
    g: uint64 [3] = 7 3 0
    y = random_advance(g, blocks=5)
    y: uint64 [3] = 7 8 0
  }];
  let arguments = (ins HamKaas_RandomGenerator:$generator, I64Attr:$blocks);
  let results = (outs HamKaas_RandomGenerator:$result);
}

def HamKaas_Dropout : HamKaas_Draw<"dropout"> {
  let summary = "elements dropped at random, for training";
  let description = "Each element of `x` is 0 with the probability `p`, to "
      "2^-32, and otherwise divided by `1 - p` (Srivastava et al., Dropout: A "
      "Simple Way to Prevent Neural Networks from Overfitting, 2014). It is kept "
      "where `random_bernoulli` with `p` of the same generator is false. " #
      source # "Each element takes a word: `ceil(n / 4)` blocks for `n` "
      "elements.\n";
  let example = [{
    x: float32 [4] = 1 2 3 4
    g: uint64 [3] = 0 0 0
    y = dropout(x, g)
    y: float32 [4] = 0 4 6 8
  }];
  let arguments = (ins HamKaas_FloatTensor:$x,
                       HamKaas_RandomGenerator:$generator,
                       HamKaas_Real<"0.5">:$p, HamKaas_Integer<"0">:$offset);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_Erfinv : HamKaas_Composition<"erfinv"> {
  let summary = "inverse error function";
  let description = [{
    `y` with `erf(y) = x`: NaN outside [-1, 1], infinite at its ends. By the
    polynomials of Giles, Approximating the erfinv function, 2010, which have
    errors of a few units in the last place of float32; in float64 with two steps
    of Halley's method. Floats of 16 bits are computed as float32.
  }];
  let example = [{
    x: float32 [3] = -0.5 0 0.99
    y = erfinv(x)
    y: float32 [3] = -0.47693628 0 1.8213864
  }];
  let arguments = (ins HamKaas_FloatTensor:$x);
  let results = (outs HamKaas_FloatTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_RANDOMCOMPOSITIONS
