//===- ShapeCompositions.td - Shapes and movement ----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_SHAPECOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_SHAPECOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

//===----------------------------------------------------------------------===//
// Several tensors
//===----------------------------------------------------------------------===//

def HamKaas_Stack : HamKaas_Composition<"stack"> {
  let summary = "join tensors along a new dimension";
  let description = [{
    The operands, which have one type, one after the other along a new dimension
    `axis` of the result.
  }];
  let example = [{
    a: float32 [2] = 1 2
    b: float32 [2] = 3 4
    y = stack(a, b, axis=1)
    y: float32 [2, 2] = 1 3 2 4
  }];
  let arguments = (ins Variadic<HamKaas_Tensor>:$operands,
                       HamKaas_Integer<"0">:$axis);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Split : HamKaas_Composition<"split"> {
  let summary = "split a dimension into parts";
  let description = [{
    Parts of `x` along the dimension `axis`, one after the other: as many results
    as `sizes` has entries, which are at least 1 and add up to the size of the
    dimension.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    a, b = split(x, sizes=[1, 2], axis=1)
    a: float32 [2, 1] = 1 4
    b: float32 [2, 2] = 2 3 5 6
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$sizes,
                       HamKaas_Integer<"0">:$axis);
  let results = (outs Variadic<HamKaas_Tensor>:$parts);
}

def HamKaas_Unstack : HamKaas_Composition<"unstack"> {
  let summary = "the slices of a dimension";
  let description = [{
    The slices of `x` along the dimension `axis`, which they do not have: as many
    results as the size of that dimension.
  }];
  let example = [{
    x: float32 [2, 2] = 1 2 3 4
    a, b = unstack(x, axis=1)
    a: float32 [2] = 1 3
    b: float32 [2] = 2 4
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_Integer<"0">:$axis);
  let results = (outs Variadic<HamKaas_Tensor>:$slices);
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

def HamKaas_ExpandDims : HamKaas_Composition<"expand_dims"> {
  let summary = "insert dimensions of size 1";
  let description = [{
    `x` with dimensions of size 1 that are `axes` of the result.
  }];
  let example = [{
    x: float32 [2] = 1 2
    y = expand_dims(x, axes=[0, -1])
    y: float32 [1, 2, 1] = 1 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Squeeze : HamKaas_Composition<"squeeze"> {
  let summary = "remove dimensions of size 1";
  let description = [{
    `x` without the dimensions `axes`, which have size 1; without all such
    dimensions if `axes` are left out.
  }];
  let example = [{
    x: float32 [1, 2, 1] = 1 2
    y = squeeze(x, axes=[0])
    y: float32 [2, 1] = 1 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_List:$axes);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Moveaxis : HamKaas_Composition<"moveaxis"> {
  let summary = "move dimensions to other positions";
  let description = [{
    The dimension `source[i]` of `x` is the dimension `destination[i]` of the
    result. The others follow in their order.
  }];
  let example = [{
    x: float32 [1, 2, 3] = 1 2 3 4 5 6
    y = moveaxis(x, source=[0], destination=[-1])
    y: float32 [2, 3, 1] = 1 2 3 4 5 6
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$source,
                       DenseI64ArrayAttr:$destination);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Flatten : HamKaas_Composition<"flatten"> {
  let summary = "make one dimension of several";
  let description = [{
    `x` with its dimensions from `start` to `end` as one. A scalar has one
    element.
  }];
  let example = [{
    x: float32 [2, 1, 2] = 1 2 3 4
    y = flatten(x, start=1)
    y: float32 [2, 2] = 1 2 3 4
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_Integer<"0">:$start,
                       HamKaas_Integer<"-1">:$end);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_BroadcastTo : HamKaas_Composition<"broadcast_to"> {
  let summary = "repeat a tensor to a larger shape";
  let description = [{
    `x` with the shape `shape`: dimensions of size 1 are repeated, missing ones
    are added in front.
  }];
  let example = [{
    x: float32 [2, 1] = 1 2
    y = broadcast_to(x, shape=[2, 3])
    y: float32 [2, 3] = 1 1 1 2 2 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$shape);
  let results = (outs HamKaas_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Order and repetition
//===----------------------------------------------------------------------===//

def HamKaas_Flip : HamKaas_Composition<"flip"> {
  let summary = "reverse dimensions";
  let description = [{
    `x` with its elements in reverse order along `axes`, along all dimensions if
    they are left out.
  }];
  let example = [{
    x: float32 [2, 2] = 1 2 3 4
    y = flip(x, axes=[1])
    y: float32 [2, 2] = 2 1 4 3
  }];
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_List:$axes);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Roll : HamKaas_Composition<"roll"> {
  let summary = "shift elements around";
  let description = [{
    The element `i` of dimension `axes[k]` becomes element `i + shifts[k]`, from
    the end on again from 0. Without `axes`, all elements are one list, and
    `shifts` has one entry.
  }];
  let example = [{
    x: float32 [2, 3] = 1 2 3 4 5 6
    y = roll(x, shifts=[1], axes=[1])
    y: float32 [2, 3] = 3 1 2 6 4 5
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$shifts,
                       HamKaas_List:$axes);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Tile : HamKaas_Composition<"tile"> {
  let summary = "repeat a tensor along its dimensions";
  let description = [{
    `x`, `repeats[i]` times along dimension `i`. Of `repeats` and the shape of
    `x`, the shorter one is extended by 1 in front.
  }];
  let example = [{
    x: float32 [2] = 1 2
    y = tile(x, repeats=[2, 2])
    y: float32 [2, 4] = 1 2 1 2 1 2 1 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$repeats);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_RepeatElements : HamKaas_Composition<"repeat_elements"> {
  let summary = "repeat each element";
  let description = [{
    Each element along the dimension `axis` `count` times, one after the other.
    Without `axis`, all elements are one list.
  }];
  let example = [{
    x: float32 [2] = 1 2
    y = repeat_elements(x, count=2, axis=0)
    y: float32 [4] = 1 1 2 2
  }];
  let arguments = (ins HamKaas_Tensor:$x, I64Attr:$count, HamKaas_Axis:$axis);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Pad : HamKaas_Composition<"pad"> {
  let summary = "pad around and between elements";
  let description = [{
    `low[i]` elements before and `high[i]` after dimension `i` of `x`, and
    `interior[i]` between each two of its elements, none if it is left out:
    `result[low[0] + (1 + interior[0]) * i] = x[i]`. Negative entries of `low`
    and `high` cut off elements, before others are added.

    | `mode`      | new elements                                                |
    |-------------|-------------------------------------------------------------|
    | `constant`  | `value`, 0 if it is left out                                |
    | `reflect`   | as in a mirror at the last element: `3 2 1 2 3 2 1` for `1 2 3` |
    | `replicate` | the last element: `1 1 1 2 3 3 3`                           |
    | `circular`  | from the other end on: `2 3 1 2 3 1 2`                      |

    `value` and `interior` are for the mode `constant` alone.
  }];
  let example = [{
    x: float32 [2, 2] = 1 2 3 4
    y = pad(x, low=[1, 0], high=[0, -1], value=5)
    y: float32 [3, 1] = 5 1 3
  }];
  let arguments = (ins HamKaas_Tensor:$x, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high, HamKaas_List:$interior,
      OptionalAttr<TypedAttrInterface>:$value,
      DefaultValuedOptionalAttr<HamKaas_PadMode,
          "::hamkaas::graph::PadMode::Constant">:$mode);
  let results = (outs HamKaas_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Triangles and new tensors
//===----------------------------------------------------------------------===//

class HamKaas_Triangle<string name, string what, string y>
    : HamKaas_Composition<name> {
  let summary = "the " # what # " triangle of matrices";
  let description = "The elements of the last two dimensions on the diagonal "
      "`diagonal` and " # !if(!eq(what, "upper"), "above", "below") # ", and 0 "
      "elsewhere. Diagonal 0 is the main one, positive ones are above it.\n";
  let example = "x: float32 [2, 2] = 1 2 3 4\ny = " # name #
                "(x)\ny: float32 [2, 2] = " # y # "\n";
  let arguments = (ins HamKaas_Tensor:$x, HamKaas_Integer<"0">:$diagonal);
  let results = (outs HamKaas_Tensor:$result);
}
def HamKaas_Tril : HamKaas_Triangle<"tril", "lower", "1 0 3 4">;
def HamKaas_Triu : HamKaas_Triangle<"triu", "upper", "1 2 0 4">;

def HamKaas_Eye : HamKaas_Composition<"eye"> {
  let summary = "a diagonal of ones";
  let description = [{
    A matrix of `rows x columns` elements of `type`: 1 on the diagonal
    `diagonal`, as in `tril`, and 0 elsewhere. `columns` defaults to `rows`.
  }];
  let example = [{
    y = eye(rows=2, columns=3, type=float32)
    y: float32 [2, 3] = 1 0 0 0 1 0
  }];
  let arguments = (ins I64Attr:$rows, HamKaas_Axis:$columns,
                       HamKaas_Integer<"0">:$diagonal,
                       HamKaas_ElementTypeAttr:$type);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Full : HamKaas_Composition<"full"> {
  let summary = "the same number everywhere";
  let description = [{
    A tensor of `shape` whose elements are `value`, rounded to `type`. An integer
    beyond 2^53 is not exact.
  }];
  let example = [{
    y = full(shape=[2], value=1.5, type=float32)
    y: float32 [2] = 1.5 1.5
  }];
  let arguments = (ins DenseI64ArrayAttr:$shape, F64Attr:$value,
                       HamKaas_ElementTypeAttr:$type);
  let results = (outs HamKaas_Tensor:$result);
}

def HamKaas_Arange : HamKaas_Composition<"arange"> {
  let summary = "numbers at equal distances";
  let description = [{
    `start + i * step` for `i = 0, 1, ...` as long as it is before `stop`; the
    number of elements is `ceil((stop - start) / step)`, at least 1. Elements
    are computed as float64 and rounded to `type`.
  }];
  let example = [{
    y = arange(stop=2, step=0.5, type=float32)
    y: float32 [4] = 0 0.5 1 1.5
  }];
  let arguments = (ins HamKaas_Real<"0.0">:$start, F64Attr:$stop,
                       HamKaas_Real<"1.0">:$step,
                       HamKaas_ElementTypeAttr:$type);
  let results = (outs HamKaas_NumericTensor:$result);
}

def HamKaas_Linspace : HamKaas_Composition<"linspace"> {
  let summary = "numbers from one to another";
  let description = [{
    `count` numbers at equal distances: the first is `start` and the last is
    `stop`, or with `exclusive` the next one would be. Elements are computed as
    float64 and rounded to `type`.
  }];
  let example = [{
    y = linspace(start=0, stop=1, count=5, type=float32)
    y: float32 [5] = 0 0.25 0.5 0.75 1
  }];
  let arguments = (ins F64Attr:$start, F64Attr:$stop, I64Attr:$count,
                       UnitAttr:$exclusive, HamKaas_ElementTypeAttr:$type);
  let results = (outs HamKaas_NumericTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_SHAPECOMPOSITIONS
