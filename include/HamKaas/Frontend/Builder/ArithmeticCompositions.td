//===- ArithmeticCompositions.td - Functions of elements ---*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_ARITHMETICCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_ARITHMETICCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// A function of the elements of one tensor of floats. The last parameters are
/// the elements of the example.
class HamKaas_FloatFunction<string name, string what, string formula,
                            string note, string x, string y>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = "`result[i] = " # formula # "`. " # note # "\n";
  let example = "x: float32 [3] = " # x # "\ny = " # name #
                "(x)\ny: float32 [3] = " # y # "\n";
  let arguments = (ins HamKaas_FloatTensor:$x);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_Expm1 : HamKaas_FloatFunction<"expm1", "the exponential minus 1",
    "exp(x[i]) - 1", "Computed as `tanh(x / 2) * (exp(x) + 1)`, so that small "
    "results keep their digits: within a few units in the last place.",
    "-1 0.001 2", "-0.63212056 0.0010005002 6.3890561">;

def HamKaas_Log1p : HamKaas_FloatFunction<"log1p", "the logarithm of 1 + x",
    "log(1 + x[i])", "With `u = 1 + x` it is `log(u) * x / (u - 1)`, so that "
    "small results keep their digits: within a few units in the last place.",
    "-0.5 0.001 2", "-0.69314718 0.00099950033 1.0986123">;

def HamKaas_Exp2 : HamKaas_FloatFunction<"exp2", "powers of 2",
    "2^x[i]", "Whole powers are exact.", "-1 0.5 3", "0.5 1.4142136 8">;

def HamKaas_Log2 : HamKaas_FloatFunction<"log2", "logarithms to base 2",
    "log(x[i]) / log(2)", "Within two units in the last place; those of powers "
    "of 2 need not be whole.", "1 2 10", "0 1 3.3219281">;

def HamKaas_Log10 : HamKaas_FloatFunction<"log10", "logarithms to base 10",
    "log(x[i]) / log(10)", "Within two units in the last place; those of powers "
    "of 10 need not be whole.", "1 2 100", "0 0.30103 2">;

def HamKaas_Rsqrt : HamKaas_FloatFunction<"rsqrt",
    "the reciprocal of the square root", "1 / sqrt(x[i])",
    "Both steps are rounded.", "1 4 0.25", "1 0.5 2">;

def HamKaas_Reciprocal : HamKaas_FloatFunction<"reciprocal",
    "the reciprocal", "1 / x[i]", "Infinite where `x` is 0.", "1 -4 0.5",
    "1 -0.25 2">;

def HamKaas_Trunc : HamKaas_FloatFunction<"trunc", "round towards 0",
    "floor(x[i])` where `x[i] >= 0`, otherwise `ceil(x[i])", "NaN stays NaN.",
    "-1.7 0.9 2.5", "-1 0 2">;

def HamKaas_StopGradient : HamKaas_FloatFunction<"stop_gradient",
    "a value that gradients take for a constant", "x[i]",
    "With the same bits. The path to `x` is through integers, which have no "
    "gradient; the compiler removes it.", "1 -2 0.5", "1 -2 0.5">;

