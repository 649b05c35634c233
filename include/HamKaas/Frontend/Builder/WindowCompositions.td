//===- WindowCompositions.td - Convolutions, pools, resizing*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_WINDOWCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_WINDOWCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

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

class HamKaas_ConvTransposeComposition<string name, string n, string dims>
    : HamKaas_Composition<name> {
  let summary = n # "-d transposed convolution, channels first";
  let description = "The transpose of the convolution `conv" # n # "d`, from its "
      "result to its operand: each element of `x`, batch x channels x " # dims #
      ", adds its channel's part of `weight`, channels x (output channels / "
      "`groups`) x window, to the result, `stride` apart; then `bias[o]` is "
      "added. `padding` elements of the result are cut off before and after each "
      "dimension, and `output_padding` ones are added after it, of which there "
      "are fewer than `stride` or `dilation`. A dimension has the size `(size - "
      "1) * stride + dilation * (window - 1) + 1 - 2 * padding + "
      "output_padding`. `stride` and `dilation` default to 1, the paddings to 0; "
      "each has " # n # " entries.\n";
  let arguments = (ins HamKaas_NumericTensor:$x, HamKaas_NumericTensor:$weight,
                       Optional<HamKaas_NumericTensor>:$bias,
                       HamKaas_List:$stride, HamKaas_List:$padding,
                       HamKaas_List:$output_padding, HamKaas_List:$dilation,
                       HamKaas_Integer<"1">:$groups);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_ConvTranspose1d : HamKaas_ConvTransposeComposition<
    "conv_transpose1d", "1", "L"> {
  let example = [{
    x: float32 [1, 1, 2] = 1 2
    w: float32 [1, 1, 3] = 1 10 100
    b: float32 [1] = 0.5
    y = conv_transpose1d(x, w, b, stride=[2])
    y: float32 [1, 1, 5] = 1.5 10.5 102.5 20.5 200.5
  }];
}

def HamKaas_ConvTranspose2d : HamKaas_ConvTransposeComposition<
    "conv_transpose2d", "2", "H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 2] = 1 2 3 4
    w: float32 [1, 1, 2, 2] = 1 0 0 10
    y = conv_transpose2d(x, w, padding=[0, 1])
    y: float32 [1, 1, 3, 1] = 2 14 30
  }];
}

