//===- IndexCompositions.td - Tables, indices and orders ---*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_INDEXCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_INDEXCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

def HamKaas_Embedding : HamKaas_Composition<"embedding"> {
  let summary = "rows of a table";
  let description = [{
    `result[i, k] = weight[indices[i], k]`, where `i` stands for all dimensions
    of `indices`. A negative index counts from the end; a run checks them.
  }];
  let example = [{
    i: int64 [3] = 1 0 1
    w: float32 [2, 2] = 1 2 3 4
    y = embedding(i, w)
    y: float32 [3, 2] = 3 4 1 2 3 4
  }];
  let arguments = (ins HamKaas_IndexTensor:$indices, HamKaas_Tensor:$weight);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Take : HamKaas_Composition<"take"> {
  let summary = "slices by their indices";
  let description = [{
    The slices of `x` along the dimension `axis` that `indices`, of any shape,
    name: the result has the dimensions of `indices` in place of that one. If
    `axis` is left out, all elements of `x` are one list. A negative index counts
    from the end; a run checks them.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    i: int64 [2] = 2 -3
    y = take(x, i, axis=1)
    y: float32 [2, 2] = 3 1 6 4
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_IndexTensor:$indices,
                       HamKaas_Axis:$axis);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_TakeAlongAxis : HamKaas_Composition<"take_along_axis"> {
  let summary = "an element of each row by its index";
  let description = [{
    `result[i, j] = x[i, indices[i, j]]` for `axis` 1 of 2; others likewise.
    `indices` has the rank of `x`, and both are broadcast but along `axis`. A
    negative index counts from the end; a run checks them.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    i: int64 [2, 2] = 2 -3 0 0
    y = take_along_axis(x, i)
    y: float32 [2, 2] = 3 1 4 4
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_IndexTensor:$indices,
                       HamKaas_Integer<"-1">:$axis);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_GatherNd : HamKaas_Composition<"gather_nd"> {
  let summary = "slices at points of several dimensions";
  let description = [{
    The last dimension of `indices` has points of the first dimensions of `x`:
    `result[i, k] = x[indices[i, 0], indices[i, 1], k]` for points of two
    dimensions, where `i` stands for the other dimensions of `indices` and `k`
    for those of `x`. With `batch_dims` both begin with that many equal
    dimensions, which the points do not name. A negative index counts from the
    end; a run checks them.
  }];
  let example = [{
    x: float32 [2, 2, 2] = 1 2 3 4 5 6 7 8
    i: int64 [2, 2] = 0 1 1 -2
    y = gather_nd(x, i)
    y: float32 [2, 2] = 3 4 5 6
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_IndexTensor:$indices,
                       HamKaas_Integer<"0">:$batch_dims);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_OneHot : HamKaas_Composition<"one_hot"> {
  let summary = "1 at the index, 0 elsewhere";
  let description = [{
    `result[i, c] = 1` where `c = indices[i]`, otherwise 0, with `classes`
    entries of the last dimension and elements of `type`. An index outside has
    zeros only.
  }];
  let example = [{
    i: int64 [2] = 2 0
    y = one_hot(i, classes=3, type=float32)
    y: float32 [2, 3] = 0 0 1 1 0 0
  }];
  let arguments = (ins HamKaas_IndexTensor:$indices, I64Attr:$classes,
                       HamKaas_ElementTypeAttr:$type);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Topk : HamKaas_Composition<"topk"> {
  let summary = "the largest elements and their indices";
  let description = [{
    The `k` largest elements of `x` along the dimension `axis`, in descending
    order, and their indices; with `smallest` the smallest ones in ascending
    order. Of equal elements the one with the smaller index comes first. NaN
    counts as the largest.
  }];
  let example = [{
    x: float32 [4] = 1 4 2 4
    v, i = topk(x, k=3)
    v: float32 [3] = 4 4 2
    i: int64 [3] = 1 3 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, I64Attr:$k,
                       HamKaas_Integer<"-1">:$axis, UnitAttr:$smallest);
  let results = (outs HamKaas_Tensor:$values,
                      HamKaas_TensorOf<[I64], "i64">:$indices);
}

def HamKaas_Sort : HamKaas_Composition<"sort"> {
  let summary = "elements in order";
  let description = [{
    The elements of `x` along the dimension `axis` from the smallest to the
    largest, with `descending` the other way round. NaN counts as the largest.
  }];
  let example = [{
    x: float32 [2, 2] = 2 1 3 4
    y = sort(x)
    y: float32 [2, 2] = 1 2 3 4
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_Integer<"-1">:$axis,
                       UnitAttr:$descending);
  let results = (outs HamKaas_Tensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_INDEXCOMPOSITIONS
