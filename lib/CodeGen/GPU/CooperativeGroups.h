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

/// Warps that saturate the memory bandwidth of a GPU.
int64_t getWantedWarps(const CostModel &costs);

/// Warps of a block that compute a row together.
class CooperativeGroup final : public RowWorkers {
public:
  CooperativeGroup(KernelBuilder &kernel, int64_t warps)
      : RowWorkers(warps), kernel(kernel) {}

  /// Each warp publishes its value in shared memory, then combines the values
  /// of all warps in order.
  mlir::Value combine(mlir::Value warp, mlir::Value value,
                      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>
                          step) const override;

private:
  KernelBuilder &kernel;
};

/// The warps for a row where there are too few rows for as many warps; none if
/// there are enough, or rows are short.
std::optional<CooperativeGroup> makeRowGroup(KernelBuilder &kernel,
                                             mlir::Value result);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_COOPERATIVEGROUPS_H
