//===- MovementOps.td - Movement of elements ---------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_ReshapeOp : HamKaas_GraphOp<"reshape", "View"> {
  let summary = "give the elements another shape";
  let description = [{
    The elements keep their row-major order. Never moves data.

    | `x`     | `result` |
    |---------|----------|
    | `a x b` | any shape of `a * b` elements |

    Constraints:
    * (C1) `result` has as many elements as `x`.
    * (C2) `result` has the element type of `x`.

    Gradient: `g` reshaped to the shape of `x`.

    Example:

    ```mlir
    %y = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<24xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def HamKaas_SliceOp : HamKaas_GraphOp<"slice", "View", [InferTypeOpAdaptor]> {
  let summary = "take consecutive rows of the first dimension";
  let description = [{
    `result[i, j] = x[begin + i, j]` for `0 <= i < end - begin`. Never moves
    data.

    | `x`     | `result`              |
    |---------|-----------------------|
    | `n x m` | `(end - begin) x m`   |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) `0 <= begin < end <= n`.

    Gradient: `g` in rows `begin` to `end - 1`, otherwise 0.

    Example:

    ```mlir
    %y = hamkaas.slice %x[1, 3] : tensor<4x2xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, I64Attr:$begin, I64Attr:$end);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $begin `,` $end `]` attr-dict `:` type($x)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def HamKaas_PermuteOp : HamKaas_GraphOp<"permute", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "permute the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of `x`, as
    `numpy.transpose` has it.

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

def HamKaas_ReplaceSliceOp : HamKaas_GraphOp<"replace_slice", "Movement", [
    InferTypeOpAdaptor], ["getFlops", "getUpdatedOperand"]> {
  let summary = "replace rows of the first dimension";
  let description = [{
    `result[i, j] = replacement[i - begin, j]` for `begin <= i < end`, otherwise
    `target[i, j]`. The result takes the storage of `target` where nothing reads
    the old value later, so that only the replaced rows are written.

    | `target` | `replacement` | `begin`, `end` | `result` |
    |----------|---------------|----------------|----------|
    | `n x m`  | `r x m`       | `1`            | `n x m`  |

    At run time `0 <= begin`, `end <= n` and `end - begin = r` must hold;
    otherwise the run ends with an error and the rows stay as they were. With
    `unchecked` the caller vouches for that.

    Constraints:
    * (C1) `target` has at least rank 1, and `replacement` has its rank.
    * (C2) `replacement` has the element type of `target`.
    * (C3) All dimensions but the first are equal.
    * (C4) `r <= n`.

    Gradient: `target` gets `g` with rows `begin` to `end - 1` zero,
    `replacement` gets these rows.

    Example:

    ```mlir
    %y = hamkaas.replace_slice %x, %r, %b, %e : tensor<4x2xf32>, tensor<1x2xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$target, HamKaas_Tensor:$replacement,
                       HamKaas_Position:$begin, HamKaas_Position:$end,
                       UnitAttr:$unchecked);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $target `,` $replacement `,` $begin `,` $end attr-dict
    `:` type($target) `,` type($replacement)
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS
