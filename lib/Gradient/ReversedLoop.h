//===- ReversedLoop.h - The gradient of a loop ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_GRADIENT_REVERSEDLOOP_H
#define HAMKAAS_LIB_GRADIENT_REVERSEDLOOP_H

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "Rules.h"

namespace hamkaas::gradient {

YieldOp getYield(ScanOp scan);

/// The operands that each result depends on. An iter arg depends on all that
/// its value in an earlier step does.
Dependences findLoopDependences(ScanOp scan);

/// The output that has the iter arg `k` as it is before each step.
std::optional<unsigned> findKept(ScanOp scan, unsigned k);

/// The gradients of the `wanted` operands of a loop that keeps all iter args.
Tensors buildReversedLoop(ScanOp scan, GraphBuilder &b,
                          llvm::ArrayRef<Tensor> gradients,
                          const llvm::BitVector &wanted);

} // namespace hamkaas::gradient

#endif // HAMKAAS_LIB_GRADIENT_REVERSEDLOOP_H
