//===- QuantizationOps.h - Numbers of few bits ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

/// Sizes of a block of a format.
struct BlockSize {
  int64_t numbers;
  int64_t bytes;
};
BlockSize getBlockSize(BlockFormat format);

} // namespace hamkaas

#define GET_OP_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h.inc"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_QUANTIZATIONOPS_H
