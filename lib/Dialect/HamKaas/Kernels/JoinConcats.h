//===- JoinConcats.h - Pointwise operations around concats ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_JOINCONCATS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_JOINCONCATS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace hamkaas {

/// Moves pointwise operations on results of concats that copy before these: on
/// each operand, whose kernel or that of the concat can take them.
void movePointwiseBeforeConcats(mlir::Block &block);

/// Operations that join the kernel of the concat `op`, if that copies: concats
/// that it alone reads, and slices and pointwise operations among their
/// operands that no other kernel can take. Each is behind its user. None if
/// `op` is no concat.
std::optional<llvm::SmallVector<mlir::Operation *>>
findJoined(mlir::Operation *op);

/// Returns whether `op` is a slice that a kernel whose root is the concat
/// `root` can copy.
bool isJoinedSlice(mlir::Operation *op, mlir::Operation *root);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_JOINCONCATS_H
