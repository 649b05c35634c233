//===- InterleaveChains.h - Orders independent computations -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_INTERLEAVECHAINS_H
#define HAMKAAS_LIB_CODEGEN_CPU_INTERLEAVECHAINS_H

#include "mlir/IR/Block.h"

namespace hamkaas {

/// Interleaves `count` long independent chains of vector operations in `block`.
/// A function like erf is a chain of about twenty dependent operations. Written
/// one after the other, a CPU sees two or three of these chains ahead, too few
/// to keep its units busy. Nothing moves across memory writes.
void interleaveChains(mlir::Block &block, int64_t count);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_INTERLEAVECHAINS_H
