//===- DimensionOps.td - Order and repeat of dimensions ----*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_DIMENSIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_DIMENSIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_PermuteOp : HamKaas_GraphOp<"permute", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "permute the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of `x`, as in
    `numpy.transpose`.

    | `x`         | `permutation` | `result`    |
    |-------------|---------------|-------------|
    | `a x b x c` | `[2, 0, 1]`   | `c x a x b` |

    Constraints:
    * (C1) `permutation` has one entry a dimension of `x`.
    * (C2) Each of 0 to rank - 1 occurs in it once.

    Gradient: `g` permuted by the inverse permutation.

    Example:

    ```mlir
    %y = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x `` $permutation attr-dict `:` type($x)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def HamKaas_BroadcastOp : HamKaas_GraphOp<"broadcast", "Elementwise", [],
                                          ["getFlops"]> {
  let summary = "repeat dimensions of size 1";
  let description = [{
    `result[i, j] = x[i, j]`, where a dimension of `x` of size 1 is repeated.

    | `x`     | `result` |
    |---------|----------|
    | `1 x n` | `m x n`  |
    | `m x n` | `m x n`  |

    Constraints:
    * (C1) `x` and the result have the same rank and element type.
    * (C2) Each dimension of `x` equals that of the result or is 1.

    Gradient: `g` summed over the repeated dimensions.

    Example:

    ```mlir
    %y = hamkaas.broadcast %x : tensor<1x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_DIMENSIONOPS
