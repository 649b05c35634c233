//===- ExpandMaximum.h - Maxima that hand on NaN ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_EXPANDMAXIMUM_H
#define HAMKAAS_LIB_CODEGEN_CPU_EXPANDMAXIMUM_H

#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Expands `arith.maximumf` and `arith.minimumf` to forms that x86 has
/// instructions for. With a constant, zeros are ordered as these operations
/// order them; otherwise, either of 0.0 and -0.0 may be the result.
void populateExpandMaximumPatterns(mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_EXPANDMAXIMUM_H
