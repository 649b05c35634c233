//===- QuantizationOps.td - Numbers of few bits ------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_UInt8Tensor : HamKaas_TensorOf<[UI8], "ui8">;
def HamKaas_CodesTensor : HamKaas_TensorOf<[UI8, I8], "ui8 or i8">;
def HamKaas_ScaleTensor : HamKaas_TensorOf<[F32, F16, I8], "f32, f16 or i8">;
def HamKaas_FactorTensor : HamKaas_TensorOf<[F16], "f16">;

def HamKaas_BlockFormat : I32EnumAttr<
    "BlockFormat", "block encoding of GGUF files", [
      I32EnumAttrCase<"Q4_0", 0, "q4_0">,
      I32EnumAttrCase<"Q4_1", 1, "q4_1">,
      I32EnumAttrCase<"Q5_0", 2, "q5_0">,
      I32EnumAttrCase<"Q5_1", 3, "q5_1">,
      I32EnumAttrCase<"Q8_0", 4, "q8_0">,
      I32EnumAttrCase<"Q2_K", 5, "q2_k">,
      I32EnumAttrCase<"Q3_K", 6, "q3_k">,
      I32EnumAttrCase<"Q4_K", 7, "q4_k">,
      I32EnumAttrCase<"Q5_K", 8, "q5_k">,
      I32EnumAttrCase<"Q6_K", 9, "q6_k">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}
def HamKaas_BlockFormatAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_BlockFormat, "block_format">;

def HamKaas_DequantizeBlocksOp : HamKaas_GraphOp<"dequantize_blocks",
    "Elementwise", [InferTypeOpAdaptor], ["getFlops", "isCheap"]> {
  let summary = "numbers of rows that GGUF files store in blocks";
  let description = [{
    Each row of `blocks` is the bytes of blocks of one format, one after the
    other, as a GGUF file has them. The result is the float32 numbers that they
    stand for, bit by bit those of the package `gguf`.

    | format                         | numbers | bytes a block      |
    |--------------------------------|---------|--------------------|
    | `q4_0`, `q4_1`, `q5_0`, `q5_1` | 32      | 18, 20, 22, 24     |
    | `q8_0`                         | 32      | 34                 |
    | `q2_k`, `q3_k`                 | 256     | 84, 110            |
    | `q4_k`, `q5_k`, `q6_k`         | 256     | 144, 176, 210      |

    | `blocks`            | `result`               |
    |---------------------|------------------------|
    | `n x (b * bytes)`   | `n x (b * numbers)`    |

    Constraints:
    * (C1) The last dimension of `blocks` is a multiple of the bytes of a block.
    * (C2) The result has fewer than 2^47 elements.

    Gradient: none.

    Example:

    ```mlir
    %w = hamkaas.dequantize_blocks q4_0 %b : tensor<4x36xui8>
    ```
  }];
  let arguments = (ins HamKaas_BlockFormatAttr:$format,
                       HamKaas_UInt8Tensor:$blocks);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = "$format $blocks attr-dict `:` type($blocks)";
  let hasCanonicalizer = 1;
}

