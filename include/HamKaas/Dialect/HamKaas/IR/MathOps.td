//===- MathOps.td - Functions of each element --------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_MATHOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_MATHOPS

include "HamKaas/Dialect/HamKaas/IR/ElementwiseBase.td"

/// A function of one element `x`, by its formula.
class HamKaas_FunctionOp<string mnemonic, TypeConstraint type, string what,
                         string formula, string note, string gradient,
                         list<string> kernelMethods = [],
                         string definitions = "">
    : HamKaas_UnaryOp<mnemonic, type, kernelMethods, definitions> {
  let summary = what;
  let description = "`result[i] = " # formula # "` with `x = x[i]`. " # note # " The "
      "result has the type of `x`.\n\nGradient: " # gradient # ".\n\nExample:\n\n"
      "```mlir\n%y = hamkaas." # mnemonic # " %x : tensor<2x3xf32>\n```\n";
}

/// Costs several operations an element, and is NaN where it is not defined.
class HamKaas_MathOp<string mnemonic, string what, string formula,
                     string gradient>
    : HamKaas_FunctionOp<mnemonic, HamKaas_FloatTensor, what, formula, "",
                         gradient, ["isCheap"], [{
        bool $cppClass::isCheap() { return false; }
      }]>;

//===----------------------------------------------------------------------===//
// Signs and rounding
//===----------------------------------------------------------------------===//

def HamKaas_AbsOp : HamKaas_FunctionOp<"abs", HamKaas_NumericTensor,
    "absolute value", "|x|", "The least integer stays as it is.",
    "`g * sign(x)`">;
def HamKaas_NegOp : HamKaas_FunctionOp<"neg", HamKaas_NumericTensor,
    "change the sign", "-x", "Integers wrap.", "`-g`">;
def HamKaas_SignOp : HamKaas_FunctionOp<"sign", HamKaas_NumericTensor,
    "sign of a number", "-1, 0 or 1", "Zeros and NaN stay as they are.", "0">;
def HamKaas_FloorOp : HamKaas_FunctionOp<"floor", HamKaas_FloatTensor,
    "round down", "floor(x)", "", "0">;
def HamKaas_CeilOp : HamKaas_FunctionOp<"ceil", HamKaas_FloatTensor,
    "round up", "ceil(x)", "", "0">;
def HamKaas_RoundOp : HamKaas_FunctionOp<"round", HamKaas_FloatTensor,
    "round to the nearest integer", "round(x)", "Halves go to the even one.",
    "0">;

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

def HamKaas_SqrtOp : HamKaas_FunctionOp<"sqrt", HamKaas_FloatTensor,
    "square root", "sqrt(x)", "", "`g / (2 * result)`">;
def HamKaas_ExpOp : HamKaas_MathOp<"exp", "exponential function", "e^x",
    "`g * result`">;
def HamKaas_LogOp : HamKaas_MathOp<"log", "natural logarithm", "log(x)",
    "`g / x`">;
def HamKaas_SinOp : HamKaas_MathOp<"sin", "sine", "sin(x)", "`g * cos(x)`">;
def HamKaas_CosOp : HamKaas_MathOp<"cos", "cosine", "cos(x)", "`-g * sin(x)`">;
def HamKaas_TanOp : HamKaas_MathOp<"tan", "tangent", "tan(x)",
    "`g * (1 + result^2)`">;
def HamKaas_AsinOp : HamKaas_MathOp<"asin", "inverse sine", "asin(x)",
    "`g / sqrt(1 - x^2)`">;
def HamKaas_AcosOp : HamKaas_MathOp<"acos", "inverse cosine", "acos(x)",
    "`-g / sqrt(1 - x^2)`">;
def HamKaas_AtanOp : HamKaas_MathOp<"atan", "inverse tangent", "atan(x)",
    "`g / (1 + x^2)`">;
def HamKaas_SinhOp : HamKaas_MathOp<"sinh", "hyperbolic sine", "sinh(x)",
    "`g * cosh(x)`">;
def HamKaas_CoshOp : HamKaas_MathOp<"cosh", "hyperbolic cosine", "cosh(x)",
    "`g * sinh(x)`">;
def HamKaas_TanhOp : HamKaas_MathOp<"tanh", "hyperbolic tangent", "tanh(x)",
    "`g * (1 - result^2)`">;
