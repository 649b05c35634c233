//===- ContractionOps.td - Sums of products -------------------------------===//
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
    Contracts the last dimension of `lhs` with the rows of `rhs`: `result[b, i,
    j] = sum over p of lhs[b, i, p] * rhs[b, p, j]`. Integers wrap; floats of
    16 bits are summed as float32.

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
  let summary = "N-d convolution with optional groups, strides and dilations";
  let description = [{
    With strides `s` and dilations `d` along the spatial dimensions, here two:
    `result[n, i, j, o] = sum over k, l, b of
    x[n, i * s0 + k * d0 - low0, j * s1 + l * d1 - low1, g * (c / groups) + b]
    * w[k, l, b, o]`, where `g` is the group of the result channel `o`: the
    channels of `x` and of the result are divided into `groups` equal groups.

    Positions outside of `x` count as 0. Products with them may be left out,
    which shows only where weights are infinite or NaN. Along each dimension,
    windows lie within `x` extended by `pad_low` elements before and `pad_high` after it.
    Integers wrap; floats of 16 bits are summed as float32.

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
    its elements, with `w` reversed along the spatial dimensions and with `c`
    and `o` exchanged; `w` gets the convolution of `x` with `g`.

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
    /// Returns whether positions outside of `x` are read.
    bool isPadded();
    /// Returns whether each channel of the result is that of a channel of `x`
    /// alone.
    bool isDepthwise();
  }];
}

/// One of the linear maps of Winograd's convolution.
class HamKaas_WinogradOp<string mnemonic>
    : HamKaas_GraphOp<mnemonic, "Transform", [InferTypeOpAdaptor], ["getFlops"]>;

defvar HamKaas_WinogradTensor = HamKaas_TensorOf<[F32], "float32">;
defvar HamKaas_WinogradInputTensor = HamKaas_TensorOf<[F32, I16], "f32 or i16">;
defvar HamKaas_WinogradOutputTensor
    = HamKaas_TensorOf<[F32, I32], "f32 or i32">;

