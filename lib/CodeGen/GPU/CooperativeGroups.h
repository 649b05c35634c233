//===- CooperativeGroups.h - Warps that work together -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_COOPERATIVEGROUPS_H
#define HAMKAAS_LIB_CODEGEN_GPU_COOPERATIVEGROUPS_H

#include "HamKaas/CodeGen/Kernel/Emitters.h"

namespace hamkaas {

/// A buffer that the warps of a block have together.
mlir::Value allocateShared(KernelBuilder &kernel, llvm::ArrayRef<int64_t> shape,
                           mlir::Type element);

/// Waits until all warps of the block are here, and have written what they did.
void blockBarrier(KernelBuilder &kernel);

/// Returns whether `warp` is number `number`.
mlir::Value isWarpNumber(KernelBuilder &kernel, mlir::Value warp,
                         int64_t number);

/// The warps that take a row together where there are too few rows for as many
/// warps; none if there are enough, or rows are short.
std::optional<CooperativeGroup> makeRowGroup(KernelBuilder &kernel,
                                             mlir::Value result);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_COOPERATIVEGROUPS_H
