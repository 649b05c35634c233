//===- ElementwiseOps.td - Operations on each element ------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS

include "HamKaas/Dialect/HamKaas/IR/ElementwiseBase.td"

def HamKaas_ReluOp : HamKaas_UnaryOp<"relu", HamKaas_FloatTensor> {
  let summary = "rectified linear unit";
  let description = [{
    `result[i] = 0` where `x[i] < 0`, otherwise `x[i]`: -0.0 and NaN stay as
    they are.

    | `x` | `result` |
    |-----|----------|
    | any | as `x`   |

    Gradient: `g` where `x > 0`, otherwise 0.

    Example:

    ```mlir
    %y = hamkaas.relu %x : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def HamKaas_SiluOp : HamKaas_UnaryOp<"silu", HamKaas_FloatTensor,
                                     ["getFlops"]> {
  let summary = "sigmoid linear unit";
  let description = [{
    `result[i] = x[i] / (1 + exp(-x[i]))`, which is NaN for negative infinity.
    NaN stays NaN.

    | `x` | `result` |
    |-----|----------|
    | any | as `x`   |

    Gradient: `g * s * (1 + x * (1 - s))` with `s = 1 / (1 + exp(-x))`.

    Example:

    ```mlir
    %y = hamkaas.silu %x : tensor<2x3xf32>
    ```
  }];
}

def HamKaas_GeluApproximation : I32EnumAttr<
    "GeluApproximation", "approximation of the normal distribution function", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Tanh", 1, "tanh">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_GeluApproximationAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_GeluApproximation,
               "gelu_approximation">;

def HamKaas_GeluOp : HamKaas_GraphOp<"gelu", "Elementwise", [
    SameOperandsAndResultType], ["getFlops"], "true"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `result[i] = x[i] * p(x[i])`, where `p` is the distribution function of the
    standard normal distribution (Hendrycks and Gimpel, Gaussian Error Linear
    Units, 2016), or an approximation of it.

    | `approximate` | `p(x)` |
    |---------------|--------|
    | `none`        | `0.5 * (1 + erf(x / sqrt(2)))` |
    | `tanh`        | `0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))` |

    | `x` | `result` |
    |-----|----------|
    | any | as `x`   |

    Gradient: `g * (p + x * p')`, where `p'` is the derivative of `p`.

    Example:

    ```mlir
    %y = hamkaas.gelu %x : tensor<2x3xf32>
    %z = hamkaas.gelu %x approximate tanh : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$x,
      DefaultValuedAttr<HamKaas_GeluApproximationAttr,
                        "::hamkaas::GeluApproximation::None">:$approximate);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $x (`approximate` $approximate^)? attr-dict `:` type($x)
  }];
}

def HamKaas_HardSwishOp : HamKaas_UnaryOp<"hard_swish", HamKaas_Float32Tensor,
                                          ["getFlops"]> {
  let summary = "SiLU with a piecewise linear sigmoid";
  let description = [{
    `result[i] = x[i] * min(max(x[i] / 6 + 0.5, 0), 1)` (Howard et al.,
    Searching for MobileNetV3, 2019). NaN stays NaN.

    | `x` | `result` |
    |-----|----------|
    | any | as `x`   |

    Gradient: `g * (x / 3 + 0.5)` where `-3 < x < 3`, `g` above and 0 below.

    Example:

    ```mlir
    %y = hamkaas.hard_swish %x : tensor<2x3xf32>
    ```
  }];
}