def HamKaas_ConvTranspose3d : HamKaas_ConvTransposeComposition<
    "conv_transpose3d", "3", "D, H, W"> {
  let example = [{
    x: float32 [1, 2, 1, 1, 2] = 1 2 3 4
    w: float32 [2, 1, 1, 1, 1] = 1 10
    y = conv_transpose3d(x, w, stride=[1, 1, 2], output_padding=[0, 0, 1], groups=2)
    y: float32 [1, 2, 1, 1, 4] = 1 0 2 0 30 0 40 0
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

class HamKaas_AdaptivePoolComposition<string name, string n, string dims,
                                      string what>
    : HamKaas_Composition<name> {
  let summary = n # "-d pooling by " # what # " to a given size, channels first";
  let description = "The " # what # " of each of `size` parts of `x`, batch x "
      "channels x " # dims # ". Part `i` of `m` of a dimension of `n` elements "
      "begins at `floor(i * n / m)` and ends before `ceil((i + 1) * n / m)`, so "
      "that parts share elements where `m` does not divide `n`. `size` has " #
      n # " entries.\n";
}
class HamKaas_AdaptiveAvgPool<string name, string n, string dims>
    : HamKaas_AdaptivePoolComposition<name, n, dims, "mean"> {
  let arguments = (ins HamKaas_FloatTensor:$x, DenseI64ArrayAttr:$size);
  let results = (outs HamKaas_FloatTensor:$result);
}
class HamKaas_AdaptiveMaxPool<string name, string n, string dims>
    : HamKaas_AdaptivePoolComposition<name, n, dims, "maximum"> {
  let arguments = (ins HamKaas_NumericTensor:$x, DenseI64ArrayAttr:$size);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_AdaptiveAvgPool1d
    : HamKaas_AdaptiveAvgPool<"adaptive_avg_pool1d", "1", "L"> {
  let example = [{
    x: float32 [1, 1, 5] = 1 3 2 6 4
    y = adaptive_avg_pool1d(x, size=[2])
    y: float32 [1, 1, 2] = 2 4
  }];
}
def HamKaas_AdaptiveAvgPool2d
    : HamKaas_AdaptiveAvgPool<"adaptive_avg_pool2d", "2", "H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 4] = 1 3 2 5 4 6 8 7
    y = adaptive_avg_pool2d(x, size=[1, 2])
    y: float32 [1, 1, 1, 2] = 3.5 5.5
  }];
}
def HamKaas_AdaptiveAvgPool3d
    : HamKaas_AdaptiveAvgPool<"adaptive_avg_pool3d", "3", "D, H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 1, 3] = 1 3 2 6 4 5
    y = adaptive_avg_pool3d(x, size=[1, 1, 2])
    y: float32 [1, 1, 1, 1, 2] = 3.5 3.5
  }];
}
def HamKaas_AdaptiveMaxPool1d
    : HamKaas_AdaptiveMaxPool<"adaptive_max_pool1d", "1", "L"> {
  let example = [{
    x: float32 [1, 1, 5] = 1 3 2 6 4
    y = adaptive_max_pool1d(x, size=[2])
    y: float32 [1, 1, 2] = 3 6
  }];
}
def HamKaas_AdaptiveMaxPool2d
    : HamKaas_AdaptiveMaxPool<"adaptive_max_pool2d", "2", "H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 4] = 1 3 2 5 4 6 8 7
    y = adaptive_max_pool2d(x, size=[1, 2])
    y: float32 [1, 1, 1, 2] = 6 8
  }];
}
def HamKaas_AdaptiveMaxPool3d
    : HamKaas_AdaptiveMaxPool<"adaptive_max_pool3d", "3", "D, H, W"> {
  let example = [{
    x: float32 [1, 1, 2, 1, 3] = 1 3 2 6 4 5
    y = adaptive_max_pool3d(x, size=[1, 1, 2])
    y: float32 [1, 1, 1, 1, 2] = 6 5
  }];
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

def HamKaas_Interpolate : HamKaas_Composition<"interpolate"> {
  let summary = "images of another size";
  let description = [{
    `x` with `size[k]` elements along each dimension `axes[k]`; `axes` default to
    those behind batch and channels. Element `i` of the result is at `p = (i +
    0.5) * scale - 0.5` of the old ones, where `scale` defaults to the old size
    divided by the new one. With `align_corners` it is `i * (n - 1) / (m - 1)`
    for the old size `n` and the new one `m`, so that the first and the last
    elements stay.

    | `mode`          | result                                                  |
    |-----------------|---------------------------------------------------------|
    | `nearest`       | the element `floor(i * scale)`                          |
    | `nearest_exact` | the element `floor((i + 0.5) * scale)`                  |
    | `linear`        | between the two elements around `p`                     |
    | `cubic`         | of the four elements around `p`, by the convolution kernel of Keys with `a = -0.75` |

    Elements outside are those at the border. The positions of nearest elements
    are computed as float32, or float64 for `x` of that type. Floats of 16 bits
    and integers are computed as float32 in the other modes; integers are rounded
    to nearest.
  }];
  let example = [{
    x: float32 [1, 1, 3] = 0 2 6
    y = interpolate(x, size=[6], mode=linear)
    y: float32 [1, 1, 6] = 0 0.5 1.5 3 5 6
  }];
  let arguments = (ins HamKaas_NumericTensor:$x, DenseI64ArrayAttr:$size,
      HamKaas_List:$axes,
      DefaultValuedOptionalAttr<HamKaas_InterpolateMode,
          "::hamkaas::graph::InterpolateMode::Nearest">:$mode,
      UnitAttr:$align_corners, OptionalAttr<F64Attr>:$scale);
  let results = (outs HamKaas_NumericTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_WINDOWCOMPOSITIONS
