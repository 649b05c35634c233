//===- ZeroRows.h - Rows of zeros around images -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_ZEROROWS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_ZEROROWS_H

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"

namespace hamkaas {

/// The rows of zeros that padding adds to the images of a convolution. For the
/// first and the last rows of the result, some rows of the windows read nothing
/// else, and need no products.
class ZeroRows {
public:
  /// None if there are too few of them, or if part of the result depends on
  /// zeros alone.
  static std::optional<ZeroRows> find(const CostModel &costs,
                                      mlir::linalg::LinalgOp root,
                                      const ContractionLoops &loops);

  /// The loop over the rows of the result.
  int64_t getLoop() const { return loop; }
  /// The first row of the window that row `index` of the result needs, and the
  /// one behind the last.
  mlir::Value findFirstTap(KernelBuilder &kernel, mlir::Value index) const;
  mlir::Value findEndTap(KernelBuilder &kernel, mlir::Value index) const;

private:
  /// The rows of the window that reach the image for row `index` of the result.
  int64_t countTaps(int64_t index) const;
  mlir::Value findTap(KernelBuilder &kernel, mlir::Value index,
                      int64_t row) const;

  /// Row `tap` of a window of row `index` of the result reads row `index *
  /// stride + tap * dilation` of an image.
  int64_t loop, stride, dilation, taps;
  /// The rows of an image that are not zeros.
  int64_t begin, end;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_ZEROROWS_H
