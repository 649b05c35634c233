//===- Target.h - The target of a module ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

/// The TargetAttr of a module.
inline constexpr llvm::StringLiteral targetAttrName = "hamkaas.target";

/// Checks `attribute`, which stands on `op` as `hamkaas.target`.
llvm::LogicalResult verifyTarget(mlir::Operation *op,
                                 mlir::Attribute attribute);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H
