//===- ReductionCompositions.td - Reductions and rows ------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_REDUCTIONCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_REDUCTIONCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// A reduction over `axes`, all dimensions if they are left out; those reduced
/// have size 1 in the result with `keepdims`, otherwise they are dropped.
class HamKaas_AxesComposition<string name, string what, string text, string note,
                              string call, string result, TypeConstraint type,
                              TypeConstraint resultType = type,
                              string x = "float32 [2, 3] = 1 2 3 4 5 6",
                              dag more = (ins)>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = text # ", along the dimensions `axes`: all of them if they are "
      "left out. The dimensions reduced have size 1 in the result with "
      "`keepdims`, otherwise they are dropped. " # note # "\n";
  let example = "x: " # x # "\ny = " # name # "(x" # call # ")\ny: " # result #
                "\n";
  let arguments = !con((ins type:$x, HamKaas_List:$axes, UnitAttr:$keepdims),
                       more);
  let results = (outs resultType:$result);
}

def HamKaas_Sum : HamKaas_AxesComposition<"sum", "the sum of elements",
    "The sum of the elements of `x`", "Integers wrap; floats of 16 bits are "
    "summed as float32.", ", axes=[1]", "float32 [2] = 6 15",
    HamKaas_NumericTensor>;
def HamKaas_Prod : HamKaas_AxesComposition<"prod", "the product of elements",
    "The product of the elements of `x`", "Integers wrap.",
    ", axes=[0], keepdims=1", "float32 [1, 3] = 4 10 18",
    HamKaas_NumericTensor>;
def HamKaas_Amax : HamKaas_AxesComposition<"amax", "the largest element",
    "The largest of the elements of `x`", "A NaN makes the result NaN.",
    ", axes=[-1]", "float32 [2] = 3 6", HamKaas_NumericTensor>;
def HamKaas_Amin : HamKaas_AxesComposition<"amin", "the smallest element",
    "The smallest of the elements of `x`", "A NaN makes the result NaN.", "",
    "float32 [] = 1", HamKaas_NumericTensor>;
def HamKaas_Any : HamKaas_AxesComposition<"any",
    "tell whether an element is other than 0",
    "True where one of the elements of `x` is other than 0", "",
    ", axes=[1]", "bool [2] = 0 1", HamKaas_Tensor, HamKaas_BooleanTensor,
    "float32 [2, 3] = 0 0 0 0 2 0">;
def HamKaas_All : HamKaas_AxesComposition<"all",
    "tell whether all elements are other than 0",
    "True where each of the elements of `x` is other than 0", "",
    ", axes=[0]", "bool [3] = 0 1 0", HamKaas_Tensor, HamKaas_BooleanTensor,
    "int32 [2, 3] = 1 3 0 0 2 0">;
def HamKaas_Mean : HamKaas_AxesComposition<"mean", "the mean of elements",
    "The mean of the elements of `x`", "Floats of 16 bits are summed as float32.",
    ", axes=[1]", "float32 [2] = 2 5", HamKaas_FloatTensor>;
def HamKaas_Var : HamKaas_AxesComposition<"var", "the variance of elements",
    "The sum of `(x - mean(x))^2`, divided by the number of elements minus "
    "`correction`,", "With `correction=1` it is the unbiased estimate. The "
    "number of elements is greater than `correction`.", ", axes=[1], "
    "correction=1", "float32 [2] = 1 1", HamKaas_FloatTensor,
    HamKaas_FloatTensor, "float32 [2, 3] = 1 2 3 4 5 6",
    (ins HamKaas_Real<"0.0">:$correction)>;
def HamKaas_Std : HamKaas_AxesComposition<"std",
    "the standard deviation of elements",
    "The square root of the variance of the elements of `x`", "`correction` as "
    "in `var`.", "", "float32 [] = 1.7078251", HamKaas_FloatTensor,
    HamKaas_FloatTensor, "float32 [2, 3] = 1 2 3 4 5 6",
    (ins HamKaas_Real<"0.0">:$correction)>;

