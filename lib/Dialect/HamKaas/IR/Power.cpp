//===- Power.cpp - Powers and remainders ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"

using namespace hamkaas;

// Calls of the C library, or divisions.
bool PowOp::isCheap() { return false; }
bool RemOp::isCheap() { return false; }
bool ModOp::isCheap() { return false; }
