//===- PadConvolutions.h - Padded copies of operands ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PADCONVOLUTIONS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PADCONVOLUTIONS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

class ConvOp;
class PermuteOp;

/// Returns whether a padded copy of the input of `conv` is not much larger than
/// what is read and written anyway.
bool isWorthPadding(ConvOp conv);

/// `x`, the input of `conv` or a slice of its batch, with the padding of `conv`
/// around it, copied by a group. At the end of each spatial dimension are also
/// `more` elements. All that is added is `number`. The last dimension is padded
/// together with the channels, so that rows are long.
mlir::Value padOperand(mlir::OpBuilder &builder, ConvOp conv, mlir::Value x,
                       llvm::ArrayRef<int64_t> more, int64_t number = 0);

/// Returns whether `conv` has groups of channels that fill lines, which are far
/// apart where pixels have many groups.
bool copiesGroups(ConvOp conv);

/// As padOperand() for the input of `conv`, which has such groups, as images of
/// each group: `[g, n, ..., c]`. A permute that is for the copy alone is part
/// of it if channels come first in its operand.
mlir::Value padGroups(mlir::OpBuilder &builder, ConvOp conv,
                      llvm::ArrayRef<int64_t> more);

/// The permute that moves the groups of the channels that `conv` reads from the
/// first dimension to the last but one, and the reshape behind it, which `conv`
/// alone reads; none if there are no such operations.
llvm::SmallVector<mlir::Operation *, 2> findMovedGroups(ConvOp conv);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_PADCONVOLUTIONS_H
