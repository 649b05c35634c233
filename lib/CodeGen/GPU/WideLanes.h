//===- WideLanes.h - Several elements a thread ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_WIDELANES_H
#define HAMKAAS_LIB_CODEGEN_GPU_WIDELANES_H

#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"

namespace hamkaas {

/// The strategy's chooseLanes: several elements per thread if each tensor in
/// memory has them contiguous and aligned, or has one element for all lanes.
/// Otherwise one.
int64_t chooseWideLanes(const CostModel &costs, int64_t extent,
                        llvm::ArrayRef<LaneUse> uses,
                        llvm::function_ref<bool(mlir::Value)> isLeaf = {});

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_WIDELANES_H
