//===- Targets.h - The targets that this compiler has -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_TARGETS_H
#define HAMKAAS_TARGET_TARGETS_H

#include "HamKaas/Target/TargetRegistry.h"
#include "mlir/IR/DialectRegistry.h"

namespace hamkaas {

/// All targets, in the order of their code in a program.
llvm::ArrayRef<const Target *> getTargets();

/// Lets contexts of `registry` know getTargets().
void registerTargets(mlir::DialectRegistry &registry);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_TARGETS_H
