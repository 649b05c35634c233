//===- ContractionOps.td - Sums of products ----------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

/// An operation whose kernel family depends on the types and attributes.
class HamKaas_ProductOp<string mnemonic>
    : HamKaas_Op<mnemonic, [
        Pure, InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<KernelOpInterface,
            ["getKernelFamily", "getFlops", "getColumnWeights"]>]>;

def HamKaas_MatMulOp : HamKaas_ProductOp<"matmul"> {
  let summary = "multiply a vector, a matrix or a batch of matrices by matrices";
  let description = [{
    Contracts the last dimension of `lhs` with the rows of `rhs`:
    `result[b, i, j] = sum over p of lhs[b, i, p] * rhs[b, p, j]`. Integers wrap;
    floats of 16 bits are summed as float32.

    | case   | `lhs`       | `rhs`       | `result`    |
    |--------|-------------|-------------|-------------|
    | vector | `k`         | `k x n`     | `n`         |
    | matrix | `m x k`     | `k x n`     | `m x n`     |
    | batch  | `b x m x k` | `b x k x n` | `b x m x n` |

    Constraints:
    * (C1) The ranks of `lhs` and `rhs` are those of one row of the table.
    * (C2) Both operands have the same `k`.
    * (C3) In the batch case, both operands have the same `b`.
    * (C4) Both operands have the same element type.

    Gradient: `lhs` gets `g * transpose(rhs)`, `rhs` gets `transpose(lhs) * g`.

    Example:

    ```mlir
    %y = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
    ```
  }];
  let arguments = (ins HamKaas_NumericTensor:$lhs, HamKaas_NumericTensor:$rhs);
  let results = (outs HamKaas_NumericTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def HamKaas_ConvOp : HamKaas_ProductOp<"conv"> {
  let summary = "convolve pictures with weights";
  let description = [{
    With strides `s` and dilations `d` along the spatial dimensions, here two:
    `result[n, i, j, o] = sum over k, l, b of
    x[n, i * s0 + k * d0 - low0, j * s1 + l * d1 - low1, g * (c / groups) + b]
    * w[k, l, b, o]`, where `g` is the group of the channel `o` of the result:
    the channels of `x` and those of the result are divided into `groups` equal
    parts. Positions outside of `x` count as 0. Along each dimension there are
    as many windows as begin and end between `pad_low` elements before `x` and
    `pad_high` after it. Integers wrap; floats of 16 bits are summed as float32.

    | `x`                 | `w`                            | `result`            |
    |---------------------|--------------------------------|---------------------|
    | `n x h x c`         | `k x (c / groups) x o`         | `n x i x o`         |
    | `n x h x w x c`     | `k x l x (c / groups) x o`     | `n x i x j x o`     |
    | `n x d x h x w x c` | `k x l x m x (c / groups) x o` | `n x i x j x p x o` |

    Constraints:
    * (C1) `x` and `w` have the same rank, from 3 to 5, and the same element
      type.
    * (C2) Each list has an entry for each of the spatial dimensions.
    * (C3) Strides and dilations are at least 1, paddings at least 0.
    * (C4) Along each dimension there is at least one window, and with the
      padding there are fewer than 2^47 elements.
    * (C5) `groups` is at least 1 and divides `c` and `o`.
    * (C6) `w` has `c / groups` channels of `x`.

    Gradient: `x` gets the convolution of `g`, with `strides - 1` zeros between
    its elements, with `w` reversed along the spatial dimensions and with `c` and
    `o` exchanged; `w` gets the convolution of `x` with `g`.

    Example:

    ```mlir
    %y = hamkaas.conv %x, %w strides [2, 1] dilations [1, 2] pad [1, 0] to [0, 2] groups 2 : tensor<2x5x6x4xf32>, tensor<3x2x2x6xf32>
    ```
  }];
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_NumericTensor:$w,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
                       I64Attr:$groups);
  let results = (outs HamKaas_NumericTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `strides` $strides `dilations` $dilations `pad` $pad_low `to`
    $pad_high `groups` $groups attr-dict `:` type($x) `,` type($w)
  }];
  let extraClassDeclaration = [{
    /// Whether positions outside of `x` are read.
    bool isPadded();
    /// Whether each channel of the result is that of a channel of `x` alone.
    bool isDepthwise();
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS
