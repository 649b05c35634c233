//===- WindowSources.h - Operands of sliding windows ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINDOWSOURCES_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINDOWSOURCES_H

#include "mlir/IR/Operation.h"

namespace hamkaas {

/// The operand whose windows `op` reduces channel by channel; null if it
/// reduces none.
mlir::Value getWindowOperand(mlir::Operation *op);

/// The operations that compute `value`, which has one reader, from a tensor
/// with fewer bits an element: the last first, until elements have the fewest
/// bits. They dequantize: cast, or scale or shift by one constant.
llvm::SmallVector<mlir::Operation *> findDequantizing(mlir::Value value);

/// Moves reshapes between such operations and windows before the operations, so
/// that one kernel can have them and the windows.
void reshapeBeforeDequantizing(mlir::Block &block);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINDOWSOURCES_H
