//===- RowOps.td - Operations on rows ----------------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ROWOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_ROWOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_RmsNormOp : HamKaas_GraphOp<"rms_norm", "Row", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "RMS normalization of rows, with a scale";
  let description = [{
    `result[i, j] = w[j] * x[i, j] / sqrt(mean over k of x[i, k]^2 + epsilon)`
    (Zhang and Sennrich, Root Mean Square Layer Normalization, 2019), where
    `epsilon` defaults to 1e-5.

    | `x`     | `w` | `result` |
    |---------|-----|----------|
    | `n`     | `n` | `n`      |
    | `m x n` | `n` | `m x n`  |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) `w` has rank 1 and the size of the last dimension of `x`.
    * (C3) `epsilon` is finite and at least 0.

    Gradient, with `r = 1 / sqrt(mean(x^2) + epsilon)`: `x` gets
    `r * (g * w - x * r^2 * mean(g * w * x))`, `w` gets `g * x * r` summed over
    the rows.

    Example:

    ```mlir
    %y = hamkaas.rms_norm %x, %w : tensor<8xf32>, tensor<8xf32>
    %z = hamkaas.rms_norm %x, %w epsilon 1.0e-6 : tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$x, HamKaas_Float32Tensor:$w,
                       DefaultValuedOptionalAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`epsilon` $epsilon^)? attr-dict `:` type($x) `,` type($w)
  }];
  let hasVerifier = 1;
}

def HamKaas_LayerNormOp : HamKaas_GraphOp<"layer_norm", "Row", [
    SameOperandsAndResultType], ["getFlops"]> {
  let summary = "layer normalization of rows, without scale and offset";
  let description = [{
    `result[i, j] = (x[i, j] - m[i]) / sqrt(v[i] + epsilon)`, where `m` is the
    mean of a row and `v` the mean of `(x[i, j] - m[i])^2` (Ba, Kiros and
    Hinton, Layer Normalization, 2016). A scale and an offset of each column
    are `hamkaas.mul` and `hamkaas.add`. Floats of 16 bits are computed as
    float32.

    | `x`     | `result` |
    |---------|----------|
    | `n`     | `n`      |
    | `m x n` | `m x n`  |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) `epsilon` is finite and at least 0.

    Gradient, with `r = 1 / sqrt(v + epsilon)`:
    `r * (g - mean(g) - result * mean(g * result))`.

    Example:

    ```mlir
    %y = hamkaas.layer_norm %x epsilon 1.0e-5 : tensor<2x8xf32>
    ```
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, F64Attr:$epsilon);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$x `epsilon` $epsilon attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def HamKaas_LogSumExpOp : HamKaas_GraphOp<"log_sum_exp", "Row", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "log-sum-exp of rows";
  let description = [{
    `result[i] = log(sum over j of exp(x[i, j]))`. The maximum of a row is
    subtracted before the exponential and added to the logarithm, to avoid
    overflow: `result[i] = m[i] + log(sum over j of exp(x[i, j] - m[i]))` with
    `m[i] = max over j of x[i, j]` where that is finite, and 0 otherwise. A row
    of negative infinities has the result -inf, one with inf has inf, one with
    NaN has NaN. Floats of 16 bits are computed as float32.

    | `x`         | `result` |
    |-------------|----------|
    | `n`         | (scalar) |
    | `m x n`     | `m`      |
    | `l x m x n` | `l x m`  |

    Constraints:
    * (C1) `x` has at least rank 1.

    Gradient: `g[i] * exp(x[i, j] - result[i])`.

    Example:

    ```mlir
    %y = hamkaas.log_sum_exp %x : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins HamKaas_FloatTensor:$x);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def HamKaas_SlicedSoftmaxOp : HamKaas_GraphOp<"sliced_softmax", "Row", [
    InferTypeOpAdaptor], ["getFlops", "checksValues"]> {
  let summary = "softmax over the first entries of each row";
  let description = [{
    With `p` the prefix: `result[i, j] = exp(x[i, j]) / sum over k < p of
    exp(x[i, k])` for `j < p`, otherwise `x[i, j]`. The largest of the first
    `p` entries is subtracted before the exponential, so that it cannot
    overflow. The prefix is an attribute, or a value known only at run time.

    | `x`     | `prefix` | `result` |
    |---------|----------|----------|
    | `n`     | `1`      | `n`      |
    | `m x n` | `1`      | `m x n`  |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) The prefix is given either as an operand or as an attribute.
    * (C3) 0 <= prefix <= the last dimension of `x`; checked at run time for an
      operand. 0 copies the row.

    Gradient: `result * (g - sum(g * result))` over the first `p` entries, `g`
    for the others.

    Example:

    ```mlir
    %y = hamkaas.sliced_softmax %x static_prefix 3 : tensor<2x4xf32>
    %z = hamkaas.sliced_softmax %x prefix(%p) : tensor<2x4xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$x,
                       Optional<HamKaas_Position>:$prefix,
                       OptionalAttr<I64Attr>:$static_prefix,
                       UnitAttr:$unchecked);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $x (`prefix` `(` $prefix^ `)`)? (`static_prefix` $static_prefix^)? attr-dict
    `:` type($x)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ROWOPS
