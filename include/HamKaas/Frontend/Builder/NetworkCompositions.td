//===- NetworkCompositions.td - Layers of networks ---------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_NETWORKCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_NETWORKCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

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

class HamKaas_ConvComposition<string name, string n, string dims>
    : HamKaas_Composition<name> {
  let summary = n # "-d convolution, channels first";
  let description = "The convolution `conv` of `x`, batch x channels x " # dims #
      ", with `weight`, output channels x (channels / `groups`) x window, plus "
      "`bias[o]`. `stride` and `dilation` default to 1 and `padding`, before and "
      "after each dimension, to 0; each has " # n # " entries.\n";
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_NumericTensor:$weight,
                       Optional<HamKaas_NumericTensor>:$bias,
                       HamKaas_List:$stride, HamKaas_List:$padding,
                       HamKaas_List:$dilation, HamKaas_Integer<"1">:$groups);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_Conv1d : HamKaas_ConvComposition<"conv1d", "1",
    "L"> {
  let example = [{
    x: float32 [1, 1, 4] = 1 2 3 4
    w: float32 [1, 1, 2] = 1 -1
    b: float32 [1] = 0.5
    y = conv1d(x, w, b, stride=[2], padding=[1])
    y: float32 [1, 1, 3] = -0.5 -0.5 4.5
  }];
}

def HamKaas_Conv2d : HamKaas_ConvComposition<"conv2d", "2",
    "H, W"> {
  let example = [{
    x: float32 [1, 1, 3, 3] = 1 2 3 4 5 6 7 8 9
    w: float32 [1, 1, 2, 2] = 1 0 0 1
    y = conv2d(x, w)
    y: float32 [1, 1, 2, 2] = 6 8 12 14
  }];
}

def HamKaas_Conv3d : HamKaas_ConvComposition<"conv3d", "3",
    "D, H, W"> {
  let example = [{
    x: float32 [1, 2, 1, 2, 2] = 1 2 3 4 5 6 7 8
    w: float32 [2, 1, 1, 1, 2] = 1 1 1 -1
    y = conv3d(x, w, groups=2)
    y: float32 [1, 2, 1, 2, 1] = 3 7 -1 -1
  }];
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class HamKaas_MaxPoolComposition<string name, string n, string dims>
    : HamKaas_Composition<name> {
  let summary = n # "-d pooling by maximum, channels first";
  let description = "The largest element of each window of `kernel` elements of "
      "`x`, batch x channels x " # dims # ". `stride` defaults to `kernel`, "
      "`padding` to 0, which does not count, and `dilation` to 1; each has " #
      n # " entries. With `ceil_mode` a last window that begins within `x` or "
      "its padding may end outside.\n";
  let arguments = (ins HamKaas_NumericTensor:$x, DenseI64ArrayAttr:$kernel,
                       HamKaas_List:$stride, HamKaas_List:$padding,
                       HamKaas_List:$dilation, UnitAttr:$ceil_mode);
  let results = (outs HamKaas_NumericTensor:$result);
}

class HamKaas_AvgPoolComposition<string name, string n, string dims>
    : HamKaas_Composition<name> {
  let summary = n # "-d pooling by mean, channels first";
  let description = "The mean of each window of `kernel` elements of `x`, batch "
      "x channels x " # dims # ". `stride` defaults to `kernel` and `padding` "
      "to 0; each has " # n # " entries. With `count_include_pad` padding "
      "counts as zeros, otherwise not at all. With `ceil_mode` a last window "
      "that begins within `x` or its padding may end outside; what is outside "
      "does not count.\n";
  let arguments = (ins HamKaas_FloatTensor:$x, DenseI64ArrayAttr:$kernel,
                       HamKaas_List:$stride, HamKaas_List:$padding,
                       UnitAttr:$ceil_mode, UnitAttr:$count_include_pad);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_MaxPool1d : HamKaas_MaxPoolComposition<"max_pool1d", "1",
    "L"> {
  let example = [{
    x: float32 [1, 1, 5] = 1 3 2 5 4
    y = max_pool1d(x, kernel=[2], ceil_mode=1)
    y: float32 [1, 1, 3] = 3 5 4
  }];
}

def HamKaas_MaxPool2d : HamKaas_MaxPoolComposition<"max_pool2d", "2",
    "H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 4] = 1 3 2 5 4 6 8 7
    y = max_pool2d(x, kernel=[2, 2])
    y: float32 [1, 1, 1, 2] = 6 8
  }];
}

def HamKaas_MaxPool3d : HamKaas_MaxPoolComposition<"max_pool3d", "3",
    "D, H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 1, 2] = 1 3 2 6
    y = max_pool3d(x, kernel=[2, 1, 2])
    y: float32 [1, 1, 1, 1, 1] = 6
  }];
}

def HamKaas_AvgPool1d : HamKaas_AvgPoolComposition<"avg_pool1d", "1",
    "L"> {
  let example = [{
    x: float32 [1, 1, 5] = 1 3 2 5 4
    y = avg_pool1d(x, kernel=[2], ceil_mode=1)
    y: float32 [1, 1, 3] = 2 3.5 4
  }];
}

