//===- OutlineLoops.h - Makes the bodies of loops functions -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_OUTLINELOOPS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_OUTLINELOOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// Replaces each `hamkaas.scan` by a `hamkaas.repeat` of a function `@loop0`,
/// `@loop1`, …, defined before its users. The body of a loop is a program: rows
/// and values are its inputs, iter args its state, rows of the results its
/// outputs. The arguments for these are still missing.
void outlineLoops(mlir::ModuleOp module);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_OUTLINELOOPS_H
