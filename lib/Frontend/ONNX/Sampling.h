//===- Sampling.h - Images at positions that are computed -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_SAMPLING_H
#define HAMKAAS_LIB_FRONTEND_ONNX_SAMPLING_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// Elements along one dimension, one for each position, and their part in it.
struct Tap {
  /// Within the dimension; a float that is whole.
  Tensor index;
  /// Null for 1.
  Tensor weight;
  /// Null if there is an element at all positions; where it is false, 0 is
  /// taken.
  Tensor isInside;
};

/// How elements between and outside of those of an image come about.
struct GridMode {
  /// nearest, linear or cubic; zeros, border or reflection.
  llvm::StringRef mode = "linear", padding = "zeros";
  bool alignsCorners = false;
};

/// The elements around the positions `x` along a dimension.
llvm::SmallVector<Tap> getTaps(GraphBuilder &b, const GridMode &mode, Tensor x,
                               int64_t size);

/// The rows of `x`, images of channels, as positions x channels: batch first,
/// then the spatial dimensions.
Tensor toRows(GraphBuilder &b, Tensor x);

/// The elements of `rows` at one tap of each dimension. `batch` is the index of
/// the image, to be broadcast with the taps; `sizes` are those of an image.
Tensor takeElements(GraphBuilder &b, Tensor rows, Tensor batch,
                    llvm::ArrayRef<Tap> taps, llvm::ArrayRef<int64_t> sizes);

/// Calls `use` with each choice of one tap a dimension.
void forEachChoice(llvm::ArrayRef<llvm::SmallVector<Tap>> dims,
                   llvm::function_ref<void(llvm::ArrayRef<Tap>)> use);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_SAMPLING_H