def HamKaas_ComplexMulOp : HamKaas_GraphOp<"complex_mul", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "multiply two tensors of complex numbers";
  let description = [{
    The last dimension of both operands holds real and imaginary part:

    `result[i, 0] = lhs[i, 0] * rhs[i, 0] - lhs[i, 1] * rhs[i, 1]`,
    `result[i, 1] = lhs[i, 0] * rhs[i, 1] + lhs[i, 1] * rhs[i, 0]`,

    where another dimension of `rhs` of size 1 is repeated.

    | `lhs`       | `rhs`       | `result`    |
    |-------------|-------------|-------------|
    | `m x n x 2` | `m x n x 2` | `m x n x 2` |
    | `m x n x 2` | `1 x n x 2` | `m x n x 2` |

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` but the last equals that of `lhs` or is 1.
    * (C3) The last dimension of `lhs` and of `rhs` is 2.

    Gradient: `lhs` gets `g * conj(rhs)`, `rhs` gets `g * conj(lhs)` summed over
    the repeated dimensions.

    Example:

    ```mlir
    %y = hamkaas.complex_mul %x, %r : tensor<4x3x2xf32>, tensor<1x3x2xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$lhs, HamKaas_Float32Tensor:$rhs);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

def HamKaas_AndOp : HamKaas_FormulaOp<"and", HamKaas_IntegralTensor,
    "and of booleans or of the bits of integers", "l and r", "", "none", "i1">;

def HamKaas_OrOp : HamKaas_FormulaOp<"or", HamKaas_IntegralTensor,
    "or of booleans or of the bits of integers", "l or r", "", "none", "i1">;

def HamKaas_XorOp : HamKaas_FormulaOp<"xor", HamKaas_IntegralTensor,
    "exclusive or of booleans or of the bits of integers", "l xor r", "",
    "none", "i1">;

def HamKaas_ShiftLeftOp : HamKaas_FormulaOp<"shift_left", HamKaas_IntegerTensor,
    "shift the bits of integers to the left", "l * 2^r",
    "Bits that leave the type are dropped; an `r` outside of the type's bits "
    "gives 0.", "none", "i32">;

def HamKaas_ShiftRightOp : HamKaas_FormulaOp<"shift_right",
    HamKaas_IntegerTensor, "shift the bits of integers to the right",
    "floor(l / 2^r)",
    "An `r` outside of the type's bits gives 0, or -1 for negative `l`.",
    "none", "i32">;

def HamKaas_NotOp : HamKaas_UnaryOp<"not", HamKaas_IntegralTensor> {
  let summary = "negate booleans or the bits of integers";
  let description = [{
    `result[i] = not x[i]`. Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.not %x : tensor<2x3xi1>
    ```
  }];
}

def HamKaas_ComparePredicate : I32EnumAttr<
    "ComparePredicate", "how two elements compare", [
      I32EnumAttrCase<"Eq", 0, "eq">,
      I32EnumAttrCase<"Ne", 1, "ne">,
      I32EnumAttrCase<"Lt", 2, "lt">,
      I32EnumAttrCase<"Le", 3, "le">,
      I32EnumAttrCase<"Gt", 4, "gt">,
      I32EnumAttrCase<"Ge", 5, "ge">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_ComparePredicateAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_ComparePredicate, "compare">;

def HamKaas_CompareOp : HamKaas_GraphOp<"compare", "Elementwise", [
    InferTypeOpAdaptor], [], "true"> {
  let summary = "compare two tensors element by element";
  let description = [{
    `result[i]` is true where `lhs[i]` and `rhs[i]` are equal (`eq`), not equal
    (`ne`), or one is less (`lt`), less or equal (`le`), greater (`gt`), greater
    or equal (`ge`). Comparisons with NaN are false, except `ne`: so
    `compare ne %x, %x` finds NaN. Shapes as in `hamkaas.add`. Gradient: none.

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` equals that of `lhs` or is 1.
    * (C3) `lhs` and `rhs` have the same element type.

    Example:

    ```mlir
    %y = hamkaas.compare lt %x, %b : tensor<2x3xf32>, tensor<1x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_ComparePredicateAttr:$predicate,
                       HamKaas_Tensor:$lhs, HamKaas_Tensor:$rhs);
  let results = (outs HamKaas_BooleanTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

def HamKaas_SelectOp : HamKaas_GraphOp<"select", "Elementwise", [
    InferTypeOpAdaptor], [], "true"> {
  let summary = "select elements of two tensors by a condition";
  let description = [{
    `result[i] = a[i]` where `condition[i]`, otherwise `b[i]`.

    | `condition` | `a`     | `b`     | `result` |
    |-------------|---------|---------|----------|
    | `m x n`     | `m x n` | `m x n` | `m x n`  |

    Constraints:
    * (C1) `a` and `b` have the same type.
    * (C2) `condition` has their shape.

    Gradient: `a` gets `g` where the condition holds, `b` elsewhere.

    Example:

    ```mlir
    %y = hamkaas.select %c, %a, %b : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_BooleanTensor:$condition, HamKaas_Tensor:$a,
                       HamKaas_Tensor:$b);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $a `,` $b attr-dict
    `:` type($condition) `,` type($a) `,` type($b)
  }];
}

def HamKaas_CastOp : HamKaas_GraphOp<"cast", "Elementwise", [], [], "true"> {
  let summary = "convert elements to another type";
  let description = [{
    `result[i] = x[i]` in the element type of the result. Floats are rounded to
    nearest, halves to even; from float to integer towards 0, values beyond the
    type become its least or greatest one, NaN becomes 0. Integers that do not
    fit wrap. A boolean is true where `x[i] != 0`, and becomes 0 or 1.

    Constraints:
    * (C1) The result has the shape of `x`.

    Gradient: `g` converted back, if both are floats.

    Example:

    ```mlir
    %y = hamkaas.cast %x : tensor<2x3xf32> -> tensor<2x3xi32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def HamKaas_BitcastOp : HamKaas_GraphOp<"bitcast", "Elementwise", [], [],
                                        "true"> {
  let summary = "reinterpret the bits of elements as another type";
  let description = [{
    `result[i]` has the bits of `x[i]` in memory.

    Constraints:
    * (C1) The result has the shape of `x`.
    * (C2) Elements of `x` and of the result have the same number of bits, and
      neither are booleans.

    Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.bitcast %x : tensor<2x3xf32> -> tensor<2x3xi32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS
