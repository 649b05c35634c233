//===- DescribeTarget.h - Facts about the target of a module ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_DESCRIBETARGET_H
#define HAMKAAS_CODEGEN_KERNEL_DESCRIBETARGET_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "mlir/IR/Operation.h"

namespace hamkaas {

/// The facts about the target of the module that `op` is in. Without one, an
/// error at `op`.
llvm::FailureOr<TargetDescription> describeTarget(mlir::Operation *op);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_DESCRIBETARGET_H
