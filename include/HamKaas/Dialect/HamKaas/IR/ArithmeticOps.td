//===- ArithmeticOps.td - Arithmetic of each element -------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ARITHMETICOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_ARITHMETICOPS

include "HamKaas/Dialect/HamKaas/IR/ElementwiseBase.td"

def HamKaas_AddOp : HamKaas_BinaryOp<"add", HamKaas_NumericTensor> {
  let summary = "add two tensors";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`, where a dimension of `rhs` of size 1 is
    repeated. Integers wrap.

    | `lhs`     | `rhs`     | `result`  |
    |-----------|-----------|-----------|
    | `m x n`   | `m x n`   | `m x n`   |
    | `m x n`   | `1 x n`   | `m x n`   |
    | `m x n`   | `m x 1`   | `m x n`   |

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` equals that of `lhs` or is 1.
    * (C3) `lhs` and `rhs` have the same element type.

    Gradient: `lhs` gets `g`, `rhs` gets `g` summed over the repeated
    dimensions.

    Example:

    ```mlir
    %y = hamkaas.add %x, %b : tensor<2x3xf32>, tensor<1x3xf32>
    ```
  }];
}

def HamKaas_MulOp : HamKaas_BinaryOp<"mul", HamKaas_NumericTensor> {
  let summary = "multiply two tensors element by element";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`, where a dimension of `rhs` of size 1 is
    repeated. Integers wrap. Shapes as in `hamkaas.add`.

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` equals that of `lhs` or is 1.
    * (C3) `lhs` and `rhs` have the same element type.

    Gradient: `lhs` gets `g * rhs`, `rhs` gets `g * lhs` summed over the
    repeated dimensions.

    Example:

    ```mlir
    %y = hamkaas.mul %x, %s : tensor<2x3xf32>, tensor<2x1xf32>
    ```
  }];
}

def HamKaas_SubOp : HamKaas_FormulaOp<"sub", HamKaas_NumericTensor,
    "subtract two tensors", "l - r", "Integers wrap.",
    "`lhs` gets `g`, `rhs` gets `-g` summed over the repeated dimensions">;

def HamKaas_DivOp : HamKaas_FormulaOp<"div", HamKaas_NumericTensor,
    "divide two tensors element by element", "l / r",
    "Integers are rounded towards 0; dividing one by 0 gives 0.",
    "`lhs` gets `g / r`, `rhs` gets `-g * l / r^2` summed over the repeated "
    "dimensions">;

def HamKaas_MaxOp : HamKaas_FormulaOp<"max", HamKaas_NumericTensor,
    "the larger of two elements", "max(l, r)",
    "NaN if one of them is NaN. Of 0.0 and -0.0, either may be the result.",
    "`g` to the larger element, the other one gets 0; equal ones share it">;

def HamKaas_MinOp : HamKaas_FormulaOp<"min", HamKaas_NumericTensor,
    "the smaller of two elements", "min(l, r)",
    "NaN if one of them is NaN. Of 0.0 and -0.0, either may be the result.",
    "`g` to the smaller element, the other one gets 0; equal ones share it">;

def HamKaas_PowOp : HamKaas_FormulaOp<"pow", HamKaas_FloatTensor,
    "raise elements to powers", "l^r",
    "Special cases are those of C's pow.",
    "`lhs` gets `g * r * l^(r - 1)`, `rhs` gets `g * result * log(l)` summed "
    "over the repeated dimensions", "f32", ["isCheap"]>;

def HamKaas_RemOp : HamKaas_FormulaOp<"rem", HamKaas_NumericTensor,
    "remainder with the sign of the dividend", "l - r * trunc(l / r)",
    "As C's fmod and %, but 0 for integers and `r = 0`.",
    "`lhs` gets `g`, `rhs` gets `-g * trunc(l / r)` summed over the repeated "
    "dimensions", "f32", ["isCheap"]>;

def HamKaas_ModOp : HamKaas_FormulaOp<"mod", HamKaas_NumericTensor,
    "remainder with the sign of the divisor", "l - r * floor(l / r)",
    "As Python's %, but 0 for integers and `r = 0`.",
    "`lhs` gets `g`, `rhs` gets `-g * floor(l / r)` summed over the repeated "
    "dimensions", "f32", ["isCheap"]>;

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ARITHMETICOPS
