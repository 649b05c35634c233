//===- Windows.h - Windows that move over images ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_WINDOWS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_WINDOWS_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// Reads the attributes kernel_shape, strides, dilations, pads, auto_pad and,
/// if `mayRoundUp`, ceil_mode for the spatial dimensions `spatial`. `sizes` is
/// that of the weights, or empty. Fails unless there are from 1 to 3.
std::optional<Windows> readWindows(OpContext &op, GraphBuilder &b,
                                   llvm::ArrayRef<int64_t> spatial,
                                   llvm::ArrayRef<int64_t> sizes,
                                   bool mayRoundUp = false);

/// A list of one entry a spatial dimension, each at least `least`.
std::optional<Shape> readList(OpContext &op, GraphBuilder &b,
                              llvm::StringRef name, size_t count,
                              int64_t standard, int64_t least);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_WINDOWS_H
