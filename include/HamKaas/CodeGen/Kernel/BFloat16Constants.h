//===- BFloat16Constants.h - bfloat16 in the LLVM dialect -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_BFLOAT16CONSTANTS_H
#define HAMKAAS_CODEGEN_KERNEL_BFLOAT16CONSTANTS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Lets bfloat16, which memory alone holds, be integers of 16 bits to LLVM: for
/// a selection of two it would convert both, by calls of the compiler's
/// library.
void storeBFloat16AsIntegers(mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_BFLOAT16CONSTANTS_H