def HamKaas_VarMean : HamKaas_Composition<"var_mean"> {
  let summary = "variance and mean, computed together";
  let description = [{
    The results of `var` and `mean` with the same attributes.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 6 8
    v, m = var_mean(x, axes=[1])
    v: float32 [2] = 0.66666667 2.6666667
    m: float32 [2] = 2 6
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_List:$axes,
                       UnitAttr:$keepdims, HamKaas_Real<"0.0">:$correction);
  let results = (outs HamKaas_FloatTensor:$variance, HamKaas_FloatTensor:$mean);
}

def HamKaas_LogSumExp : HamKaas_Composition<"log_sum_exp"> {
  let summary = "the logarithm of sums of exponentials";
  let description = [{
    `log(sum(exp(x)))` over the dimensions `axes`, the last one if they are left
    out. They have size 1 in the result with `keepdims`, otherwise they are
    dropped. The largest element is subtracted before the exponential and added
    to the logarithm, so that nothing overflows. Of -inf alone it is -inf.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    y = log_sum_exp(x, axes=[1])
    y: float32 [2] = 3.4076059 6.4076059
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_List:$axes,
                       UnitAttr:$keepdims);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_VectorNorm : HamKaas_AxesComposition<"vector_norm",
    "the norm of vectors", "`sum(|x|^ord)^(1 / ord)`", "With `ord=inf` the "
    "largest magnitude, with `ord=-inf` the smallest, with `ord=0` the number "
    "of elements other than 0.", ", axes=[1]", "float32 [2] = 5 2",
    HamKaas_FloatTensor, HamKaas_FloatTensor, "float32 [2, 3] = 3 -4 0 0 0 -2",
    (ins HamKaas_Real<"2.0">:$ord)>;

class HamKaas_ArgComposition<string name, string what, string y>
    : HamKaas_Composition<name> {
  let summary = "the index of the " # what # " element";
  let description = "The index of the first of the " # what # " elements of `x` "
      "along the dimension `axis`, as int64. If it is left out, that among all "
      "elements in row-major order. NaN counts as the " # what # ". With "
      "`keepdims` the dimension has size 1 in the result, otherwise it is "
      "dropped.\n";
  let example = "x: float32 [2, 3] = 1 3 3 6 5 4\ny = " # name #
                "(x, axis=1)\ny: int64 [2] = " # y # "\n";
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_Axis:$axis,
                       UnitAttr:$keepdims);
  let results = (outs HamKaas_TensorOf<[I64], "i64">:$result);
}
def HamKaas_Argmax : HamKaas_ArgComposition<"argmax", "largest", "1 0">;
def HamKaas_Argmin : HamKaas_ArgComposition<"argmin", "smallest", "0 2">;

def HamKaas_Cumprod : HamKaas_Composition<"cumprod"> {
  let summary = "products of the elements up to each one";
  let description = [{
    `result[i] = x[0] * ... * x[i]` along the dimension `axis`; with `exclusive`
    without `x[i]`, with `reverse` from the other end on. Computed in steps of 1,
    2, 4, ... elements: products of floats are rounded in another order than one
    after the other. Integers wrap.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    y = cumprod(x)
    y: float32 [2, 3] = 1 2 6 4 20 120
  }];
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_Integer<"-1">:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs HamKaas_NumericTensor:$result);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

class HamKaas_SoftmaxComposition<string name, string what, string formula,
                                 string y> : HamKaas_Composition<name> {
  let summary = what;
  let description = "`" # formula # "` over the dimensions `axes`, the last one "
      "if they are left out. The largest element is subtracted before the "
      "exponential, so that nothing overflows. The result has the shape of "
      "`x`.\n";
  let example = "x: float32 [2, 2] = 0 1 2 4\ny = " # name #
                "(x, axes=[1])\ny: float32 [2, 2] = " # y # "\n";
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_List:$axes);
  let results = (outs HamKaas_FloatTensor:$result);
}
def HamKaas_Softmax : HamKaas_SoftmaxComposition<"softmax", "softmax",
    "exp(x) / sum(exp(x))", "0.26894142 0.73105858 0.11920292 0.88079708">;
def HamKaas_LogSoftmax : HamKaas_SoftmaxComposition<"log_softmax",
    "the logarithm of softmax", "x - log(sum(exp(x)))",
    "-1.3132617 -0.31326169 -2.126928 -0.12692801">;

#endif // HAMKAAS_FRONTEND_BUILDER_REDUCTIONCOMPOSITIONS