def HamKaas_CustomGradient : HamKaas_Composition<"custom_gradient"> {
  let summary = "a value with a gradient of the user's own";
  let description = [{
    The operands are a value `y`, a stand-in `g` of its type, values `x1`, `x2`,
    ..., and as many gradients of theirs, which are computed of `g`. The result
    is `y`. Where a gradient of it is taken, it takes the place of `g`, and so
    gives those of `x1`, `x2`, ...; other values that `y` depends on get none.
    Any value is a stand-in that nothing else reads, such as `stop_gradient(y)`.
  }];
  let example = [{
    y: float32 [2] = 1 -2
    g: float32 [2] = 1 1
    x: float32 [3] = 1 2 3
    d: float32 [3] = 4 5 6
    r = custom_gradient(y, g, x, d)
    r: float32 [2] = 1 -2
  }];
  let arguments = (ins Variadic<HamKaas_FloatTensor>:$operands);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_Square : HamKaas_Composition<"square"> {
  let summary = "the square of each element";
  let description = [{
    `result[i] = x[i] * x[i]`. Integers wrap.
  }];
  let example = [{
    x: int32 [3] = -3 0 4
    y = square(x)
    y: int32 [3] = 9 0 16
  }];
  let arguments = (ins HamKaas_NumericTensor:$x);
  let results = (outs HamKaas_NumericTensor:$result);
}

/// A function of two tensors, which are broadcast as numpy does.
class HamKaas_FloatFunction2<string name, string what, string formula,
                             string note, string l, string r, string y>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = "`result[i] = " # formula # "` with `l = lhs[i]` and `r = "
      "rhs[i]`. " # note # " Both operands are broadcast; their element types "
      "are equal.\n";
  let example = "l: float32 [3] = " # l # "\nr: float32 [3] = " # r #
                "\ny = " # name # "(l, r)\ny: float32 [3] = " # y # "\n";
  let arguments = (ins HamKaas_FloatTensor:$lhs, HamKaas_FloatTensor:$rhs);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_Hypot : HamKaas_FloatFunction2<"hypot",
    "the hypotenuse of right triangles", "sqrt(l^2 + r^2)",
    "No intermediate result overflows or underflows.", "3 0 -1", "4 -2 1",
    "5 2 1.4142136">;

def HamKaas_LogAddExp : HamKaas_FloatFunction2<"log_add_exp",
    "the logarithm of a sum of exponentials", "log(exp(l) + exp(r))",
    "Computed as `max(l, r) + log1p(exp(-|l - r|))`, which does not overflow.",
    "0 100 -1", "0 99 2", "0.69314718 100.31326 2.0485874">;

def HamKaas_FloorDivide : HamKaas_Composition<"floor_divide"> {
  let summary = "divide and round down";
  let description = [{
    `result[i] = floor(lhs[i] / rhs[i])`, as Python's `//`: of floats from the
    exact remainder, so that rounding of the quotient does not matter. Both
    operands are broadcast; their element types are equal. An integer divided by
    0 gives 0.
  }];
  let example = [{
    l: float32 [4] = 7 -7 7 -7
    r: float32 [4] = 2 2 -2 -2
    y = floor_divide(l, r)
    y: float32 [4] = 3 -4 -4 3
  }];
  let arguments = (ins HamKaas_NumericTensor:$lhs, HamKaas_NumericTensor:$rhs);
  let results = (outs HamKaas_NumericTensor:$result);
}

//===----------------------------------------------------------------------===//
// Limits and choices
//===----------------------------------------------------------------------===//

def HamKaas_Clip : HamKaas_Composition<"clip"> {
  let summary = "limit elements to a range";
  let description = [{
    `result[i] = min(max(x[i], min), max)`; a limit that is left out is none.
    NaN stays NaN. With `min > max` all elements become `max`.
  }];
  let example = [{
    x: float32 [4] = -2 0.5 3 7
    y = clip(x, min=0, max=5)
    y: float32 [4] = 0 0.5 3 5
  }];
  let arguments = (ins HamKaas_NumericTensor:$x,
                       OptionalAttr<TypedAttrInterface>:$min,
                       OptionalAttr<TypedAttrInterface>:$max);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_Where : HamKaas_Composition<"where"> {
  let summary = "choose between two tensors";
  let description = [{
    `result[i] = lhs[i]` where `condition[i]`, otherwise `rhs[i]`. The three
    operands are broadcast; `lhs` and `rhs` have one element type.
  }];
  let example = [{
    c: bool [2, 1] = 1 0
    l: float32 [3] = 1 2 3
    r: float32 [1] = 0
    y = where(c, l, r)
    y: float32 [2, 3] = 1 2 3 0 0 0
  }];
  let arguments = (ins HamKaas_BooleanTensor:$condition, HamKaas_Tensor:$lhs,
                       HamKaas_Tensor:$rhs);
  let results = (outs HamKaas_Tensor:$result);
}

class HamKaas_Predicate<string name, string what, string formula, string y>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = "`result[i] = " # formula # "`.\n";
  let example = "x: float32 [3] = 1 -inf nan\ny = " # name #
                "(x)\ny: bool [3] = " # y # "\n";
  let arguments = (ins HamKaas_FloatTensor:$x);
  let results = (outs HamKaas_BooleanTensor:$result);
}

def HamKaas_IsNan : HamKaas_Predicate<"is_nan", "tell elements that are NaN",
                                      "x[i] != x[i]", "0 0 1">;
def HamKaas_IsInf : HamKaas_Predicate<"is_inf",
    "tell elements that are infinite", "|x[i]| == inf", "0 1 0">;
def HamKaas_IsFinite : HamKaas_Predicate<"is_finite",
    "tell elements that are finite", "|x[i]| < inf", "1 0 0">;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

class HamKaas_LogicalFunction<string name, string word, string y>
    : HamKaas_Composition<name> {
  let summary = "`" # word # "` of whether elements are other than 0";
  let description = "`result[i] = " # word # "` of `lhs[i] != 0` and `rhs[i] != "
      "0`. NaN is other than 0. Both operands are broadcast and may differ in "
      "their element types.\n";
  let example = "l: int32 [4] = 0 0 2 3\nr: bool [4] = 0 1 0 1\ny = " # name #
                "(l, r)\ny: bool [4] = " # y # "\n";
  let arguments = (ins HamKaas_Tensor:$lhs, HamKaas_Tensor:$rhs);
  let results = (outs HamKaas_BooleanTensor:$result);
}

def HamKaas_LogicalAnd
    : HamKaas_LogicalFunction<"logical_and", "and", "0 0 0 1">;
def HamKaas_LogicalOr : HamKaas_LogicalFunction<"logical_or", "or", "0 1 1 1">;
def HamKaas_LogicalXor
    : HamKaas_LogicalFunction<"logical_xor", "exclusive or", "0 1 1 0">;

def HamKaas_LogicalNot : HamKaas_Composition<"logical_not"> {
  let summary = "tell elements that are 0";
  let description = [{
    `result[i] = (x[i] == 0)`, also of booleans.
  }];
  let example = [{
    x: float32 [3] = 0 -0.5 2
    y = logical_not(x)
    y: bool [3] = 1 0 0
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_BooleanTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_ARITHMETICCOMPOSITIONS
