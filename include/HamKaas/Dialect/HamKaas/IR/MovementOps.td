//===- MovementOps.td - Movement of elements ---------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def HamKaas_ReplaceSliceOp : HamKaas_GraphOp<"replace_slice", "Movement", [
    InferTypeOpAdaptor], ["getFlops", "getUpdatedOperand", "checksValues"]> {
  let summary = "replace rows of the first dimension";
  let description = [{
    `result[i, j] = replacement[i - begin, j]` for `begin <= i < end`, otherwise
    `target[i, j]`. If nothing reads
    the old value later, the result takes the storage of `target`, and only the
    replaced rows are written.

    | `target` | `replacement` | `begin`, `end` | `result` |
    |----------|---------------|----------------|----------|
    | `n x m`  | `r x m`       | `1`            | `n x m`  |

    At run time `0 <= begin`, `end <= n` and `end - begin = r` must hold;
    otherwise the run ends with an error and the rows stay as they were. With
    `unchecked` the caller guarantees that.

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

def HamKaas_StridedSliceOp : HamKaas_GraphOp<"strided_slice", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "take every n-th element of each dimension";
  let description = [{
    `result[i, j] = x[offsets[0] + strides[0] * i, offsets[1] + strides[1] * j]`
    for `0 <= i < sizes[0]` and `0 <= j < sizes[1]`. A negative stride takes
    elements in reverse order; `offsets` are those of the first element taken.

    | `x`     | `sizes`  | `result` |
    |---------|----------|----------|
    | `n x m` | `[a, b]` | `a x b`  |

    Constraints:
    * (C1) `offsets`, `sizes` and `strides` have one entry a dimension of `x`.
    * (C2) Sizes are at least 1, and no stride is 0.
    * (C3) The first and the last element taken are elements of `x`.

    Gradient: `g` at the elements taken, otherwise 0.

    Example:

    ```mlir
    %y = hamkaas.strided_slice %x offsets [0, 3] sizes [2, 2] strides [2, -1] : tensor<4x5xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $x `offsets` $offsets `sizes` $sizes `strides` $strides attr-dict
    `:` type($x)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def HamKaas_PadOp : HamKaas_GraphOp<"pad", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "pad around and between elements";
  let description = [{
    `result[low[0] + (1 + interior[0]) * i, low[1] + (1 + interior[1]) * j] =
    x[i, j]`, and `value` everywhere else: `low` elements before a dimension,
    `high` after it, and `interior` between each two elements.

    | `x`     | `result` |
    |---------|----------|
    | `n x m` | `a x b` with `a = low[0] + n + (n - 1) * interior[0] + high[0]`, `b` likewise |

    Constraints:
    * (C1) `low`, `high` and `interior` have one entry a dimension of `x`.
    * (C2) No entry is negative.
    * (C3) `value` has the element type of `x`.
    * (C4) The result has fewer than 2^47 elements.

    Gradient: `g` at the places of the elements of `x`.

    Example:

    ```mlir
    %y = hamkaas.pad %x low [0, 1] high [2, 0] interior [1, 0] value 5.0 : f32 : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
                       TypedAttrInterface:$value);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $x `low` $low `high` $high `interior` $interior `value` $value attr-dict
    `:` type($x)
  }];
  let hasFolder = 1;
}

def HamKaas_ConcatOp : HamKaas_GraphOp<"concat", "Movement", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "concatenate tensors along a dimension";
  let description = [{
    The elements of the operands one after the other along dimension `dim`.

    | operands         | `dim` | `result`      |
    |------------------|-------|---------------|
    | `a x m`, `b x m` | 0     | `(a + b) x m` |
    | `n x a`, `n x b` | 1     | `n x (a + b)` |

    Constraints:
    * (C1) There is at least one operand.
    * (C2) `0 <= dim < rank`.
    * (C3) All operands have the same rank and element type.
    * (C4) All dimensions but `dim` are equal.
    * (C5) The result has fewer than 2^47 elements.

    Gradient: each operand gets its slice of `g`.

    Example:

    ```mlir
    %y = hamkaas.concat %a, %b dim 1 : tensor<2x3xf32>, tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Variadic<HamKaas_Tensor>:$operands, I64Attr:$dim);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$operands `dim` $dim attr-dict `:` type($operands)";
  let extraClassDeclaration = [{
    /// The operand that the positions `first` to `last` along `dim` are of, and
    /// where it begins. Null if they are of several.
    std::pair<::mlir::Value, int64_t> findPiece(int64_t first, int64_t last);
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def HamKaas_GatherOp : HamKaas_GraphOp<"gather", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops", "checksValues"]> {
  let summary = "gather slices of a dimension by index";
  let description = [{
    `result[i, j, k] = x[i, indices[j], k]`, where `dim` is the dimension of
    `x` that the indices address. A negative index counts from the end.

    | `x`         | `dim` | `indices` | `result`        |
    |-------------|-------|-----------|-----------------|
    | `a x n x b` | 1     | `p x q`   | `a x p x q x b` |
    | `n x b`     | 0     | scalar    | `b`             |

    At run time all indices must be from `-n` to `n - 1`; otherwise the run ends
    with an error. With `unchecked` a program takes the nearest existing slice
    instead.

    Constraints:
    * (C1) `0 <= dim < rank`.
    * (C2) The result has fewer than 2^47 elements.

    Gradient: each slice of `x` gets the sum of the slices of `g` gathered from
    it.

    Example:

    ```mlir
    %y = hamkaas.gather %x, %i dim 1 : tensor<2x4x3xf32>, tensor<4xi64>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_IndexTensor:$indices,
                       I64Attr:$dim, UnitAttr:$unchecked);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `dim` $dim attr-dict `:` type($x) `,` type($indices)
  }];
  let hasCanonicalizeMethod = 1;
}

