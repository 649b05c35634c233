//===- MatrixProduct.h - Products of tensor cores ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_EMULATION_MATRIXPRODUCT_H
#define HAMKAAS_LIB_EMULATION_MATRIXPRODUCT_H

#include "HamKaas/Emulation/EmulatedCode.h"
#include "HamKaas/Emulation/Launch.h"

namespace hamkaas::emulation {

/// Adds the product of two matrices that a warp holds to a third one, all in
/// the `productRegisters` registers of its lanes, as PTX says for `mma.sync`.
/// PTX leaves the rounding open, so `sums` says it. The lower 13 bits of a tf32
/// mean nothing.
void addMatrixProduct(ProductKind kind, ProductSums sums,
                      uint32_t *const (&lanes)[warpSize]);

} // namespace hamkaas::emulation

#endif // HAMKAAS_LIB_EMULATION_MATRIXPRODUCT_H
