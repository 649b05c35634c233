//===- ConvertThroughFloat32.h - Integers to narrow floats ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_CONVERTTHROUGHFLOAT32_H
#define HAMKAAS_CODEGEN_KERNEL_CONVERTTHROUGHFLOAT32_H

#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Converts integers to float16 and bfloat16 by way of float32, as
/// `hamkaas.cast` does. Canonicalization makes one conversion of the two, which
/// upstream does not expand for processors without it.
void populateConvertThroughFloat32Patterns(mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_CONVERTTHROUGHFLOAT32_H
