//===- Resampling.h - Elements between those of a tensor --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_RESAMPLING_H
#define HAMKAAS_FRONTEND_BUILDER_RESAMPLING_H

#include "HamKaas/Frontend/Builder/ComposedOperations.h"

namespace hamkaas::graph {

/// How the elements of a resized tensor come about.
struct Resampling {
  enum class Mode { Nearest, Linear, Cubic };
  /// The place of element `i` among the old ones, by `scale` new elements for
  /// each of these.
  enum class Coordinates {
    AlignCorners, ///< The first and the last one stay.
    Asymmetric,   ///< i / scale.
    CropAndResize,
    HalfPixel, ///< (i + 0.5) / scale - 0.5.
    HalfPixelSymmetric,
    HalfPixelTorch,   ///< As HalfPixel, but the middle for a single element.
    HalfPixelNearest, ///< (i + 0.5) / scale.
    /// (i + offset) * distance, rounded to float32 with `isSingle`.
    Distance
  };
  enum class Rounding { Floor, Ceil, PreferFloor, PreferCeil };

  Mode mode = Mode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  Rounding rounding = Rounding::PreferFloor;
  double cubicA = -0.75, outsideValue = 0;
  bool antialias = false, excludesOutside = false;
  double offset = 0;
  bool isSingle = false;
};

/// One dimension that is resized.
struct ResampledDim {
  int64_t dim, size, newSize;
  /// New elements for each old one.
  double scale;
  /// The part that is taken, of 1.
  double begin = 0, end = 1;
  /// Old elements between two new ones, for Coordinates::Distance.
  double distance = 1;
};

/// Resizes dimensions one after the other. Integers are computed as floats and
/// rounded.
Tensor resample(GraphBuilder &b, Tensor x, const Resampling &resampling,
                llvm::ArrayRef<ResampledDim> dims);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_RESAMPLING_H
