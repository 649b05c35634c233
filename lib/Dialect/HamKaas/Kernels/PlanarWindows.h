//===- PlanarWindows.h - Windows over channels-first images -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PLANARWINDOWS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PLANARWINDOWS_H

#include "mlir/IR/Operation.h"

namespace hamkaas {

class ConvOp;
class PoolOp;

/// Returns whether windows of these sizes can slide along the rows of images
/// whose channels come first.
bool arePlanarWindows(ConvOp conv);
bool arePlanarWindows(PoolOp pool);

/// The permutation of the weights of planar convolutions, which lie as they are
/// read: one channel of the images after the other.
inline constexpr int64_t planarWeights[] = {1, 2, 0, 3};

/// If `last` permutes the result of a pooling, depthwise or planar convolution
/// of something permuted back to channels first: the members of one kernel that
/// needs neither permutation in memory, at most `most`.
llvm::SmallVector<mlir::Operation *> findPlanarWindows(mlir::Operation *last,
                                                       size_t most);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PLANARWINDOWS_H