def HamKaas_AsinhOp : HamKaas_MathOp<"asinh", "inverse hyperbolic sine",
    "asinh(x)", "`g / sqrt(x^2 + 1)`">;
def HamKaas_AcoshOp : HamKaas_MathOp<"acosh", "inverse hyperbolic cosine",
    "acosh(x)", "`g / sqrt(x^2 - 1)`">;
def HamKaas_AtanhOp : HamKaas_MathOp<"atanh", "inverse hyperbolic tangent",
    "atanh(x)", "`g / (1 - x^2)`">;
def HamKaas_ErfOp : HamKaas_MathOp<"erf", "error function",
    "2 / sqrt(pi) * integral from 0 to x of e^(-t^2)",
    "`g * 2 / sqrt(pi) * e^(-x^2)`">;
def HamKaas_SigmoidOp : HamKaas_MathOp<"sigmoid", "logistic function",
    "1 / (1 + e^(-x))", "`g * result * (1 - result)`">;

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

def HamKaas_RandomBitsOp : HamKaas_GraphOp<"random_bits", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops", "isCheap"]> {
  let summary = "random bits, by Philox 4x32-10";
  let description = [{
    Words of 32 random bits from a counter: Philox 4x32-10 of Salmon, Moraes,
    Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.
    `generator` is the key `k`, of 64 bits, and the counter `c`, of 128 bits,
    low half first.

    In row-major order, word `i` of the result is word `i mod 4` of
    `philox(k, c + offset + floor(i / 4))`; so `offset` counts blocks of four
    words. `philox` starts with the four words `(a, b, c, d)` of the counter and
    the two words `(p, q)` of the key, the lowest first, and does ten rounds:

    ```
    (a, b, c, d) <- (high(C * c) ^ b ^ p, low(C * c),
                     high(A * a) ^ d ^ q, low(A * a))
    (p, q)       <- (p + 0x9E3779B9, q + 0xBB67AE85)
    ```

    `A` is 0xD2511F53 and `C` is 0xCD9E8D57; `high` and `low` are the halves of
    a product of 64 bits, and sums wrap. There are no floats in it, so every
    device computes the same bits.

    | `generator` | `shape` | `result` |
    |-------------|---------|----------|
    | `3`         | `[m n]` | `m x n`  |

    Constraints:
    * (C1) `generator` has the shape 3.
    * (C2) Each of `shape` is at least 1.
    * (C3) `offset` is at least 0.

    Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.random_bits %generator [2, 3] offset 4 : tensor<3xui64>
    ```
  }];
  let arguments = (ins HamKaas_TensorOf<[UI64], "ui64">:$generator,
                       DenseI64ArrayAttr:$shape,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$offset);
  let results = (outs HamKaas_TensorOf<[UI32], "ui32">:$result);
  let assemblyFormat = [{
    $generator $shape (`offset` $offset^)? attr-dict `:` type($generator)
  }];
}

def HamKaas_CustomGradientOp : HamKaas_Op<"custom_gradient", [
    Pure, InferTypeOpAdaptor]> {
  let summary = "a value with a gradient of the user's own";
  let description = [{
    The operands are a value `y`, a stand-in `g` for the gradient of the result,
    `n` values `x`, and their gradients, which other operations compute of `g`.
    `result = y`. Canonicalization puts `y` in its place: gradients are taken
    before.

    | `y`     | `g`     | each `x` | its gradient       | `result` |
    |---------|---------|----------|--------------------|----------|
    | any `s` | `s`     | any `t`  | `t`                | `s`      |

    Constraints:
    * (C1) There are `y`, `g`, and as many gradients as values `x`, at least one.
    * (C2) `g` has the type of `y`.
    * (C3) Each gradient has the type of its `x`.

    Gradient: each `x` gets its gradient, with `g` in the place of the stand-in,
    by the operations between both in the block of this one. Neither `y` nor
    other values that `y` depends on get any.

    Example:

    ```mlir
    %r = hamkaas.custom_gradient %y, %g, %x, %dx : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Variadic<HamKaas_FloatTensor>:$operands);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The value that stands for the gradient of the result.
    mlir::Value getStandIn() { return getOperand(1); }
    /// The number of values that get a gradient, which are operands from 2 on,
    /// and their gradients behind them.
    unsigned countValues() { return getNumOperands() / 2 - 1; }
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_MATHOPS
