//===- ExpandFloat16.h - Conversions of float16 by arithmetic ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT16_H
#define HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT16_H

#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Converts between float16 and float32 by arithmetic on their bits. Without
/// instructions for it, LLVM would call functions of the compiler's library,
/// which a program may not need. Upstream has such patterns for bfloat16 alone.
void populateExpandFloat16Patterns(mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT16_H
