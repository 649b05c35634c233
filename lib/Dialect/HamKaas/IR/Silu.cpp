//===- Silu.cpp - Sigmoid linear unit ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

// Sign change, exponential, sum and quotient.
int64_t SiluOp::getFlops() { return 4 * getElementCount(getType()); }
