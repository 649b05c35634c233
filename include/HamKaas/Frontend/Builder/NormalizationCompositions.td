//===- NormalizationCompositions.td - Normalization --------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_NORMALIZATIONCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_NORMALIZATIONCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

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

def HamKaas_LayerNorm : HamKaas_Composition<"layer_norm"> {
  let summary = "normalize rows";
  let description = [{
    `(x - m) / sqrt(v + epsilon) * weight + bias` with mean `m` and variance `v`
    over the dimensions `axes`, the last one if they are left out (Ba, Kiros and
    Hinton, Layer Normalization, 2016). `weight` and `bias` have the sizes of
    these dimensions and default to 1 and 0. Statistics of floats of 16 bits are
    computed as float32. `epsilon` is finite and at least 0.
  }];
  let example = [{
    x: float32 [2, 2] = 1 3 2 6
    w: float32 [2] = 1 10
    b: float32 [2] = 0 0.5
    y = layer_norm(x, w, b, epsilon=0)
    y: float32 [2, 2] = -1 10.5 -1 10.5
  }];
  let arguments = (ins HamKaas_FloatTensor:$x,
                       Optional<HamKaas_FloatTensor>:$weight,
                       Optional<HamKaas_FloatTensor>:$bias,
                       HamKaas_Real<"1e-5">:$epsilon, HamKaas_List:$axes);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_RmsNorm : HamKaas_Composition<"rms_norm"> {
  let summary = "divide rows by their root mean square";
  let description = [{
    `x / sqrt(mean(x^2) + epsilon) * w` with the mean over the dimensions `axes`,
    the last one if they are left out (Zhang and Sennrich, Root Mean Square Layer
    Normalization, 2019). `w` has the sizes of these dimensions and defaults to
    1. Means of floats of 16 bits are computed as float32. `epsilon` is finite
    and at least 0. Of float32 it is one operation.
  }];
  let example = [{
    x: float32 [2, 2] = 1 1 3 -3
    w: float32 [2] = 1 10
    y = rms_norm(x, w, epsilon=0)
    y: float32 [2, 2] = 1 10 1 -10
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, Optional<HamKaas_FloatTensor>:$w,
                       HamKaas_Real<"1e-5">:$epsilon, HamKaas_List:$axes);
  let results = (outs HamKaas_FloatTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_NORMALIZATIONCOMPOSITIONS
