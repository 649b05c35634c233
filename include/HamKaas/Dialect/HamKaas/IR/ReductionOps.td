//===- ReductionOps.td - Operations that combine elements -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_Combiner : I32EnumAttr<
    "Combiner", "combining operation", [
      I32EnumAttrCase<"Sum", 0, "sum">,
      I32EnumAttrCase<"Prod", 1, "prod">,
      I32EnumAttrCase<"Max", 2, "max">,
      I32EnumAttrCase<"Min", 3, "min">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_CombinerAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_Combiner, "combiner">;

def HamKaas_ReduceOp : HamKaas_GraphOp<"reduce", "Reduction", [
    InferTypeOpAdaptor], ["getFlops", "readsInOrder"]> {
  let summary = "reduce some dimensions";
  let description = [{
    `result[i] = sum over j of x[i, j]`, where `j` stands for the dimensions
    `dims` of `x` and `i` for the others, in their order; `prod`, `max` and
    `min` combine by product, maximum or minimum. Integers wrap; a NaN makes
    the result NaN. Floats of 16 bits are combined as float32.

    | `x`         | `dims`   | `result` |
    |-------------|----------|----------|
    | `a x b x c` | `[1]`    | `a x c`  |
    | `a x b x c` | `[0, 2]` | `b`      |

    Constraints:
    * (C1) `dims` are ascending and from 0 to the rank of `x` - 1.
    * (C2) Booleans have a `max` (or) and a `min` (and) only.

    Gradient: of `sum`, `g` repeated along `dims`; of `prod`, `g` times the
    product of the others; of `max` and `min`, `g` shared equally by the
    elements of `x` that equal the result.

    Example:

    ```mlir
    %y = hamkaas.reduce sum %x over [0, 2] : tensor<2x3x4xf32>
    %z = hamkaas.reduce max %x over [1] : tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins HamKaas_CombinerAttr:$combiner, HamKaas_Tensor:$x,
                       DenseI64ArrayAttr:$dims);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$combiner $x `over` $dims attr-dict `:` type($x)";
  let hasFolder = 1;
}

def HamKaas_PoolOp : HamKaas_GraphOp<"pool", "Reduction", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "N-d pooling by sum or maximum";
  let description = [{
    With windows `w`, strides `s` and dilations `d` along the spatial
    dimensions, here two: `result[n, i, j, c] = max over k < w0, l < w1 of x[n,
    i * s0 + k * d0 - low0, j * s1 + l * d1 - low1, c]`. Positions outside of
    `x` do not count: they read as the least value of the type, or 0 for `sum`.
    Along each dimension, windows lie within `x` extended by `pad_low` elements
    before and `pad_high` after it.

    | `x`                 | `result`            |
    |---------------------|---------------------|
    | `n x h x c`         | `n x i x c`         |
    | `n x h x w x c`     | `n x i x j x c`     |
    | `n x d x h x w x c` | `n x i x j x k x c` |

    Constraints:
    * (C1) The combiner is `max` or `sum`.
    * (C2) `x` has from 1 to 3 spatial dimensions between the first and the last
      one, and each list has an entry for each of them.
    * (C3) Windows, strides and dilations are at least 1, paddings at least 0.
    * (C4) Along each dimension there is at least one window, and with the
      padding there are fewer than 2^47 elements.

    Gradient: of `sum`, `g` added to the elements of each window; of `max`, to
    the largest of them, in row-major order the first.

    Example:

    ```mlir
    %y = hamkaas.pool max %x window [3, 2] strides [2, 1] dilations [1, 2] pad [1, 0] to [1, 1] : tensor<2x5x6x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_CombinerAttr:$combiner,
                       HamKaas_NumericTensor:$x, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high);
  let results = (outs HamKaas_NumericTensor:$result);
  let assemblyFormat = [{
    $combiner $x `window` $window `strides` $strides `dilations` $dilations
    `pad` $pad_low `to` $pad_high attr-dict `:` type($x)
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS
