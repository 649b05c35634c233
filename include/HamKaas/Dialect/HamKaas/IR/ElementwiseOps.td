//===- ElementwiseOps.td - Operations on each element ------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

class HamKaas_BinaryOp<string mnemonic, list<string> kernelMethods = [],
                       string pointwise = "true">
    : HamKaas_GraphOp<mnemonic, "Elementwise", [InferTypeOpAdaptor],
                      kernelMethods, pointwise> {
  let arguments = (ins HamKaas_FloatTensor:$lhs, HamKaas_FloatTensor:$rhs);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

class HamKaas_UnaryOp<string mnemonic, list<string> kernelMethods = []>
    : HamKaas_GraphOp<mnemonic, "Elementwise", [InferTypeOpAdaptor],
                      kernelMethods, "true"> {
  let arguments = (ins HamKaas_FloatTensor:$x);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def HamKaas_AddOp : HamKaas_BinaryOp<"add"> {
  let summary = "add two tensors";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`, where a dimension of `rhs` of size 1 is
    repeated.

    | `lhs`     | `rhs`     | `result`  |
    |-----------|-----------|-----------|
    | `m x n`   | `m x n`   | `m x n`   |
    | `m x n`   | `1 x n`   | `m x n`   |
    | `m x n`   | `m x 1`   | `m x n`   |

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` equals that of `lhs` or is 1.

    Gradient: `lhs` gets `g`, `rhs` gets `g` summed over the repeated
    dimensions.

    Example:

    ```mlir
    %y = hamkaas.add %x, %b : tensor<2x3xf32>, tensor<1x3xf32>
    ```
  }];
}

def HamKaas_MulOp : HamKaas_BinaryOp<"mul"> {
  let summary = "multiply two tensors element by element";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`, where a dimension of `rhs` of size 1 is
    repeated. Shapes as in `hamkaas.add`.

    Constraints:
    * (C1) `lhs` and `rhs` have the same rank.
    * (C2) Each dimension of `rhs` equals that of `lhs` or is 1.

    Gradient: `lhs` gets `g * rhs`, `rhs` gets `g * lhs` summed over the
    repeated dimensions.

    Example:

    ```mlir
    %y = hamkaas.mul %x, %s : tensor<2x3xf32>, tensor<2x1xf32>
    ```
  }];
}

def HamKaas_ReluOp : HamKaas_UnaryOp<"relu"> {
  let summary = "rectified linear unit";
  let description = [{
    `result[i] = 0` where `x[i] < 0`, otherwise `x[i]`: -0.0 and NaN stay as they
    are.

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

def HamKaas_SiluOp : HamKaas_UnaryOp<"silu", ["getFlops"]> {
  let summary = "sigmoid linear unit";
  let description = [{
    `result[i] = x[i] / (1 + exp(-x[i]))`, with its limit 0 for negative
    infinity. NaN stays NaN.

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

def HamKaas_ComplexMulOp : HamKaas_BinaryOp<"complex_mul", ["getFlops"],
                                            "false"> {
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
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEOPS
