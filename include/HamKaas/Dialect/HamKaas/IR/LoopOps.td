//===- LoopOps.td - Elements one after the other -----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_LOOPOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_LOOPOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_ScatterReduction : I32EnumAttr<
    "ScatterReduction", "combination of the old and the new element", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Add", 1, "add">,
      I32EnumAttrCase<"Mul", 2, "mul">,
      I32EnumAttrCase<"Max", 3, "max">,
      I32EnumAttrCase<"Min", 4, "min">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}
def HamKaas_ScatterReductionAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_ScatterReduction, "scatter_reduction">;

def HamKaas_ScatterOp : HamKaas_GraphOp<"scatter", "Loops", [
    InferTypeOpAdaptor], ["getFlops", "getUpdatedOperand", "checksValues"]> {
  let summary = "replace or update rows by index";
  let description = [{
    For `j = 0, ..., k - 1` in this order, row `indices[j]` of `target` becomes
    row `j` of `updates` (`none`), or the sum, product, maximum or minimum of
    both. A negative index counts from the end. The result takes the storage of
    `target` if nothing reads the old value later.

    | `target` | `indices` | `updates` | `result` |
    |----------|-----------|-----------|----------|
    | `n x m`  | `k`       | `k x m`   | `n x m`  |

    At run time all indices must be from `-n` to `n - 1`; otherwise the run ends
    with an error and the target stays as it was. With `unchecked` a program
    changes the nearest existing row instead.

    Constraints:
    * (C1) `target` has at least rank 1, and `indices` has rank 1.
    * (C2) `updates` has a row of the shape of the target's for each index.
    * (C3) `updates` has the element type of `target`.
    * (C4) The reduction of booleans is `none`.

    Gradient, of `none`: `target` gets `g` with 0 in the rows replaced,
    `updates` these rows, or 0 if a later one has the same index. Of `add`,
    `target` gets `g`, `updates` the rows at the indices. Of `mul`, each factor
    gets `g` times the product of the others; of `max` and `min`, equal extremes
    share `g`.

    Example:

    ```mlir
    %y = hamkaas.scatter add %x, %i, %u : tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_ScatterReductionAttr:$reduction,
                       HamKaas_Tensor:$target, HamKaas_IndexTensor:$indices,
                       HamKaas_Tensor:$updates, UnitAttr:$unchecked);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $reduction $target `,` $indices `,` $updates attr-dict
    `:` type($target) `,` type($indices) `,` type($updates)
  }];
  let hasCanonicalizeMethod = 1;
}

def HamKaas_CumsumOp : HamKaas_GraphOp<"cumsum", "Loops", [
    SameOperandsAndResultType]> {
  let summary = "prefix sums along a dimension";
  let description = [{
    `result[i, j] = x[i, 0] + ... + x[i, j]` along dimension `dim`, added in
    this order. `exclusive` leaves out `x[i, j]` itself; `reverse` sums from
    each element to the last, starting at the last. Integers wrap. Narrow
    floats are added in float32.

    | `x`     | `dim` | `result` |
    |---------|-------|----------|
    | `n x m` | 1     | `n x m`  |

    Constraints:
    * (C1) `0 <= dim < rank`.

    Gradient: the sums of `g` in the other direction.

    Example:

    ```mlir
    %y = hamkaas.cumsum %x dim 1 {exclusive} : tensor<2x5xf32>
    ```
  }];
  let arguments = (ins HamKaas_NumericTensor:$x, I64Attr:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs HamKaas_NumericTensor:$result);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def HamKaas_ArgsortOp : HamKaas_GraphOp<"argsort", "Loops", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "indices that sort each row";
  let description = [{
    `x[i, result[i, 0]], x[i, result[i, 1]], ...` are the elements of row `i`
    from the smallest to the largest, with `descending` from the largest to the
    smallest. Of equal elements the one with the smaller index comes first. NaN
    counts as larger than all numbers, and equal to NaN. With `first`, there are
    only so many of them.

    | `x`     | `result` |
    |---------|----------|
    | `n x m` | `n x m`, with `first k` `n x k`, of `i64` |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) `first` is at least 1 and at most `m`.

    Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.argsort %x {descending} : tensor<2x5xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, OptionalAttr<I64Attr>:$first,
                       UnitAttr:$descending);
  let results = (outs HamKaas_TensorOf<[I64], "i64">:$result);
  let assemblyFormat = "$x (`first` $first^)? attr-dict `:` type($x)";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_LOOPOPS
