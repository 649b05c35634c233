//===- ProductCompositions.td - Sums of products -----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_PRODUCTCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_PRODUCTCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

def HamKaas_Linear : HamKaas_Composition<"linear"> {
  let summary = "linear layer";
  let description = [{
    `result[i, o] = sum over k of x[i, k] * weight[o, k] + bias[o]`, where `i`
    stands for all dimensions of `x` but the last one. `weight` is a matrix.
  }];
  let example = [{
    x: float32 [1, 2] = 1 2
    w: float32 [2, 2] = 1 1 3 -1
    b: float32 [2] = 0.5 0
    y = linear(x, w, b)
    y: float32 [1, 2] = 3.5 1
  }];
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_NumericTensor:$weight,
                       Optional<HamKaas_NumericTensor>:$bias);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_Einsum : HamKaas_Composition<"einsum"> {
  let summary = "sums of products over labelled dimensions";
  let description = [{
    Einstein's summation. `equation` has a letter for each dimension of each
    operand, with commas between operands, then `->` and the letters of the
    result: `result[i, k] = sum over j of a[i, j] * b[j, k]` is `ij,jk->ik`. The
    product is summed over all letters that the result does not have. A letter
    twice in an operand takes its diagonal. Dimensions of one letter have one
    size, or size 1, which is repeated.

    `...` stands for dimensions without a letter, which are broadcast from the
    last one. Without `->` the result has `...`, then the letters that occur once
    in alphabetical order. Operands have one element type and are multiplied from
    the first to the last.
  }];
  let example = [{
    a: float32 [2, 2] = 1 2 3 4
    b: float32 [2, 2] = 1 0 -1 2
    y = einsum(a, b, equation="ij,jk->ki")
    y: float32 [2, 2] = -1 -1 4 8
  }];
  let arguments = (ins Variadic<HamKaas_NumericTensor>:$operands,
                       StrAttr:$equation);
  let results = (outs HamKaas_NumericTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_PRODUCTCOMPOSITIONS
