//===- BufferizableOps.h - What operations do with buffers ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_PLAN_BUFFERIZABLEOPS_H
#define HAMKAAS_DIALECT_HAMKAAS_PLAN_BUFFERIZABLEOPS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hamkaas {

/// Attaches BufferizableOpInterface to the operations of the dialect that
/// KERNELS has outside of kernels.
void registerBufferizableOps(mlir::DialectRegistry &registry);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_PLAN_BUFFERIZABLEOPS_H
