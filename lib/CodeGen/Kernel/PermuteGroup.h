//===- PermuteGroup.h - Kernels that permute a tensor -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_PERMUTEGROUP_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_PERMUTEGROUP_H

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include <optional>

namespace hamkaas {

/// A group that does nothing but permute the dimensions of its operand.
struct PermuteGroup {
  GroupOp group;
  /// Dimension i of the result is dimension `order[i]` of the operand.
  llvm::SmallVector<int64_t> order;

  mlir::Value operand() { return group.getInputs().front(); }

  /// The group that computes `tensor`; none if that is no such group, or if the
  /// tensor has several readers.
  static std::optional<PermuteGroup> match(mlir::Value tensor);
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_PERMUTEGROUP_H