def HamKaas_AvgPool2d : HamKaas_AvgPoolComposition<"avg_pool2d", "2",
    "H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 4] = 1 3 2 5 4 6 8 7
    y = avg_pool2d(x, kernel=[2, 2])
    y: float32 [1, 1, 1, 2] = 3.5 5.5
  }];
}

def HamKaas_AvgPool3d : HamKaas_AvgPoolComposition<"avg_pool3d", "3",
    "D, H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 1, 2] = 1 3 2 6
    y = avg_pool3d(x, kernel=[2, 1, 2])
    y: float32 [1, 1, 1, 1, 1] = 3
  }];
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

def HamKaas_BatchNorm : HamKaas_Composition<"batch_norm"> {
  let summary = "normalize by statistics of the channels";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * weight + bias`, where all but `x`
    have one element for each channel, dimension 1 of `x`. `weight` defaults to
    1 and `bias` to 0. One product and one sum of each element.
  }];
  let example = [{
    x: float32 [2, 2] = 1 2 3 4
    m: float32 [2] = 1 2
    v: float32 [2] = 4 1
    y = batch_norm(x, m, v, epsilon=0)
    y: float32 [2, 2] = 0 0 1 2
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$mean,
                       HamKaas_FloatTensor:$variance,
                       Optional<HamKaas_FloatTensor>:$weight,
                       Optional<HamKaas_FloatTensor>:$bias,
                       HamKaas_Real<"1e-5">:$epsilon);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_GroupNorm : HamKaas_Composition<"group_norm"> {
  let summary = "normalize groups of channels";
  let description = [{
    `(x - m) / sqrt(v + epsilon) * weight + bias` with mean `m` and variance `v`
    of each of `groups` equal groups of channels, dimension 1 of `x`, and all
    dimensions after it. `weight` and `bias` have one element for each channel
    and default to 1 and 0.
  }];
  let example = [{
    x: float32 [1, 2, 2] = 1 3 2 6
    w: float32 [2] = 1 10
    y = group_norm(x, w, groups=2, epsilon=0)
    y: float32 [1, 2, 2] = -1 1 -10 10
  }];
  let arguments = (ins HamKaas_FloatTensor:$x,
                       Optional<HamKaas_FloatTensor>:$weight,
                       Optional<HamKaas_FloatTensor>:$bias, I64Attr:$groups,
                       HamKaas_Real<"1e-5">:$epsilon);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_InstanceNorm : HamKaas_Composition<"instance_norm"> {
  let summary = "normalize each channel";
  let description = [{
    `group_norm` with a group for each channel.
  }];
  let example = [{
    x: float32 [1, 2, 2] = 1 3 2 6
    y = instance_norm(x, epsilon=0)
    y: float32 [1, 2, 2] = -1 1 -1 1
  }];
  let arguments = (ins HamKaas_FloatTensor:$x,
                       Optional<HamKaas_FloatTensor>:$weight,
                       Optional<HamKaas_FloatTensor>:$bias,
                       HamKaas_Real<"1e-5">:$epsilon);
  let results = (outs HamKaas_FloatTensor:$result);
}

//===----------------------------------------------------------------------===//
// Tables and orders
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

class HamKaas_ElementLoss<string name, string what, string formula, string y>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = "`" # formula # "` with `d = x - target`, which have one "
      "type: of each element, the mean, or the sum of all, as `reduction` "
      "says.\n";
  let example = "x: float32 [2] = 1 2\nt: float32 [2] = 3 2.5\ny = " # name #
                "(x, t)\ny: float32 [] = " # y # "\n";
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$target,
      DefaultValuedOptionalAttr<HamKaas_LossReduction,
          "::hamkaas::graph::LossReduction::Mean">:$reduction);
  let results = (outs HamKaas_FloatTensor:$result);
}
def HamKaas_MseLoss : HamKaas_ElementLoss<"mse_loss", "mean squared error",
                                          "d^2", "2.125">;
def HamKaas_L1Loss : HamKaas_ElementLoss<"l1_loss", "mean absolute error",
                                         "|d|", "1.25">;

def HamKaas_CrossEntropy : HamKaas_Composition<"cross_entropy"> {
  let summary = "cross entropy of scores and classes";
  let description = [{
    `-log_softmax(x)[n, target[n], i]` along dimension 1 of `x`, batch x classes
    x others: of each element, the mean, or the sum of all, as `reduction` says.
    `target`, batch x others, has the index of the class. An element whose
    target is `ignore_index` counts as 0, and not at all in the mean. With
    `label_smoothing` that much of each target is spread over all classes
    alike. A target outside of the classes gives 0.
  }];
  let example = [{
    x: float32 [2, 2] = 0 1 2 4
    t: int64 [2] = 1 0
    y = cross_entropy(x, t)
    y: float32 [] = 1.2200948
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_IndexTensor:$target,
      DefaultValuedOptionalAttr<HamKaas_LossReduction,
          "::hamkaas::graph::LossReduction::Mean">:$reduction,
      HamKaas_Integer<"-100">:$ignore_index,
      HamKaas_Real<"0.0">:$label_smoothing);
  let results = (outs HamKaas_FloatTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_NETWORKCOMPOSITIONS
