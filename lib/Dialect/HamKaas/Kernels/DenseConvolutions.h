//===- DenseConvolutions.h - As 3 x 3 without dilations ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DENSECONVOLUTIONS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DENSECONVOLUTIONS_H

#include "mlir/IR/Builders.h"

namespace hamkaas {

class ConvOp;

bool isAll(llvm::ArrayRef<int64_t> values, int64_t expected);

/// `x` with another shape of as many elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                    llvm::ArrayRef<int64_t> shape);

/// Returns whether `conv` has images, and neither strides nor dilations.
bool isPlain(ConvOp conv);

/// Returns whether the images of such a `conv` are float32, in one group.
bool isDense(ConvOp conv);

/// Replaces `conv`, of sequences, by a convolution of images of one row.
void makeImages(ConvOp conv);

/// The dilation of `conv` along spatial dimension `dim`, 1 for windows of one
/// element.
int64_t getDilation(ConvOp conv, int64_t dim);

bool isDilated(ConvOp conv);

/// Returns whether `conv`, of one group, has no strides, and dilations that
/// divide its result.
bool hasSeparateImages(ConvOp conv);

/// Replaces such a `conv` of images by a convolution without dilations: windows
/// contain every row and column at their dilations, so that images fall into
/// separate ones.
ConvOp separateImages(ConvOp conv);

bool isStrided(ConvOp conv);

/// Returns whether each stride of `conv`, of one group, is 1 or 2, shorter than
/// the window there, and leaves no padded position unread but the last.
bool hasPhases(ConvOp conv);

/// Replaces such a `conv` of images by a convolution without strides: the rows
/// and columns at each distance from a multiple of the strides, which the same
/// elements of windows read, become channels.
ConvOp separatePhases(ConvOp conv);

/// The elements of windows at the same offset from a multiple of the strides:
/// `window` of them. They read every second row and column of the padded
/// images, from these offsets on.
struct ConvPhase {
  std::array<int64_t, 2> offsets, window;
};

/// Those of `conv`, of images, one group and 3 x 3 windows with strides of 2:
/// 2 x 2, 2 x 1, 1 x 2 and 1 x 1; none of another convolution.
llvm::SmallVector<ConvPhase> findPhases(ConvOp conv);

/// The slice of rows and columns of images that `op`, their transform, alone
/// reads; null if there is none.
mlir::Operation *findStridedImages(mlir::Operation *op);

/// Into how many windows of 3 x 3 the two dimensions of a larger one are cut;
/// empty if there is one window, or too many, or another convolution.
llvm::SmallVector<int64_t> matchWindows(ConvOp conv);

/// Replaces `conv` by a convolution of 3 x 3: the parts of its window are
/// windows of channels, which are copies of the images, 3 rows or columns
/// apart.
ConvOp cutWindow(ConvOp conv, llvm::ArrayRef<int64_t> windows);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DENSECONVOLUTIONS_H
