//===- LibmCalls.h - Functions left to the C library ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_LIBMCALLS_H
#define HAMKAAS_LIB_CODEGEN_CPU_LIBMCALLS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Turns functions of the math dialect for which LLVM has no intrinsic into
/// calls of the C library, one an element. They are not upstream's MathToLibm,
/// which would call it for square roots and multiply-adds, too.
void populateLibmCallPatterns(const mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_LIBMCALLS_H