def HamKaas_WinogradInputOp : HamKaas_WinogradOp<"winograd_input"> {
  let summary = "input transform of Winograd's convolution";
  let description = [{
    The first step of a convolution by Winograd's minimal filtering F(t x t, r
    x r) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
    2015), which computes tiles of `t x t` positions with `m x m` products per
    pair of channels instead of `t x t x r x r`, where `m = t + r - 1`:
    `result[a, b, n, i, j, c] = sum over k, l of B[k, a] * B[l, b] * x[n, i * t
    + k, j * t + l, c]`. Matmuls with the transformed weights and
    `hamkaas.winograd_output` follow.

    The `window` is `[r, r]`, by default 3 x 3, or `[1, r]` or `[r, 1]`: a
    dimension along which it has one element stays as it is, as if `t` and `m`
    were 1.

    Where an element of `B` is 0, `x` is not read, so infinity and NaN do not
    spread beyond the tiles that contain them.

    The matrices are those of the points 0, 1, -1 and infinity for `m = 4`, of
    0, 1, -1, 1/2 and infinity for `m = 5`, of 0, 1, -1, 1/2, -2 and infinity
    for `m = 6`, and of 0, 1, -1, 1/2, -1/2, 2, -2 and infinity for `m = 8`: the
    transposed `B` is

    ```
    1  0 -1  0        1 -2 -1  2  0       2 -3 -4  3  2  0
    0  1  1  0        0 -1  1  2  0       0 -2  1  5  2  0
    0 -1  1  0        0 -1  3 -2  0       0 -2  5 -1 -2  0
    0 -1  0  1        0  1  0 -1  0       0  2  1 -2 -1  0
                      0  1 -2 -1  2       0  1 -2 -1  2  0
                                          0  2 -3 -4  3  2

    4   0 -21   0  21   0  -4   0
    0   4   4 -17 -17   4   4   0
    0  -4   4  17 -17  -4   4   0
    0   4   8  -5 -10   1   2   0
    0  -4   8   5 -10  -1   2   0
    0   2   1 -10  -5   8   4   0
    0  -2   1  10  -5  -8   4   0
    0  -4   0  21   0 -21   0   4
    ```

    For `m = 6`, the point 2 instead of 1/2 would triple the error of a
    convolution. Only the compiler creates this operation.

    Of 16-bit integers, sums wrap, `r` is 3 and `t` 2 or 4.

    With `groups`, each of that many groups of channels has matrices of its own.

    | `x`             | `groups` | `result`                                                  |
    |-----------------|----------|-----------------------------------------------------------|
    | `n x h x w x c` | none     | `m x m x n x (h - r + 1) / t x (w - r + 1) / t x c`       |
    | `n x h x w x c` | `g`      | `m x m x g x n x (h - r + 1) / t x (w - r + 1) / t x c/g` |

    Constraints:
    * (C1) `x` has rank 4.
    * (C2) `window` has 2 numbers, both `r`, or one of them 1. `r` is 2 to 7.
    * (C3) `m` is 4, 5, 6 or 8, or 4 or 6 of integers, and `t` above 1.
    * (C4) `h - r + 1` and `w - r + 1` are positive multiples of `t`.
    * (C5) `groups` is positive and divides `c`.

    Gradient: the transposed map of `g`.

    Example:

    ```mlir
    %y = hamkaas.winograd_input %x tile 2 : tensor<1x6x8x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_WinogradInputTensor:$x, I64Attr:$tile,
                       OptionalAttr<DenseI64ArrayAttr>:$window,
                       OptionalAttr<I64Attr>:$groups);
  let results = (outs HamKaas_WinogradInputTensor:$result);
  let assemblyFormat = [{
    $x `tile` $tile (`window` $window^)? (`groups` $groups^)? attr-dict `:`
    type($x)
  }];
  let extraClassDeclaration = [{
    /// How each dimension of the images is cut.
    std::array<::hamkaas::WinogradSide, 2> getSides();
  }];
}

def HamKaas_WinogradOutputOp : HamKaas_WinogradOp<"winograd_output"> {
  let summary = "output transform of Winograd's convolution";
  let description = [{
    The last step of a convolution as in `hamkaas.winograd_input`: `result[n, i
    * t + p, j * t + q, c] = sum over a, b of A[a, p] * A[b, q] * x[a, b, n, i,
    j, c]`, of the elements of `A` that are not 0. The transposed `A` is, for `r
    = 3`,

    ```
    1  1  1  0        1  1  1   1  0      1  1  1   1   1  0
    0  1 -1  1        0  1 -1 1/2  0      0  1 -1 1/2  -2  0
                      0  1  1 1/4  1      0  1  1 1/4   4  0
                                          0  1 -1 1/8  -8  1

    1  1  1     1     1   1    1  0
    0  1 -1   1/2  -1/2   2   -2  0
    0  1  1   1/4   1/4   4    4  0
    0  1 -1   1/8  -1/8   8   -8  0
    0  1  1  1/16  1/16  16   16  0
    0  1 -1  1/32 -1/32  32  -32  1
    ```

    It has the first `t` rows of these for any `r`: powers of the points, and 1
    at the end of the last row.

    Of 32-bit integers, `A` has columns with factors instead of fractions:

    ```
    2  1  1  0        15  5  5  8  1  0
    0  1 -1  2         0  5 -5  4 -2  0
                       0  5  5  2  4  0
                       0  5 -5  1 -8 15
    ```

    With the first, sums are 4 times the result, with the second 900 times. They
    wrap: the result is the number from `-2^29` to `2^29 - 1` whose multiple has
    the 32 bits of the sum.

    With a `size`, the result is that part of whole tiles. Groups `g` of `x`
    have their channels side by side in the result.

    Only the compiler creates this operation.

    | `x`                         | `size`    | `result`                    |
    |-----------------------------|-----------|-----------------------------|
    | `m x m x n x h x w x c`     | none      | `n x t * h x t * w x c`     |
    | `m x m x n x h x w x c`     | `[u, v]`  | `n x u x v x c`             |
    | `m x m x g x n x h x w x c` | none      | `n x t * h x t * w x g * c` |
    | `m x m x g x n x h x w x c` | `[u, v]`  | `n x u x v x g * c`         |

    Constraints:
    * (C1) `x` has rank 6 or 7.
    * (C2) `window` is as in `hamkaas.winograd_input`.
    * (C3) The first two dimensions are 4, 5, 6 or 8, of integers 4 or 6, and
      equal, but 1 where the window is 1. `t` is above 1.
    * (C4) `size` has 2 numbers, `t * (h - 1) < u <= t * h` and
      `t * (w - 1) < v <= t * w`.

    Gradient: the transposed map of `g`.

    Example:

    ```mlir
    %y = hamkaas.winograd_output %x : tensor<4x4x1x2x3x5xf32>
    ```
  }];
  let arguments = (ins HamKaas_WinogradOutputTensor:$x,
                       OptionalAttr<DenseI64ArrayAttr>:$window,
                       OptionalAttr<DenseI64ArrayAttr>:$size);
  let results = (outs HamKaas_WinogradOutputTensor:$result);
  let assemblyFormat = [{
    $x (`window` $window^)? (`to` $size^)? attr-dict `:` type($x)
  }];
  let extraClassDeclaration = [{
    /// How each dimension of the result is cut.
    std::array<::hamkaas::WinogradSide, 2> getSides();

    bool hasGroups() { return getX().getType().getRank() == 7; }
  }];
}

def HamKaas_WinogradGradientOp : HamKaas_WinogradOp<"winograd_gradient"> {
  let summary = "transform of the gradient of Winograd's convolution";
  let description = [{
    The transpose of `hamkaas.winograd_output`, with its matrix `A`: `result[a,
    b, n, i, j, c] = sum over p, q of A[a, p] * A[b, q] * x[n, i * t + p, j * t
    + q, c]`, of the elements of `A` that are not 0. Matmuls with transposed
    results of `hamkaas.winograd_input` give the gradient of transformed weights
    `G w G^T`.

    Only the compiler creates this operation.

    | `x`             | `result`                                  |
    |-----------------|-------------------------------------------|
    | `n x h x w x c` | `t+2 x t+2 x n x h / t x w / t x c`       |

    Constraints:
    * (C1) `x` has rank 4.
    * (C2) `tile` is 2, 3, 4 or 6.
    * (C3) `h` and `w` are multiples of `tile`.

    Gradient: the transposed map of `g`.

    Example:

    ```mlir
    %y = hamkaas.winograd_gradient %x tile 2 : tensor<1x4x6x3xf32>
    ```
  }];
  let arguments = (ins HamKaas_WinogradTensor:$x, I64Attr:$tile);
  let results = (outs HamKaas_WinogradTensor:$result);
  let assemblyFormat = "$x `tile` $tile attr-dict `:` type($x)";
}

def HamKaas_AttentionOp : HamKaas_GraphOp<"attention", "Attention", [
    InferTypeOpAdaptor, AttrSizedOperandSegments], ["getFlops"]> {
  let summary = "scaled dot-product attention with optional mask and bias";
  let description = [{
    `result[b, i, e] = sum over j of w[b, i, j] * v[b, j, e]`, where `w[b, i]`
    is the softmax of the scores `s[b, i]` (Vaswani et al., Attention Is All
    You Need, 2017): `s[b, i, j] = scale * (sum over d of q[b, i, d] * k[b, j,
    d]) + bias[b, i, j]`. Where `mask[b, i, j]` holds, the score is
    `masked_score`, by default negative infinity. The mask and the bias are
    optional.

    Scores are not stored in memory. A kernel may skip rows of `k` that the
    mask, or a bias of negative infinity, masks for several queries in a row,
    and rows of `v` whose weights are all zero. Non-finite values there need
    not reach the result.

    | `q`         | `k`         | `v`         | `mask`, `bias`                        | `result`    |
    |-------------|-------------|-------------|---------------------------------------|-------------|
    | `b x m x d` | `b x n x d` | `b x n x e` | `b or 1` x `m or 1` x `n or 1`        | `b x m x e` |

    Constraints:
    * (C1) `q`, `k` and `v` have rank 3 and the same first dimension.
    * (C2) `k` and `q` have the same last dimension.
    * (C3) `v` has as many rows as `k`.
    * (C4) `mask` and `bias` have rank 3; each dimension is that of `b x m x n`
      or 1.
    * (C5) `scale` is finite.
    * (C6) `masked_score` is not NaN.

    Gradient, with `h = g * transpose(v)` and `t = w * (h - sum over j of w *
    h)`, zero where the mask holds: `q` gets `scale * t * k`, `k` gets `scale *
    transpose(t) * q`, `v` gets `transpose(w) * g`, `bias` gets `t`.

    Example:

    ```mlir
    %y = hamkaas.attention %q, %k, %v scale 0.5 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
    %z = hamkaas.attention %q, %k, %v mask %m bias %c scale 0.5 masked_score -1.0e9 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<1x3x5xi1> bias tensor<2x1x5xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$q, HamKaas_Float32Tensor:$k,
                       HamKaas_Float32Tensor:$v,
                       Optional<HamKaas_BooleanTensor>:$mask,
                       Optional<HamKaas_Float32Tensor>:$bias,
                       F32Attr:$scale,
                       DefaultValuedOptionalAttr<F32Attr,
                           "-std::numeric_limits<float>::infinity()">
                           :$masked_score);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`bias` $bias^)? `scale` $scale
    (`masked_score` $masked_score^)? attr-dict
    `:` type($q) `,` type($k) `,` type($v) (`mask` type($mask)^)?
    (`bias` type($bias)^)?
  }];
  let hasVerifier = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS
