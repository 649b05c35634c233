//===- EngineOps.h - Kernels of engine libraries ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#define GET_OP_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h.inc"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS_H