def HamKaas_DequantizePanelsOp : HamKaas_GraphOp<"dequantize_panels",
    "Elementwise", [InferTypeOpAdaptor, AttrSizedOperandSegments],
    ["getFlops", "isCheap"]> {
  let summary = "matrix of numbers of few bits, packed by panels of columns";
  let closed = "targets make it for products with weights of few bits";
  let description = [{
    A matrix of float32 for a product, which a kernel computes from `codes` as it
    reads. Panel `p` has the columns `p * width` to `p * width + width - 1`;
    those from `columns` on are padding. The codes of `span` consecutive rows
    are those of `span * bits / 32` words of 4 bytes a column:

    * of 8 bits, signed and with a span of 4, byte `i` of the word is the code
      of row `i` of the span;
    * of 4 bits, unsigned, the lower half of byte `i` of word `j` is the code of
      row `4 * j + i` of the span, the upper half of row `span / 2 + 4 * j + i`;
    * of 6 bits, unsigned and with a span of 32, words 0 to 3 have the lower 4
      bits like codes of 4 bits, and bits `2 * t` and `2 * t + 1` of byte `i` of
      word `4 + j` are the upper ones of row `8 * t + 4 * j + i`.

    `result[k, n] = (code[k, n] - zero) * scales[k / block, n]`, rounded once,
    and with `offsets` that product plus `offsets[k / block, n]`, rounded once
    as well: products with scales of f16 are exact.

    Scales and offsets of i8 are multiplied by `factors[k / group, 0, n]` and
    `factors[k / group, 1, n]`. These products are exact, and with codes of up
    to 6 bits so are those with the codes.

    | `codes`                           | `scales`, `offsets`       | `result`      |
    |-----------------------------------|---------------------------|---------------|
    | `p x (k * bits / 32) x width x 4` | `p x (k / block) x width` | `k x columns` |

    Constraints:
    * (C1) `bits` is 4, with a span that is a multiple of 8, 6, with a span of
      32, or 8, with a span of 4.
    * (C2) `codes` has rank 4 and `scales` rank 3, with the same number of
      panels, which is the least for `columns`, and the same width; the last
      dimension of `codes` is 4.
    * (C3) `span` and `block` divide `k`; `block` is a multiple of 4, and divides
      half a span of 4 bits, or is a multiple of 8 that divides one of 6 bits,
      or is a multiple of the span; `scales` has an entry
      for each block.
    * (C4) `offsets` has the type of `scales`.
    * (C5) `zero` is a code.
    * (C6) There are `factors`, `p x (k / group) x 1 x width`, or with a third
      dimension of 2 if there are offsets, exactly if the scales are i8. `group`
      is a multiple of `block`. With codes of 8 bits there are no offsets then,
      and `zero` is 0.

    Gradient: none, for it is made after gradients are taken.

    Example:

    ```mlir
    %w = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
    ```
  }];
  let arguments = (ins HamKaas_CodesTensor:$codes, HamKaas_ScaleTensor:$scales,
                       Optional<HamKaas_ScaleTensor>:$offsets,
                       Optional<HamKaas_FactorTensor>:$factors, I64Attr:$bits,
                       I64Attr:$span, I64Attr:$block, I64Attr:$zero,
                       I64Attr:$columns);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $codes `,` $scales (`offsets` $offsets^)? (`factors` $factors^)?
    `bits` $bits `span` $span `block` $block `zero` $zero `columns` $columns
    attr-dict `:` type($codes) `,` type($scales) (`,` type($offsets)^)?
    (`factors` type($factors)^)?
  }];
}

def HamKaas_DequantizeRowsOp : HamKaas_GraphOp<"dequantize_rows",
    "Elementwise", [InferTypeOpAdaptor], ["getFlops", "isCheap"]> {
  let summary = "numbers of rows of codes of 8 bits";
  let closed = "targets make it for products with weights of few bits";
  let description = [{
    The left side of a product whose right side is
    `hamkaas.dequantize_panels`: a kernel multiplies the codes of both as
    integers. `result[i, j] = codes[i, j] * scales[i, j / block]`, rounded once.

    The sums of the codes of each `step` columns, `sums[i, j]`, are those of
    columns `step * j` on, so that a kernel need not form them.

    | `codes` | `scales`          | `sums`           | `result` |
    |---------|-------------------|------------------|----------|
    | `m x k` | `m x (k / block)` | `m x (k / step)` | `m x k`  |

    Constraints:
    * (C1) `block` divides `k`, and `step`, a multiple of 4, divides `block`.
    * (C2) `scales` and `sums` have the shapes of the table.

    Gradient: none, for it is made after gradients are taken.

    Example:

    ```mlir
    %x = hamkaas.dequantize_rows %c, %s, %n block 32 step 16 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
    ```
  }];
  let arguments = (ins HamKaas_TensorOf<[I8], "i8">:$codes,
                       HamKaas_Float32Tensor:$scales,
                       HamKaas_TensorOf<[I32], "i32">:$sums, I64Attr:$block,
                       I64Attr:$step);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = [{
    $codes `,` $scales `,` $sums `block` $block `step` $step attr-dict
    `:` type($codes) `,` type($scales) `,` type($sums)
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS
