//===- ReductionOps.h - Operations that combine elements --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

#define GET_OP_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h.inc"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REDUCTIONOPS_H
