//===- DenseConvolutions.h - As 3 x 3 without dilations ---------*- C++ -*-===//
//-*-===//
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

/// The dilation of a 3 x 3 convolution, if it is the same for both dimensions
/// and divides them; 1 otherwise.
int64_t matchDilation(ConvOp conv);

/// Replaces `conv` by a convolution without dilations: windows contain every
/// `dilation`-th row and column, so that images fall into `dilation` squared
/// separate ones.
ConvOp separateImages(ConvOp conv, int64_t dilation);

/// Into how many windows of 3 x 3 the two dimensions of a larger one are cut;
/// empty if there is one window, or too many, or another convolution.
llvm::SmallVector<int64_t> matchWindows(ConvOp conv);

/// Replaces `conv` by a convolution of 3 x 3: the parts of its window are
/// windows of channels, which are copies of the images, 3 rows or columns
/// apart.
ConvOp cutWindow(ConvOp conv, llvm::ArrayRef<int64_t> windows);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_DENSECONVOLUTIONS_H
