//===- RoundToIntegers.h - Rounding that ends in integers -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_ROUNDTOINTEGERS_H
#define HAMKAAS_LIB_CODEGEN_CPU_ROUNDTOINTEGERS_H

#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Rounds by the conversion to integers where floats are rounded, moved by a
/// zero point, limited and converted. Results have the same bits.
void populateRoundToIntegersPatterns(mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_ROUNDTOINTEGERS_H
