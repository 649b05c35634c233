//===- GroupOffers.h - What is offered to engines ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_ENGINE_GROUPOFFERS_H
#define HAMKAAS_LIB_ENGINE_GROUPOFFERS_H

#include "DescribeGroup.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace hamkaas {

/// A part of a group that is offered to engines.
struct Offer {
  EngineSlice slice;
  std::string location; ///< Of all operations, as reports have it.
  std::vector<std::string> locations; ///< One an operation.
  std::string ops;                    ///< "matmul+add"
  std::string text;                   ///< Empty: for our own engine alone.
};

/// A group, and its parts, largest first: the first is the whole. None if it is
/// for no engine.
struct OfferedGroup {
  GroupOp group;
  std::vector<Offer> offers;
};

/// The groups of a graph, which `hamkaas-form-groups` has made, without those
/// that engines have already. Without a target, for our own engine alone.
std::vector<OfferedGroup> collectOffers(mlir::ModuleOp graph,
                                        const EngineTarget *target);

/// Numbers are part of the kernels that read them.
bool isNumber(mlir::Operation *op);

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_GROUPOFFERS_H
