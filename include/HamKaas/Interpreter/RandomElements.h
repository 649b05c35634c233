//===- RandomElements.h - Tensors to test devices with ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_INTERPRETER_RANDOMELEMENTS_H
#define HAMKAAS_INTERPRETER_RANDOMELEMENTS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "llvm/ADT/StringRef.h"

namespace hamkaas {

/// Elements that are uniform, the same for equal names: floats from -1 to 1,
/// bool and integers of 8 bits among all values, other integers 0 or 1, because
/// they are often positions, and small ones exist.
ReferenceTensor makeRandomElements(mlir::RankedTensorType type,
                                   llvm::StringRef name);

/// Elements that are zeros, halves, small powers of two and a large one, of
/// both signs, the same for equal names. Sums of their products are exact in
/// float32, so that what an operation makes of a sum is not decided by its
/// rounding.
ReferenceTensor makeSpecialElements(mlir::RankedTensorType type,
                                    llvm::StringRef name);

} // namespace hamkaas

#endif // HAMKAAS_INTERPRETER_RANDOMELEMENTS_H
