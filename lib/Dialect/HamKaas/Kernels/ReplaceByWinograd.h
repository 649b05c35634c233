//===- ReplaceByWinograd.h - Winograd in operations -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_REPLACEBYWINOGRAD_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_REPLACEBYWINOGRAD_H

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "WinogradCosts.h"

namespace hamkaas {

/// Replace `conv`, of `slices` equal parts of its batch, by transforms and
/// products of tiles of `tile` x `tile` positions.
void replaceByWinograd(ConvOp conv, int64_t tile, int64_t slices);
/// The same for the sum of convolutions that `conv` is, one for each of its
/// `phases`; those whose tile is 0 are direct.
void replacePhasesByWinograd(ConvOp conv, llvm::ArrayRef<ConvPhase> phases,
                             llvm::ArrayRef<int64_t> tiles);
/// The same for a product of 16-bit integers that are cast.
void replaceIntegersByWinograd(ConvOp conv, int64_t tile);
/// The same for a convolution that is the gradient of weights: `G^T u G` of
/// `u`, the sum of the products of transformed data and gradients over all
/// tiles. This is the transpose of the convolution as a map of its weights.
void replaceGradientByWinograd(ConvOp conv, const WinogradSizes &sizes,
                               int64_t tile, int64_t slices);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_REPLACEBYWINOGRAD_H
