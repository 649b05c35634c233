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

/// Reorders the operations on vectors in `block` such that `count` long
/// computations that do not depend on each other advance in turns. A function
/// like erf is a chain of some twenty operations of which each waits for the
/// last one; written one after the other, a processor sees two or three of
/// these chains ahead, too few to keep its units busy. Nothing moves across
/// what writes memory.
void interleaveChains(mlir::Block &block, int64_t count);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_INTERLEAVECHAINS_H