def HamKaas_FlattenIndicesOp : HamKaas_GraphOp<"flatten_indices", "Elementwise", [
    InferTypeOpAdaptor], ["getFlops", "checksValues"]> {
  let summary = "linearize multi-dimensional indices";
  let description = [{
    `result[i] = (indices[i, 0] * sizes[1] + indices[i, 1]) * sizes[2] + ...`,
    the position of an element among all elements of a tensor of the shape
    `sizes`. A negative index counts from the end of its dimension.

    | `indices` | `sizes`  | `result` |
    |-----------|----------|----------|
    | `n x 2`   | `[a, b]` | `n`      |
    | `2`       | `[a, b]` | scalar   |

    At run time component `c` of the indices must be from `-sizes[c]` to
    `sizes[c] - 1`, with `nonnegative` from 0; otherwise the run ends with an
    error, which calls component `c` dimension `dim + c`. With `unchecked` a
    program takes the nearest valid index instead.

    Constraints:
    * (C1) The last dimension of `indices` has one entry a size.
    * (C2) Sizes are at least 1, and their product is less than 2^47.
    * (C3) `0 <= dim < 2^31`.

    Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.flatten_indices %i sizes [4, 3] dim 0 : tensor<5x2xi64>
    ```
  }];
  let arguments = (ins HamKaas_IndexTensor:$indices, DenseI64ArrayAttr:$sizes,
                       I64Attr:$dim, UnitAttr:$nonnegative,
                       UnitAttr:$unchecked);
  let results = (outs HamKaas_TensorOf<[I64], "i64">:$result);
  let assemblyFormat = [{
    $indices `sizes` $sizes `dim` $dim attr-dict `:` type($indices)
  }];
}

def HamKaas_CheckNanOp : HamKaas_GraphOp<"check_nan", "Elementwise", [
    SameOperandsAndResultType], ["getFlops", "checksValues"]> {
  let summary = "end the run with an error if an element is no number";
  let closed = "the option --check-nan makes it";
  let description = [{
    `result = x`. A run in which `x` has a NaN ends with an error that calls `x`
    by the text `value`, such as `the result of 'log'`, and names the first NaN.

    Gradient: none, for it is made after gradients are taken.

    Example:

    ```mlir
    %y = hamkaas.check_nan %x, "input 'x'" : tensor<4xf32>
    ```
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, StrAttr:$value);
  let results = (outs HamKaas_FloatTensor:$result);
  let assemblyFormat = "$x `,` $value attr-dict `:` type($x)";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_MOVEMENTOPS
