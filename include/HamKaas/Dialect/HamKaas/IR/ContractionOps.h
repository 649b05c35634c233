//===- ContractionOps.h - Sums of products ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include <array>

namespace hamkaas {
struct WinogradSide;
} // namespace hamkaas

#define GET_OP_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h.inc"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS_H
